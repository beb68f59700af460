/* A library that can be preloaded and does nothing: stands in for libyoke.so where only the command is tested. */
extern const int yk_test_preloaded;
const int yk_test_preloaded = 1;
