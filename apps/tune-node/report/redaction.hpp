/// Keeps secrets out of what is handed on: a configuration with what looks like one taken out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"

#include <string_view>

namespace tune::cli {

/// Stands in the place of a secret.
inline constexpr std::string_view redacted_text = "(redacted)";

/// A configuration without secrets: no values of environment variables, none of keys that
/// `names_a_secret` knows, and command, options of sinks and templates as `without_secrets` leaves
/// them. It can be run once these are filled in.
[[nodiscard]] spec redacted(spec what);

} // namespace tune::cli
