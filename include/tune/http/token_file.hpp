/// The file that holds a server's token.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace tune::http {

/// `$XDG_STATE_HOME/tune-node/http-token`, else `~/.local/state/tune-node/http-token`; empty if
/// neither is known.
[[nodiscard]] std::filesystem::path default_token_file();

/// The token of a file, which is made with mode 0600 if it is missing. For any thread.
class token_file {
public:
  /// Reads the token, or makes the file, and its directory with mode 0700.
  /// @param anew Whether to replace a token that is there; servers that run take the new one.
  /// @errors `ec::refused` if the file belongs to another user, others have rights to it, it is no
  ///         regular file, or holds no token; `ec::storage`.
  [[nodiscard]] static expected<std::shared_ptr<token_file>> open(std::filesystem::path file,
                                                                  bool anew = false);

  [[nodiscard]] const std::filesystem::path& path() const { return file_; }
  /// The token as it was read last.
  [[nodiscard]] std::string token() const;
  /// How long ago the file was looked at.
  [[nodiscard]] std::chrono::steady_clock::duration age() const;
  /// Reads the file again; may block. What cannot be used leaves the token as it is.
  void refresh();

private:
  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::string token_;
  std::chrono::steady_clock::time_point read_at_;

  token_file(std::filesystem::path file, std::string token);
};

} // namespace tune::http
