/// Checkpoints and artifacts for HTTP clients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/http/messages.hpp"
#include "tune/http/worker_pool.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace tune::cli {

/// Sends files, several at a time, each by a thread of its own, at the pace of its client. For any
/// thread.
class downloads {
public:
  static constexpr std::size_t most = 8;

  /// @errors `ec::shortage`.
  [[nodiscard]] static expected<std::unique_ptr<downloads>> start();

  /// A tar archive of a checkpoint that is there and can be restored.
  [[nodiscard]] http::response checkpoint(const std::filesystem::path& experiment, trial_id trial,
                                          std::uint64_t number);
  /// A file below a trial's directory, or a part of it. Opened by names alone: no link is followed,
  /// no mount entered.
  [[nodiscard]] http::response artifact(const http::request& what,
                                        const std::filesystem::path& experiment, trial_id trial,
                                        const std::string& path);

private:
  std::unique_ptr<http::worker_pool> pool_;

  [[nodiscard]] http::response stream(http::response head,
                                      std::function<bool(http::byte_pipe&)> work);
};

/// The header `Content-Disposition` for a file of this name, whatever it is.
[[nodiscard]] std::string attachment_named(const std::string& name);

} // namespace tune::cli
