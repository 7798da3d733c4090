// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/resource/demands.hpp"

#include "../space/scanner.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/printable.hpp"
#include "tune/core/resource/told_demands.hpp"
#include "tune/core/space/condition.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <vector>

namespace tune {

namespace {

constexpr std::string_view label_mark = "label ";
constexpr std::string_view taint_mark = "taint ";
constexpr std::string_view require_mark = "require ";
constexpr std::string_view tolerate_mark = "tolerate ";
constexpr std::size_t longest_label_name = 63;
constexpr std::size_t longest_label_value = 200;

bool is_label_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_label_name(std::string_view x) {
  static constexpr std::array<std::string_view, 8> taken{"node", "and",  "or",    "not",
                                                         "in",   "true", "false", "null"};
  return !x.empty() && x.size() <= longest_label_name && is_label_letter(x.front())
         && std::all_of(
             x.begin(), x.end(),
             [](char c) { return is_label_letter(c) || (c >= '0' && c <= '9') || c == '-'; })
         && std::find(taken.begin(), taken.end(), x) == taken.end();
}

bool is_label_value(std::string_view x) {
  return !x.empty() && x.size() <= longest_label_value && x.find(',') == x.npos
         && printable(std::string{x}) == x && trimmed(x) == x;
}

error wrong_word(std::string_view text, std::string_view what) {
  return {ec::bad_option,
          "'" + printable(std::string{text.substr(0, 2 * longest_label_value)}) + "' is not "
              + std::string{what}
              + ": a name has letters, digits, _ and -, begins with a letter, has at most 63 bytes,"
                " and is not node, and, or, not, in, true, false or null; a value has 1 to 200"
                " printable bytes and no comma"};
}

/// The words of a list, without blanks around them.
std::vector<std::string> words_of_list(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const auto comma = text.find(',');
    result.emplace_back(trimmed(text.substr(0, comma)));
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  return result;
}

value label_value(std::string_view text) {
  return meaning_of(text).value_or(value{text});
}

/// The node's labels by name, and its name.
object labels_as_values(const node_labels& node) {
  object result;
  for (const auto& word : node) {
    const std::string_view all{word};
    if (all.starts_with(node_label({})))
      result.set("node", all.substr(node_label({}).size()));
    if (!all.starts_with(label_mark))
      continue;
    const auto given = all.substr(label_mark.size());
    const auto equals = given.find('=');
    result.set(given.substr(0, equals), label_value(given.substr(equals + 1)));
  }
  return result;
}

bool tolerates(const std::vector<std::string>& list, std::string_view taint) {
  const auto name = taint.substr(0, taint.find('='));
  return std::any_of(list.begin(), list.end(),
                     [&](const auto& x) { return x == "*" || x == taint || x == name; });
}

} // namespace

std::string given_label(std::string_view text) {
  return std::string{label_mark} + std::string{text};
}

std::string given_taint(std::string_view text) {
  return std::string{taint_mark} + std::string{text};
}

namespace {

std::vector<std::string> given_with(std::string_view mark, const node_labels& node) {
  std::vector<std::string> result;
  for (const auto& word : node) {
    if (word.starts_with(mark))
      result.push_back(word.substr(mark.size()));
  }
  return result;
}

} // namespace

std::vector<std::string> labels_given(const node_labels& node) {
  return given_with(label_mark, node);
}

std::vector<std::string> taints_given(const node_labels& node) {
  return given_with(taint_mark, node);
}

expected<void> check_label(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos || !is_label_name(text.substr(0, equals))
      || !is_label_value(text.substr(equals + 1)))
    return wrong_word(text, "NAME=VALUE");
  return {};
}

expected<void> check_taint(std::string_view text) {
  const auto equals = text.find('=');
  const auto is_fine = is_label_name(text.substr(0, equals))
                       && (equals == text.npos || is_label_value(text.substr(equals + 1)));
  return is_fine ? expected<void>{} : wrong_word(text, "NAME or NAME=VALUE");
}

std::string require_word(std::string_view text) {
  return std::string{require_mark} + std::string{trimmed(text)};
}

std::string tolerate_word(std::string_view text) {
  const auto parts = words_of_list(text);
  std::string result{tolerate_mark};
  auto is_first = true;
  for (const auto& x : std::set<std::string>{parts.begin(), parts.end()}) {
    result += (is_first ? "" : ",") + x;
    is_first = false;
  }
  return result;
}

expected<void> check_requirement(std::string_view text) {
  auto parsed = condition::parse(text);
  if (parsed)
    return {};
  // Conditions are written over parameters elsewhere.
  auto detail = parsed.error().detail;
  constexpr std::string_view elsewhere = "a parameter's name";
  if (const auto at = detail.find(elsewhere); at != detail.npos)
    detail.replace(at, elsewhere.size(), "a label's name");
  return error{parsed.error().code, std::move(detail)};
}

expected<void> check_tolerated(std::string_view text) {
  for (const auto& x : words_of_list(text)) {
    if (x == "*")
      continue;
    if (auto fits = check_taint(x); !fits)
      return fits;
  }
  return {};
}

bool is_demand(std::string_view word) {
  return word.starts_with(require_mark) || word.starts_with(tolerate_mark);
}

node_labels demands_of(const node_labels& asked) {
  node_labels result;
  std::copy_if(asked.begin(), asked.end(), std::inserter(result, result.end()),
               [](const auto& x) { return is_demand(x); });
  return result;
}

bool meets(const node_labels& node, const std::string& demand) {
  const std::string_view all{demand};
  if (all.starts_with(require_mark)) {
    const auto parsed = condition::parse(all.substr(require_mark.size()));
    return parsed && parsed->holds(labels_as_values(node));
  }
  const auto list = words_of_list(all.substr(tolerate_mark.size()));
  return std::all_of(node.begin(), node.end(), [&](const std::string& word) {
    return !word.starts_with(taint_mark)
           || tolerates(list, std::string_view{word}.substr(taint_mark.size()));
  });
}

told_demands told_of(const node_labels& words) {
  std::vector<std::string> conditions;
  told_demands result;
  for (const std::string_view word : words) {
    if (word.starts_with(require_mark))
      conditions.emplace_back(word.substr(require_mark.size()));
    else if (word.starts_with(tolerate_mark))
      result.tolerate = words_of_list(word.substr(tolerate_mark.size()));
  }
  for (const auto& x : conditions)
    result.require
        += (result.require.empty() ? "" : " and ") + (conditions.size() > 1 ? "(" + x + ")" : x);
  return result;
}

std::string demand_text(const std::string& demand) {
  const std::string_view all{demand};
  if (all.starts_with(require_mark))
    return "require = " + std::string{all.substr(require_mark.size())};
  const auto list = all.substr(tolerate_mark.size());
  return list.empty() ? "no taint" : "no taints but those in tolerate = " + std::string{list};
}

} // namespace tune
