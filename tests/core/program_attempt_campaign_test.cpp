// Programs, trials, disks and clocks by dice: whatever they do, the rules of an attempt hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/rng.hpp"
#include "tune/core/trial/program_attempt.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <optional>
#include <set>

namespace tune {
namespace {

using namespace std::chrono_literals;
using answer = program_attempt::answer;

/// A program with its trial and its node, and books of their own about what is right.
class world {
public:
  explicit world(std::uint64_t seed)
      : seed_{seed}
      , dice_{seed, "program attempt", 0}
      , plan_{draw_plan()}
      , uut_{plan_, attempt_session{0, 0ns, now_}} {
    uut_.started(now_);
    uut_.greeted(!chance(8));
  }

  void happens() {
    now_ += std::chrono::milliseconds{dice_.below(2000)};
    if (alarm_ && now_ >= *alarm_ && chance(2))
      ring();
    switch (dice_.below(5)) {
      case 0:
      case 1:
        return acts();
      case 2:
        return trial_acts();
      default:
        return node_acts();
    }
  }

  /// The program ends, and all that is under way does.
  void end() {
    leave();
    for (auto rounds = 0; rounds < 20 && !concluded_; ++rounds)
      node_acts();
    EXPECT_TRUE(concluded_) << at() << "its end is never reported";
    for (const auto& [checkpoint, times] : settled_)
      EXPECT_EQ(times, 1) << at() << "checkpoint " << checkpoint;
  }

  /// Number of answers that it was given.
  [[nodiscard]] std::uint64_t answers() const { return answers_; }

private:
  std::uint64_t seed_;
  rng dice_;
  instant now_{0};
  program_attempt::plan plan_;
  program_attempt uut_;

  // The program.
  bool alive_ = true;
  /// It waits for the answer to its last report.
  bool held_ = false;
  bool told_to_save_ = false;
  bool signalled_ = false;
  bool broke_ = false;
  bool told_to_end_ = false;

  // The trial.
  std::uint64_t told_ = 0;
  std::uint64_t iteration_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t checkpoint_ = 0;
  bool halted_ = false;
  bool killed_ = false;
  /// It asked for a pause and heard that there is none: a halt has to follow.
  bool pause_failed_ = false;
  bool pausing_ = false;

  // The node.
  bool making_ = false;
  bool open_ = false;
  bool copying_ = false;
  bool copy_waits_ = false;
  std::uint64_t saves_ = 0;
  /// Checkpoints that are being made safe.
  std::deque<std::uint64_t> keeps_;
  /// Those that were not kept.
  std::set<std::uint64_t> failed_;
  std::optional<answer> last_save_;
  std::optional<instant> alarm_;
  std::map<std::uint64_t, int> settled_;
  bool concluded_ = false;
  std::uint64_t answers_ = 0;

  [[nodiscard]] bool chance(std::uint64_t one_in) { return dice_.below(one_in) == 0; }
  [[nodiscard]] std::string at() const { return "seed " + std::to_string(seed_) + ": "; }
  [[nodiscard]] bool is_first() const { return plan_.is_first; }

  program_attempt::plan draw_plan() {
    program_attempt::plan result;
    result.is_first = !chance(6);
    result.is_read = result.is_first && chance(6);
    result.is_mute = !result.is_first && chance(4);
    result.has_exports = chance(3);
    result.ends = result.has_exports && chance(6);
    result.objective = "loss";
    result.stop_grace = chance(4) ? 0s : 3s;
    result.export_time = 5s;
    return result;
  }

  void acts() {
    if (!alive_ || held_)
      return;
    if (told_to_save_ && !chance(3)) {
      told_to_save_ = false;
      take(chance(3) ? uut_.not_saved("no space", chance(4), now_) : uut_.saved(now_));
    } else if (chance(30)) {
      broke_ = broke_ || (!halted_ && (!uut_.is_ending() || told_to_save_));
      take(uut_.breaks_protocol("nonsense"));
    } else if (chance(10)) {
      take(uut_.exports(now_));
    } else if (chance(20) || (signalled_ && chance(3))) {
      leave();
    } else if (!broke_) {
      held_ = true;
      told_to_save_ = false;
      const auto hands_over = is_first() && !plan_.is_read && chance(4);
      copy_waits_ = hands_over;
      take(uut_.reported(object{{"loss", 1.0}}, false, hands_over, now_, 0));
    }
  }

  void trial_acts() {
    if (chance(25))
      return halts();
    if (last_save_ && chance(10))
      return asks_again();
    // An answer may come twice, or to an earlier report.
    if (told_ == 0 || (answered_ == told_ && !chance(10)))
      return;
    answer what{told_ - (chance(10) ? 1 : 0)};
    what.what = static_cast<answer_kind>(dice_.below(3));
    if (what.what != answer_kind::go_on && answered_ < told_)
      what.checkpoint = ++checkpoint_;
    else
      what.what = answer_kind::go_on;
    what.until = chance(5) ? iteration_ + dice_.below(4) : 0;
    if (what.checkpoint > 0)
      last_save_ = what;
    if (what.number == told_ && answered_ < told_ && held_)
      pausing_ = what.what == answer_kind::save_and_end;
    if (what.number == told_)
      answered_ = told_;
    take(uut_.answered(what, now_));
  }

  /// Its node was away, or it has a new head.
  void asks_again() {
    for (const auto& x : uut_.answered(*last_save_, now_)) {
      const auto* refused = std::get_if<program_cmd::not_kept>(&x);
      if (refused == nullptr || !settled_.contains(refused->checkpoint))
        std::visit([this](const auto& y) { obey(y); }, x);
      else
        EXPECT_TRUE(failed_.contains(refused->checkpoint))
            << at() << "checkpoint " << refused->checkpoint << " has not failed";
    }
  }

  void halts() {
    const auto how = chance(3) ? halt_mode::kill : halt_mode::stop;
    if (!concluded_) {
      halted_ = true;
      killed_ = killed_ || how == halt_mode::kill;
    }
    take(uut_.halt(how, chance(2), now_));
  }

  void node_acts() {
    const auto works = !chance(4);
    if (making_ && alive_ && chance(2)) {
      making_ = false;
      open_ = works;
      take(uut_.draft_made(works ? "" : "no space", now_));
    } else if (copying_ && chance(2)) {
      copying_ = false;
      copy_waits_ = false;
      take(uut_.copied(works ? "" : "it is gone", now_));
    } else if (saves_ > 0) {
      --saves_;
      const auto which = keeps_.front();
      keeps_.pop_front();
      if (!works)
        failed_.insert(which);
      take(uut_.settled(now_, works ? 0 : which));
    }
  }

  void ring() {
    alarm_.reset();
    take(uut_.woken(now_));
  }

  void leave() {
    if (!alive_)
      return;
    alive_ = held_ = told_to_save_ = false;
    take(uut_.gone());
  }

  void take(const program_commands& all) {
    for (const auto& x : all) {
      EXPECT_FALSE(concluded_) << at() << "something follows the end";
      std::visit([this](const auto& y) { obey(y); }, x);
    }
    is_answered();
    EXPECT_TRUE(!told_to_end_ || !alive_ || alarm_ || signalled_)
        << at() << "it may take for ever to end";
  }

  /// Nothing keeps the program waiting for ever.
  void is_answered() const {
    const auto is_under_way = making_ || copying_ || (copy_waits_ && saves_ > 0);
    if (!alive_ || !held_ || is_under_way || signalled_ || killed_ || broke_)
      return;
    EXPECT_FALSE(halted_) << at() << "it was halted and waits for its answer";
    EXPECT_TRUE(answered_ < told_ || pause_failed_) << at() << "its answer was forgotten";
  }

  void is_told() {
    EXPECT_TRUE(held_ || !is_first()) << at() << "two answers to one report";
    EXPECT_FALSE(copying_) << at() << "it trains on while its directory is being copied";
    held_ = pause_failed_ = pausing_ = false;
    ++answers_;
  }

  void obey(const program_cmd::go_on&) {
    is_told();
    EXPECT_FALSE(halted_ && !broke_) << at() << "it trains on although it was halted";
  }
  void obey(const program_cmd::save&) {
    is_told();
    EXPECT_TRUE(open_ && !halted_) << at();
    told_to_save_ = true;
  }
  void obey(const program_cmd::stop&) {
    is_told();
    EXPECT_TRUE(halted_ || !is_first()) << at();
    EXPECT_FALSE(killed_) << at() << "it is being killed already";
    told_to_end_ = told_to_end_ || (is_first() && plan_.stop_grace > 0s);
  }
  void obey(const program_cmd::end_program&) {
    signalled_ = true;
    EXPECT_TRUE(alive_) << at();
  }
  void obey(const program_cmd::pass_on& x) {
    EXPECT_FALSE(broke_) << at() << "a report after nonsense";
    EXPECT_TRUE(is_first()) << at();
    EXPECT_EQ(x.what.number, ++told_) << at();
    EXPECT_GT(x.what.iteration, iteration_) << at();
    iteration_ = x.what.iteration;
  }
  void obey(const program_cmd::announce_export&) { EXPECT_TRUE(plan_.has_exports) << at(); }
  void obey(const program_cmd::begin_draft&) {
    EXPECT_FALSE(making_ || open_ || copying_ || halted_) << at();
    making_ = true;
  }
  void obey(const program_cmd::drop_draft&) {
    EXPECT_TRUE(making_ || open_) << at() << "no draft is open";
    making_ = open_ = false;
  }
  void obey(const program_cmd::copy&) {
    EXPECT_LT(saves_, program_attempt::most_saves) << at();
    EXPECT_FALSE(making_ || open_ || copying_) << at();
    copying_ = open_ = true;
  }
  void obey(const program_cmd::keep& x) {
    EXPECT_TRUE(open_) << at();
    open_ = false;
    ++saves_;
    keeps_.push_back(x.checkpoint);
    told_to_end_ = told_to_end_ || (x.ends && plan_.stop_grace > 0s);
    settle(x.checkpoint);
  }
  void obey(const program_cmd::not_kept& x) {
    pause_failed_ = pausing_ && held_;
    if (x.checkpoint == 0)
      copy_waits_ = false;
    failed_.insert(x.checkpoint);
    settle(x.checkpoint);
  }
  void obey(const program_cmd::drop_saves&) { EXPECT_TRUE(killed_) << at(); }
  void obey(const program_cmd::wake& x) {
    EXPECT_GT(x.after, 0s) << at();
    alarm_ = now_ + x.after;
  }
  void obey(const program_cmd::conclude&) {
    EXPECT_FALSE(alive_ || copying_ || saves_ > 0) << at();
    concluded_ = true;
  }

  void settle(std::uint64_t checkpoint) {
    if (checkpoint > 0)
      ++settled_[checkpoint];
    if (plan_.is_first && checkpoint > checkpoint_)
      ADD_FAILURE() << at() << "nobody asked for checkpoint " << checkpoint;
  }
};

TEST(program_attempt_campaign, answers_each_report_once_and_settles_what_it_began) {
  std::uint64_t answers = 0;
  for (std::uint64_t seed = 0; seed < 30'000 && !testing::Test::HasFailure(); ++seed) {
    world x{seed};
    for (auto step = 0; step < 60; ++step)
      x.happens();
    x.end();
    answers += x.answers();
  }
  EXPECT_GT(answers, 100'000u) << "the programs hardly ran";
}

} // namespace
} // namespace tune
