/// Turns a checked configuration into the rules of a run: the parts that decide, without the parts
/// that run trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/check/replay_check.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/io/external/searcher_process.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/tuner/choices.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace tune {

/// Settings and rules. Enough to replay a log, and to simulate.
struct rule_parts {
  experiment_settings settings;
  rule_set rules;
};

/// The chosen searcher. @errors of its factory.
/// @param directory, ends, news As for `make_rule_parts`.
[[nodiscard]] expected<std::unique_ptr<searcher>> make_searcher(
    const loaded_spec& from, const choices& all, const std::filesystem::path& directory = {},
    std::shared_ptr<searcher_switch> ends = nullptr, std::shared_ptr<searcher_news> news = nullptr);

/// The chosen scheduler.
/// @param draws How the head whose record is verified drew its random numbers; see
///         `on::opened::draws`.
/// @errors of its factory.
[[nodiscard]] expected<std::unique_ptr<scheduler>>
make_scheduler(const loaded_spec& from, const choices& all,
               std::uint32_t draws = on::present_draws);

/// The settings that follow from a configuration alone: as if the trainable could not save, and the
/// searcher never ended.
[[nodiscard]] experiment_settings settings_by(const spec& what);

/// Makes settings and rules. Without `[trainable]` an external executor runs the trials.
/// @param directory The experiment's, absolute, where an external searcher's process runs. Empty:
///         none is started, and such a searcher proposes nothing.
/// @param ends Ends that process while somebody waits for it; may be null.
/// @param news Told of its faults that are forgiven; may be null.
/// @errors faults of the configuration that only show when the parts are made.
[[nodiscard]] expected<rule_parts> make_rule_parts(const loaded_spec& from, const choices& all,
                                                   const std::filesystem::path& directory = {},
                                                   std::shared_ptr<searcher_switch> ends = nullptr,
                                                   std::shared_ptr<searcher_news> news = nullptr);

} // namespace tune
