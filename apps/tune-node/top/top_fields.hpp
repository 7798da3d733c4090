/// Turns answers of the read model, and of commands, into what the full-screen view shows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "top/top_data.hpp"
#include "tune/core/value.hpp"
#include "view/sampling.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// Empty: there is none, or it is null.
[[nodiscard]] std::string text_at(const object& from, std::string_view name);
/// 0 where it is no count.
[[nodiscard]] std::uint64_t count_at(const object& from, std::string_view name);
/// Null: there is none.
[[nodiscard]] const value::list* list_at(const object& from, std::string_view name);

/// The experiment itself, by its overview: all but rows and panel.
[[nodiscard]] top_data data_of(const object& overview);
/// A row by the API's object of a trial: with the configuration that made its value, if it has one.
/// @param whole As `config_text`.
[[nodiscard]] top_row row_of(const object& trial, const std::string& metric,
                             std::span<const std::string> whole);
/// Iterations and values of a trial's results.
[[nodiscard]] std::vector<point> points_in(const object& results, const std::string& metric);
/// The last lines of what was printed, each within the width; colours and cursor sequences are left
/// out.
[[nodiscard]] std::vector<std::string> last_lines(std::string_view text, std::size_t columns,
                                                  std::size_t lines);
/// A trial in words: status and reason, error, configuration, metrics, and with which configuration
/// these were made, where it has another one now. @param whole As `config_text`.
[[nodiscard]] std::vector<std::string> trial_lines(const object& trial, std::size_t columns,
                                                   std::size_t lines,
                                                   std::span<const std::string> whole);
/// The names of all parameters, by the overview.
[[nodiscard]] std::vector<std::string> parameters_in(const object& overview);

} // namespace tune::cli
