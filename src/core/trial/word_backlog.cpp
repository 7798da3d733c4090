// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/word_backlog.hpp"

#include <string>
#include <variant>

namespace tune {

namespace {

std::size_t beyond(const object& what);

/// What a value takes beyond its own size.
std::size_t beyond(const value& what) {
  if (const auto* text = what.as_string())
    return text->capacity();
  if (const auto* nested = what.as_object())
    return beyond(*nested);
  std::size_t result = 0;
  if (const auto* list = what.as_list()) {
    for (const auto& x : *list)
      result += sizeof x + beyond(x);
  }
  return result;
}

std::size_t beyond(const object& what) {
  std::size_t result = 0;
  for (const auto& x : what)
    result += sizeof x + x.first.capacity() + beyond(x.second);
  return result;
}

} // namespace

std::size_t bytes_of(const object& what) {
  return sizeof what + beyond(what);
}

} // namespace tune
