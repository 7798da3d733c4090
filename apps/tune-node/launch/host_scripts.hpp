/// The commands that run at the other end of ssh.
///
/// They are for any POSIX shell. The user's own shell there hands each to `/bin/sh`, as one quoted
/// word: it has no single quotes, backslashes or line ends, which shells quote differently.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// What each line begins with that these commands print for this program. What a shell prints when
/// it starts has no such mark.
inline constexpr std::string_view host_line_mark = "tune-launch: ";

/// Tells the system and the programs that are there: lines `system NAME MACHINE`, `here VERSION`
/// (if the program with that hash is there), `own VERSION` (if the host has one in its path),
/// `named VERSION` (of `program`), and `end`; or `fault WHY` where a worker could make no
/// directory.
/// @param program A program there; empty: none is asked for.
/// @param below   As in `host_worker`.
[[nodiscard]] std::string probing_script(std::string_view hash, const std::string& program,
                                         const std::string& below);

/// Takes a tar archive from stdin, and puts the program in it in its place. Lines `here VERSION`,
/// or `fault WHY`.
[[nodiscard]] std::string placing_script(std::string_view hash);

/// How a worker runs at a host.
struct host_worker {
  /// Hash of the program that was copied; empty: `program` is used.
  std::string hash;
  std::string program;
  /// The head's port, at the machine that the connection comes from. Nothing: the connection
  /// forwards a port, and the first line of stdin tells it.
  std::optional<std::uint16_t> direct_port;
  /// Below it a private directory is made; empty: `$TMPDIR`, else `/tmp`.
  std::string below;
  /// Part of the directory's name by which it is found again: letters, digits, '-'.
  std::string tag = {};
  /// Further options of `worker`.
  std::vector<std::string> options;
};

/// Runs a worker until it ends, or stdin does; leaves nothing behind. It reads `worker_input` from
/// stdin, in which nothing may follow. Exits as the worker does.
[[nodiscard]] std::string working_script(const host_worker& what);

/// Ends the workers whose directories have this tag, and removes these. A line `removed DIR` for
/// each, or `left DIR` where it could not be; then `end`.
/// @param tag Not empty. @param below As in `host_worker`.
[[nodiscard]] std::string cleaning_script(const std::string& tag, const std::string& below);

/// The certificates of a worker.
struct host_certificates {
  std::string authority;
  std::string certificate;
  std::string key;
};

/// @param port Of the forwarding; 0 where there is none.
[[nodiscard]] std::string worker_input(std::uint16_t port, const host_certificates& what);

} // namespace tune::cli
