# yk_module(NAME sources... ): static library yk_NAME of one folder. Declare what it uses with
# target_link_libraries(yk_NAME PUBLIC yk_base ...).
function(yk_module name)
  add_library(yk_${name} STATIC ${ARGN})
endfunction()

# What a test needs in its environment under a sanitizer; to be appended where a test sets ENVIRONMENT itself.
set(YOKE_TEST_ENVIRONMENT "")
if(YOKE_SANITIZE MATCHES thread) # OpenMP's own runtime is not instrumented; its Archer tells TSan what it orders.
  # Threads of drivers (and of the stub) that have ended are joined when the driver is unloaded, after TSan has looked
  list(APPEND YOKE_TEST_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1:report_thread_leaks=0")
elseif(YOKE_SANITIZE MATCHES address) # LLVM inside a driver sets the signal stack of threads, which ASan would unmap
  list(APPEND YOKE_TEST_ENVIRONMENT "ASAN_OPTIONS=use_sigaltstack=0"
    "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
endif()

# yk_add_tests(LABEL [LIBS lib...]): every test_*.c of the current folder becomes one program and one
# CTest test "LABEL/<name>" with label LABEL. Programs use check; the ones that need more than the
# folder's common libraries have a file test_NAME.libs beside them (a CMake list of targets). AGAIN: they meet real drivers,
# see YOKE_TEST_AGAIN.
function(yk_add_tests label)
  cmake_parse_arguments(T "AGAIN" "TIMEOUT" "LIBS" ${ARGN})
  set(runner ${YOKE_TEST_RUNNER})
  set(environment ${YOKE_TEST_ENVIRONMENT})
  if(T_AGAIN)
    set(runner ${YOKE_TEST_AGAIN})
    list(APPEND environment ${YOKE_TEST_AGAIN_ENVIRONMENT})
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(YOKE_HELGRIND OR YOKE_SANITIZE) # a limit finds a hang; a slow machine is none
    math(EXPR T_TIMEOUT "5 * ${T_TIMEOUT}")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test_*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "/" "_" target "${label}_${name}")
    add_executable(${target} ${source})
    set(libs ${T_LIBS})
    string(REGEX REPLACE "\\.c$" ".libs" extra ${source})
    if(EXISTS ${extra})
      file(READ ${extra} more)
      string(STRIP "${more}" more)
      list(APPEND libs ${more})
    endif()
    target_link_libraries(${target} PRIVATE ${libs} PkgConfig::CHECK m pthread)
    string(REGEX REPLACE "/.*" "" top "${label}")
    if(YOKE_HELGRIND AND top STREQUAL "stub")
      add_dependencies(helgrind_tests ${target})
    endif()
    add_test(NAME ${label}/${name} COMMAND ${runner} $<TARGET_FILE:${target}>)
    set_tests_properties(${label}/${name} PROPERTIES LABELS ${top} TIMEOUT ${T_TIMEOUT})
    set_tests_properties(${label}/${name} PROPERTIES ENVIRONMENT "${environment}")
  endforeach()
endfunction()
