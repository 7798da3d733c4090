/// Sends news of experiments and logs to clients that follow them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/http/byte_pipe.hpp"
#include "tune/io/files/descriptor.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace tune::cli {

/// What one client follows. Used by the thread of the feeds only.
class live_feed {
public:
  live_feed() = default;
  live_feed(const live_feed&) = delete;
  live_feed& operator=(const live_feed&) = delete;
  virtual ~live_feed() = default;

  /// Looks for news and sends them. May block for a moment. @returns false if nothing more comes.
  virtual bool look() = 0;
  /// Opens the directory whose files tell by their changes that there may be news; a number below
  /// 0 if it is not there yet.
  [[nodiscard]] virtual store::descriptor place() const = 0;
  /// Whether a change of the file of this name matters.
  [[nodiscard]] virtual bool heeds(const std::string& file) const = 0;
};

/// All feeds of a gateway, on one thread, which sleeps until the kernel tells that a file has
/// changed: each is looked at when that is so, and at most once in `pace`.
class feeds {
public:
  static constexpr std::chrono::milliseconds pace{100};
  /// A commit is seen a moment after its file was written: so long are further looks taken.
  static constexpr std::chrono::milliseconds afterglow{300};
  /// Where no change is told, as on file systems that other machines write to.
  static constexpr std::chrono::seconds slow_pace{5};
  /// Between two comments that keep a silent connection open.
  static constexpr std::chrono::seconds comment_pace{15};
  static constexpr std::size_t most = 64;

  /// @errors `ec::shortage`.
  [[nodiscard]] static expected<std::unique_ptr<feeds>> start();
  feeds(const feeds&) = delete;
  feeds& operator=(const feeds&) = delete;
  ~feeds();

  /// Sends what `what` finds by `to`, until that is closed.
  /// @errors `ec::shortage` beyond `most`.
  [[nodiscard]] expected<void> add(std::unique_ptr<live_feed> what,
                                   std::shared_ptr<http::byte_pipe> to);
  /// Ends all of them.
  void stop();

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit feeds(std::unique_ptr<impl> parts);
};

} // namespace tune::cli
