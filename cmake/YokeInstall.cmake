# What `cmake --install` copies. The three programs find each other by their places relative to one another, so an
# installation can be moved; lib/yoke and libexec/yoke are the same on every distribution for that reason. No RPATH.
set(CMAKE_SKIP_INSTALL_RPATH ON)
# Not in the build folder either: CMake leaves an empty item in it, which the dynamic linker takes for the current folder.
set_target_properties(yoke-transform yoke PROPERTIES SKIP_BUILD_RPATH ON)
install(TARGETS yoke RUNTIME DESTINATION bin)
foreach(target libyoke yoke-transform yoke-warm)
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION lib/yoke RUNTIME DESTINATION libexec/yoke)
  endif()
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/cli/man/yoke.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/cli/completion/yoke.bash RENAME yoke
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/cli/machines DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md SECURITY.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}) # where Debian looks for it
