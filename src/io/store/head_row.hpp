/// The single row of `t_head`: the head that owns the experiment, and the end of its log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tune::store {

struct head_row {
  std::int64_t epoch = 0;
  std::int64_t last_seq = 0;
  std::int64_t created_ms = 0;
  /// The newest `opened` event; empty before the first.
  std::optional<std::int64_t> opened_seq;
  std::optional<std::string> status;
  std::optional<std::string> why;
  std::optional<std::int64_t> finished;
};

/// Lets statements on this connection call `head_sum` with the seven columns above, in that order;
/// it returns the row's checksum. A statement that changes a column must also update `sum`.
/// `trial_sum` does the same for `trial, config, origin` of a trial.
[[nodiscard]] expected<void> provide_sums(connection& in);

/// Adds checksums to rows made by a version without them. Needs `provide_sums`.
[[nodiscard]] expected<void> add_sums(connection& in);

/// SQL for the row. @param summed Whether it has a checksum.
[[nodiscard]] std::string select_head(bool summed);
/// The row, from a statement of `select_head`. @errors `ec::storage` if its checksum does not
/// match.
[[nodiscard]] expected<head_row> head_in(const statement& row, bool summed);
/// The error of a record without the row; it does not name the file.
[[nodiscard]] error damaged_head();

/// Reads the row. @errors `ec::storage` if there is none, or its checksum does not match.
[[nodiscard]] expected<head_row> read_head(connection& in);

} // namespace tune::store
