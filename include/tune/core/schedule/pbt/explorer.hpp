/// Interface of the step that finds the new configuration of a trial which takes over another's
/// state. Population based training draws it in perturbation.cpp, PB2 in
/// pb2/pb2.cpp (`bandit`).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/rng.hpp"
#include "tune/core/space/space.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune::pbt {

/// Source of the draws of one exploit; tests may use their own.
class dice {
public:
  virtual ~dice() = default;

  /// Uniform in [0, 1).
  [[nodiscard]] virtual double unit() = 0;
  /// Uniform in {0, …, n - 1}. [n >= 1]
  [[nodiscard]] virtual std::uint64_t below(std::uint64_t n) = 0;
};

/// Identifies one exploit of a trial among its others. Does not depend on when a head was lost, or
/// on what else entered the log in between.
struct occasion {
  /// Lineage of the target at the judged report; 0: a synchronous round.
  lineage_id lineage = 0;
  /// Iteration of that report; for a round, the number of earlier rounds.
  std::uint64_t number = 0;

  friend bool operator==(const occasion&, const occasion&) = default;
};

/// Draws that depend on the seed, the rule's name, the occasion and the trial to change.
class seeded_dice final : public dice {
public:
  seeded_dice(std::uint64_t seed, std::string_view rule, const occasion& when, trial_id target);

  [[nodiscard]] double unit() override { return draw_.unit(); }
  [[nodiscard]] std::uint64_t below(std::uint64_t n) override { return draw_.below(n); }

private:
  rng draw_;
};

/// Result of a trial: its score, the time, and the configuration.
struct standing {
  trial_id trial;
  double time = 0;
  /// Larger is better; NaN if there is none.
  double score = 0;
  config_ptr config;
};

/// Facts that an explorer may use.
struct heritage {
  /// Identifies this exploit among the target's others.
  occasion when;
  /// The target gives up its state, and gets that of the donor.
  standing target;
  standing donor;
  /// Configurations found for other trials in the same answer.
  std::span<const config_ptr> siblings = {};
};

/// A parameter that is mutated, and the domain of its mutations.
struct mutable_parameter {
  std::string name;
  domain what;
};

/// Change of one parameter, compared with the donor's configuration.
struct change {
  /// Dotted name.
  std::string parameter;
  /// Null if it was or is absent.
  value from;
  value to;
  /// "resampled", "×1.2", "next in list", …
  std::string how;
};

/// A new configuration, and how it was derived.
struct explored {
  object config;
  std::vector<change> changes;
  /// Additional note for people; mostly empty.
  std::string note = {};
};

/// Finds new configurations. Like a scheduler it has two halves: it is told what happened, which
/// alone changes its state, and it answers from that state.
class explorer {
public:
  virtual ~explorer() = default;

  /// A result counted: burn-in and interval were over.
  virtual void observe(const standing&) {}
  /// An answer took effect: the argument is the target, with its new configuration and the donor's
  /// time and score.
  virtual void adopt(const standing&) {}
  /// A trial ended.
  virtual void forget(trial_id) {}

  [[nodiscard]] virtual explored explore(const heritage& what, dice& with) const = 0;

  /// For slow exploration: returns a function that finds the same as `explore` would now, from
  /// copies of the data it needs, on any thread. Empty: `explore` is quick.
  [[nodiscard]] virtual std::function<explored(dice&)> explore_later(const heritage&) const {
    return {};
  }

  /// Adds all state to `into`.
  virtual void describe(fingerprint&) const {}
};

/// The value of a range closest to a number; whole numbers and steps are rounded half to even.
/// Lists and ranges that depend on other parameters return the number itself.
[[nodiscard]] value nearest_in(const domain& range, double x);

/// The values of a configuration after changes: one per parameter of the space, null if it has
/// none.
[[nodiscard]] std::vector<value> changed_values(const search_space& space, const object& from,
                                                const std::vector<change>& changes);

/// Applies changes to a configuration and makes it one of the space again: parameters that are no
/// longer active are removed, newly active ones are drawn, and values outside of their present
/// range move to its nearer end; each such step is added to the changes. Parameters unknown to the
/// space stay unchanged. If some range becomes empty, the whole configuration stays as it was.
/// @param space Null: an unknown space; the changes are applied as they are.
/// @param own Domains that these parameters are drawn from instead of the space's.
[[nodiscard]] explored settle(const search_space* space, const object& from,
                              std::vector<change> changes, dice& with,
                              std::span<const mutable_parameter> own = {});

} // namespace tune::pbt
