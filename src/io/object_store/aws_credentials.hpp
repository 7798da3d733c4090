/// Credentials of object stores. Private to the object store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

struct aws_credentials {
  std::string id;
  std::string secret;
  /// Of temporary ones; else empty.
  std::string token;
};

/// Those of a profile in the text of a credentials file; nothing if it has none that are whole.
[[nodiscard]] std::optional<aws_credentials> credentials_in(std::string_view text,
                                                            std::string_view profile);

/// Looks in the environment, then in the file. Files are read anew each time: temporary
/// credentials are replaced.
/// @param variable The value of an environment variable; empty if it is not set.
/// @errors `ec::refused`, saying where they were looked for.
[[nodiscard]] expected<aws_credentials>
find_credentials(const std::function<std::string(const char*)>& variable);

} // namespace tune
