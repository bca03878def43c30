# The page of `scree view`: npm installs the locked libraries into web/node_modules, esbuild makes one file of web/src.
# Sets page_source: the C file with the page, or one without it when there is no node and npm.
option(SCREE_VIEW "Build the page of scree view; needs node and npm" ON)
find_program(SCREE_NODE node HINTS ${CMAKE_SOURCE_DIR}/.venv/bin)
find_program(SCREE_NPM npm HINTS ${CMAKE_SOURCE_DIR}/.venv/bin)

if(SCREE_VIEW AND SCREE_NODE AND SCREE_NPM)
  set(web ${CMAKE_SOURCE_DIR}/web)
  set(page_source ${CMAKE_BINARY_DIR}/web/page.c)
  set(web_libraries ${web}/node_modules/.installed) # shared by all builds of this tree
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
  add_custom_command(OUTPUT ${web_libraries}
    DEPENDS ${web}/package.json ${web}/package-lock.json
    COMMAND ${SCREE_NPM} ci --ignore-scripts --loglevel=error
      || sh -c "echo 'No libraries for the page: is there a network? cmake -DSCREE_VIEW=OFF builds without it' >&2; exit 1"
    COMMAND ${CMAKE_COMMAND} -E touch ${web_libraries}
    WORKING_DIRECTORY ${web} COMMENT "Installing the libraries of the page" VERBATIM)
  add_custom_command(OUTPUT ${page_source}
    DEPENDS ${web_libraries} ${web_sources} ${web}/build.mjs
    COMMAND ${SCREE_NODE} ${web}/build.mjs ${page_source}
    WORKING_DIRECTORY ${web} COMMENT "Building the page" VERBATIM)
else()
  set(page_source ${CMAKE_SOURCE_DIR}/web/no_page.c)
  if(SCREE_VIEW)
    message(STATUS "No node and npm found: `scree view` is built without its page (`make build` brings both)")
  endif()
endif()
