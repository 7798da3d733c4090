/// Converts a `spec` to the types that other parts of the program use.
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

/// The lines of `[space]` and `[stop]` in the form that their parsers expect.
[[nodiscard]] std::vector<parameter_text> space_lines(const spec& x);

/// `[search] repeat` and `[experiment] confirm` with their related keys.
[[nodiscard]] repeat_rule repeat_rule_of(const spec& x);
[[nodiscard]] std::vector<stop_line> stop_lines(const spec& x);
/// Whether the experiment is judged by what training costs (see `is_cost`), so that reports must
/// bring that.
[[nodiscard]] bool names_costs(const spec& x);
[[nodiscard]] stopper_context stopper_context_of(const spec& x);

/// Option texts by name, for `options::parse`.
[[nodiscard]] std::map<std::string, std::string> option_texts(const std::vector<named_text>& xs);

/// Arguments for the factories of the chosen searcher and scheduler.
[[nodiscard]] searcher_context searcher_context_of(const spec& x,
                                                   std::shared_ptr<const search_space> space);
[[nodiscard]] scheduler_context scheduler_context_of(const spec& x,
                                                     std::shared_ptr<const search_space> space);

/// The command with the parameters of `space`. @errors as `command_template::parse`.
[[nodiscard]] expected<command_template> command_of(const spec& x, const search_space& space);

/// Names of the parameters, for `text_template::parse`.
[[nodiscard]] std::vector<std::string> parameter_names(const search_space& space);

/// How a command's metrics are read, from `metric.…` and related keys. Empty if there are none.
[[nodiscard]] std::optional<metric_pattern_options> patterns_of(const spec& x);

/// Rules for the files of trials that workers send back.
[[nodiscard]] artifact_rules artifact_rules_of(const spec& x);

/// Resources that this machine offers: `detected` with the overrides of `[cluster]`.
[[nodiscard]] resources offered_by(const spec& x, resources detected);

/// `text` resolved relative to the INI's directory; for files and tables.
[[nodiscard]] std::filesystem::path against_ini(const spec& x, const std::string& text);

/// `storage/name`, relative to the caller's directory.
[[nodiscard]] std::filesystem::path experiment_directory(const spec& x,
                                                         const std::filesystem::path& caller);

/// Reads `[resources] bundles`: `[{"cpu": 1, "gpu": 1, "memory": "2GiB", "custom.licence": 1}]`.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`, naming the bundle.
[[nodiscard]] expected<std::vector<resources>> parse_bundles(const std::string& json);
[[nodiscard]] std::string bundles_text(const std::vector<resources>& xs);

} // namespace tune
