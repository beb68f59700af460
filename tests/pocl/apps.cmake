# Every program of bench/apps on the bare driver: what a run under yoke is compared with must itself be right.
function(yk_app_test test name)
  add_test(NAME pocl/${test} COMMAND ${YOKE_TEST_AGAIN} $<TARGET_FILE:app_${name}> --size small ${ARGN})
  set_tests_properties(pocl/${test} PROPERTIES LABELS pocl TIMEOUT 300 ENVIRONMENT "POCL_DEVICES=basic;${YOKE_TEST_AGAIN_ENVIRONMENT}")
endfunction()

foreach(name aes_encrypt aes_decrypt binomial_option black_scholes histogram matrix_multiply matrix_transpose quasi_random
    reduction scan vector_add stencil2d nbody bfs spmv kmeans convolution scalar_product monte_carlo dct filter_bank
    fft)
  yk_app_test(app_${name} ${name})
endforeach()
yk_app_test(app_histogram_atomics histogram --atomics)
yk_app_test(app_reduction_atomics reduction --atomics)
yk_app_test(app_vector_add_rounds vector_add --rounds --repeat 2)
yk_app_test(app_black_scholes_rounds black_scholes --rounds --repeat 2)
