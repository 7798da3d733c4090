// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/board.hpp"
#include "tune/core/schedule/asha/fronts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::asha {

namespace {

constexpr auto unranked = std::numeric_limits<std::uint32_t>::max();

class front_board final : public board {
public:
  front_board(double eta, std::uint32_t objectives) : eta_{eta}, fronts_{objectives} {}

  std::uint32_t record(trial_id trial, std::span<const double> scores) override {
    auto slot = static_cast<std::uint32_t>(members_.size());
    auto ranks = std::none_of(scores.begin(), scores.end(), [](double x) { return std::isnan(x); });
    members_.push_back({trial, scores.front(), ranks ? fronts_.insert(scores) : unranked});
    if (ranks)
      by_point_.push_back(slot);
    promotable_ = static_cast<std::size_t>(static_cast<double>(members_.size()) / eta_);
    best_ = fronts_.best(promotable_);
    return slot;
  }

  void set_open(std::uint32_t slot, bool open) override {
    if (members_[slot].point != unranked)
      fronts_.mark(members_[slot].point, open);
  }

  bool is_promotable(std::uint32_t slot) const override {
    auto point = members_[slot].point;
    return point != unranked && (fronts_.index_of(point) < best_.whole || is_in_rest(point));
  }

  standing standing_of(std::uint32_t slot) const override {
    const auto& x = members_[slot];
    standing result{0, members_.size(), promotable_, x.score, {}, {}};
    if (x.point == unranked) {
      result.rank = fronts_.size() + 1;
      return result;
    }
    auto index = fronts_.index_of(x.point);
    result.front = index;
    result.rank = fronts_.before(index) + 1;
    // A divided front: the points that do not go on rank behind those that do.
    if (index == best_.whole && !is_in_rest(x.point))
      result.rank += best_.rest.size();
    return result;
  }

  void name(std::size_t count, std::vector<trial_id>& into) const override {
    for (std::uint32_t i = 0; i < best_.whole && into.size() < count; ++i) {
      if (fronts_.marked_in(i) > 0)
        name_marked(fronts_.members(i), true, count, into);
    }
    name_marked(best_.rest, false, count, into);
  }

  [[nodiscard]] std::size_t size() const override { return members_.size(); }

  void describe(fingerprint& into) const override {
    into.add(std::uint64_t{members_.size()});
    for (const auto& x : members_)
      into.add(x.trial).add(x.score).add(std::uint64_t{x.point});
    fronts_.describe(into);
  }

private:
  struct member {
    trial_id trial;
    /// Score by the first objective.
    double score = 0;
    /// Slot of the point among the fronts.
    std::uint32_t point = unranked;
  };

  double eta_;
  fronts fronts_;
  /// Members by slot.
  std::vector<member> members_;
  /// Slots of members, by the slots of their points among the fronts.
  std::vector<std::uint32_t> by_point_;
  std::size_t promotable_ = 0;
  fronts::cut best_;

  bool is_in_rest(std::uint32_t point) const {
    return std::find(best_.rest.begin(), best_.rest.end(), point) != best_.rest.end();
  }

  void name_marked(const std::vector<std::uint32_t>& points, bool in_order_of_trials,
                   std::size_t count, std::vector<trial_id>& into) const {
    std::vector<trial_id> found;
    for (auto point : points) {
      if (fronts_.is_marked(point))
        found.push_back(members_[by_point_[point]].trial);
    }
    if (in_order_of_trials)
      std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < found.size() && into.size() < count; ++i)
      into.push_back(found[i]);
  }
};

} // namespace

std::unique_ptr<board> make_front_board(double eta, std::uint32_t objectives) {
  return std::make_unique<front_board>(eta, objectives);
}

} // namespace tune::asha
