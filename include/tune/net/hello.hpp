/// The first messages between a worker and a head, as values.
///
/// They travel as JSON texts, so that two builds that agree on nothing else can still tell each
/// other why. Unknown fields are ignored, missing ones are named.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_route.hpp"
#include "tune/core/error.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune {

/// Version of the messages, which both sides must share to understand each other. Raised with every
/// change of a type that crosses the wire.
inline constexpr std::int64_t wire_protocol = 11;

/// Build that a side presents.
struct build_identity {
  std::int64_t protocol = wire_protocol;
  /// Version of tune-node, e.g. "0.1.0".
  std::string version;
  /// Version of CAF, whose wire format lies below `wire_protocol`.
  std::string caf;

  friend bool operator==(const build_identity&, const build_identity&) = default;
};

/// Identity of this build.
[[nodiscard]] build_identity this_build();

/// Text such as "tune-node 0.1.0 (protocol 1, CAF 0.17.6)".
[[nodiscard]] std::string to_text(const build_identity& x);

/// Introduction of a worker.
struct hello {
  build_identity build;
  /// Name of the cluster that the worker belongs to.
  std::string cluster;
  /// Name that the worker asks for; the head may append a number.
  std::string name;
  /// Drawn once per process, so that a worker that comes back is recognised.
  std::string worker;
  /// Wall clock of the worker, to record how much clocks differ.
  std::int64_t wall_ms = 0;
  resources capacity;
  /// What the node offers beside amounts; see `node_labels`.
  std::set<std::string> labels;
  /// See `mark_of_this_process`.
  std::string process = {};
  node_route route = {};
  /// Names of the GPUs by index.
  std::vector<std::string> devices = {};
  /// The head that the worker was with and looks for: see `welcome::head`. Empty: for any.
  std::string head = {};
  /// The worker's own, by which it gives up a silent connection; see `liveness_rules`. 0: not told.
  /// [milliseconds]
  std::int64_t lost_after_ms = 0;

  friend bool operator==(const hello&, const hello&) = default;
};

/// Message that a worker's process has died, and nothing is left of what ran there; sent by its
/// guard. Only the worker and its head know the word that names it.
struct farewell {
  build_identity build;
  std::string cluster;
  /// See `hello::worker`.
  std::string worker;

  friend bool operator==(const farewell&, const farewell&) = default;
};

[[nodiscard]] std::string to_json(const farewell& x);
/// @returns empty if the text is no farewell. @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<std::optional<farewell>> farewell_from_json(std::string_view text);

/// Question of somebody who wants to know whether a worker could join, and does not join itself.
struct checkup_question {
  build_identity build;
  std::string cluster;

  friend bool operator==(const checkup_question&, const checkup_question&) = default;
};

/// Answer of a head to a `checkup_question`: facts, which the asker judges.
struct checkup_answer {
  build_identity build;
  std::string cluster;
  std::int64_t wall_ms = 0;
  /// Directory of all experiments of a standing head, absolute; empty: it does not tell.
  std::string storage = {};
  /// Text that the head left in this directory; see `view_of_storage`.
  std::string storage_token = {};

  friend bool operator==(const checkup_answer&, const checkup_answer&) = default;
};

[[nodiscard]] std::string to_json(const checkup_question& x);
[[nodiscard]] std::string to_json(const checkup_answer& x);
/// @returns empty if the text asks for no checkup. @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<std::optional<checkup_question>> checkup_from_json(std::string_view text);
/// @errors `ec::refused` with the reason of a head that does not answer such questions;
///         `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<checkup_answer> checkup_answer_from_json(std::string_view text);

/// Answer of a head that lets the worker in.
struct welcome {
  build_identity build;
  /// Name of the worker from now on.
  std::string name;
  /// Shown when the worker enters.
  std::uint64_t ticket = 0;
  std::int64_t wall_ms = 0;
  /// Distinguishes this head from others; drawn once, and kept by one that takes the place of
  /// another on the same storage.
  std::string head = {};
  /// See `mark_of_this_process`.
  std::string process = {};
  /// See `liveness_rules`. 0: nobody watches for silence. [milliseconds]
  std::int64_t lost_after_ms = 0;
  /// See `liveness_rules`. [milliseconds]
  std::int64_t head_grace_ms = 0;

  friend bool operator==(const welcome&, const welcome&) = default;
};

/// Answer of a head that does not let the worker in.
struct rejection {
  std::string why;
  /// True if a later try may succeed.
  bool try_again = false;

  friend bool operator==(const rejection&, const rejection&) = default;
};

using hello_answer = std::variant<welcome, rejection>;

[[nodiscard]] std::string to_json(const hello& x);
[[nodiscard]] std::string to_json(const hello_answer& x);

/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<hello> hello_from_json(std::string_view text);
[[nodiscard]] expected<hello_answer> hello_answer_from_json(std::string_view text);

/// Whether a head of `build` and `cluster` may let `who` in.
/// @errors `ec::refused`, naming what differs on both sides.
[[nodiscard]] expected<void> may_enter(const hello& who, const build_identity& build,
                                       const std::string& cluster);

/// Like `may_enter`, for clients and others.
/// @param whom Name for the error, such as "client 'me'".
[[nodiscard]] expected<void> may_speak(const std::string& whom, const build_identity& its_build,
                                       const std::string& its_cluster, const build_identity& build,
                                       const std::string& cluster);

/// A name that is not taken: `wanted`, or `wanted` with the first free number: "w-2".
/// @param wanted Characters other than letters, digits, '.', '_' and '-' become '-'; empty becomes
///     "node".
[[nodiscard]] std::string free_name(std::string wanted,
                                    const std::function<bool(const std::string&)>& is_taken);

} // namespace tune
