/* A library of the name that pyopencl gives its own. */
int by_name_library;
