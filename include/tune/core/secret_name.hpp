/// Which names stand for secrets, and texts without the values of these.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace tune {

/// Shown in the place of a secret.
inline constexpr std::string_view secret_not_shown = "(not shown)";

/// Whether what has this name is probably a secret, whatever the case: one of its words is secret,
/// password, passwd, passphrase, token, credential(s), authorization, or apikey, or two of them are
/// api, access, private or secret, and key; or it holds one of the longer ones without any mark
/// between words (`MYPASSWORD`), or ends with token. Words end at anything but letters and digits,
/// and where a capital follows a small letter. `max_tokens` and `tokenizer` are no such names.
[[nodiscard]] bool names_a_secret(std::string_view name);

/// A command, or any line with options, without the values of secrets: of `--api-key=X`,
/// `--api-key X`, `API_KEY=X`, `api_key: X`, and the password in `https://user:X@host`.
/// @param shown What stands in their place.
[[nodiscard]] std::string without_secrets(std::string_view line,
                                          std::string_view shown = secret_not_shown);

} // namespace tune
