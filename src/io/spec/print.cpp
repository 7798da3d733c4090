// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/print.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/ini_text.hpp"
#include "tune/io/spec/keys.hpp"

#include <algorithm>

namespace tune {

namespace {

std::string either(const std::string& text, const char* if_empty) {
  return text.empty() ? if_empty : text;
}

/// "# what judges running trials (one of: a, b; default a)".
std::string comment(const std::string& meaning, const std::string& legal,
                    const std::string& fallback) {
  auto facts = legal;
  if (!fallback.empty())
    facts += (facts.empty() ? "default " : "; default ") + fallback;
  return "# " + meaning + (facts.empty() ? "" : " (" + facts + ")") + "\n";
}

std::string assignment(const std::string& key, const std::string& text) {
  return ini_escaped(key) + " =" + (text.empty() ? "" : " " + ini_escaped(text)) + "\n";
}

/// The declaration of a catalogue entry's option; null if `name` is not one.
const option_spec* option_of(const load_request& from, const spec& x, const key_spec& family,
                             const std::string& name) {
  const std::vector<option_spec>* known = nullptr;
  if (const auto* entry = from.searchers.find(x.search.type); entry && family.section == "search")
    known = &entry->known;
  if (const auto* entry = from.schedulers.find(x.scheduler.type);
      entry && family.section == "scheduler")
    known = &entry->known;
  if (known == nullptr)
    return nullptr;
  auto i = std::find_if(known->begin(), known->end(),
                        [&](const option_spec& each) { return each.name == name; });
  return i == known->end() ? nullptr : &*i;
}

std::string print_family(const spec& x, const key_spec& family, const load_request& of) {
  const auto& lines = entries_of(family, x);
  auto options = family.section == "search" || family.section == "scheduler";
  std::string result;
  if (!options)
    result += comment(family.rule.name + family.placeholder + ": " + family.rule.meaning,
                      family.form, "");
  for (const auto& line : lines) {
    if (const auto* option = option_of(of, x, family, line.name))
      result += comment(option->meaning, range_text(*option), option->fallback);
    result += assignment(family.rule.name + line.name, line.text);
  }
  return result;
}

/// Whether the line of a key is a comment: it would not be legal, or would draw a warning.
bool is_comment(const spec& x, const key_spec& key, const std::string& text) {
  // An empty value is not a legal choice; only texts may have it as their default.
  return (text.empty() && !key.rule.choices.empty())
         || (key.section == "experiment" && key.rule.name == "mode" && has_idle_mode(x));
}

} // namespace

std::string print_spec(const spec& x, const load_request& of) {
  std::string result = "# All effective values of the experiment \"" + x.experiment.name + "\".\n"
                       + "# Relative paths stand against the directory of this file; storage "
                         "against the working\n# directory.\n";
  std::string section;
  for (const auto& key : spec_keys()) {
    if (key.section != section) {
      section = key.section;
      result += "\n# " + section_meaning(section) + "\n[" + section + "]\n";
    }
    if (key.is_family()) {
      result += print_family(x, key, of);
      continue;
    }
    auto text = key.write(x);
    result += comment(key.rule.meaning, legal_text(key), default_text(key));
    result += (is_comment(x, key, text) ? "# " : "") + assignment(key.rule.name, text);
  }
  return result;
}

std::vector<explained_value> explained_values(const loaded_spec& x) {
  std::vector<explained_value> result;
  for (const auto& key : spec_keys()) {
    std::vector<named_text> lines;
    if (key.is_family())
      lines = entries_of(key, x.what);
    else
      lines.push_back({"", key.write(x.what)});
    for (const auto& line : lines) {
      auto full = key.section + "." + key.rule.name + line.name;
      auto i = x.origins.find(full);
      auto origin = i == x.origins.end() ? config_origin{} : i->second;
      result.push_back({std::move(full), line.text, to_text(origin)});
    }
  }
  return result;
}

std::string explain_spec(const loaded_spec& x) {
  std::string result;
  for (const auto& [key, text, origin] : explained_values(x))
    result += key + " = " + text + "  (" + origin + ")\n";
  return result;
}

std::string help_all_keys() {
  std::string result;
  std::string section;
  for (const auto& key : spec_keys()) {
    if (key.section != section) {
      section = key.section;
      result += (result.empty() ? "[" : "\n[") + section + "]  " + section_meaning(section) + "\n";
    }
    result += "  --" + section + "." + key.rule.name + key.placeholder + " <" + legal_text(key)
              + ">\n      " + key.rule.meaning + "\n      ";
    if (!key.is_family())
      result += "default: " + either(default_text(key), "none") + "; ";
    result += "environment: " + environment_name(key) + key.placeholder;
    result += (key.also_environment.empty() ? "" : ", " + key.also_environment) + "\n";
  }
  return result;
}

} // namespace tune
