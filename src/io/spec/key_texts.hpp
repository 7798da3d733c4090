/// Text forms of values used only in the INI file. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/settings.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune::key_texts {

/// "2h", "90s", "500ms", "0": exact, read back by `parse_seconds`.
[[nodiscard]] std::string duration(std::chrono::nanoseconds x);
/// "2GiB", "1500": exact, read back by `parse_bytes`.
[[nodiscard]] std::string bytes(std::uint64_t x);
/// The shortest exact form: "0.5".
[[nodiscard]] std::string number(double x);
/// "accuracy" or "accuracy:max, latency:min".
[[nodiscard]] std::string objectives(const std::vector<objective>& xs, bool maximise);
/// Parses the output of `objectives`. @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<std::vector<objective>> parse_objectives(std::string_view text,
                                                                bool maximise);
/// Words joined by blanks, quoted if needed.
[[nodiscard]] std::string words(const std::vector<std::string>& xs);

} // namespace tune::key_texts
