/// Carries the body of a response from the thread that makes it to the one that sends it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tune::http {

/// Bytes that wait to be sent; never more than `most`, but for one piece. For any thread.
class byte_pipe {
public:
  static constexpr std::size_t most = 256 * 1024;

  /// Waits for room, then takes the bytes. @returns false if nobody reads any more.
  bool write(std::string_view bytes);
  /// Takes the bytes if there is room for them now. @returns whether it did.
  bool offer(std::string_view bytes);
  /// Nothing more will come. @param whole Whether all was written: otherwise the connection is
  /// broken off, so that the client notices.
  void finish(bool whole = true);
  /// Nobody reads any more: writers that wait return.
  void close();
  [[nodiscard]] bool is_closed() const;

  /// Takes up to `limit` bytes; empty: there are none at the moment.
  [[nodiscard]] std::string take(std::size_t limit);
  enum class state { open, whole, broken };
  /// Whether more may come, after what `take` still gives.
  [[nodiscard]] state how() const;
  /// Called, from any thread, whenever there is something to take or the state has changed; never
  /// after `close`. May not call the pipe.
  void when_ready(std::function<void()> call);

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  bool closed_ = false;
  state state_ = state::open;
  std::function<void()> ready_;

  void tell() const;
};

} // namespace tune::http
