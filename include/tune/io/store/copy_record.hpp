/// Copies the record of an experiment as it is at one moment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>

namespace tune {

/// Writes a database of its own with all that is committed now; whoever leads the experiment goes
/// on meanwhile. The copy is not synced: after a crash it is worth nothing.
/// @param experiment The experiment's directory. @param to A directory that has no record.
/// @errors those of `store_reader::open`; `ec::storage` if the copy cannot be written.
[[nodiscard]] expected<void> copy_record(const std::filesystem::path& experiment,
                                         const std::filesystem::path& to);

} // namespace tune
