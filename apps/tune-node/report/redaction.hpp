/// Keeps secrets out of what is handed on: a configuration with what looks like one taken out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/spec.hpp"

#include <string>
#include <string_view>

namespace tune::cli {

/// Stands in the place of a secret.
inline constexpr std::string_view redacted_text = "(redacted)";

/// Whether a value of that name should not be shown: one of its words is secret, password, passwd,
/// passphrase, token, credential(s), authorization, or apikey, or two of them are api, access,
/// private or secret, and key. Words end at anything but letters and digits, and where a capital
/// follows a small letter. `max_tokens` and `tokenizer` are no such names.
[[nodiscard]] bool is_secret_name(std::string_view name);

/// A command, or any line with options, without the values of secrets: of `--api-key=X`,
/// `--api-key X`, `API_KEY=X`, `api_key: X`, and the password in `https://user:X@host`.
[[nodiscard]] std::string without_secrets(std::string_view line);

/// A configuration without secrets: no values of environment variables, none of keys that
/// `is_secret_name` knows, and command, options of sinks and templates as `without_secrets` leaves
/// them. It can be run once these are filled in.
[[nodiscard]] spec redacted(spec what);

} // namespace tune::cli
