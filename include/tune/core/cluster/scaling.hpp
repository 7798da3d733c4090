/// When the command that gets and gives back workers is called, and with what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/scaling_demand.hpp"
#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tune {

struct scaling_rules {
  /// Bounds of the number of workers. Those that somebody else started count, too.
  std::uint64_t least = 0;
  std::uint64_t most = 10; ///< [least to 10,000, >= 1]
  /// What one offers; nothing: what the newest offers.
  std::optional<resources> worker = {};
  /// Least time from the end of the last call to one that asks for more, and to one that gives
  /// back. [1 s to 24 h]
  instant cooldown = std::chrono::seconds{30};
  instant down_cooldown = std::chrono::minutes{1};
  /// A worker where nothing ran for so long is given back; 0: never.
  instant idle = std::chrono::minutes{5};
  /// How long one that was asked for may take to come, and one that was given back to go. [1 s to
  /// 24 h]
  instant patience = std::chrono::minutes{5};
};

/// @errors `ec::bad_option`, naming the range.
[[nodiscard]] expected<void> validate(const scaling_rules& x);

/// What the command is told.
struct scaling_call {
  /// Workers that there should be, and those that are there. Those in `idle` count as there.
  std::uint64_t wanted = 0;
  std::uint64_t now = 0;
  /// Asked for before, and not there yet.
  std::uint64_t asked = 0;
  /// `wanted` is this much more than what is there and asked for; 0 where workers are given back.
  std::uint64_t more = 0;
  /// Workers that nothing runs on and nothing will: free to go. At most 100.
  std::vector<std::string> idle = {};
  std::vector<pending_bundle> pending = {};
  /// What the workers of `more` have to meet: its parts.
  struct kind {
    node_labels demands = {};
    std::uint64_t more = 0;
    /// Of `asked`, those of this kind.
    std::uint64_t asked = 0;
    friend bool operator==(const kind&, const kind&) = default;
  };
  std::vector<kind> kinds = {};
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// What people are told of it.
struct scaling_state {
  /// As in the last call, as long as no other number has become the right one since.
  std::uint64_t wanted = 0;
  std::uint64_t now = 0;
  std::uint64_t asked = 0;
  /// Workers that were told to go and are still there.
  std::uint64_t given_back = 0;
  std::uint64_t calls = 0;
  /// Calls that failed since the last one that did not.
  std::uint64_t failures = 0;
  /// When the last call began; nothing: there was none.
  std::optional<instant> last_call = {};
  bool is_calling = false;
  /// Why the last call that failed did; empty: none failed.
  std::string last_failure = {};
  /// Workers that were asked for and did not come in time, ever.
  std::uint64_t missed = 0;
  /// What waits that no worker could hold; empty: nothing.
  std::string too_large = {};
};

/// How the cluster grows and shrinks, as a value: it looks at what there is, and tells what to do.
///
/// **It never asks beyond the bound**, never twice within the cool-down, not again for what was
/// asked for and may still come, and for what waits as long as it waits. A worker is given back
/// only after nothing may be placed there any more. Whoever came when it was asked for and has run
/// nothing yet counts as what was asked for, even if it does not meet what waits: a command that
/// brings workers of the wrong kind is not asked for more and more of them.
class scaling {
public:
  explicit scaling(scaling_rules rules) : rules_{std::move(rules)} {}

  /// Call the command. One call at a time: `called` follows.
  struct call {
    scaling_call what;
  };
  /// See that nothing more is placed on these idle workers; `held` follows.
  struct hold {
    std::vector<std::string> workers;
  };
  /// Let these get work again: they did not go.
  struct release {
    std::vector<std::string> workers;
    std::string why;
  };
  using action = std::variant<std::monostate, call, hold, release>;

  /// Looks at what there is. To be called about once a second. @param now Never goes back.
  [[nodiscard]] action look(const cluster_need& need, instant now);
  /// These get nothing any more: those of `hold` where still nothing ran.
  /// @returns a call that names them; nothing if there are none.
  [[nodiscard]] action held(std::vector<std::string> workers, instant now);
  /// The call has ended.
  /// @param how How many it did ask for, where it told so; or why it failed.
  /// @returns what is to be released, if anything.
  [[nodiscard]] action called(const expected<std::optional<std::uint64_t>>& how, instant now);

  [[nodiscard]] scaling_state state() const;
  /// The wait before the next try after so many failures in a row.
  [[nodiscard]] static instant back_off(std::uint64_t failures);

private:
  /// Workers of one kind that one call asked for.
  struct asking {
    std::uint64_t count = 0;
    instant when{0};
    node_labels demands = {};
  };

  scaling_rules rules_;
  /// Since when nothing ran there; workers where something runs have no entry.
  std::map<std::string, instant> idle_since_;
  std::map<std::string, instant> given_;
  /// Those that came when they were asked for, and have run nothing yet.
  std::set<std::string> unproven_;
  /// All workers of the last look.
  std::map<std::string, scaling_worker> known_;
  std::vector<pending_bundle> pending_;
  std::deque<asking> asked_;
  worker_demand demand_;
  std::optional<call> open_;
  /// `wanted` of the last call, and the number that there should be as it began.
  std::uint64_t told_wanted_ = 0;
  std::uint64_t wanted_then_ = 0;
  instant last_begin_{0};
  instant last_end_{0};
  bool was_called_ = false;
  bool is_holding_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t missed_ = 0;
  std::string last_failure_;

  void note(const cluster_need& need, instant now);
  void note_arrival(const scaling_worker& who);
  [[nodiscard]] std::vector<scaling_call::kind> kinds_of(std::uint64_t more) const;
  void not_asked(std::uint64_t count);
  [[nodiscard]] std::uint64_t asked() const;
  [[nodiscard]] std::uint64_t staying() const;
  [[nodiscard]] std::uint64_t wanted() const;
  [[nodiscard]] bool may_call(instant now, instant cooldown) const;
  [[nodiscard]] action overstayed(instant now);
  [[nodiscard]] action grow(instant now);
  [[nodiscard]] action shrink(instant now);
  [[nodiscard]] scaling_call words() const;
  action begin(scaling_call what, instant now);
};

} // namespace tune
