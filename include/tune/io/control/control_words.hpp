/// What clients say to a running experiment through its control socket, and what they are told: see
/// docs/control-protocol.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/core/value.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Longest line either way. [bytes]
inline constexpr std::size_t longest_control_line = 1024 * 1024;
/// Most trials that one request may name.
inline constexpr std::size_t most_control_trials = 10'000;
/// Longest idempotency key. [bytes]
inline constexpr std::size_t longest_control_key = 200;

/// One request: one line.
struct control_request {
  enum class op : std::uint8_t { status, stop, pause, unpause, add, retry };
  op what = op::status;
  /// `stop`, `pause`, `unpause`: none means the experiment; `retry`: at least one.
  std::vector<trial_id> trials;
  /// `add`: what to try, and a name of the wish under which it is granted once.
  object config;
  std::string key;
  /// `retry`: from the beginning instead of the newest checkpoint.
  bool from_scratch = false;

  friend bool operator==(const control_request&, const control_request&) = default;
};

/// "status", "stop", "pause", "unpause", "add", "retry".
[[nodiscard]] std::string_view to_text(control_request::op x);

/// One line, without its end.
[[nodiscard]] std::string to_json(const control_request& x);
/// Unknown fields are ignored.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`, saying what is wrong.
[[nodiscard]] expected<control_request> control_request_from_json(std::string_view line);

/// What only a head knows; the rest is in the database.
struct control_status {
  std::int64_t pid = 0;
  std::chrono::nanoseconds elapsed{0};
  /// Clients want nothing more to be started; trials that clients hold.
  bool suspended = false;
  std::uint64_t held = 0;
  std::uint64_t nodes = 0;
  resources total;
  resources used;
  /// What trials wait for that no node has; empty: nothing.
  std::string waits_for = {};
  /// How the scheduler stands, in one line; empty: it has nothing to say.
  std::string scheduler = {};

  friend bool operator==(const control_status&, const control_status&) = default;
};

/// The answer to a request that was understood: what became of each trial that it named, of the
/// experiment, or of the trial that was added; or the status.
struct control_answer {
  std::vector<order_verdict> told;
  std::optional<control_status> status;

  friend bool operator==(const control_answer&, const control_answer&) = default;
};

[[nodiscard]] std::string to_json(const control_answer& x);
/// A request that failed: `{"ok":false,"code":"refused","error":"…"}`.
[[nodiscard]] std::string control_fault(const error& why);
/// @errors what the request failed with; `ec::bad_syntax` or `ec::bad_option` for nonsense.
[[nodiscard]] expected<control_answer> control_answer_from_json(std::string_view line);

} // namespace tune
