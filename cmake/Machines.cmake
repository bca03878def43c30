# Machine models of the examples: shared objects that examples/common/machine_fmu.py packs as FMUs.
# add_machine(name sources...) leaves lib/machines/<name>.so. They know nothing of the engine.
function(add_machine name)
  add_library(machine-${name} MODULE ${ARGN} ${CMAKE_SOURCE_DIR}/examples/common/machine/fmi2.c)
  target_include_directories(machine-${name} PRIVATE
    ${CMAKE_SOURCE_DIR}/examples/common/machine ${CMAKE_SOURCE_DIR}/examples/adapter)
  target_include_directories(machine-${name} SYSTEM PRIVATE ${FMI2_INCLUDE_DIR})
  target_link_libraries(machine-${name} PRIVATE m)
  set_target_properties(machine-${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/machines)
endfunction()

add_machine(excavator_machine examples/excavator/machine/excavator.c examples/excavator/machine/linkage.c
  examples/excavator/machine/hydraulics.c examples/adapter/scree_adapter.c)

add_machine(belt_drive ${CMAKE_SOURCE_DIR}/examples/conveyor/drive.c)
add_machine(loader_operator ${CMAKE_SOURCE_DIR}/examples/wheel_loader/operator.c)
