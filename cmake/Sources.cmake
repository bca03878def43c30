# share/scree/sources: what `scree pack --sources` puts into an FMU.
file(GLOB_RECURSE packed_sources CONFIGURE_DEPENDS core/*.[ch] record/*.[ch] modelDescription/*.[ch] fmu/*.[ch])
list(FILTER packed_sources EXCLUDE REGEX "/write[a-z_]*\\.[ch]$")
set(packed_list ${CMAKE_BINARY_DIR}/share/scree/sources/files.txt)
add_custom_command(OUTPUT ${packed_list}
  COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_SOURCE_DIR} -DTO=${CMAKE_BINARY_DIR}/share/scree/sources
    -P ${CMAKE_SOURCE_DIR}/cmake/copy_sources.cmake
  DEPENDS ${packed_sources} ${CMAKE_SOURCE_DIR}/cmake/copy_sources.cmake
  COMMENT "Laying out the sources of the FMU")
add_custom_target(scree-sources ALL DEPENDS ${packed_list})
