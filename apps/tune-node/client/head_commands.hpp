/// Commands that a head carries out one after the other, by one connection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "output/format.hpp"

#include <memory>
#include <string>

namespace tune::cli {

/// Used by one thread at a time; all calls block.
class head_commands {
public:
  /// @param reach How the head is reached; its command does not count.
  /// @errors as `begin_as_client` and `connect_to`.
  [[nodiscard]] static expected<std::unique_ptr<head_commands>> open(at_head_request reach);
  ~head_commands();
  head_commands(const head_commands&) = delete;
  head_commands& operator=(const head_commands&) = delete;

  /// What a command writes to stdout. @param look Of what it writes.
  /// @errors `ec::refused` with what it said, where it did not end well; those of the connection.
  [[nodiscard]] expected<std::string> output_of(remote_command what, const table_look& look);

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit head_commands(std::unique_ptr<impl> parts);
};

} // namespace tune::cli
