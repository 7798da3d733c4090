/// Names and values as MLflow takes them. Private to the MLflow sink.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

#include <string>

namespace tune::mlflow {

/// Most of each kind in one `log-batch`.
inline constexpr std::size_t most_metrics = 1000;
inline constexpr std::size_t most_params = 100;

/// A name of a metric or parameter: letters, digits and "_-. :/", a clean relative path, at most
/// 250 bytes. One that has to be changed gets a number, so that no two become one.
[[nodiscard]] std::string key_of(const std::string& name);
/// The text of a parameter, cut at 6000 bytes.
[[nodiscard]] std::string param_text(const value& x);
/// The text of a tag, cut at 5000 bytes.
[[nodiscard]] std::string tag_text(const std::string& x);
/// A metric's number in JSON, which has no others than finite ones.
[[nodiscard]] value json_of(double x);

} // namespace tune::mlflow
