/// What other rooms are given of a `spec`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/settings.hpp"
#include "tune/core/schedule/scheduler.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/space/space.hpp"
#include "tune/core/stop/stopper.hpp"
#include "tune/io/artifacts/artifact_rules.hpp"
#include "tune/io/spec/command_template.hpp"
#include "tune/io/spec/spec.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune {

[[nodiscard]] experiment_settings settings_of(const spec& x);
[[nodiscard]] resource_request request_of(const spec& x);
[[nodiscard]] failure_policy failures_of(const spec& x);

/// `[space]` and `[stop]` as their parsers take them.
[[nodiscard]] std::vector<parameter_text> space_lines(const spec& x);

/// `[search] repeat` and `[experiment] confirm` with what goes with them.
[[nodiscard]] repeat_rule repeat_rule_of(const spec& x);
[[nodiscard]] std::vector<stop_line> stop_lines(const spec& x);
[[nodiscard]] stopper_context stopper_context_of(const spec& x);

/// The texts of options, for `options::parse`.
[[nodiscard]] std::map<std::string, std::string> option_texts(const std::vector<named_text>& xs);

/// What the chosen searcher's and scheduler's factories are given.
[[nodiscard]] searcher_context searcher_context_of(const spec& x,
                                                   std::shared_ptr<const search_space> space);
[[nodiscard]] scheduler_context scheduler_context_of(const spec& x,
                                                     std::shared_ptr<const search_space> space);

/// The command with the parameters of `space`. @errors as `command_template::parse`.
[[nodiscard]] expected<command_template> command_of(const spec& x, const search_space& space);

/// Names of parameters, as `text_template::parse` takes them.
[[nodiscard]] std::vector<std::string> parameter_names(const search_space& space);

/// How a command's metrics are read: what `metric.…` and the keys beside it say. Nothing where
/// there are none.
[[nodiscard]] std::optional<metric_pattern_options> patterns_of(const spec& x);

/// What comes back of what trials write on workers.
[[nodiscard]] artifact_rules artifact_rules_of(const spec& x);

/// What this machine offers: `detected` with the overrides of `[cluster]`.
[[nodiscard]] resources offered_by(const spec& x, resources detected);

/// `text` against the INI's directory: files and tables.
[[nodiscard]] std::filesystem::path against_ini(const spec& x, const std::string& text);

/// `storage/name`, against the caller's directory.
[[nodiscard]] std::filesystem::path experiment_directory(const spec& x,
                                                         const std::filesystem::path& caller);

/// Reads `[resources] bundles`: `[{"cpu": 1, "gpu": 1, "memory": "2GiB", "custom.licence": 1}]`.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`, naming the bundle.
[[nodiscard]] expected<std::vector<resources>> parse_bundles(const std::string& json);
[[nodiscard]] std::string bundles_text(const std::vector<resources>& xs);

} // namespace tune
