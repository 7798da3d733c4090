/// How a trial that takes over another's state gets its new configuration: the replaceable step of
/// population based training.
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

/// Where the draws of one exploit come from; tests may give their own.
class dice {
public:
  virtual ~dice() = default;

  /// Uniform in [0, 1).
  [[nodiscard]] virtual double unit() = 0;
  /// Uniform in {0, …, n - 1}. [n >= 1]
  [[nodiscard]] virtual std::uint64_t below(std::uint64_t n) = 0;
};

/// What tells one exploit of a trial from its others. It does not depend on when a head was lost,
/// or on what else entered the log in between.
struct occasion {
  /// That of the target when it made the report that is judged; 0: a round that all waited for.
  lineage_id lineage = 0;
  /// The iteration of that report; of a round, how many came before it.
  std::uint64_t number = 0;

  friend bool operator==(const occasion&, const occasion&) = default;
};

/// Draws that depend on the seed, the rule's name, the occasion and the trial that is to change.
class seeded_dice final : public dice {
public:
  seeded_dice(std::uint64_t seed, std::string_view rule, const occasion& when, trial_id target);

  [[nodiscard]] double unit() override { return draw_.unit(); }
  [[nodiscard]] std::uint64_t below(std::uint64_t n) override { return draw_.below(n); }

private:
  rng draw_;
};

/// What a trial reached, when, and with which configuration.
struct standing {
  trial_id trial;
  double time = 0;
  /// Larger is better; NaN where it has none.
  double score = 0;
  config_ptr config;
};

/// What an explorer goes by.
struct heritage {
  /// What tells this exploit of the target from its others.
  occasion when;
  /// Who gives up what it has, and whose state it gets.
  standing target;
  standing donor;
  /// Configurations that were found for other trials in the same answer.
  std::span<const config_ptr> siblings = {};
};

/// A parameter that is mutated, within which domain.
struct mutable_parameter {
  std::string name;
  domain what;
};

/// What became of one parameter, compared with the donor's configuration.
struct change {
  /// Its dotted name.
  std::string parameter;
  /// Null where it was or is absent.
  value from;
  value to;
  /// "resampled", "×1.2", "next in list", …
  std::string how;
};

/// A new configuration, and how it came about.
struct explored {
  object config;
  std::vector<change> changes;
  /// What else people should know of it; mostly empty.
  std::string note = {};
};

/// Finds new configurations. Like a scheduler it has two halves: it is told what happened, which is
/// all that changes its state, and answers from it.
class explorer {
public:
  virtual ~explorer() = default;

  /// A result counted: burn-in and interval were over.
  virtual void observe(const standing&) {}
  /// An answer was put into effect: `what` is the target, with its new configuration and with the
  /// time and the score of the donor.
  virtual void adopt(const standing&) {}
  /// A trial came to its end.
  virtual void forget(trial_id) {}

  [[nodiscard]] virtual explored explore(const heritage& what, dice& with) const = 0;

  /// Where exploring takes long: what finds the same as `explore` would now, from copies of what
  /// that needs, on any thread. Empty: `explore` is quick.
  [[nodiscard]] virtual std::function<explored(dice&)> explore_later(const heritage&) const {
    return {};
  }

  /// Adds all state to `into`.
  virtual void describe(fingerprint&) const {}
};

/// The value of a range next to a number; whole numbers and steps are rounded half to even. Lists
/// and ranges that depend on others give the number back.
[[nodiscard]] value nearest_in(const domain& range, double x);

/// What a configuration comes to with changes: one value per parameter of the space, null where it
/// has none.
[[nodiscard]] std::vector<value> changed_values(const search_space& space, const object& from,
                                                const std::vector<change>& changes);

/// Applies changes to a configuration and makes it one of the space again: parameters that are no
/// longer active go, those that become active are drawn, and values outside of the range that holds
/// now move to its nearer end; each is added to the changes. What the space does not know stays as
/// it is. Where some range is empty then the configuration stays whole as it was.
/// @param space Null: nothing is known of it, and the changes are applied as they are.
/// @param own What these parameters are drawn from instead of the space's domains.
[[nodiscard]] explored settle(const search_space* space, const object& from,
                              std::vector<change> changes, dice& with,
                              std::span<const mutable_parameter> own = {});

} // namespace tune::pbt
