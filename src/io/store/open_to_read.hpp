/// Opens a database to look at it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sqlite.hpp"

#include <filesystem>

namespace tune::store {

/// Opens for reading even where nothing may be written beside the database, and checks whose it is.
/// A transaction that a crash left half-written, with a rollback journal, is taken back first, as
/// any client of SQLite does.
/// @param version Set to the schema's; 0 for a database without content.
/// @errors as of `check_version`.
[[nodiscard]] expected<connection> open_to_read(const std::filesystem::path& file,
                                                std::int64_t& version);

} // namespace tune::store
