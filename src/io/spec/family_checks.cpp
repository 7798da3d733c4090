// SPDX-License-Identifier: BSD-3-Clause
#include "family_checks.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/io/process/metric_expression.hpp"
#include "tune/io/process/metric_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>

namespace tune {

namespace {

/// The library's matcher recurses, so patterns are kept short.
constexpr std::size_t longest_expression = 4096;
constexpr double most_custom = 1e12;

/// The library uses the same error for parentheses and for a repetition of nothing.
std::string text_of(const std::regex_error& why) {
  if (why.code() == std::regex_constants::error_paren)
    return "'(' and ')' do not match, or nothing stands before '*', '+', '?' or '{'";
  if (why.code() == std::regex_constants::error_badbrace
      || why.code() == std::regex_constants::error_brace)
    return "braces hold a count of repetitions, or are {number}; \\{ is the character";
  if (why.code() == std::regex_constants::error_brack)
    return "'[' and ']' do not match; \\[ is the character";
  return why.what();
}

/// Number of groups, or the error in the expression.
expected<unsigned> groups_of(const std::string& key, const std::string& text) {
  if (text.size() > longest_expression)
    return error{ec::bad_syntax, key + ": the expression is longer than "
                                     + std::to_string(longest_expression) + " bytes"};
  try {
    return std::regex{expand_expression(text).text, std::regex::ECMAScript}.mark_count();
  } catch (const std::regex_error& why) {
    return error{ec::bad_syntax, key + " = " + text + ": not an ECMAScript regular expression ("
                                     + text_of(why) + ")"};
  }
}

} // namespace

expected<void> check_metric_expression(const named_text& x) {
  auto key = "metric." + x.name;
  if (means_file(x.text)) {
    auto file = parse_file_metric(x.name, x.text);
    return file ? expected<void>{} : error{file.error().code, key + " = " + file.error().detail};
  }
  auto groups = groups_of(key, x.text);
  if (!groups)
    return groups.error();
  if (*groups == 0 && x.text.find(number_placeholder) != x.text.npos)
    return error{ec::bad_syntax,
                 key + " = " + x.text
                     + ": brackets enclose a set of characters, of which one is to stand there, "
                       "and {number} in them is none; write \\[ and \\] for the characters"};
  if (*groups == 0)
    return error{ec::bad_syntax, key + " = " + x.text
                                     + ": needs {number}, or a group, where the value stands, such "
                                       "as accuracy = {number}"};
  return {};
}

expected<void> check_expression(const std::string& key, const std::string& text) {
  if (auto groups = groups_of(key, text); !groups)
    return groups.error();
  return {};
}

expected<void> check_variable(const named_text& x) {
  auto inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  auto well_formed = !x.name.empty() && !(x.name[0] >= '0' && x.name[0] <= '9')
                     && std::all_of(x.name.begin(), x.name.end(), inner);
  if (!well_formed)
    return error{ec::bad_option, "env." + x.name
                                     + ": a variable's name has letters, digits and underscores, "
                                       "and does not begin with a digit"};
  if (x.name.starts_with("TUNE_TRIAL_"))
    return error{ec::bad_option,
                 "env." + x.name + ": names beginning with TUNE_TRIAL_ belong to the runtime"};
  if (x.text.find('\0') != x.text.npos)
    return error{ec::bad_option, "env." + x.name + ": a variable must not have a NUL byte"};
  return {};
}

expected<void> check_custom(const named_text& x) {
  auto amount = parse_number(x.text);
  if (!amount || !(*amount >= 0 && *amount <= most_custom))
    return error{ec::bad_option, "custom." + x.name + " = " + x.text + ": must be a number >= 0"};
  return {};
}

} // namespace tune
