# Writes the dashboard's files into one C++ source, and lays them out as they are served.
#
#   cmake -DROOT=<web> -DFILES=<names, ;> -DCHARTS=<d3.min.js> -DLICENCE=<file> -DSITE=<directory>
#         -DOUTPUT=<.cpp> -P embed.cmake
#
# Files whose names may change lie below assets/<hash of all of them>/: modules refer to one another
# by relative names, and each set of files has addresses of its own. index.html stands before it.
cmake_policy(VERSION 3.25)

set(_names ${FILES})
list(SORT _names)
set(_all "")
foreach(_name IN LISTS _names)
  file(SHA256 "${ROOT}/${_name}" _hash)
  string(APPEND _all "${_name} ${_hash}\n")
endforeach()
foreach(_file "${CHARTS}" "${LICENCE}")
  file(SHA256 "${_file}" _hash)
  string(APPEND _all "${_hash}\n")
endforeach()
string(SHA256 _set "${_all}")
string(SUBSTRING "${_set}" 0 16 _set)
set(_place "assets/${_set}")

file(REMOVE_RECURSE "${SITE}")
foreach(_name IN LISTS _names)
  configure_file("${ROOT}/${_name}" "${SITE}/${_place}/${_name}" COPYONLY)
endforeach()
configure_file("${CHARTS}" "${SITE}/${_place}/d3.js" COPYONLY)
file(READ "${LICENCE}" _licence)
file(APPEND "${SITE}/${_place}/licences.txt" "\ntune-node\n---------\n${_licence}")
file(READ "${SITE}/${_place}/index.html" _index)
file(REMOVE "${SITE}/${_place}/index.html")
string(REPLACE "@ASSETS@" "${_place}" _index "${_index}")
file(WRITE "${SITE}/index.html" "${_index}")

set(_mime_html "text/html; charset=utf-8")
set(_mime_js "text/javascript; charset=utf-8")
set(_mime_css "text/css; charset=utf-8")
set(_mime_txt "text/plain; charset=utf-8")
set(_mime_svg "image/svg+xml")

function(literal file result)
  file(READ "${file}" _hex HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" _hex "${_hex}")
  set(${result} "\"${_hex}\"sv" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE _served RELATIVE "${SITE}" "${SITE}/*")
list(SORT _served)
set(_rows "")
foreach(_path IN LISTS _served)
  get_filename_component(_end "${_path}" LAST_EXT)
  string(SUBSTRING "${_end}" 1 -1 _end)
  file(SHA256 "${SITE}/${_path}" _hash)
  file(ARCHIVE_CREATE OUTPUT "${OUTPUT}.gz" PATHS "${SITE}/${_path}" FORMAT raw COMPRESSION GZip
    COMPRESSION_LEVEL 9)
  literal("${SITE}/${_path}" _bytes)
  literal("${OUTPUT}.gz" _gzipped)
  if(_path STREQUAL "index.html")
    set(_immutable false)
  else()
    set(_immutable true)
  endif()
  string(APPEND _rows "  {\"${_path}\", \"${_mime_${_end}}\", \"${_hash}\",\n   ${_bytes},\n"
    "   ${_gzipped}, ${_immutable}},\n")
endforeach()
file(REMOVE "${OUTPUT}.gz")
file(WRITE "${OUTPUT}" "// Written by web/embed.cmake.
#include \"tune/web/web_assets.hpp\"

namespace tune::web {
using namespace std::string_view_literals;
namespace {
constexpr asset all[] = {
${_rows}};
} // namespace

std::span<const asset> web_assets() { return all; }

} // namespace tune::web
")
