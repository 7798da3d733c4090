// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/board.hpp"
#include "tune/core/schedule/ranked.hpp"

#include <cmath>
#include <set>

namespace tune::asha {

namespace {

/// Sorts before others where it is better: larger score, then earlier trial; NaN comes last.
struct place {
  double score = 0;
  trial_id trial;
  std::uint32_t slot = 0;

  friend bool operator<(const place& x, const place& y) {
    if (std::isnan(x.score) != std::isnan(y.score))
      return std::isnan(y.score);
    if (x.score > y.score || x.score < y.score)
      return x.score > y.score;
    return x.trial < y.trial;
  }
};

class score_board final : public board {
public:
  explicit score_board(double eta) : eta_{eta} {}

  std::uint32_t record(trial_id trial, std::span<const double> scores) override {
    auto slot = static_cast<std::uint32_t>(members_.size());
    place x{scores.front(), trial, slot};
    members_.push_back({x, false});
    auto rank = order_.below(x);
    order_.insert(x);
    auto before = promotable_;
    promotable_ = static_cast<std::size_t>(static_cast<double>(order_.size()) / eta_);
    auto grew = promotable_ > before;
    if (rank < before && !grew)
      ready_.erase(order_.at(promotable_));
    else if (rank >= before && grew)
      look_at(order_.at(promotable_ - 1).slot);
    return slot;
  }

  void set_open(std::uint32_t slot, bool open) override {
    members_[slot].open = open;
    look_at(slot);
  }

  bool is_promotable(std::uint32_t slot) const override {
    const auto& x = members_[slot].where;
    return promotable_ > 0 && !std::isnan(x.score) && !(order_.at(promotable_ - 1) < x);
  }

  standing standing_of(std::uint32_t slot) const override {
    const auto& x = members_[slot].where;
    standing result{order_.below(x) + 1, order_.size(), promotable_, x.score, {}, {}};
    if (promotable_ > 0)
      result.cutoff = order_.at(promotable_ - 1).score;
    return result;
  }

  void name(std::size_t count, std::vector<trial_id>& into) const override {
    for (auto i = ready_.begin(); i != ready_.end() && into.size() < count; ++i)
      into.push_back(i->trial);
  }

  [[nodiscard]] std::size_t size() const override { return members_.size(); }

  void describe(fingerprint& into) const override {
    into.add(std::uint64_t{members_.size()});
    for (const auto& x : members_)
      into.add(x.where.trial).add(x.where.score).add(std::uint64_t{x.open});
  }

private:
  struct member {
    place where;
    bool open = false;
  };

  double eta_;
  /// Members by slot.
  std::vector<member> members_;
  ranked<place> order_;
  std::size_t promotable_ = 0;
  /// Members that are open and promotable.
  std::set<place> ready_;

  void look_at(std::uint32_t slot) {
    if (members_[slot].open && is_promotable(slot))
      ready_.insert(members_[slot].where);
    else
      ready_.erase(members_[slot].where);
  }
};

} // namespace

std::unique_ptr<board> make_score_board(double eta) {
  return std::make_unique<score_board>(eta);
}

} // namespace tune::asha
