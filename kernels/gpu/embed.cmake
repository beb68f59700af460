# cmake -DIN=x.cl -DNAME=x -DOUT=x.c -P embed.cmake: the text of IN as the C array NAME, ending with a 0 byte.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${hex}")
file(WRITE ${OUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0x00};\n")
