/// Which trials ran again after they had ended, from the events of an experiment's record.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/io/store/scan_rows.hpp"

#include <map>

namespace tune::cli {

/// The last time that somebody wanted a trial to run again.
struct last_retry {
  sequence seq = 0;
  instant at{0};
};

/// By trial, of those that were to run again.
using retry_map = std::map<trial_id, last_retry>;

/// The last retry of a trial; null: there was none.
[[nodiscard]] const last_retry* find_retry(const retry_map& in, trial_id of);

/// Follows events, in the order of the log.
class retry_track {
public:
  void read(const raw_event& x);
  [[nodiscard]] const retry_map& all() const { return all_; }

private:
  retry_map all_;
};

} // namespace tune::cli
