/// Reads the values of options from their texts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/resource/resources.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tune::cli {

// Errors are `ec::bad_option`; their detail begins with the text in quotes.

/// The parts of a text separated by commas; at least one.
[[nodiscard]] std::vector<std::string> comma_parts(const std::string& text);
/// CPUs, GPUs or whatever users count. [0 to 1000000]
[[nodiscard]] expected<double> amount_from(const std::string& text);
/// "NAME=N,...".
[[nodiscard]] expected<std::map<std::string, amount>> custom_from(const std::string& text);
/// A size such as "16GiB". [bytes]
[[nodiscard]] expected<std::uint64_t> bytes_from(const std::string& text);
/// A finite number.
[[nodiscard]] expected<double> number_from(const std::string& text);
/// [0 to 1]
[[nodiscard]] expected<double> chance_from(const std::string& text);
/// (0 to 1)
[[nodiscard]] expected<double> share_from(const std::string& text);
/// A time such as "90" or "1.5h"; at most a year.
[[nodiscard]] expected<std::chrono::nanoseconds> time_from(const std::string& text);
/// A time greater than 0.
[[nodiscard]] expected<std::chrono::nanoseconds> some_time_from(const std::string& text);

} // namespace tune::cli
