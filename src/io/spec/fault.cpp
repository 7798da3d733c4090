// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/fault.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace tune {

namespace {

constexpr std::size_t shown_faults = 3;
constexpr std::size_t longest_line = 400;

/// Makes a text safe for terminals and limits its length. Cuts only between UTF-8 characters.
std::string one_line(std::string_view text) {
  auto result = printable(text.substr(0, longest_line));
  if (result.size() <= longest_line && text.size() <= longest_line)
    return result;
  result.resize(std::min(result.size(), longest_line));
  while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80)
    result.pop_back();
  if (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80) != 0)
    result.pop_back();
  return result + "…";
}

} // namespace

std::string to_text(const config_origin& x) {
  switch (x.from) {
    case config_origin::source::fallback:
      return "default";
    case config_origin::source::file:
      return x.line == 0 ? x.where : x.where + ":" + std::to_string(x.line);
    case config_origin::source::environment:
      return "environment " + x.where;
    case config_origin::source::command_line:
      return "command line " + x.where;
    case config_origin::source::program:
      return "run_options::set(\"" + x.where + "\")";
  }
  return {};
}

std::string to_text(const config_fault& x) {
  std::string result = to_text(x.at) + ": ";
  if (!x.section.empty())
    result += "[" + x.section + "] ";
  return one_line(result + x.message);
}

void config_faults::add(config_fault what) {
  ++total_;
  if (!full())
    list_.push_back(std::move(what));
}

void config_faults::sort() {
  std::stable_sort(list_.begin(), list_.end(), [](const config_fault& x, const config_fault& y) {
    if (x.at.from != y.at.from)
      return x.at.from < y.at.from;
    // Faults without a line come last, since they often follow from the others: 0 - 1 wraps to the
    // largest number.
    return x.at.from == config_origin::source::file && x.at.line - 1 < y.at.line - 1;
  });
}

std::string to_text(const config_faults& x) {
  std::string result;
  for (std::size_t i = 0; i < std::min(shown_faults, x.list().size()); ++i)
    result += (i == 0 ? "" : "\n") + to_text(x.list()[i]);
  if (x.total() > shown_faults)
    result += "\nand " + std::to_string(x.total() - shown_faults) + " more";
  return result;
}

error to_error(const config_faults& x) {
  assert(!x.empty());
  const auto& first = x.list().front();
  auto whole_file
      = first.at.from == config_origin::source::file && first.at.line == 0 && first.section.empty();
  return {whole_file ? ec::unreadable : ec::bad_option, to_text(x)};
}

} // namespace tune
