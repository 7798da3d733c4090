# What `cmake --install` puts where, and how others find it.

include(CMakePackageConfigHelpers)

set(_rooms core trainable io actors http net tuner app)
foreach(_room IN LISTS _rooms)
  set_target_properties(tune_${_room} PROPERTIES EXPORT_NAME ${_room})
  list(APPEND _targets tune_${_room})
endforeach()
set_target_properties(tune_options PROPERTIES EXPORT_NAME options)

set_target_properties(tune_web_assets PROPERTIES EXPORT_NAME web_assets)

install(TARGETS ${_targets} tune_options tune_web_assets EXPORT tuneTargets COMPONENT dev)

include("${CMAKE_CURRENT_LIST_DIR}/tune_public_headers.cmake")
tune_headers_behind(_headers ${TUNE_PUBLIC_HEADERS})
foreach(_header IN LISTS _headers)
  get_filename_component(_folder "${_header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/include/${_header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${_folder}" COMPONENT dev)
endforeach()

# -- CMake: find_package(tune)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/tune")
# CAF 1.x finds itself; 0.17 is found by the module.
set(tune_caf_version "${CAF_VERSION}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tuneConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/tuneConfig.cmake"
  INSTALL_DESTINATION "${_package}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break what was promised.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/tuneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${PROJECT_BINARY_DIR}/package/tuneConfig.cmake"
    "${PROJECT_BINARY_DIR}/package/tuneConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindCAF.cmake"
  DESTINATION "${_package}" COMPONENT dev)
install(EXPORT tuneTargets NAMESPACE tune:: DESTINATION "${_package}" COMPONENT dev)

# -- pkg-config: --libs tune

# Who needs comes before who is needed.
foreach(_room IN ITEMS app web_assets tuner net http actors io trainable core)
  list(APPEND _libraries "-ltune_${_room}")
endforeach()
list(JOIN _libraries " " tune_pc_libraries)
set(_private -larchive -lncursesw -ltinfo -lcaf_openssl -lcaf_io -lcaf_core -lboost_program_options -pthread)
foreach(_library IN LISTS CMAKE_DL_LIBS)
  list(APPEND _private "-l${_library}")
endforeach()
if(TUNE_SANITIZERS)
  list(APPEND _private "-fsanitize=${TUNE_SANITIZERS}")
endif()
list(JOIN _private " " tune_pc_private)
file(RELATIVE_PATH tune_prefix_from_pc
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" tune_prefix_from_pc "${tune_prefix_from_pc}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tune.pc.in" "${PROJECT_BINARY_DIR}/package/tune.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/tune.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  COMPONENT dev)
