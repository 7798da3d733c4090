# Finds the C++ Actor Framework, with or without a CMake package of its own.
#
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core io openssl)
#
# An upstream config package (0.18 and later) is preferred where the prefix path offers one.
# Otherwise headers and libraries are searched one by one, as Debian's libcaf-dev 0.17.6 needs.
# Targets: CAF::core, CAF::io, CAF::openssl. Variables: CAF_FOUND, CAF_VERSION.

if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core io)
endif()
include(FindPackageHandleStandardArgs)

# A package says no to wishes of another major version.
find_package(CAF 1.0 CONFIG QUIET COMPONENTS ${CAF_FIND_COMPONENTS})
if(TARGET CAF::core)
  foreach(_part IN LISTS CAF_FIND_COMPONENTS)
    if(TARGET CAF::${_part})
      set(CAF_${_part}_FOUND TRUE)
    endif()
  endforeach()
  find_package_handle_standard_args(CAF CONFIG_MODE HANDLE_COMPONENTS)
  return()
endif()

find_package(Threads REQUIRED)
find_path(CAF_INCLUDE_DIR caf/all.hpp)
mark_as_advanced(CAF_INCLUDE_DIR)

# Releases of that age state their version as "#define CAF_VERSION 1706".
if(CAF_INCLUDE_DIR AND EXISTS "${CAF_INCLUDE_DIR}/caf/config.hpp")
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _define REGEX "^#define CAF_VERSION [0-9]+")
  if(_define MATCHES "CAF_VERSION ([0-9]+)")
    math(EXPR _major "${CMAKE_MATCH_1} / 10000")
    math(EXPR _minor "(${CMAKE_MATCH_1} / 100) % 100")
    math(EXPR _patch "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION "${_major}.${_minor}.${_patch}")
  endif()
endif()

foreach(_part IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${_part}_LIBRARY NAMES caf_${_part})
  mark_as_advanced(CAF_${_part}_LIBRARY)
  if(CAF_${_part}_LIBRARY)
    set(CAF_${_part}_FOUND TRUE)
  endif()
endforeach()

find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_INCLUDE_DIR CAF_core_LIBRARY
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS)
if(NOT CAF_FOUND)
  return()
endif()

foreach(_part IN LISTS CAF_FIND_COMPONENTS)
  if(TARGET CAF::${_part} OR NOT CAF_${_part}_LIBRARY)
    continue()
  endif()
  add_library(CAF::${_part} UNKNOWN IMPORTED)
  set_target_properties(CAF::${_part} PROPERTIES IMPORTED_LOCATION "${CAF_${_part}_LIBRARY}")
  # A compiler's own directory must not be named again: -isystem /usr/include breaks <cstdlib>.
  if(NOT CAF_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(CAF::${_part} SYSTEM INTERFACE "${CAF_INCLUDE_DIR}")
  endif()
endforeach()
target_link_libraries(CAF::core INTERFACE Threads::Threads)
if(TARGET CAF::io)
  target_link_libraries(CAF::io INTERFACE CAF::core)
endif()
if(TARGET CAF::openssl)
  target_link_libraries(CAF::openssl INTERFACE CAF::io)
endif()
