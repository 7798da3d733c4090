// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/text_template.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool has(const std::vector<std::string>& list, std::string_view x) {
  return std::find(list.begin(), list.end(), x) != list.end();
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

/// The text of a placeholder; empty if its parameter is inactive.
std::optional<std::string> filled(const std::string& name, const object& config,
                                  const command_builtins& builtins) {
  if (const auto* x = builtin(builtins, name))
    return *x;
  if (const auto* x = find_parameter(config, name))
    return word_of(*x);
  return std::nullopt;
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

bool is_placeholder_name(std::string_view text) {
  auto inner
      = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), inner);
}

error unknown_parameter(const std::string& name, const std::string& shown,
                        std::vector<std::string> known) {
  const auto& builtin = command_builtin_names();
  known.insert(known.end(), builtin.begin(), builtin.end());
  std::string detail = shown + " is not a parameter";
  const auto in_braces = shown.starts_with('{');
  if (auto near = nearest_name(name, known); !near.empty()) {
    detail += "; did you mean " + (in_braces ? "{" + near + "}?" : near + "?");
  } else {
    detail += "; known: ";
    for (std::size_t i = 0; i < known.size(); ++i)
      detail += (i == 0 ? "" : ", ") + known[i];
  }
  if (in_braces)
    detail += " ({{" + name + "}} stands for the text itself)";
  return {ec::unknown_name, detail};
}

expected<text_template> text_template::parse(std::string_view text,
                                             const std::vector<std::string>& known) {
  text_template result;
  std::string literal;
  std::size_t open_braces = 0;
  auto flush = [&] {
    if (!literal.empty())
      result.pieces_.push_back({std::exchange(literal, {}), false});
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
    if (!is_known && !is_placeholder_name(inner)) {
      literal += text[i];
      continue;
    }
    std::string name{inner};
    if (!is_known)
      return unknown_parameter(name, "{" + name + "}", known);
    flush();
    result.pieces_.push_back({std::move(name), true});
    i = close;
  }
  flush();
  return result;
}

std::optional<std::string> text_template::render(const object& config,
                                                 const command_builtins& builtins) const {
  std::string result;
  for (const auto& part : pieces_) {
    auto more = part.placeholder ? filled(part.text, config, builtins) : part.text;
    if (!more)
      return std::nullopt;
    result += *more;
  }
  return result;
}

std::size_t text_template::size(const object& config, const command_builtins& builtins) const {
  std::size_t result = 0;
  for (const auto& part : pieces_) {
    auto more = part.placeholder ? filled(part.text, config, builtins) : std::nullopt;
    if (part.placeholder && !more)
      return 0;
    result += more ? more->size() : part.text.size();
  }
  return result;
}

std::string without_placeholders(const std::string& text, const std::vector<std::string>& known) {
  auto parsed = text_template::parse(text, known);
  const auto is_itself
      = parsed
        && (text.empty()
            || (parsed->pieces().size() == 1 && parsed->pieces().front().text == text
                && !parsed->pieces().front().placeholder));
  if (is_itself)
    return text;
  std::string result;
  std::size_t open_braces = 0;
  for (auto c : text) {
    result += c;
    if (c == '{')
      ++open_braces;
    if (c == '{' || (c == '}' && open_braces > 0))
      result += c;
    if (c == '}' && open_braces > 0)
      --open_braces;
  }
  return result;
}

} // namespace tune
