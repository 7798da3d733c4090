/// The single table of all keys of the INI file. Checks, `config print`, `config explain`, help and
/// the test of docs/ini.md all use it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/plugin/options.hpp"
#include "tune/io/spec/spec.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// One key, or a family of keys with user-defined names: `metric.<name>`.
struct key_spec {
  std::string section;
  /// Name, kind, range, choices, meaning. The name of a family is its prefix, which may be empty.
  /// `fallback` is not used: see `default_text`.
  option_spec rule;
  /// The form of a value, for users: "whole number", "size such as 2GiB".
  std::string form;
  /// Whether the value may differ when an experiment is resumed.
  bool may_change = false;
  /// An additional environment variable, which ranks after that of `environment_name`.
  std::string also_environment;
  /// Formats the effective value as a user would write it. Empty function for families.
  std::function<std::string(const spec&)> write;
  /// Checks and stores a value. Empty function for families.
  /// @errors with a detail that starts with the key and names the legal values.
  std::function<expected<void>(spec&, const std::string&)> read;
  /// Returns the lines of a family; null for single keys.
  std::vector<named_text>& (*entries)(spec&) = nullptr;
  /// Checks one line of a family by itself; null if it is checked together with others.
  expected<void> (*check)(const named_text&) = nullptr;
  /// Placeholder for the names of a family's keys: "<name>".
  std::string placeholder;

  [[nodiscard]] bool is_family() const { return entries != nullptr; }
};

/// All keys by section, in the order for users to read.
[[nodiscard]] const std::vector<key_spec>& spec_keys();

/// The sections, each once, in the table's order.
[[nodiscard]] std::vector<std::string> section_names();

/// A one-line description of a section.
[[nodiscard]] std::string section_meaning(std::string_view section);

/// The row of a key: its own, or that of its family. Null if the key is unknown.
[[nodiscard]] const key_spec* find_key(std::string_view section, std::string_view key);

/// The lines of a family.
[[nodiscard]] const std::vector<named_text>& entries_of(const key_spec& family, const spec& of);

/// The default as a user would write it.
[[nodiscard]] std::string default_text(const key_spec& key);

/// `TUNE_EXPERIMENT_NUM_SAMPLES`; for a family the prefix of its names, `TUNE_SPACE_`. Dots become
/// two underscores.
[[nodiscard]] std::string environment_name(const key_spec& key);

/// "size such as 2GiB, 0 to 3": form and range.
[[nodiscard]] std::string legal_text(const key_spec& key);

/// "; did you mean "num_samples"?", or another hint on an unknown key.
[[nodiscard]] std::string advice_for_unknown(std::string_view section, std::string_view key);

} // namespace tune
