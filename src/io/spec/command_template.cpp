// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/command_template.hpp"

#include "tune/io/spec/words.hpp"

#include <algorithm>
#include <optional>

namespace tune {

namespace {

bool has(const std::vector<std::string>& list, std::string_view x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

/// The words without brackets, with the group number of each word.
struct grouped {
  std::vector<std::string> words;
  std::vector<std::size_t> groups;
  /// Conditions of groups, if any.
  std::map<std::size_t, condition> conditions;
  std::size_t last_group = 0;
};

/// Index of the word that closes the group opened at `begin`; the number of words if none does.
std::size_t closing(const std::vector<command_word>& words, std::size_t begin) {
  auto closes = [](const command_word& x) { return x.bare_last && x.text.back() == ']'; };
  return static_cast<std::size_t>(
      std::find_if(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(), closes)
      - words.begin());
}

bool opens(const command_word& x) {
  return x.bare_first && x.text.front() == '[';
}

bool mentions(const std::vector<command_word>& words, std::size_t begin, std::size_t end,
              const std::vector<std::string>& known) {
  for (auto i = begin; i <= end; ++i) {
    const auto& text = words[i].text;
    for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
      auto close = text.find('}', open);
      if (close == text.npos)
        break;
      auto inner = std::string_view{text}.substr(open + 1, close - open - 1);
      if (is_placeholder_name(inner) || has(known, inner))
        return true;
    }
  }
  return false;
}

/// Index of the word `if` in the group from `begin` to `end`; `end` if there is none with words on
/// both sides.
std::size_t find_if_word(const std::vector<command_word>& words, std::size_t begin,
                         std::size_t end) {
  for (auto i = begin + 1; i < end; ++i) {
    if (words[i].text == "if" && words[i].bare_first && words[i].bare_last)
      return i;
  }
  return end;
}

/// Parses the words after `if`: `shuffle`, `not shuffle`, `kernel == poly and degree > 2`.
expected<condition> condition_of(const std::vector<command_word>& words, std::size_t begin,
                                 std::size_t end, const std::vector<std::string>& known) {
  std::string text;
  for (auto i = begin; i <= end; ++i) {
    auto word = words[i].text;
    if (i == end)
      word.pop_back();
    text += (i == begin ? "" : " ") + (words[i].bare_first ? word : '"' + word + '"');
  }
  const auto advice = "; quote a bracket that is meant as a character";
  auto parsed = condition::parse(text);
  if (!parsed)
    return error{parsed.error().code,
                 "the condition \"if " + text + "\" of a group: " + parsed.error().detail + advice};
  for (const auto& name : parsed->names()) {
    if (!has(known, name))
      return error{ec::unknown_name, "the condition \"if " + text + "\" of a group: "
                                         + unknown_parameter(name, name, known).detail + advice};
  }
  return parsed;
}

/// Adds the words of the group from `begin` to `end`, without its brackets and its condition.
expected<void> add_group(grouped& to, const std::vector<command_word>& words, std::size_t begin,
                         std::size_t end, const std::vector<std::string>& known) {
  const auto number = to.last_group + 1;
  auto last = end;
  if (auto word_if = find_if_word(words, begin, end); word_if != end) {
    auto parsed = condition_of(words, word_if + 1, end, known);
    if (!parsed)
      return parsed.error();
    to.conditions.emplace(number, std::move(*parsed));
    last = word_if - 1;
  }
  const auto is_group = last != end || mentions(words, begin, end, known);
  to.last_group += is_group ? 1 : 0;
  for (auto j = begin; j <= last; ++j) {
    auto text = words[j].text;
    if (is_group && j > begin && opens(words[j]))
      return error{ec::bad_syntax, "groups do not nest: \"" + text + "\""};
    if (is_group && j == end)
      text.pop_back();
    if (is_group && j == begin)
      text.erase(0, 1);
    if (is_group && text.empty())
      continue;
    to.words.push_back(std::move(text));
    to.groups.push_back(is_group ? number : 0);
  }
  return {};
}

expected<grouped> find_groups(const std::vector<command_word>& words,
                              const std::vector<std::string>& known) {
  grouped result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!opens(words[i])) {
      result.words.push_back(words[i].text);
      result.groups.push_back(0);
      continue;
    }
    auto end = closing(words, i);
    if (end == words.size())
      return error{ec::bad_syntax, "the group at \"" + words[i].text
                                       + "\" is not closed by ']'; quote a bracket that is meant "
                                         "as a character"};
    if (auto added = add_group(result, words, i, end, known); !added)
      return added.error();
    i = end;
  }
  return result;
}

} // namespace

expected<command_template> command_template::parse(std::string_view text,
                                                   const std::vector<std::string>& known) {
  auto words = split_words(text);
  if (!words)
    return words.error();
  auto groups = find_groups(*words, known);
  if (!groups)
    return groups.error();
  if (groups->words.empty() || groups->words.front().empty() || groups->groups.front() != 0)
    return error{ec::bad_syntax, "must begin with a program"};
  command_template result;
  result.conditions_ = std::move(groups->conditions);
  for (std::size_t i = 0; i < groups->words.size(); ++i) {
    if (auto added = result.add_word(groups->words[i], groups->groups[i], known); !added)
      return added.error();
  }
  return result;
}

expected<void> command_template::add_word(std::string_view text, std::size_t group,
                                          const std::vector<std::string>& known) {
  auto parsed = text_template::parse(text, known);
  if (!parsed)
    return parsed.error();
  for (const auto& piece : parsed->pieces()) {
    if (piece.placeholder && !has(names_, piece.text))
      names_.push_back(piece.text);
  }
  words_.push_back({std::move(*parsed), group});
  return {};
}

bool command_template::is_left_out(std::size_t group, const object& config) const {
  auto found = conditions_.find(group);
  return found != conditions_.end() && !found->second.holds(config);
}

std::vector<std::string> command_template::render(const object& config,
                                                  const command_builtins& builtins) const {
  std::vector<std::string> result;
  std::size_t group = 0;
  std::size_t group_begin = 0;
  bool dropping = false;
  for (const auto& each : words_) {
    if (each.group != group || each.group == 0) {
      group = each.group;
      group_begin = result.size();
      dropping = is_left_out(group, config);
    }
    if (dropping)
      continue;
    auto text = each.text.render(config, builtins);
    if (!text) {
      if (&each == &words_.front())
        return {};
      dropping = each.group != 0;
      if (dropping)
        result.resize(group_begin);
      continue;
    }
    const auto& pieces = each.text.pieces();
    auto from_ini
        = !pieces.empty() && !pieces.front().placeholder && pieces.front().text.starts_with("./");
    result.push_back(from_ini ? builtins.ini_dir + text->substr(1) : std::move(*text));
  }
  return result;
}

std::vector<std::string> command_template::fixed_words() const {
  std::vector<std::string> result;
  for (const auto& each : words_) {
    const auto& pieces = each.text.pieces();
    auto fixed = pieces.size() == 1 && !pieces.front().placeholder;
    if (fixed)
      result.push_back(pieces.front().text);
  }
  return result;
}

std::vector<std::string> command_template::ini_paths() const {
  std::vector<std::string> result;
  for (const auto& each : words_) {
    const auto& pieces = each.text.pieces();
    if (pieces.empty() || pieces.back().placeholder)
      continue;
    const auto& end = pieces.back().text;
    if (pieces.size() == 1 && end.starts_with("./"))
      result.push_back(end.substr(2));
    else if (pieces.size() > 1 && pieces[pieces.size() - 2].placeholder
             && pieces[pieces.size() - 2].text == "ini_dir" && end.starts_with('/'))
      result.push_back(end.substr(1));
  }
  return result;
}

} // namespace tune
