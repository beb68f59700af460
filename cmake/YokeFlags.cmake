# Compiler and linker flags common to all of yoke.
add_compile_options(
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla -fstack-protector-strong)
option(YOKE_WERROR "treat warnings as errors" ON)
if(YOKE_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_definitions(_GNU_SOURCE CL_TARGET_OPENCL_VERSION=300
  CL_USE_DEPRECATED_OPENCL_1_0_APIS CL_USE_DEPRECATED_OPENCL_1_1_APIS
  CL_USE_DEPRECATED_OPENCL_1_2_APIS CL_USE_DEPRECATED_OPENCL_2_0_APIS
  CL_USE_DEPRECATED_OPENCL_2_1_APIS CL_USE_DEPRECATED_OPENCL_2_2_APIS
  YOKE_VERSION="${PROJECT_VERSION}")
if(CMAKE_C_COMPILER_ID MATCHES Clang) # says that a loop was not vectorised, which is no fault of the source
  add_compile_options(-Wno-pass-failed)
endif()
include_directories(${CMAKE_SOURCE_DIR})
add_link_options(-Wl,-z,relro,-z,now)

set(YOKE_SANITIZE "" CACHE STRING "address,undefined | thread | empty")
if(YOKE_SANITIZE)
  add_compile_options(-fsanitize=${YOKE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU) # instrumented loops look to gcc as if they ran past their ends
    add_compile_options(-Wno-array-bounds)
  endif()
  add_link_options(-fsanitize=${YOKE_SANITIZE})
elseif(CMAKE_BUILD_TYPE MATCHES "Release|RelWithDebInfo")
  add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
option(YOKE_COVERAGE "instrument for gcov" OFF)
if(YOKE_COVERAGE)
  add_compile_options(--coverage -O0)
  add_link_options(--coverage)
endif()
option(YOKE_HELGRIND "run the tests under helgrind, atomics behind locks (gcc)" OFF)
if(YOKE_HELGRIND)
  add_compile_options(-fno-inline-atomics)
  add_compile_definitions(YK_HELGRIND=1)
  add_library(yk_locked OBJECT ${CMAKE_SOURCE_DIR}/tests/helgrind/locked.c)
  link_libraries(yk_locked)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR YOKE_SANITIZE)
  add_compile_definitions(YK_DEBUG=1)
endif()
