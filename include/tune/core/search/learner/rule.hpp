/// The part in which searchers that learn differ: how the next point is chosen.
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

/// What the next point is chosen from. Lives no longer than its archive.
class outlook {
public:
  /// @param draft   A trial for which another point is wanted: for its old one it does not count.
  /// @param earlier What is remembered of other experiments; null: nothing. It must live as long.
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
  /// How many points were suggested before this one.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Where trials are that have not ended, those suggested in the same answer included.
  [[nodiscard]] std::vector<cube_point> pending() const;
  /// Of these the ones of which no value was seen.
  [[nodiscard]] std::vector<cube_point> unseen() const;
  /// Whether the configuration was suggested or observed, or is none that the constraint allows.
  [[nodiscard]] bool is_taken(const cube_point& canonical) const {
    return is_taken(space().key(canonical)) || !space().allows(canonical);
  }
  [[nodiscard]] bool is_taken(std::uint64_t key) const {
    return past_->is_taken(key, draft_) || fresh_keys_.contains(key);
  }

  /// One more point of the same answer.
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

/// A canonical point to try, and where it comes from, for people.
struct pick {
  cube_point at;
  std::string origin;
};

/// Chooses points by what was learnt. A function of the outlook: what it keeps changes no answer.
class rule {
public:
  virtual ~rule() = default;

  /// A point that is not taken; nothing where the results so far do not suffice, or where it found
  /// none. To be called by one thread at a time.
  [[nodiscard]] virtual std::optional<pick> next(const outlook& from) const = 0;

  /// A point to be replaced before anybody runs it. It must cost next to nothing.
  [[nodiscard]] virtual std::optional<pick> sketch(const outlook& from) const { return next(from); }

  /// Why it chose this point, or would have drafted it, over the same outlook. Nothing where the
  /// point's origin says it all. The nearest trial may be left out: it is found for all rules.
  [[nodiscard]] virtual std::optional<explanation> explain(const outlook&, const pick&) const {
    return {};
  }

  /// At most how much better, in the metric's unit, the best of the space is than the best result.
  /// Nothing where that cannot be told.
  [[nodiscard]] virtual std::optional<double> regret_bound(const outlook&) const { return {}; }

  /// Whether it copes with several objectives.
  [[nodiscard]] virtual bool takes_several() const { return false; }
  /// Whether it looks at `outlook::earlier`.
  [[nodiscard]] virtual bool learns_earlier() const { return false; }
  /// Whether it looks at `archive::courses`.
  [[nodiscard]] virtual bool sees_courses() const { return false; }
  /// Without the user's setting: configurations before it is asked. 0: as many as suit the space.
  [[nodiscard]] virtual std::uint64_t usual_startup() const { return 0; }

  /// Whether it is so quick that to copy the archive for a job would cost as much.
  [[nodiscard]] virtual bool is_quick(const archive&) const { return false; }
};

/// The result whose configuration is the least far away: as a neighbour without a correlation.
/// Nothing where there is no result with a value.
[[nodiscard]] std::optional<neighbour> nearest_result(const archive& past, const cube_point& to);

/// How far canonical points are from each other, see `neighbour::distance`.
[[nodiscard]] double distance_between(const encoding& space, const cube_point& a,
                                      const cube_point& b);

/// A random point that is not taken. Nothing where all of a finite space seem to be: where it has
/// more than 20,000 configurations, that is after a thousand draws.
[[nodiscard]] std::optional<cube_point> free_point(const outlook& from);

} // namespace tune::learning
