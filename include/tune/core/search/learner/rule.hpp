/// The part in which searchers that learn differ: the choice of the next point.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/archive.hpp"

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace tune::transfer {
class memory;
}

namespace tune::learning {

struct workbook;

/// The data from which the next point is chosen. Must not outlive its archive.
class outlook {
public:
  /// @param draft   A trial for which another point is wanted: its old point does not count.
  /// @param earlier Memory of earlier experiments; null: none. Must outlive this object.
  outlook(const archive& past, std::uint64_t seed, std::optional<trial_id> draft = {},
          const transfer::memory* earlier = nullptr)
      : past_{&past}
      , earlier_{earlier}
      , seed_{seed}
      , number_{draft ? past.number_of(*draft).value_or(past.suggested()) : past.suggested()}
      , draft_{draft} {}

  [[nodiscard]] const encoding& space() const { return past_->space(); }
  [[nodiscard]] const archive& past() const { return *past_; }
  [[nodiscard]] const transfer::memory* earlier() const { return earlier_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// Number of points suggested before this one.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Points of trials that have not ended, including those suggested in the same answer.
  /// @param most The newest so many at least.
  [[nodiscard]] std::vector<cube_point> pending(std::size_t most = archive::all_of_them) const;
  /// Those pending points of which no value was seen.
  [[nodiscard]] std::vector<cube_point> unseen(std::size_t most = archive::all_of_them) const;
  /// Whether the configuration was suggested or observed, or is not allowed by the constraint.
  [[nodiscard]] bool is_taken(const cube_point& canonical) const {
    return is_taken(space().key(canonical)) || !space().allows(canonical);
  }
  [[nodiscard]] bool is_taken(std::uint64_t key) const {
    return past_->is_taken(key, draft_) || fresh_keys_.contains(key);
  }

  /// Adds a further point of the same answer.
  void add(cube_point canonical);

private:
  const archive* past_;
  const transfer::memory* earlier_;
  std::uint64_t seed_;
  std::uint64_t number_;
  std::optional<trial_id> draft_;
  std::vector<cube_point> fresh_;
  std::unordered_set<std::uint64_t> fresh_keys_;
};

/// A canonical point to try, and its origin for people.
struct pick {
  cube_point at;
  std::string origin;
};

/// Chooses points by what was learnt: a function of the outlook. A rule has no state, so several
/// threads may ask it at once, each with its own workbook.
class rule {
public:
  virtual ~rule() = default;

  /// A point that is not taken; empty if the results so far do not suffice, or if none was found.
  [[nodiscard]] virtual std::optional<pick> next(const outlook& from, workbook& kept) const = 0;

  /// A preliminary point: it is replaced before a trial runs it, unless a free place cannot wait
  /// for that. Must cost next to nothing. Without an override: what `next` chooses.
  [[nodiscard]] virtual std::optional<pick> sketch(const outlook& from) const;

  /// The reason why the rule chose this point, or would have drafted it, from the same outlook.
  /// Empty if the point's origin says everything. The nearest trial may be left out: it is found
  /// for all rules.
  [[nodiscard]] virtual std::optional<explanation> explain(const outlook&, const pick&,
                                                           workbook&) const {
    return {};
  }

  /// An upper bound of the difference, in the metric's unit, between the best of the space and the
  /// best result. Empty if it cannot be determined.
  [[nodiscard]] virtual std::optional<double> regret_bound(const outlook&, workbook&) const {
    return {};
  }

  /// Whether the rule supports several objectives.
  [[nodiscard]] virtual bool takes_several() const { return false; }
  /// Whether the rule uses `outlook::earlier`.
  [[nodiscard]] virtual bool learns_earlier() const { return false; }
  /// Whether the rule uses `archive::courses`.
  [[nodiscard]] virtual bool sees_courses() const { return false; }
  /// Default number of configurations before the rule is asked. 0: as many as suit the space.
  [[nodiscard]] virtual std::uint64_t usual_startup() const { return 0; }

  /// Whether the rule is so quick that copying the archive for a job would cost as much.
  [[nodiscard]] virtual bool is_quick(const archive&) const { return false; }
};

/// The result with the nearest configuration, as a neighbour without a correlation. Empty if no
/// result has a value.
[[nodiscard]] std::optional<neighbour> nearest_result(const archive& past, const cube_point& to);

/// Distance between canonical points, see `neighbour::distance`.
[[nodiscard]] double distance_between(const encoding& space, const cube_point& a,
                                      const cube_point& b);

/// A random point that is not taken. Empty if all points of a finite space seem to be taken: with
/// more than 20,000 configurations this is decided after a thousand draws.
[[nodiscard]] std::optional<cube_point> free_point(const outlook& from);

} // namespace tune::learning
