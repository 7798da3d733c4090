// SPDX-License-Identifier: BSD-3-Clause
#include "rank_ends.hpp"

#include "tune/core/trial/rank_costs.hpp"

#include <string>

namespace tune {

namespace {

/// Converts the end of a rank to that of its attempt.
attempt_ended as_end_of_all(attempt_ended how, const launch_order& order, std::uint32_t rank) {
  if (rank == 0 || rank >= order.bundles.size())
    return how;
  const std::string why{how.detail.empty() ? to_text(class_of(how)) : how.detail};
  how.detail = "rank " + std::to_string(rank) + " on node " + order.bundles[rank].node + ": " + why;
  return how;
}

/// Adds the remarks on one rank to the end of the whole attempt.
void add_remarks(attempt_ended& to, const attempt_ended& from, std::uint32_t rank) {
  for (std::size_t i = 0; i + 1 < from.remarks.size(); i += 2) {
    const auto text = "rank " + std::to_string(rank) + ": " + from.remarks[i + 1];
    to.detail += (to.detail.empty() ? "" : "\n") + text;
    to.remarks.push_back(from.remarks[i]);
    to.remarks.push_back(text);
  }
}

/// Adds the costs of one rank to those of the whole attempt.
void add_costs(attempt_ended& to, const attempt_ended& from) {
  auto all = from_record(to.costs.content);
  add_beside(all, from_record(from.costs.content));
  to.costs.content = to_record(all);
}

} // namespace

end_class class_of(const attempt_ended& how) {
  return how.how < end_class_count ? static_cast<end_class>(how.how) : end_class::killed;
}

attempt_ended joint_end(const std::map<std::uint32_t, attempt_ended>& ends, std::uint32_t as,
                        const launch_order& order) {
  auto result = as_end_of_all(ends.at(as), order, as);
  for (const auto& [other, how] : ends) {
    if (other == as)
      continue;
    add_remarks(result, how, other);
    add_costs(result, how);
  }
  return result;
}

} // namespace tune
