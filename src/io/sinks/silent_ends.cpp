// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/silent_ends.hpp"

#include <limits>
#include <string>
#include <variant>

namespace tune {

namespace {

bool is_lost_with(const std::string& node, const attempt_row& x) {
  const auto lost = "node " + node + " was lost";
  // Heads of earlier versions gave such an attempt the class of what it was being ended for.
  return x.detail == "node " + node + " left" || x.detail.starts_with(lost)
         || x.detail.find("; " + lost) != std::string::npos;
}

bool is_given_up(const attempt_row& x) {
  return x.how != end_class::timeout || x.detail.find("did not end it within") != std::string::npos;
}

/// The attempts that ended at this time by a class that an attempt without last words may have.
expected<std::vector<attempt_id>> ended_at(store_reader& from, instant at) {
  std::vector<attempt_id> result;
  auto read
      = from.scan_attempts({}, std::numeric_limits<std::size_t>::max(), [&](const raw_attempt& x) {
          if (x.finished == at
              && (x.end_class == to_text(end_class::node_lost)
                  || x.end_class == to_text(end_class::preempted)
                  || x.end_class == to_text(end_class::timeout)))
            result.push_back(x.attempt);
        });
  return read ? expected<std::vector<attempt_id>>{std::move(result)} : read.error();
}

} // namespace

expected<std::vector<on::ended>> silent_ends(store_reader& from, const event& what) {
  const auto* down = std::get_if<on::node_down>(&what.what);
  const auto* due = std::get_if<on::ticked>(&what.what);
  if (down == nullptr && (due == nullptr || due->what != on::ticked::due::kill_time))
    return std::vector<on::ended>{};
  auto which = ended_at(from, what.at);
  if (!which)
    return which.error();
  std::vector<on::ended> result;
  for (const auto& attempt : *which) {
    auto row = from.attempt(attempt);
    if (!row)
      return row.error();
    if (!*row)
      continue;
    const auto& x = **row;
    // Others may have ended at the same time.
    const auto is_its
        = down != nullptr ? is_lost_with(down->node, x) : x.trial == due->trial && is_given_up(x);
    if (is_its)
      result.push_back({x.trial, x.attempt, x.how, x.detail, x.exit_status});
  }
  return result;
}

} // namespace tune
