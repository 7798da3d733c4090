// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_limits.hpp"

#include <algorithm>
#include <string>

namespace tune {

namespace {

/// The error for an exceeded limit, with its consequences and a remedy.
error too_much(const std::string& what, const std::string& mend) {
  return {ec::refused, "the checkpoint is refused: it holds more than " + what + ": " + mend
                           + "; a trial without checkpoints cannot be paused, and begins anew "
                             "after an interruption"};
}

} // namespace

expected<void> checkpoint_limits::check(std::uint64_t bytes, std::uint64_t entries) const {
  if (max_bytes != 0 && bytes > max_bytes)
    return too_much(std::to_string(max_bytes)
                        + " bytes, the holes of sparse files among them, which is [checkpoint] "
                          "max_size",
                    "save less, or raise it");
  if (entries > std::min<std::uint64_t>(max_entries, max_checkpoint_entries))
    return too_much(std::to_string(std::min<std::uint64_t>(max_entries, max_checkpoint_entries))
                        + " files and directories, which is [checkpoint] max_files",
                    "pack them into one file, or raise it, to "
                        + std::to_string(max_checkpoint_entries) + " at most");
  return {};
}

expected<void> checkpoint_limits::check_depth(std::size_t depth) {
  if (depth <= max_checkpoint_depth)
    return {};
  return too_much(std::to_string(max_checkpoint_depth) + " directories in one another",
                  "pack them into one file");
}

std::uint64_t room_kept_free(std::uint64_t capacity) {
  return std::min(capacity / 20, std::uint64_t{64} << 20U);
}

} // namespace tune
