// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/ladder.hpp"

#include "../whole_if_nearly.hpp"

#include "tune/core/schedule/wording.hpp"

#include <algorithm>
#include <cmath>

namespace tune::asha {

std::vector<double> milestones(double grace, double eta, double max_t, std::uint32_t bracket,
                               std::size_t most) {
  std::vector<double> result;
  auto mark = grace;
  for (std::uint32_t power = 0; mark <= max_t * (1 + rounding_tolerance) && result.size() < most;
       ++power) {
    if (power >= bracket)
      result.push_back(std::min(mark, max_t));
    mark = whole_if_nearly(mark * eta);
  }
  return result;
}

ladder::ladder(const std::vector<double>& marks, double eta, std::uint32_t objectives)
    : eta_{eta}, objectives_{objectives} {
  // Computed by way of the percentage, as in the definition, to agree in the last bit.
  auto q = (1 - 1 / eta) * 100 / 100;
  for (auto mark : marks)
    rungs_.push_back({mark, running_quantile{q}, fronts{objectives}});
}

std::optional<rung_visit> ladder::visit(double time, std::span<const double> scores,
                                        std::uint32_t& passed) {
  auto above = std::upper_bound(rungs_.begin(), rungs_.end(), time,
                                [](double t, const rung& x) { return t < x.milestone; });
  auto reached = static_cast<std::uint32_t>(above - rungs_.begin());
  if (reached <= passed)
    return std::nullopt;
  passed = reached;
  auto& here = rungs_[reached - 1];
  rung_visit result{here.milestone, scores.front(), {}, 0, {}};
  if (objectives_ > 1) {
    result.recorded = here.points.size();
    result.stands = rank(here.points, scores);
    return result;
  }
  result.cutoff = here.scores.value();
  result.recorded = here.scores.count();
  here.scores.insert(scores.front());
  return result;
}

std::optional<front_standing> ladder::rank(fronts& among, std::span<const double> scores) const {
  if (std::any_of(scores.begin(), scores.end(), [](double x) { return std::isnan(x); }))
    return std::nullopt;
  auto slot = among.insert(scores);
  front_standing result;
  result.front = among.index_of(slot);
  result.most = static_cast<std::uint64_t>(std::ceil(static_cast<double>(among.size()) / eta_));
  auto best = among.best(result.most);
  auto drawn = std::find(best.rest.begin(), best.rest.end(), slot) != best.rest.end();
  result.goes_on = result.front < best.whole || drawn;
  result.rank = among.before(result.front) + 1;
  if (result.front == best.whole && !drawn)
    result.rank += best.rest.size();
  return result;
}

std::string ladder::outline() const {
  std::string result;
  for (const auto& x : rungs_) {
    auto count = objectives_ > 1 ? x.points.size() : x.scores.count();
    result += (result.empty() ? "rung " : ", ") + to_text(plain(x.milestone)) + ": "
              + std::to_string(count);
  }
  return result.empty() ? "no rungs" : result;
}

void ladder::describe(fingerprint& into) const {
  into.add(std::uint64_t{rungs_.size()});
  for (const auto& x : rungs_) {
    into.add(x.milestone);
    x.scores.describe(into);
    x.points.describe(into);
  }
}

} // namespace tune::asha
