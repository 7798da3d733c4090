/// Loads a configuration: combines INI file, environment and command line into one checked `spec`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/seam/trial_sink.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/stop/stopper.hpp"
#include "tune/io/spec/fault.hpp"
#include "tune/io/spec/spec.hpp"
#include "tune/trainable/trainable.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// The sources of values, and the available choices.
struct load_request {
  /// Overrides from the command line by full key: {"experiment.seed", "7"}. See `take_overrides`.
  std::vector<named_text> overrides;
  /// True if they do not come from a command line: a program that embeds the library sets them.
  bool is_embedded = false;
  /// The environment; only `TUNE_…` and the aliases in the table are used.
  std::map<std::string, std::string> environment;
  scheduler_catalogue schedulers;
  searcher_catalogue searchers;
  stopper_catalogue stoppers = {};
  sink_catalogue sinks = {};
  /// Functions and classes available for `[trainable] name`. Null: not checked.
  const trainable_registry* trainables = nullptr;
  /// Whether to inspect `[trainable] plugin` in a separate process: see `probe_plugin`. If false,
  /// none of its code is run, and its names are not checked.
  bool probes_plugins = true;
  /// True if the text is a record: all keys are written out, and no user wrote its lines. Faults
  /// then name no line, and its lines cause no warnings, since these were given for the original
  /// text.
  bool is_record = false;
  /// False for ask-tell, which needs no `[trainable]`.
  bool needs_trainable = true;
};

/// Maximum number of parameters in `[space]`, and of keys of any other family.
inline constexpr std::size_t most_parameters = 10'000;

/// A checked configuration and the origins of its values.
struct loaded_spec {
  spec what;
  /// By full key: "experiment.seed". Missing keys have their defaults.
  std::map<std::string, config_origin, std::less<>> origins;
  /// The parsed `[space]`.
  std::shared_ptr<const search_space> space;
};

/// A configuration, or its faults.
struct load_result {
  /// Empty if there are faults.
  std::optional<loaded_spec> loaded;
  config_faults faults;
  /// One line each: unknown environment variables, probable mistakes.
  std::vector<std::string> warnings;

  explicit operator bool() const { return loaded.has_value(); }
};

/// Reads the file and continues like `load_spec_text`.
[[nodiscard]] load_result load_spec(const std::filesystem::path& path, const load_request& request);

/// Loads a text in place of the file `path`, which is used only as a name. Precedence: command
/// line, environment, file, default.
[[nodiscard]] load_result load_spec_text(std::string_view text, const std::filesystem::path& path,
                                         const load_request& request);

/// Command-line words, split into overrides and the rest.
struct override_words {
  std::vector<named_text> overrides;
  std::vector<std::string> rest;
};

/// Separates `--section.key value` and `--section.key=value` from other words: all words that begin
/// with two dashes and have a dot in their name, up to a lone `--`.
/// @errors `ec::bad_syntax` if a value is missing, which is a usage error.
[[nodiscard]] expected<override_words> take_overrides(const std::vector<std::string>& words);

/// The environment of a process, for `load_request`. @param variables null-terminated, as
/// `environ`.
[[nodiscard]] std::map<std::string, std::string> environment_of(const char* const* variables);

} // namespace tune
