# `cpack --config build/release/CPackConfig.cmake` makes a Debian package of what YokeInstall.cmake installs. Nothing runs at
# its installation or removal, so that removing it leaves nothing; what a user's runs have left lies in the user's own folders.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME yoke)
set(CPACK_PACKAGE_CONTACT "yoke maintainers <yoke@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Shows an unmodified OpenCL program one device and splits its kernel launches over all that\nthere are, with the answers of one device. With a solver of probabilistic networks.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is run and opened by name, which dpkg-shlibdeps cannot see: the compiler that the transformer asks, a loader.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-14, libsqlite3-0, ocl-icd-libopencl1 | libopencl1")
# CPack would have ldconfig run for a library in a folder of its own, which no linker looks into.
foreach(script postinst postrm)
  file(WRITE ${CMAKE_BINARY_DIR}/package/${script} "#!/bin/sh\nexit 0\n")
endforeach()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/package/postinst ${CMAKE_BINARY_DIR}/package/postrm)
include(CPack)
