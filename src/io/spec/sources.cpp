// SPDX-License-Identifier: BSD-3-Clause
#include "layers.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/io/spec/keys.hpp"
#include "tune/io/spec/load.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace tune {

namespace {

constexpr std::string_view our_prefix = "TUNE_";
/// Set by the runtime for trials: a tuner started inside a trial must not read it as its own.
constexpr std::string_view trial_prefix = "TUNE_TRIAL_";
/// Directory of certificates; not a key, see `default_certificate_directory`.
constexpr std::string_view certificates_variable = "TUNE_CERTS";

/// Whether a variable is meant to set a key.
bool is_for_key(std::string_view name) {
  return name.starts_with(our_prefix) && !name.starts_with(trial_prefix)
         && name != certificates_variable;
}

std::string lower(std::string text) {
  for (auto& c : text) {
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string with_dots(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    auto pair = name.substr(i, 2) == "__";
    result += pair ? '.' : name[i];
    i += pair ? 1 : 0;
  }
  return result;
}

/// The key of a family that the tail of a variable's name refers to: see docs/ini.md,
/// "Environment".
std::string family_key(const key_spec& family, std::string_view tail,
                       const std::vector<ini_entry>& file) {
  auto key = family.rule.name + with_dots(tail);
  if (family.rule.name == "env.")
    return key;
  const ini_entry* alike = nullptr;
  for (const auto& x : file) {
    if (x.section != family.section || lower(x.key) != lower(key))
      continue;
    if (x.key == key)
      return key;
    alike = &x;
  }
  auto tail_start = static_cast<std::ptrdiff_t>(family.rule.name.size());
  auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (std::any_of(key.begin() + tail_start, key.end(), is_lower))
    return key;
  return alike != nullptr ? alike->key : lower(key);
}

/// The section and key that a variable sets; empty if it sets none.
std::optional<ini_entry> meaning_of(const std::string& variable,
                                    const std::vector<ini_entry>& file) {
  const key_spec* family = nullptr;
  for (const auto& x : spec_keys()) {
    auto name = environment_name(x);
    if (!x.is_family() && (name == variable || x.also_environment == variable))
      return ini_entry{x.section, x.rule.name, {}, {}, false};
    auto fits = x.is_family() && variable.size() > name.size() && variable.starts_with(name);
    if (fits && (family == nullptr || x.rule.name.size() > family->rule.name.size()))
      family = &x;
  }
  if (family == nullptr)
    return std::nullopt;
  auto tail = std::string_view{variable}.substr(environment_name(*family).size());
  return ini_entry{family->section, family_key(*family, tail, file), {}, {}, false};
}

std::string unknown_variable(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& x : spec_keys()) {
    if (!x.is_family())
      known.push_back(environment_name(x));
  }
  auto result = "environment " + name + ": no key has this variable";
  if (auto near = nearest_name(name, known); !near.empty())
    result += "; did you mean " + near + "?";
  return result + "; ignored";
}

bool is_alias(const std::string& variable) {
  const auto& keys = spec_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const key_spec& x) {
    return !x.also_environment.empty() && x.also_environment == variable;
  });
}

} // namespace

environment_layer read_environment(const std::map<std::string, std::string>& variables,
                                   const std::vector<ini_entry>& file) {
  environment_layer result;
  std::set<std::string> seen;
  auto take = [&](const std::string& name, const std::string& text) {
    auto entry = meaning_of(name, file);
    if (!entry) {
      result.warnings.push_back(unknown_variable(name));
      return;
    }
    if (!seen.insert(entry->section + "." + entry->key).second)
      return;
    entry->text = text;
    entry->origin = {config_origin::source::environment, name, 0};
    result.entries.push_back(std::move(*entry));
  };
  for (const auto& [name, text] : variables) {
    if (is_for_key(name) && !text.empty())
      take(name, text);
  }
  for (const auto& [name, text] : variables) {
    if (is_alias(name) && !text.empty())
      take(name, text);
  }
  return result;
}

std::vector<ini_entry> read_overrides(const load_request& from, config_faults& faults) {
  auto known = section_names();
  std::set<std::string> seen;
  std::vector<ini_entry> result;
  for (const auto& x : from.overrides) {
    auto dot = std::min(x.name.find('.'), x.name.size());
    auto section = x.name.substr(0, dot);
    auto key = dot == x.name.size() ? std::string{} : x.name.substr(dot + 1);
    const auto origin = from.is_embedded
                            ? config_origin{config_origin::source::program, x.name, 0}
                            : config_origin{config_origin::source::command_line, "--" + x.name, 0};
    if (std::find(known.begin(), known.end(), section) == known.end()) {
      auto near = nearest_name(section, known);
      faults.add({origin,
                  {},
                  key,
                  "unknown section [" + section + "]"
                      + (near.empty() ? "" : "; did you mean [" + near + "]?")});
    } else if (!seen.insert(x.name).second) {
      faults.add({origin, section, key, "\"" + key + "\" is given twice; keep one"});
    } else {
      result.push_back({section, key, x.text, origin, false});
    }
  }
  return result;
}

namespace {

/// Whether a word cannot be the value of the option before it: `--name`, and `-q`, but not `-1`.
bool is_option(const std::string& word) {
  return word.starts_with("--")
         || (word.size() == 2 && word[0] == '-'
             && std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

} // namespace

expected<override_words> take_overrides(const std::vector<std::string>& words) {
  override_words result;
  std::size_t i = 0;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const auto& word = words[i];
    auto equals = word.find('=');
    auto name = word.substr(0, equals);
    if (!name.starts_with("--") || name.find('.') == name.npos) {
      result.rest.push_back(word);
      continue;
    }
    name.erase(0, 2);
    if (equals != word.npos) {
      result.overrides.push_back({std::move(name), word.substr(equals + 1)});
      continue;
    }
    if (i + 1 == words.size() || is_option(words[i + 1]))
      return error{ec::bad_syntax, word + ": its value is missing"};
    result.overrides.push_back({std::move(name), words[++i]});
  }
  result.rest.insert(result.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                     words.end());
  return result;
}

std::map<std::string, std::string> environment_of(const char* const* variables) {
  std::map<std::string, std::string> result;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    std::string_view each{*variables};
    auto equals = each.find('=');
    if (equals != each.npos)
      result.emplace(each.substr(0, equals), each.substr(equals + 1));
  }
  return result;
}

} // namespace tune
