/// Reads a configuration: INI file, environment and command line become one checked `spec`.
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

/// Where values come from, and what may be chosen.
struct load_request {
  /// Overrides from the command line by full key: {"experiment.seed", "7"}. See `take_overrides`.
  std::vector<named_text> overrides;
  /// The environment; only `TUNE_…` and the aliases of the table are looked at.
  std::map<std::string, std::string> environment;
  scheduler_catalogue schedulers;
  searcher_catalogue searchers;
  stopper_catalogue stoppers = {};
  sink_catalogue sinks = {};
  /// Functions and classes that `[trainable] name` may mean. Null: not checked.
  const trainable_registry* trainables = nullptr;
  /// Looks into `[trainable] plugin`, in a process of its own: see `probe_plugin`. False: nothing
  /// of it is run, and what it has is believed.
  bool probes_plugins = true;
  /// The text is a record: all keys are written out, and nobody wrote its lines. What would be a
  /// warning of one was given when somebody did; faults name no line.
  bool is_record = false;
  /// ask-tell does without `[trainable]`.
  bool needs_trainable = true;
};

/// Parameters that `[space]` may have, and keys of any other family that a file may have.
inline constexpr std::size_t most_parameters = 10'000;

/// A checked configuration and where each value came from.
struct loaded_spec {
  spec what;
  /// By full key: "experiment.seed". What is missing is a default.
  std::map<std::string, config_origin, std::less<>> origins;
  /// The parsed `[space]`.
  std::shared_ptr<const search_space> space;
};

/// A configuration, or what is wrong with it.
struct load_result {
  /// Nothing if there are faults.
  std::optional<loaded_spec> loaded;
  config_faults faults;
  /// One line each: unknown environment variables, probable mistakes.
  std::vector<std::string> warnings;

  explicit operator bool() const { return loaded.has_value(); }
};

/// Reads the file, then as `load_spec_text`.
[[nodiscard]] load_result load_spec(const std::filesystem::path& path, const load_request& request);

/// The same for a text that stands in for the file `path`, which is only named.
/// Precedence: command line, environment, file, default.
[[nodiscard]] load_result load_spec_text(std::string_view text, const std::filesystem::path& path,
                                         const load_request& request);

/// Command-line words, sorted out.
struct override_words {
  std::vector<named_text> overrides;
  std::vector<std::string> rest;
};

/// Takes `--section.key value` and `--section.key=value` out of `words`: all that begin with two
/// dashes and have a dot in their name, up to a lone `--`.
/// @errors `ec::bad_syntax` where the value is missing: a usage error.
[[nodiscard]] expected<override_words> take_overrides(const std::vector<std::string>& words);

/// The environment of a process, for `load_request`. @param variables null-terminated, as
/// `environ`.
[[nodiscard]] std::map<std::string, std::string> environment_of(const char* const* variables);

} // namespace tune
