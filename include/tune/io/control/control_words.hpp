/// Requests of clients to a running experiment through its control socket, and the answers: see
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

/// Longest line in either direction. [bytes]
inline constexpr std::size_t longest_control_line = 1024 * 1024;
/// Maximum number of trials that one request may name.
inline constexpr std::size_t most_control_trials = 10'000;
/// Longest idempotency key. [bytes]
inline constexpr std::size_t longest_control_key = 200;

/// A request, sent as one line.
struct control_request {
  enum class op : std::uint8_t { status, stop, pause, unpause, add, retry };
  op what = op::status;
  /// For `stop`, `pause`, `unpause`: none means the whole experiment. For `retry`: at least one.
  std::vector<trial_id> trials;
  /// For `add`: the configuration to try, and the idempotency key: a request with the same key is
  /// carried out once.
  object config;
  std::string key;
  /// For `retry`: start from the beginning instead of the newest checkpoint.
  bool from_scratch = false;

  friend bool operator==(const control_request&, const control_request&) = default;
};

/// "status", "stop", "pause", "unpause", "add", "retry".
[[nodiscard]] std::string_view to_text(control_request::op x);

/// One line, without its end.
[[nodiscard]] std::string to_json(const control_request& x);
/// Unknown fields are ignored.
/// @errors `ec::bad_syntax`, `ec::bad_option`, `ec::unknown_name`, naming the fault.
[[nodiscard]] expected<control_request> control_request_from_json(std::string_view line);

/// State that only the head knows; everything else is in the database.
struct control_status {
  std::int64_t pid = 0;
  std::chrono::nanoseconds elapsed{0};
  /// `suspended`: clients have paused the experiment, so nothing more is started. `held`: number of
  /// trials that clients have paused.
  bool suspended = false;
  std::uint64_t held = 0;
  std::uint64_t nodes = 0;
  resources total;
  resources used;
  /// Resources that trials wait for and no node has; empty if there are none.
  std::string waits_for = {};
  /// State of the scheduler in one line; empty if it reports none.
  std::string scheduler = {};
  /// What `scale_command` is about: `wanted`, `now`, `asked`, `given_back`, `calls`, `failures`,
  /// `missed`, `since_call` in seconds (null: there was none), `last_failure`, `too_large`. Empty:
  /// there is no such command.
  object scaling = {};
  /// Where the experiment stands among those of a standing head: `user`, `priority`, `share`,
  /// `running` (trials that hold something), `cpu`, `gpu` and `memory` that they hold, `waiting`
  /// (trials), `place` (in the queue; 0: it is served), `stands_aside` (it takes no place),
  /// `made_room` (trials that paused), `made_room_for`, and `quota`: of what its user may hold
  /// (`cpu`, `gpu`, `memory`, `trials`, where there is a limit) how much is `used` by all of the
  /// user's experiments, and the `total`; null: there is no limit. Empty: it has its head for
  /// itself.
  object allocation = {};
  /// Number of trials there will be; nothing where it is unknown.
  std::optional<std::uint64_t> planned = {};
  /// Names of the nodes that are leaving: `nodes`, `total` and `used` count what still runs there.
  std::vector<std::string> leaving = {};

  friend bool operator==(const control_status&, const control_status&) = default;
};

/// The answer to a valid request: the outcome for each trial it named, for the experiment, or for
/// the added trial; or the status.
struct control_answer {
  std::vector<order_verdict> told;
  std::optional<control_status> status;

  friend bool operator==(const control_answer&, const control_answer&) = default;
};

[[nodiscard]] std::string to_json(const control_answer& x);
/// The answer to a failed request: `{"ok":false,"code":"refused","error":"…"}`.
[[nodiscard]] std::string control_fault(const error& why);
/// @errors the error with which the request failed; `ec::bad_syntax` or `ec::bad_option` if the
///         line is invalid.
[[nodiscard]] expected<control_answer> control_answer_from_json(std::string_view line);

} // namespace tune
