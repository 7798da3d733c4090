// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/check/finding.hpp"

#include <array>

namespace tune {

std::string_view to_text(promise x) {
  static constexpr std::array<std::string_view, 7> names{"?",
                                                         "durable_acknowledgement",
                                                         "nothing_lost_or_doubled",
                                                         "bounded_detection",
                                                         "bounded_loss",
                                                         "replay",
                                                         "no_leftovers"};
  return names[static_cast<std::size_t>(x)];
}

std::string to_text(const finding& x) {
  std::string where;
  auto add = [&](std::string_view name, std::string_view text) {
    where.append(where.empty() ? "" : ", ").append(name).append(" ").append(text);
  };
  if (!x.table.empty())
    add(x.table, x.row);
  if (x.seq != 0 && x.table != "events")
    add("event", std::to_string(x.seq));
  if (x.trial)
    add("trial", to_text(*x.trial));
  return (where.empty() ? "" : where + ": ") + x.what + " (" + std::string{to_text(x.broken)} + ")";
}

void findings::add(const findings& more) {
  for (const auto& x : more.kept_) {
    if (kept_.size() < most)
      kept_.push_back(x);
  }
  count_ += more.count_;
}

} // namespace tune
