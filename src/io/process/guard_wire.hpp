/// The messages between a node and its guard: one packet each, the same binary at both ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "unique_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tune::guard_wire {

/// Of these messages: a program replaced by a newer one must not be its guard.
inline constexpr std::uint32_t wire_version = 6;

/// Node to guard: start a process. Descriptors travel beside it, in the order of the flags.
struct launch {
  std::uint64_t id = 0;
  bool has_stdout = false;
  bool has_stderr = false;
  /// Report and answer descriptors, 3 and 4 in the process.
  bool has_protocol = false;
  /// They are its stdout and its stdin instead; it has no other stdout.
  bool protocol_is_standard = false;
  /// From TERM to KILL if the node dies.
  std::chrono::milliseconds grace{0};
  /// Bytes; 0: no limit.
  std::uint64_t memory_limit = 0;
  /// Limit the address space where no cgroup can be had.
  bool address_space_fallback = false;
  std::string tag;
  std::string directory;
  std::vector<std::string> argv;
  std::vector<std::string> env;
  /// As for setrlimit: resource and value.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> limits;
};

/// Node to guard: TERM now, KILL after `grace`.
struct end {
  std::uint64_t id = 0;
  std::chrono::milliseconds grace{0};
};

/// Guard to node, once: it is there.
struct hello {
  std::uint32_t version = wire_version;
};

/// Guard to node: the program was executed.
struct started {
  std::uint64_t id = 0;
  pid_t pid = 0;
};

/// Guard to node: the process and all that it left behind are gone, or it never was.
struct exited {
  enum class kind : std::uint8_t { code, signal, not_started };
  std::uint64_t id = 0;
  kind how = kind::code;
  /// Exit status or signal.
  std::int32_t number = 0;
  bool out_of_memory = false;
  /// It had a limit of memory, but no control group whose count would tell of it.
  bool memory_unwatched = false;
  /// Why it was not started, and whose fault that is: see `exit_info`.
  std::string text;
  ec fault = ec::process;
};

/// Node to guard: are you there? It comes after orders, and so is answered after them.
struct ping {};
/// Guard to node: I am.
struct pong {};

/// Node to guard: is anything left of what the process started?
struct look {
  std::uint64_t id = 0;
};
/// Guard to node: its answer. None where the process is gone: then that is told.
struct seen {
  std::uint64_t id = 0;
  /// Nothing lives that descends from it.
  bool alone = false;
};

/// Node to guard: a program to run should the node die, once nothing is left of its processes.
struct obituary {
  /// Empty: none.
  std::vector<std::string> argv;
};

using message = std::variant<launch, end, hello, started, exited, ping, pong, look, seen, obituary>;

/// Largest packet sent as such; a longer one, which only a launch is, travels as a memory file.
inline constexpr std::size_t max_packet = 64 * 1024;

[[nodiscard]] std::string encode(const message& what);
/// @returns nothing where the bytes are not a message.
[[nodiscard]] std::optional<message> decode(std::string_view bytes);

enum class io_result : std::uint8_t { ok, would_block, closed, failed };

/// Sends one message without waiting. @param fds stay the caller's.
/// @returns `failed` with the reason in errno.
[[nodiscard]] io_result send(int socket, const message& what, const std::vector<int>& fds = {});

struct received {
  io_result result = io_result::failed;
  std::optional<message> what;
  std::vector<unique_fd> fds;
  /// Descriptors were lost on the way: this process has too many open. Of a launch that travelled
  /// as a memory file no more may be known than its id.
  bool fds_lost = false;
};

/// Receives one message without waiting.
[[nodiscard]] received receive(int socket);

} // namespace tune::guard_wire
