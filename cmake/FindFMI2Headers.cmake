# The official FMI 2.0 headers, which the Python package FMPy ships. -DFMI2_INCLUDE_DIR names another place.
if(NOT FMI2_INCLUDE_DIR)
  find_program(SCREE_PYTHON NAMES python3 HINTS ${CMAKE_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH)
  if(NOT SCREE_PYTHON)
    find_program(SCREE_PYTHON NAMES python3 REQUIRED)
  endif()
  execute_process(
    COMMAND ${SCREE_PYTHON} -c
      "import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec('fmpy').origin).parent / 'c-code')"
    OUTPUT_VARIABLE fmpy_headers OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(FMI2_INCLUDE_DIR "${fmpy_headers}" CACHE PATH "Folder with fmi2Functions.h")
endif()
if(NOT EXISTS "${FMI2_INCLUDE_DIR}/fmi2Functions.h")
  message(FATAL_ERROR "fmi2Functions.h not found. Run `make setup`, or give -DFMI2_INCLUDE_DIR=<folder with the FMI 2.0 headers>.")
endif()
