// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/load.hpp"

#include "layers.hpp"
#include "loading.hpp"
#include "tune/core/name.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/keys.hpp"

#include <algorithm>
#include <utility>

namespace tune {

const ini_entry* loading::find(std::string_view section, std::string_view key) const {
  auto i = settings.find(std::string{section} + "." + std::string{key});
  return i == settings.end() ? nullptr : i->second;
}

config_origin loading::origin(std::string_view section, std::string_view key) const {
  if (const auto* entry = find(section, key))
    return entry->origin;
  auto i = sections.find(section);
  return {config_origin::source::file, file, i == sections.end() ? 0 : i->second};
}

void loading::warn(const config_origin& at, const std::string& text) {
  if (!request.is_record || at.from != config_origin::source::file)
    warnings.push_back(to_text(at) + ": " + text);
}

void loading::refuse(std::string_view section, std::string_view key, const std::string& message) {
  const auto* entry = find(section, key);
  auto hint = entry == nullptr ? std::string{} : hint_for(*entry);
  faults.add({origin(section, key), std::string{section}, std::string{key}, message + hint});
}

void loading::refuse_missing(std::string_view section, std::string_view key,
                             const std::string& message) {
  if (whole)
    refuse(section, key, message);
}

std::string leading_name(std::string_view detail) {
  if (detail.empty() || detail[0] != '"')
    return {};
  auto end = detail.find('"', 1);
  return end == detail.npos ? std::string{} : std::string{detail.substr(1, end - 1)};
}

namespace {

/// Removes entries whose names are not acceptable, such as too long ones, and reports them as
/// faults: later steps may take more than linear time in the length of a key.
void refuse_unfit(std::vector<ini_entry>& entries, config_faults& faults) {
  auto is_unfit = [&](const ini_entry& x) {
    auto why = why_no_name(x.key);
    if (why.empty())
      return false;
    auto key = shown_name(x.key);
    auto at = x.origin;
    if (at.from != config_origin::source::file)
      at.where = shown_name(at.where);
    faults.add({std::move(at), x.section, key, '"' + key + "\": " + why});
    return true;
  };
  std::erase_if(entries, is_unfit);
}

/// Removes entries with unknown keys and reports them as faults.
void refuse_unknown(std::vector<ini_entry>& entries, config_faults& faults) {
  auto is_unknown = [&](const ini_entry& x) {
    if (find_key(x.section, x.key) != nullptr)
      return false;
    auto message = "unknown key \"" + x.key + "\"";
    if (!faults.full())
      message += advice_for_unknown(x.section, x.key);
    faults.add({x.origin, x.section, x.key, std::move(message)});
    return true;
  };
  std::erase_if(entries, is_unknown);
}

/// Removes entries beyond the limit of a family of keys, and reports one fault per family.
void refuse_crowds(std::vector<ini_entry>& entries, config_faults& faults) {
  std::map<const key_spec*, std::size_t> counts;
  auto is_too_many = [&](const ini_entry& x) {
    const auto* row = find_key(x.section, x.key);
    if (!row->is_family() || ++counts[row] <= most_parameters)
      return false;
    auto kind = x.section == "space" ? "parameters" : "keys " + row->rule.name + row->placeholder;
    if (counts[row] == most_parameters + 1)
      faults.add({x.origin, x.section, x.key,
                  '"' + x.key + "\" is one too many: at most " + std::to_string(most_parameters)
                      + " " + kind});
    return true;
  };
  std::erase_if(entries, is_too_many);
}

void apply_family(loading& to, const key_spec& family, const std::vector<ini_entry>& settings) {
  for (const auto& x : settings) {
    if (x.section != family.section || find_key(x.section, x.key) != &family)
      continue;
    named_text line{x.key.substr(family.rule.name.size()), x.text};
    if (family.check != nullptr) {
      if (auto checked = family.check(line); !checked)
        to.refuse(x.section, x.key, checked.error().detail);
    }
    family.entries(to.what).push_back(std::move(line));
  }
}

void apply_all(loading& to, const std::vector<ini_entry>& settings) {
  for (const auto& x : spec_keys()) {
    if (x.is_family()) {
      apply_family(to, x, settings);
    } else if (const auto* entry = to.find(x.section, x.rule.name)) {
      if (auto read = x.read(to.what, entry->text); !read)
        to.refuse(x.section, x.rule.name, read.error().detail);
    }
  }
}

load_result give_up(config_faults faults, std::vector<std::string> warnings) {
  faults.sort();
  return {std::nullopt, std::move(faults), std::move(warnings)};
}

load_result finish(loading&& x, const std::vector<ini_entry>& settings) {
  if (!x.faults.empty())
    return give_up(std::move(x.faults), std::move(x.warnings));
  loaded_spec result{std::move(x.what), {}, std::move(x.space)};
  for (const auto& each : settings)
    result.origins.emplace(each.section + "." + each.key, each.origin);
  return {std::move(result), {}, std::move(x.warnings)};
}

/// The location shown for values from a record.
constexpr const char* as_recorded = "as recorded";

/// The text of a record is generated, so its line numbers mean nothing to users.
void forget_lines(ini_text& what) {
  for (auto& x : what.entries)
    x.origin.line = 0;
  for (auto& [name, line] : what.sections)
    line = 0;
}

/// The error text for a file without sections.
std::string nothing_in(std::string_view text) {
  return std::string{text.empty() ? "is empty" : "has no sections"}
         + "; the least is [experiment] metric and a command in [trainable]";
}

} // namespace

load_result load_spec(const std::filesystem::path& path, const load_request& request) {
  config_faults faults;
  if (path.empty()) {
    faults.add({{config_origin::source::file, program_name(), 0},
                {},
                {},
                "the name of the INI file is empty"});
    return {std::nullopt, std::move(faults), {}};
  }
  auto text = read_ini_file(path);
  if (text)
    return load_spec_text(*text, path, request);
  auto message = text.error().detail.substr(path.string().size() + 2);
  faults.add({{config_origin::source::file, path.string(), 0}, {}, {}, std::move(message)});
  return {std::nullopt, std::move(faults), {}};
}

load_result load_spec_text(std::string_view text, const std::filesystem::path& path,
                           const load_request& request) {
  loading x{request, request.is_record ? as_recorded : path.string(), {}, {}, {}, {}, {}, {}, true};
  auto scanned = scan_ini(text, x.file, section_names(), x.faults);
  if (request.is_record)
    forget_lines(scanned);
  x.sections = std::move(scanned.sections);
  refuse_unfit(scanned.entries, x.faults);
  auto environment = read_environment(request.environment, scanned.entries);
  x.warnings = std::move(environment.warnings);
  refuse_unknown(scanned.entries, x.faults);
  refuse_crowds(scanned.entries, x.faults);
  x.whole = x.faults.empty();
  refuse_unfit(environment.entries, x.faults);
  hold_to_lines(environment.entries, x.faults);
  auto overrides = read_overrides(request, x.faults);
  refuse_unfit(overrides, x.faults);
  refuse_unknown(overrides, x.faults);
  hold_to_lines(overrides, x.faults);
  auto settings = merge_layers(scanned.entries, environment.entries, overrides);
  if (!settings) {
    x.faults.add({{config_origin::source::file, x.file, 0}, {}, {}, settings.error().detail});
    return give_up(std::move(x.faults), std::move(x.warnings));
  }
  if (settings->empty() && x.sections.empty() && x.faults.empty()) {
    x.faults.add({{config_origin::source::file, x.file, 0}, {}, {}, nothing_in(text)});
    return give_up(std::move(x.faults), std::move(x.warnings));
  }
  // Whoever runs the trials of an ask-tell, it is not this program: what would run them counts for
  // nothing.
  if (!x.request.needs_trainable) {
    std::erase_if(*settings, [](const auto& each) { return each.section == "trainable"; });
    x.sections.erase("trainable");
  }
  for (const auto& each : *settings)
    x.settings.emplace(each.section + "." + each.key, &each);

  std::error_code ignored;
  auto absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  x.what.ini_dir = absolute.parent_path().string();
  apply_all(x, *settings);
  check_sections(x);
  check_space(x);
  check_trainable(x);
  check_plugins(x);
  return finish(std::move(x), *settings);
}

} // namespace tune
