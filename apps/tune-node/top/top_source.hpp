/// Where the full-screen view has its data from, and whom its orders go to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/style.hpp"
#include "top/top_data.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace tune::cli {

/// Used by one thread at a time; all calls may block.
class top_source {
public:
  top_source() = default;
  top_source(const top_source&) = delete;
  top_source& operator=(const top_source&) = delete;
  virtual ~top_source() = default;

  /// @errors what the record cannot be read for; a wrong filter is no error but told in `fault`.
  [[nodiscard]] virtual expected<top_data> read(const top_wish& wish) = 0;
  /// Has an order carried out. @returns what became of it, for people.
  [[nodiscard]] virtual std::string carry_out(client_command order) = 0;
};

/// How charts in panels look.
struct top_look {
  bool is_unicode = true;
  style colors = {};
};

/// An experiment of this machine, by its record and its control socket.
[[nodiscard]] std::unique_ptr<top_source> make_record_source(std::filesystem::path directory,
                                                             top_look look);

/// An experiment at a head, by commands that the head carries out.
/// @errors as those of a client that reaches a head.
[[nodiscard]] expected<std::unique_ptr<top_source>> make_head_source(const top_request& what,
                                                                     top_look look);

} // namespace tune::cli
