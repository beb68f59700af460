# cmake -DIN=x.cl -DOUT=x.cl.h -P embed.cmake: the text of IN as the C array "kernels", ending with a 0 byte.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${hex}")
file(WRITE ${OUT} "static const char kernels[] = {${bytes}0x00};\n")
