# What `cpack` makes: two Debian packages, `tune-node` (the program and its examples) and
# `tune-node-dev` (headers and libraries), and an archive of the same files.
#
#     scripts/package.sh        builds them below build/release/packages

set(_doc "${CMAKE_INSTALL_DATADIR}/doc/tune-node")

# -- Files that only packages have.

foreach(_shell IN ITEMS bash zsh fish)
  set(_completion "${PROJECT_BINARY_DIR}/package/completion.${_shell}")
  add_custom_command(OUTPUT "${_completion}"
    COMMAND tune-node completion ${_shell} > "${_completion}"
    DEPENDS tune-node VERBATIM)
  list(APPEND _completions "${_completion}")
endforeach()
set(_manual "${PROJECT_BINARY_DIR}/package/tune-node.1.gz")
add_custom_command(OUTPUT "${_manual}"
  COMMAND tune-node help --man | gzip -9n > "${_manual}" DEPENDS tune-node VERBATIM)
add_custom_target(tune_package_files DEPENDS ${_completions} ${_manual})

install(FILES "${_manual}" OPTIONAL DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT runtime)

install(FILES "${PROJECT_BINARY_DIR}/package/completion.bash" RENAME tune-node OPTIONAL
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT runtime)
install(FILES "${PROJECT_BINARY_DIR}/package/completion.zsh" RENAME _tune-node OPTIONAL
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" COMPONENT runtime)
install(FILES "${PROJECT_BINARY_DIR}/package/completion.fish" RENAME tune-node.fish OPTIONAL
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT runtime)
# The experiments name their data and programs by their place beside them.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/config" "${PROJECT_SOURCE_DIR}/data"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/tune" COMPONENT runtime)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/batch" "${PROJECT_SOURCE_DIR}/examples/digits"
        "${PROJECT_SOURCE_DIR}/examples/python" "${PROJECT_SOURCE_DIR}/examples/scaling"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/tune/examples" COMPONENT runtime
  PATTERN "CMakeLists.txt" EXCLUDE PATTERN "*.cpp" EXCLUDE PATTERN "*.hpp" EXCLUDE
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${_doc}" COMPONENT runtime
  PATTERN "decisions" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${_doc}" COMPONENT runtime)

# Services, which nobody enables but the machine's administrator. Debian's systemd looks below /usr/lib,
# whatever the library directory is.
install(
  FILES
    "${PROJECT_SOURCE_DIR}/packaging/systemd/tune-node-head.service"
    "${PROJECT_SOURCE_DIR}/packaging/systemd/tune-node-worker.service"
  DESTINATION lib/systemd/system COMPONENT runtime)
install(FILES "${PROJECT_SOURCE_DIR}/packaging/systemd/tune-node.sysusers" RENAME tune-node.conf
  DESTINATION lib/sysusers.d COMPONENT runtime)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/kubernetes" "${PROJECT_SOURCE_DIR}/packaging/container"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/tune" COMPONENT runtime)

# -- Debian's own.

string(TIMESTAMP _date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file("${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in"
  "${PROJECT_BINARY_DIR}/package/changelog" @ONLY)
foreach(_package IN ITEMS tune-node tune-node-dev)
  if(_package STREQUAL "tune-node")
    set(_component runtime)
  else()
    set(_component dev)
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/debian/copyright"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${_package}" COMPONENT ${_component})
  install(CODE "
    execute_process(
      COMMAND gzip -9nc \"${PROJECT_BINARY_DIR}/package/changelog\"
      OUTPUT_FILE \"${PROJECT_BINARY_DIR}/package/changelog.Debian.gz\" COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${_component})
  install(FILES "${PROJECT_BINARY_DIR}/package/changelog.Debian.gz" OPTIONAL
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${_package}" COMPONENT ${_component})
endforeach()

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_OUTPUT_FILE_PREFIX "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGE_NAME "tune-node")
set(CPACK_PACKAGE_VENDOR "the tune-node authors")
set(CPACK_PACKAGE_CONTACT "the tune-node authors <tune-node@tune-node.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "hyperparameter tuning for any program")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "tune-node")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION "science")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libsvm-tools, python3, systemd")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/packaging/debian/postinst"
  "${PROJECT_SOURCE_DIR}/packaging/debian/prerm"
  "${PROJECT_SOURCE_DIR}/packaging/debian/postrm")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "tune-node finds good parameters of a program: it tries configurations, stops\nbad ones early, and keeps a record that survives crashes. On one machine or\nseveral, configured by one INI file.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME "tune-node-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION "libdevel")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "tune-node (= ${PROJECT_VERSION}-1), libarchive-dev, libboost-program-options-dev, libcaf-dev, libcurl4-openssl-dev, libncurses-dev, libspdlog-dev, libsqlite3-dev, libssl-dev, libxxhash-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "Headers, static libraries, and files for CMake and pkg-config, to run\nexperiments from a C++ program, or to write trainables, schedulers and\nsearchers of one's own.")
include(CPack)
