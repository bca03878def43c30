cmake_policy(VERSION 3.25)
# A file as a C array of bytes, closed by a zero that its size does not count.
#   cmake -DFROM=<file> -DTO=<C file> -DNAME=<array> -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
get_filename_component(file ${FROM} NAME)
file(WRITE ${TO} "/* ${file}, by cmake/embed.cmake. */\n#include <stddef.h>\n\n"
  "extern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
  "const unsigned char ${NAME}[] = {${bytes}0};\nconst size_t ${NAME}_size = sizeof ${NAME} - 1;\n")
