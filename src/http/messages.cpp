// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/messages.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace tune::http {

namespace {

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool are_same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lowered(x) == lowered(y); });
}

constexpr std::array<std::pair<method, std::string_view>, 4> names{{{method::get, "GET"},
                                                                    {method::head, "HEAD"},
                                                                    {method::post, "POST"},
                                                                    {method::del, "DELETE"}}};

} // namespace

std::string_view to_text(method x) {
  for (const auto& [what, name] : names)
    if (what == x)
      return name;
  return {};
}

method method_from(std::string_view text) {
  for (const auto& [what, name] : names)
    if (name == text)
      return what;
  return method::other;
}

std::optional<std::string_view> header_list::only(std::string_view name) const {
  std::optional<std::string_view> result;
  for (const auto& x : fields_) {
    if (!are_same_name(x.name, name))
      continue;
    if (result)
      return std::nullopt;
    result = x.value;
  }
  return result;
}

std::size_t header_list::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      fields_.begin(), fields_.end(), [&](const auto& x) { return are_same_name(x.name, name); }));
}

std::optional<std::string> request::asked(const std::string& name) const {
  auto found = query.find(name);
  return found == query.end() ? std::nullopt : std::optional{found->second};
}

std::string_view reason_of(unsigned status) {
  static constexpr std::pair<unsigned, std::string_view> reasons[]
      = {{200, "OK"},
         {204, "No Content"},
         {206, "Partial Content"},
         {304, "Not Modified"},
         {400, "Bad Request"},
         {401, "Unauthorized"},
         {403, "Forbidden"},
         {404, "Not Found"},
         {405, "Method Not Allowed"},
         {408, "Request Timeout"},
         {409, "Conflict"},
         {410, "Gone"},
         {411, "Length Required"},
         {413, "Content Too Large"},
         {414, "URI Too Long"},
         {415, "Unsupported Media Type"},
         {416, "Range Not Satisfiable"},
         {417, "Expectation Failed"},
         {421, "Misdirected Request"},
         {422, "Unprocessable Content"},
         {429, "Too Many Requests"},
         {431, "Request Header Fields Too Large"},
         {500, "Internal Server Error"},
         {501, "Not Implemented"},
         {503, "Service Unavailable"},
         {504, "Gateway Timeout"},
         {505, "HTTP Version Not Supported"}};
  for (const auto& [number, text] : reasons)
    if (number == status)
      return text;
  return "Unknown";
}

} // namespace tune::http
