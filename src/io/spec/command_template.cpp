// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/command_template.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/words.hpp"

#include <algorithm>
#include <optional>

namespace tune {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_identifier(std::string_view x) {
  auto inner
      = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !x.empty() && is_letter(x[0]) && std::all_of(x.begin(), x.end(), inner);
}

bool has(const std::vector<std::string>& list, std::string_view x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

error unknown_placeholder(const std::string& name, std::vector<std::string> known) {
  const auto& builtin = command_builtin_names();
  known.insert(known.end(), builtin.begin(), builtin.end());
  std::string detail = "{" + name + "} is not a parameter";
  if (auto near = nearest_name(name, known); !near.empty()) {
    detail += "; did you mean {" + near + "}?";
  } else {
    detail += "; known: ";
    for (std::size_t i = 0; i < known.size(); ++i)
      detail += (i == 0 ? "" : ", ") + known[i];
  }
  return {ec::unknown_name, detail + " ({{" + name + "}} stands for the text itself)"};
}

const std::string* builtin(const command_builtins& of, std::string_view name) {
  if (name == "trial_dir")
    return &of.trial_dir;
  if (name == "ini_dir")
    return &of.ini_dir;
  if (name == "trial_id")
    return &of.trial_id;
  return name == "params_file" ? &of.params_file : nullptr;
}

/// The text of a placeholder; nothing where its parameter is inactive.
std::optional<std::string> filled(const std::string& name, const object& config,
                                  const command_builtins& builtins) {
  if (const auto* x = builtin(builtins, name))
    return *x;
  if (const auto* x = find_parameter(config, name))
    return word_of(*x);
  return std::nullopt;
}

/// Which words a group spans: its number for each word, brackets removed.
struct grouped {
  std::vector<std::string> words;
  std::vector<std::size_t> groups;
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
      if (is_identifier(inner) || has(known, inner))
        return true;
    }
  }
  return false;
}

expected<grouped> find_groups(const std::vector<command_word>& words,
                              const std::vector<std::string>& known) {
  grouped result;
  std::size_t number = 0;
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
    auto group = mentions(words, i, end, known) ? ++number : 0;
    for (auto j = i; j <= end; ++j) {
      auto text = words[j].text;
      if (group != 0 && j > i && opens(words[j]))
        return error{ec::bad_syntax, "groups do not nest: \"" + text + "\""};
      if (group != 0 && j == end)
        text.pop_back();
      if (group != 0 && j == i)
        text.erase(0, 1);
      if (group != 0 && text.empty())
        continue;
      result.words.push_back(std::move(text));
      result.groups.push_back(group);
    }
    i = end;
  }
  return result;
}

} // namespace

const std::vector<std::string>& command_builtin_names() {
  static const std::vector<std::string> names{"trial_dir", "ini_dir", "trial_id", "params_file"};
  return names;
}

std::string word_of(const value& what) {
  if (what.as_list() != nullptr || what.as_object() != nullptr)
    return to_json(what);
  return to_text(what);
}

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
  for (std::size_t i = 0; i < groups->words.size(); ++i) {
    if (auto added = result.add_word(groups->words[i], groups->groups[i], known); !added)
      return added.error();
  }
  return result;
}

expected<void> command_template::add_word(std::string_view text, std::size_t group,
                                          const std::vector<std::string>& known) {
  word made{{}, group};
  std::string literal;
  std::size_t open_braces = 0;
  auto flush = [&] {
    if (!literal.empty())
      made.pieces.push_back({std::exchange(literal, {}), false});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "{{") {
      literal += text[i++];
      ++open_braces;
      continue;
    }
    if (text.substr(i, 2) == "}}" && open_braces > 0) {
      literal += text[i++];
      --open_braces;
      continue;
    }
    auto close = text[i] == '{' ? text.find('}', i) : text.npos;
    auto inner = close == text.npos ? std::string_view{} : text.substr(i + 1, close - i - 1);
    auto is_known = has(known, inner) || has(command_builtin_names(), inner);
    if (!is_known && !is_identifier(inner)) {
      literal += text[i];
      continue;
    }
    std::string name{inner};
    if (!is_known)
      return unknown_placeholder(name, known);
    flush();
    if (!has(names_, name))
      names_.push_back(name);
    made.pieces.push_back({std::move(name), true});
    i = close;
  }
  flush();
  words_.push_back(std::move(made));
  return {};
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
      dropping = false;
    }
    if (dropping)
      continue;
    std::optional<std::string> text{std::in_place};
    for (const auto& part : each.pieces) {
      auto more = part.placeholder ? filled(part.text, config, builtins) : part.text;
      text = text && more ? std::optional{*text + *more} : std::nullopt;
    }
    if (!text) {
      if (&each == &words_.front())
        return {};
      dropping = each.group != 0;
      if (dropping)
        result.resize(group_begin);
      continue;
    }
    auto from_ini = !each.pieces.empty() && !each.pieces.front().placeholder
                    && each.pieces.front().text.starts_with("./");
    result.push_back(from_ini ? builtins.ini_dir + text->substr(1) : std::move(*text));
  }
  return result;
}

std::vector<std::string> command_template::fixed_words() const {
  std::vector<std::string> result;
  for (const auto& each : words_) {
    auto fixed = each.pieces.size() == 1 && !each.pieces.front().placeholder;
    if (fixed)
      result.push_back(each.pieces.front().text);
  }
  return result;
}

std::vector<std::string> command_template::ini_paths() const {
  std::vector<std::string> result;
  for (const auto& each : words_) {
    const auto& pieces = each.pieces;
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
