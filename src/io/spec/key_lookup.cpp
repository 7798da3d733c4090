// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/keys.hpp"

#include <algorithm>

namespace tune {

namespace {

std::string upper(std::string_view x) {
  std::string result{x};
  for (auto& c : result) {
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

/// Candidates for a mistyped `key`; for families, with the part after its first dot.
std::vector<std::string> candidates(std::string_view section, std::string_view key) {
  auto dot = key.find('.');
  auto tail = dot == key.npos ? std::string{"name"} : std::string{key.substr(dot + 1)};
  std::vector<std::string> result;
  for (const auto& x : spec_keys()) {
    if (x.section == section)
      result.push_back(x.is_family() ? x.rule.name + tail : x.rule.name);
  }
  return result;
}

std::string shown(const key_spec& x) {
  return x.rule.name + x.placeholder;
}

} // namespace

std::vector<std::string> section_names() {
  std::vector<std::string> result;
  for (const auto& x : spec_keys()) {
    if (result.empty() || result.back() != x.section)
      result.push_back(x.section);
  }
  return result;
}

std::string section_meaning(std::string_view section) {
  static const std::pair<std::string_view, const char*> meanings[] = {
      {"experiment", "what is optimised, how long, and where it is kept"},
      {"trainable", "the code to tune"},
      {"space", "the parameters, one per line, in the order of declaration"},
      {"resources", "what one trial needs"},
      {"search", "what proposes configurations"},
      {"scheduler", "what judges running trials"},
      {"stop", "when a trial, or everything, has seen enough"},
      {"failure", "what is forgiven, and how"},
      {"checkpoint", "when trials are saved"},
      {"cluster", "what this machine offers, and how trials are placed and ended"},
      {"log", "what is written down"},
      {"sinks", "where results go besides the record"},
  };
  for (const auto& [name, meaning] : meanings) {
    if (name == section)
      return meaning;
  }
  return {};
}

const key_spec* find_key(std::string_view section, std::string_view key) {
  const key_spec* family = nullptr;
  for (const auto& x : spec_keys()) {
    if (x.section != section)
      continue;
    if (!x.is_family() && x.rule.name == key)
      return &x;
    if (x.is_family() && key.size() > x.rule.name.size() && key.starts_with(x.rule.name))
      family = &x;
  }
  return family;
}

const std::vector<named_text>& entries_of(const key_spec& family, const spec& of) {
  return family.entries(const_cast<spec&>(of));
}

std::string default_text(const key_spec& key) {
  return key.is_family() ? std::string{} : key.write(spec{});
}

std::string environment_name(const key_spec& key) {
  auto result = "TUNE_" + upper(key.section) + "_";
  for (auto c : upper(key.rule.name)) {
    if (c == '.')
      result += "__";
    else
      result += c;
  }
  return result;
}

std::string legal_text(const key_spec& key) {
  auto range = range_text(key.rule);
  if (key.form.empty() || key.rule.kind == option_kind::boolean)
    return range;
  return range.empty() ? key.form : key.form + ", " + range;
}

std::string advice_for_unknown(std::string_view section, std::string_view key) {
  // Its place in earlier versions.
  if (section == "log" && key.starts_with("sink."))
    return "; sinks have a section of their own: [sinks] " + std::string{key.substr(5)} + " = on";
  for (const auto& x : spec_keys()) {
    if (x.section == section && x.is_family() && !key.empty() && x.rule.name == key)
      return "; a name must follow the dot: " + shown(x);
  }
  if (auto near = nearest_name(key, candidates(section, key)); !near.empty())
    return "; did you mean \"" + near + "\"?";
  for (const auto& x : spec_keys()) {
    if (!x.is_family() && x.rule.name == key)
      return "; it belongs to [" + x.section + "]";
  }
  std::string all;
  for (const auto& x : spec_keys()) {
    if (x.section == section)
      all += (all.empty() ? "" : ", ") + shown(x);
  }
  return "; known: " + all;
}

} // namespace tune
