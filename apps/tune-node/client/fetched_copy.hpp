/// What all ways to fetch do with a copy on its way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/arriving_copy.hpp"
#include "client/copy_draft.hpp"
#include "command/command_line.hpp"
#include "run/interrupts.hpp"
#include "tune/core/error.hpp"

#include <filesystem>

namespace tune::cli {

/// Tells of a copy that is whole.
void write_fetched(const command_line& line, const std::filesystem::path& target,
                   const copy_about& about);

/// Compares a checkpoint with its own list of its content. @param is_listed Whether it has one.
/// @errors those of `verify_checkpoint_copy`.
[[nodiscard]] expected<void> check_copy(const std::filesystem::path& copy, bool is_listed);

/// Ends this process at a signal; nothing is left behind.
class copy_watch {
public:
  explicit copy_watch(copy_draft& draft);

private:
  interrupts watch_;
};

} // namespace tune::cli
