# What every target of this project shares: language, warnings, sanitizers.

add_library(tune_options INTERFACE)
target_compile_features(tune_options INTERFACE cxx_std_20)
target_include_directories(tune_options INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# Quicker from nothing, slower after a small change: what one source needs may also be included by
# its neighbour, and names within a room must not meet.
option(TUNE_UNITY "Compile several sources of a library as one" OFF)
set(TUNE_BATCH 16 CACHE STRING "How many sources TUNE_UNITY compiles as one")

add_library(tune_warnings INTERFACE)
target_compile_options(tune_warnings INTERFACE -Wall -Wextra -Wpedantic)
# A name of one source hides none of its neighbour's.
target_compile_options(tune_warnings INTERFACE -Wshadow$<$<BOOL:${TUNE_UNITY}>:=local>)
if(TUNE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What the compiler takes for a header is a source, and nobody else sees its types.
  target_compile_options(tune_warnings INTERFACE -Wno-subobject-linkage)
  # A sixth of the time of so many sources is the compiler's own garbage collection: it waits until
  # it has a gigabyte, where there is memory for that. [MiB; KiB]
  cmake_host_system_information(RESULT _tune_memory QUERY TOTAL_PHYSICAL_MEMORY)
  if(_tune_memory GREATER 15000)
    target_compile_options(tune_warnings INTERFACE --param=ggc-min-heapsize=1048576)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # It sees overlaps in "text" + std::string that are not there (GCC bug 105651).
  target_compile_options(tune_warnings INTERFACE -Wno-restrict)
  # And uses of parts that were never made, of variants and of maps, wherever it inlines (GCC bug
  # 105562).
  target_compile_options(tune_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
if(TUNE_WARNINGS_AS_ERRORS)
  target_compile_options(tune_warnings INTERFACE -Werror)
endif()

if(TUNE_SANITIZERS)
  # CAF spawns argument-less actors through a null reference, hence no -fsanitize=null.
  set(_tune_san -fsanitize=${TUNE_SANITIZERS} -fno-omit-frame-pointer)
  if(TUNE_SANITIZERS MATCHES "undefined")
    list(APPEND _tune_san -fno-sanitize=null -fno-sanitize-recover=undefined)
  endif()
  target_compile_options(tune_options INTERFACE ${_tune_san})
  target_link_options(tune_options INTERFACE ${_tune_san})
endif()

find_program(TUNE_CCACHE ccache)
if(TUNE_CCACHE AND TUNE_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TUNE_CCACHE}")
endif()

# tune_add_room(<room> SOURCES <file>... [LINKS <target>...] [PRIVATE_LINKS <target>...]
#               [HEADER_ONLY <target>...])
#
# One library per room of the house, `tune_<room>`. HEADER_ONLY: what only its own sources include
# and nobody links.
function(tune_add_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS;HEADER_ONLY" ${ARGN})
  add_library(tune_${room} STATIC ${ARG_SOURCES})
  add_library(tune::${room} ALIAS tune_${room})
  set_target_properties(tune_${room} PROPERTIES
    POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${TUNE_UNITY} UNITY_BUILD_BATCH_SIZE ${TUNE_BATCH})
  target_link_libraries(tune_${room}
    PUBLIC tune_options ${ARG_LINKS}
    PRIVATE ${ARG_PRIVATE_LINKS} "$<BUILD_INTERFACE:tune_warnings>")
  foreach(_target IN LISTS ARG_HEADER_ONLY)
    target_link_libraries(tune_${room} PRIVATE "$<BUILD_INTERFACE:${_target}>")
  endforeach()
endfunction()

# Quicker from nothing: a quarter of the time of a test's source is GoogleTest's headers. Caches of
# compilers do not see through it.
option(TUNE_PRECOMPILE "Compile the headers that tests share once for all" OFF)

# Has a test program begin with the shared headers.
function(tune_share_headers target)
  if(NOT TUNE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET tune_test_headers)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/test_headers.cpp" CONTENT "")
    add_library(tune_test_headers OBJECT "${PROJECT_BINARY_DIR}/test_headers.cpp")
    target_link_libraries(tune_test_headers
      PRIVATE tune_warnings tune_options GTest::gmock GTest::gtest GTest::gtest_main)
    target_precompile_headers(tune_test_headers PRIVATE
      <gmock/gmock.h> <gtest/gtest.h>
      <algorithm> <chrono> <cmath> <filesystem> <fstream> <functional> <limits> <map> <memory>
      <optional> <random> <set> <sstream> <string> <string_view> <thread> <tuple> <utility>
      <variant> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM tune_test_headers)
endfunction()

# tune_add_tests(<label> SOURCES <file>... [ALONE <file>...] [LINKS <target>...]
#                [TIMEOUT <seconds per test>])
#
# One GoogleTest program per room, `tune_<label>_tests`; the ctest label is the room's name. Under
# TUNE_UNITY sources that follow each other are compiled as one. ALONE: those of SOURCES whose
# names meet names of their neighbours, compiled one by one.
function(tune_add_tests label)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;ALONE;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  add_executable(tune_${label}_tests ${ARG_SOURCES})
  set_target_properties(tune_${label}_tests PROPERTIES
    UNITY_BUILD ${TUNE_UNITY} UNITY_BUILD_MODE GROUP)
  set(_place 0)
  foreach(_source IN LISTS ARG_SOURCES)
    math(EXPR _group "${_place} / ${TUNE_BATCH}")
    math(EXPR _place "${_place} + 1")
    if(NOT _source IN_LIST ARG_ALONE)
      set_source_files_properties("${_source}" PROPERTIES UNITY_GROUP "${label}_${_group}")
    endif()
  endforeach()
  # Private headers of src/io are named by their place in it.
  target_include_directories(tune_${label}_tests PRIVATE
    "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src/io")
  target_compile_definitions(tune_${label}_tests PRIVATE
    TUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TUNE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(tune_${label}_tests
    PRIVATE tune_warnings ${ARG_LINKS} GTest::gmock GTest::gtest GTest::gtest_main)
  tune_share_headers(tune_${label}_tests)
  gtest_discover_tests(tune_${label}_tests DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT})
endfunction()

# Adds tune_<label>_fuzz, a program that feeds parsers with nonsense, and a test that has it do so
# for the stated number of inputs. The sources under CHECKED are compiled once more into it, with the
# sanitizers of addresses and of undefined behaviour; the libraries fill in the rest. With Clang and
# -DTUNE_LIBFUZZER defined the program's source is a target of libFuzzer.
function(tune_add_fuzz label)
  cmake_parse_arguments(ARG "" "EXECUTIONS" "SOURCES;CHECKED;LINKS" ${ARGN})
  list(TRANSFORM ARG_CHECKED PREPEND "${PROJECT_SOURCE_DIR}/")
  set(_name tune_${label}_fuzz)
  add_executable(${_name} ${ARG_SOURCES} ${ARG_CHECKED})
  set_target_properties(${_name} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${_name} PRIVATE "${PROJECT_SOURCE_DIR}/src/io" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${_name} PRIVATE tune_warnings ${ARG_LINKS})
  if(NOT TUNE_SANITIZERS)
    target_compile_options(${_name} PRIVATE
      -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # The libraries have the same functions without sanitizers: the first ones count.
    target_link_options(${_name} PRIVATE
      -fsanitize=address,undefined -Wl,--allow-multiple-definition)
  endif()
  add_test(NAME ${label}.fuzz COMMAND ${_name} ${ARG_EXECUTIONS})
  set_tests_properties(${label}.fuzz PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()
