/// The server's conversation with one client of the control socket, as a value: bytes in, requests
/// out, answers in, bytes out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/control/control_words.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// Time limit for a client to complete a request, or to read an answer.
inline constexpr std::chrono::seconds control_patience{10};

/// Enforces the limits on a client: one request at a time, lines of bounded length, few invalid
/// lines, no idling. Buffers at most one line of input and one answer.
class control_conversation {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit control_conversation(time_point now) : since_{now} {}

  /// Takes received bytes.
  void take(std::string_view bytes);
  /// Takes the end of the input. Pending requests are still answered.
  void take_end() { at_end_ = true; }

  /// The next request, which the caller must answer. Invalid lines are answered here.
  [[nodiscard]] std::optional<control_request> next();
  /// Answers the request that `next` returned last. @param text One line, without its end.
  void answer(std::string_view text, time_point now);
  /// Whether a request returned by `next` is not answered yet.
  [[nodiscard]] bool owes() const { return owes_; }
  /// Answers with `why` and ends the conversation.
  void dismiss(const error& why);

  /// Whether a whole line waits for `next`.
  [[nodiscard]] bool is_ready() const;
  /// Whether the conversation accepts more bytes.
  [[nodiscard]] bool listens() const;
  /// Bytes to be sent.
  [[nodiscard]] std::string_view pending() const { return out_; }
  /// Notes that `count` bytes of `pending` were sent.
  void sent(std::size_t count, time_point now);

  /// True once nothing is left to be sent or received.
  [[nodiscard]] bool is_over() const;
  /// Time at which the client has idled for too long; empty while it waits for an answer.
  [[nodiscard]] std::optional<time_point> deadline() const;
  /// Time of the last progress; the client has idled since.
  [[nodiscard]] time_point since() const { return since_; }

private:
  std::string in_;
  std::string out_;
  bool owes_ = false;
  bool at_end_ = false;
  bool dismissed_ = false;
  int faults_ = 0;
  time_point since_;

  void say(std::string_view text);
};

} // namespace tune
