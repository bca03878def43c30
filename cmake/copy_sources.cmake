cmake_policy(VERSION 3.25)
# Lays out the sources of the FMU as sources/ of an FMU has them: core's folders and all other files side by side, so
# that sources/ is the one include directory. files.txt lists them.
#   cmake -DFROM=<source tree> -DTO=<folder> -P copy_sources.cmake
file(REMOVE_RECURSE ${TO})
set(names "")
foreach(folder core record modelDescription fmu)
  file(GLOB_RECURSE files RELATIVE ${FROM}/${folder} ${FROM}/${folder}/*.c ${FROM}/${folder}/*.h)
  foreach(file ${files})
    if(folder STREQUAL modelDescription AND file MATCHES "^write") # what only the packer needs
      continue()
    endif()
    if(file IN_LIST names)
      message(FATAL_ERROR "two files are named ${file}: sources/ of an FMU has room for one of them")
    endif()
    list(APPEND names ${file})
    get_filename_component(place ${TO}/${file} DIRECTORY)
    file(COPY ${FROM}/${folder}/${file} DESTINATION ${place})
  endforeach()
endforeach()
list(SORT names)
list(JOIN names "\n" text)
file(WRITE ${TO}/files.txt "${text}\n")
