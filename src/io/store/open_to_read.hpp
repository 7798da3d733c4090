/// Opens a database for reading.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sqlite.hpp"

#include <filesystem>

namespace tune::store {

/// Opens for reading even if nothing may be written beside the database, and checks that it is an
/// experiment's. A transaction that a crash left half-written in a rollback journal is rolled back
/// first, as any SQLite client does.
/// @param version Set to the schema version; 0 for a database without content.
/// @errors as `check_version`.
[[nodiscard]] expected<connection> open_to_read(const std::filesystem::path& file,
                                                std::int64_t& version);

} // namespace tune::store
