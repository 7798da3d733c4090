/// The messages between a node and its guard: one packet each, the same binary at both ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"
#include "tune/core/error.hpp"
#include "tune/io/process/process_usage.hpp"

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

/// Version of these messages: after an upgrade, a newer program must not be the guard of an older
/// one.
inline constexpr std::uint32_t wire_version = 7;

/// Node to guard: start a process. Descriptors are passed along in the order of the flags.
struct launch {
  std::uint64_t id = 0;
  bool has_stdout = false;
  bool has_stderr = false;
  /// Report and answer descriptors, 3 and 4 in the process.
  bool has_protocol = false;
  /// Report and answer descriptors are stdout and stdin instead; there is no other stdout.
  bool protocol_is_standard = false;
  /// Time from TERM to KILL if the node dies.
  std::chrono::milliseconds grace{0};
  /// Bytes; 0: no limit.
  std::uint64_t memory_limit = 0;
  /// Limit the address space if there can be no control group.
  bool address_space_fallback = false;
  std::string tag;
  std::string directory;
  std::vector<std::string> argv;
  std::vector<std::string> env;
  /// Resource and value, in the form that setrlimit takes.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> limits;
};

/// Node to guard: TERM now, KILL after `grace`.
struct end {
  std::uint64_t id = 0;
  std::chrono::milliseconds grace{0};
};

/// Guard to node, once: the guard is running.
struct hello {
  std::uint32_t version = wire_version;
};

/// Guard to node: the program was executed.
struct started {
  std::uint64_t id = 0;
  pid_t pid = 0;
};

/// Guard to node: the process and all its descendants are gone, or it never started.
struct exited {
  enum class kind : std::uint8_t { code, signal, not_started };
  std::uint64_t id = 0;
  kind how = kind::code;
  /// Exit status or signal.
  std::int32_t number = 0;
  bool out_of_memory = false;
  /// True if the process had a memory limit but no control group that would count OOM kills.
  bool memory_unwatched = false;
  /// Why the process was not started, and the kind of fault: see `exit_info`.
  std::string text;
  ec fault = ec::process;
  /// See `exit_info`; all 0 if the process was not started.
  process_usage usage;
};

/// Node to guard: are you alive? Sent after orders, and so answered after them.
struct ping {};
/// Guard to node: alive.
struct pong {};

/// Node to guard: does the process have living descendants?
struct look {
  std::uint64_t id = 0;
};
/// Guard to node: the answer to `look`. Not sent if the process is gone, since `exited` is sent
/// then.
struct seen {
  std::uint64_t id = 0;
  /// True if the process has no living descendants.
  bool alone = false;
};

/// Node to guard: a program to run if the node dies, once all its processes are gone.
struct obituary {
  /// Empty for none.
  std::vector<std::string> argv;
};

using message = std::variant<launch, end, hello, started, exited, ping, pong, look, seen, obituary>;

/// Largest packet sent directly; a longer one, which is always a launch, is passed as a memory
/// file.
inline constexpr std::size_t max_packet = 64 * 1024;

[[nodiscard]] std::string encode(const message& what);
/// @returns nothing if the bytes are not a message.
[[nodiscard]] std::optional<message> decode(std::string_view bytes);

enum class io_result : std::uint8_t { ok, would_block, closed, failed };

/// Sends one message without waiting. @param fds remain owned by the caller.
/// @returns `failed` with the reason in errno.
[[nodiscard]] io_result send(int socket, const message& what, const std::vector<int>& fds = {});

struct received {
  io_result result = io_result::failed;
  std::optional<message> what;
  std::vector<unique_fd> fds;
  /// True if descriptors were lost because this process has too many open. Of a launch sent as a
  /// memory file, only the id may be known then.
  bool fds_lost = false;
};

/// Receives one message without waiting.
[[nodiscard]] received receive(int socket);

} // namespace tune::guard_wire
