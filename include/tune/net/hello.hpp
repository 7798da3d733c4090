/// The first words between a worker and a head, as values.
///
/// They travel as JSON texts, so that two builds that agree on nothing else can still tell each
/// other why. Unknown fields are ignored, missing ones are named.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/node_route.hpp"
#include "tune/core/error.hpp"
#include "tune/core/resource/resources.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune {

/// What the two sides must have in common to understand each other's messages. Raised with every
/// change of a type that crosses the wire.
inline constexpr std::int64_t wire_protocol = 8;

/// What every side says of itself.
struct build_identity {
  std::int64_t protocol = wire_protocol;
  /// Of tune-node, e.g. "0.1.0".
  std::string version;
  /// CAF's: the wire format below ours.
  std::string caf;

  friend bool operator==(const build_identity&, const build_identity&) = default;
};

/// This build.
[[nodiscard]] build_identity this_build();

/// "tune-node 0.1.0 (protocol 1, CAF 0.17.6)".
[[nodiscard]] std::string to_text(const build_identity& x);

/// A worker introduces itself.
struct hello {
  build_identity build;
  /// Name of the cluster that it belongs to.
  std::string cluster;
  /// What it wants to be called; the head may append a number.
  std::string name;
  /// Drawn once per process: a worker that comes back is known again.
  std::string worker;
  /// Its wall clock, for the record of clocks that differ.
  std::int64_t wall_ms = 0;
  resources capacity;
  /// What it can do; see `resource_request::labels`.
  std::set<std::string> labels;
  /// See `mark_of_this_process`.
  std::string process = {};
  node_route route = {};
  /// Names of its GPUs by index.
  std::vector<std::string> devices = {};

  friend bool operator==(const hello&, const hello&) = default;
};

/// Tells that a worker's process has died, and nothing is left of what ran there: said in its place
/// by its guard. Only the worker and its head know the word that names it.
struct farewell {
  build_identity build;
  std::string cluster;
  /// See `hello::worker`.
  std::string worker;

  friend bool operator==(const farewell&, const farewell&) = default;
};

[[nodiscard]] std::string to_json(const farewell& x);
/// @returns nothing for what is no farewell. @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<std::optional<farewell>> farewell_from_json(std::string_view text);

/// The head lets it in.
struct welcome {
  build_identity build;
  /// What the worker is called from now on.
  std::string name;
  /// Shown when it enters.
  std::uint64_t ticket = 0;
  std::int64_t wall_ms = 0;
  /// Tells this head from others; drawn once.
  std::string head = {};
  /// See `mark_of_this_process`.
  std::string process = {};
  /// See `liveness_rules`. 0: nobody watches for silence. [milliseconds]
  std::int64_t lost_after_ms = 0;

  friend bool operator==(const welcome&, const welcome&) = default;
};

/// The head does not let it in.
struct rejection {
  std::string why;
  /// It may be different later.
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

/// The same for whoever else comes.
/// @param whom "client 'me'".
[[nodiscard]] expected<void> may_speak(const std::string& whom, const build_identity& its_build,
                                       const std::string& its_cluster, const build_identity& build,
                                       const std::string& cluster);

/// A name that is not `taken`: `wanted`, else with the first free number behind it: "w-2".
/// @param wanted What is not a letter, digit, '.', '_' or '-' becomes '-'; empty becomes "node".
[[nodiscard]] std::string free_name(std::string wanted, const std::set<std::string>& taken);

} // namespace tune
