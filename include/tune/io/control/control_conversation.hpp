/// One client's side of the control socket as a value: bytes in, requests out, answers in, bytes
/// out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/control/control_words.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// How long a client may take for a request, or to read an answer.
inline constexpr std::chrono::seconds control_patience{10};

/// Keeps the rules that bound a client: one request at a time, lines of bounded length and little
/// nonsense, no idling.
/// It holds at most a line of what comes and one answer.
class control_conversation {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit control_conversation(time_point now) : since_{now} {}

  /// Bytes came.
  void take(std::string_view bytes);
  /// No more will come: what was asked is still answered.
  void take_end() { at_end_ = true; }

  /// The next request, which the caller answers. Lines that are none are answered here.
  [[nodiscard]] std::optional<control_request> next();
  /// Answers the request that was given out last. @param text One line, without its end.
  void answer(std::string_view text, time_point now);
  /// Whether a request was given out that is not answered yet.
  [[nodiscard]] bool owes() const { return owes_; }
  /// Says this and ends.
  void dismiss(const error& why);

  /// Whether a whole line waits for `next`.
  [[nodiscard]] bool is_ready() const;
  /// Whether more bytes are welcome.
  [[nodiscard]] bool listens() const;
  /// What is to be sent.
  [[nodiscard]] std::string_view pending() const { return out_; }
  /// So many bytes of it were sent.
  void sent(std::size_t count, time_point now);

  /// Nothing is left to say or hear.
  [[nodiscard]] bool is_over() const;
  /// When it has idled too long; never while it waits for an answer.
  [[nodiscard]] std::optional<time_point> deadline() const;
  /// Since when nothing came of it.
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
