# The FMU's shared object in other variants, each a target of its own name that is not part of `all`; it goes to
# lib/scree/<name>.
#   win64  64-bit Windows, when the cross compiler is there (Debian: gcc-mingw-w64-x86-64-posix). `scree pack` puts it
#          into the FMUs that it makes.
#   tsan   with ThreadSanitizer, for the tests.
include(ExternalProject)

function(add_variant name folder)
  ExternalProject_Add(${name}
    SOURCE_DIR ${CMAKE_SOURCE_DIR}
    BINARY_DIR ${CMAKE_BINARY_DIR}/${name}
    CMAKE_ARGS -G Ninja -DSCREE_FMU_ONLY=ON -DFMI2_INCLUDE_DIR=${FMI2_INCLUDE_DIR} ${ARGN}
    BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR>
    BUILD_ALWAYS ON
    INSTALL_COMMAND ${CMAKE_COMMAND} -E copy_directory <BINARY_DIR>/lib/scree/${folder} ${CMAKE_BINARY_DIR}/lib/scree/${name}
    EXCLUDE_FROM_ALL ON)
endfunction()

find_program(SCREE_MINGW NAMES x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc)
if(SCREE_MINGW)
  add_variant(win64 win64 -DCMAKE_TOOLCHAIN_FILE=${CMAKE_SOURCE_DIR}/cmake/win64.cmake -DCMAKE_BUILD_TYPE=Release)
else()
  add_custom_target(win64 COMMENT "no x86_64-w64-mingw32-gcc: no FMU for Windows")
endif()
add_variant(tsan linux64 -DCMAKE_C_FLAGS=-O1 -DSCREE_SANITIZE=thread)
