// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/mlflow/mlflow_names.hpp"

#include "tune/core/fingerprint.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tune::mlflow {

namespace {

constexpr std::size_t longest_key = 250;
constexpr std::size_t longest_param = 6000;
constexpr std::size_t longest_tag = 5000;

/// At most `most` bytes, not ending within a character.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most)
    return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U)
    --most;
  text.resize(most);
  return text;
}

/// Letters of other alphabets are letters there, too, but which ones depends on Python's tables.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-' || c == '.' || c == ' ' || c == ':' || c == '/';
}

/// Whether a path has a part that means nothing, or another directory.
bool is_odd_path(const std::string& name) {
  std::size_t from = 0;
  while (from <= name.size()) {
    const auto end = std::min(name.find('/', from), name.size());
    const auto part = name.substr(from, end - from);
    if (part.empty() || part == "." || part == "..")
      return true;
    from = end + 1;
  }
  return false;
}

} // namespace

std::string key_of(const std::string& name) {
  auto result = name;
  for (auto& c : result) {
    if (!is_plain(c))
      c = '_';
  }
  if (is_odd_path(result))
    for (auto& c : result) {
      if (c == '/' || c == '.')
        c = '_';
    }
  if (result == name && name.size() <= longest_key)
    return result;
  std::array<char, 20> number{};
  std::snprintf(number.data(), number.size(), "_%08x",
                static_cast<unsigned>(fingerprint{}.add(std::string_view{name}).digest()));
  return cut(std::move(result), longest_key - 9) + number.data();
}

std::string param_text(const value& x) {
  const auto is_plain_value = x.as_list() == nullptr && x.as_object() == nullptr;
  return cut(is_plain_value ? to_text(x) : to_json(x), longest_param);
}

std::string tag_text(const std::string& x) {
  return cut(mend_utf8(x), longest_tag);
}

value json_of(double x) {
  if (std::isnan(x))
    return "NaN";
  if (std::isinf(x))
    return x > 0 ? "Infinity" : "-Infinity";
  return x;
}

} // namespace tune::mlflow
