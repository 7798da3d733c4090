/// The one row of `t_head`: which head has the experiment, and how far its log goes.
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
  /// Event of the newest `opened`; none before the first.
  std::optional<std::int64_t> opened_seq;
  std::optional<std::string> status;
  std::optional<std::string> why;
  std::optional<std::int64_t> finished;
};

/// Lets statements on this connection call `head_sum` with the seven columns above, in their order:
/// it gives the row's checksum. Whoever changes a column puts it into `sum`. `trial_sum` does the
/// same for `trial, config, origin` of a trial.
[[nodiscard]] expected<void> provide_sums(connection& in);

/// Gives rows a checksum where they were made by a version that knew none. Needs `provide_sums`.
[[nodiscard]] expected<void> add_sums(connection& in);

/// Reads the row. @errors `ec::storage` where there is none, or its checksum does not fit.
[[nodiscard]] expected<head_row> read_head(connection& in);

} // namespace tune::store
