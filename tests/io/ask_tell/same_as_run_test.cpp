// An executor of a conversation gets the same answers as the trials of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/ask_tell/curve.hpp"
#include "io/ask_tell/talk.hpp"
#include "support/toy_scheduler.hpp"

#include "tune/io/store/event_codec.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace tune {
namespace {

using samples::iterations;
using samples::list_searcher;
using samples::loss_of;
using samples::memory_world;
using samples::recipe;
using samples::talk;

/// Whether the trainable throws at this point.
bool throws(trial_id id, std::uint64_t iteration) {
  return id.number % 6 == 3 && iteration == 4;
}

/// A toy scheduler whose draws depend on the judged report instead of its place in the log.
class steady_toy : public support::toy_scheduler {
public:
  using toy_scheduler::toy_scheduler;
  void apply(const scheduler_fact& what) override {
    if (const auto* x = std::get_if<fact::result>(&what.what))
      ++judged_[x->trial];
    toy_scheduler::apply(what);
  }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    auto result = toy_scheduler::judge(trial.number * 1000 + judged_.at(trial), trial);
    result.cause = cause;
    return result;
  }

private:
  std::map<trial_id, std::uint64_t> judged_;
};

/// Half of the trials name a checkpoint with each report, so that others can go on from it.
bool brings_checkpoints(trial_id id) {
  return id.number % 2 == 1;
}
std::string named_checkpoint() {
  return std::string{kept_outside} + "there";
}

/// A run as the runner makes it, with trials that answer at once: an engine, rules, and a cluster
/// with room for every trial. Trials begin when they are admitted.
class straight_run : public engine_ports {
public:
  explicit straight_run(const recipe& how)
      : judge_{how.judge()}, source_{std::make_unique<list_searcher>(how.trials)} {
    loop_ = std::make_unique<engine>(how.machine(*judge_, *source_), *this);
    post(on::opened{1, "test", "{}", how.settings.seed, opening::executed, on::present_draws});
  }

  /// Admits the next trial. @returns whether there was one.
  bool admit() {
    if (waiting_.empty())
      return false;
    auto id = waiting_.front();
    waiting_.pop_front();
    post(on::placed{id, loop_->machine().next_attempt(), {}});
    return true;
  }
  [[nodiscard]] std::vector<trial_id> running() const {
    std::vector<trial_id> result;
    for (const auto& [id, x] : trials_)
      result.push_back(id);
    return result;
  }
  [[nodiscard]] bool runs(trial_id id) const { return trials_.contains(id); }
  void step(trial_id id) {
    auto& x = trials_.at(id);
    if (x.iteration == iterations)
      return post(on::ended{id, x.attempt, end_class::finished, {}, {}});
    if (throws(id, x.iteration + 1) && x.first)
      return post(on::ended{id, x.attempt, end_class::user_error, "boom", {}});
    auto news = std::make_shared<report>();
    news->trial = id;
    news->attempt = x.attempt;
    news->number = ++x.number;
    news->iteration = ++x.iteration;
    news->timestamp_ms = 1'000;
    news->metrics = std::make_shared<object>(object{{"loss", loss_of(id, x.iteration)}});
    loop_->post(on::reported{news}, instant{0});
    if (brings_checkpoints(id))
      loop_->post(on::saved{id, x.attempt, {}, x.iteration, {}, named_checkpoint(), 0}, instant{0});
    settle();
  }
  [[nodiscard]] bool is_over() const { return loop_->machine().is_finished(); }

  std::vector<event> log;

  void record(const event& what) override { log.push_back(what); }
  void carry_out(const command& what) override {
    std::visit(
        [this](const auto& x) {
          if constexpr (requires { carry(x); })
            carry(x);
        },
        what.what);
  }

private:
  struct trial {
    attempt_id attempt;
    std::uint64_t number = 0;
    std::uint64_t iteration = 0;
    bool first = true;
  };

  std::unique_ptr<scheduler> judge_;
  std::unique_ptr<searcher> source_;
  std::unique_ptr<engine> loop_;
  std::map<trial_id, trial> trials_;
  std::deque<trial_id> waiting_;
  std::deque<event_body> news_;
  std::vector<cmd::judge> verdicts_;
  std::vector<cmd::resolve_stall> stalls_;
  std::vector<cmd::choose> choices_;
  std::vector<cmd::ask_searcher> asks_;

  void carry(const cmd::tell_scheduler& x) { judge_->apply(x.what); }
  void carry(const cmd::tell_searcher& x) { source_->apply(x.what); }
  void carry(const cmd::judge& x) { verdicts_.push_back(x); }
  void carry(const cmd::resolve_stall& x) { stalls_.push_back(x); }
  void carry(const cmd::choose& x) { choices_.push_back(x); }
  void carry(const cmd::ask_searcher& x) { asks_.push_back(x); }
  void carry(const cmd::place& x) { waiting_.push_back(x.trial); }
  void carry(const cmd::cancel_place& x) { std::erase(waiting_, x.trial); }
  void carry(const cmd::launch& x) {
    trials_[x.trial] = {x.attempt, 0, x.iteration, x.failures == 0};
    news_.emplace_back(on::started{x.trial, x.attempt, 0});
  }
  /// Checkpoints without a name are kept only for pauses.
  void carry(const cmd::save& x) {
    const auto is_named = brings_checkpoints(x.trial);
    if (!x.then_end && !is_named) {
      news_.emplace_back(
          on::save_failed{x.trial, x.attempt, x.checkpoint, "the report brought no checkpoint"});
      return;
    }
    news_.emplace_back(on::saved{x.trial,
                                 x.attempt,
                                 x.checkpoint,
                                 x.iteration,
                                 {},
                                 is_named ? named_checkpoint() : std::string{kept_outside},
                                 1});
    if (x.then_end)
      end(x.trial, x.attempt, end_class::stopped);
  }
  void carry(const cmd::halt& x) {
    end(x.trial, x.attempt, x.how == halt_mode::kill ? end_class::killed : end_class::stopped);
  }
  void carry(const cmd::discard& x) { news_.emplace_back(on::checkpoint_gone{x.checkpoint}); }
  void end(trial_id id, attempt_id attempt, end_class how) {
    news_.emplace_back(on::ended{id, attempt, how, {}, {}});
  }

  void post(event_body what) {
    news_.push_back(std::move(what));
    settle();
  }
  void settle() {
    sequence durable = 0;
    while (durable < loop_->machine().last_seq() || !news_.empty() || is_asked()) {
      if (is_asked())
        answer();
      else if (!news_.empty())
        hear();
      else
        loop_->durable(durable = loop_->machine().last_seq());
    }
  }
  void hear() {
    auto next = std::move(news_.front());
    news_.pop_front();
    if (const auto* over = std::get_if<on::ended>(&next))
      trials_.erase(over->trial);
    loop_->post(std::move(next), instant{0});
  }
  [[nodiscard]] bool is_asked() const {
    return !verdicts_.empty() || !stalls_.empty() || !choices_.empty() || !asks_.empty();
  }
  void answer() {
    std::vector<event_body> answers;
    on::decided said;
    for (const auto& x : std::exchange(verdicts_, {}))
      said.answers.push_back(judge_->judge(x.cause, x.trial));
    for (const auto& x : std::exchange(stalls_, {}))
      said.answers.push_back(judge_->on_stall(x.at));
    if (!said.answers.empty())
      answers.emplace_back(said);
    for (const auto& x : std::exchange(choices_, {}))
      answers.emplace_back(on::chosen{judge_->choose(x.at, x.count)});
    for (const auto& x : std::exchange(asks_, {}))
      answers.emplace_back(on::suggested{x.what.number, source_->propose(x.what)});
    for (auto& x : answers)
      loop_->post(std::move(x), instant{0});
  }
};

/// An executor with the same trainable, which relies on answers alone.
class executor {
public:
  explicit executor(const recipe& how) : with_{how} {}

  bool admit() {
    auto given = with_.tell({{"op", "ask"}});
    over_ = given.find("reason") != nullptr && text(given, "reason") == "finished";
    if (text(given, "op") != "trial")
      return false;
    auto id = id_of(given);
    auto& x = trials_[id];
    x = {};
    if (const auto* from = given.find("from"))
      x.iteration = static_cast<std::uint64_t>(*from->as_object()->find("iteration")->as_int());
    x.first = !failed_.contains(id);
    return true;
  }
  [[nodiscard]] std::vector<trial_id> running() const {
    std::vector<trial_id> result;
    for (const auto& [id, x] : trials_)
      result.push_back(id);
    return result;
  }
  [[nodiscard]] bool runs(trial_id id) const { return trials_.contains(id); }
  void step(trial_id id) {
    auto& x = trials_.at(id);
    object said{{"trial", to_text(id)}};
    if (x.iteration == iterations) {
      said.set("op", "complete");
      trials_.erase(id);
    } else if (throws(id, x.iteration + 1) && x.first) {
      said.set("op", "error");
      said.set("message", "boom");
      trials_.erase(id);
      failed_.insert(id);
    } else {
      said.set("op", "report");
      said.set("metrics", object{{"loss", loss_of(id, ++x.iteration)}});
      if (brings_checkpoints(id))
        said.set("checkpoint", "there");
    }
    hear(id, with_.tell(said));
  }
  [[nodiscard]] bool is_over() const { return over_; }
  [[nodiscard]] const memory_world& world() const { return with_.world; }

private:
  struct trial {
    std::uint64_t iteration = 0;
    bool first = true;
  };
  talk with_;
  std::map<trial_id, trial> trials_;
  std::set<trial_id> failed_;
  bool over_ = false;

  static std::string text(const object& from, std::string_view name) {
    const auto* found = from.find(name);
    return found == nullptr ? std::string{} : to_text(*found);
  }
  static trial_id id_of(const object& from) {
    return {std::stoull(*from.find("trial")->as_string())};
  }
  void hear(trial_id id, const object& answer) {
    EXPECT_NE(text(answer, "op"), "fault") << to_json(answer);
    if (text(answer, "op") == "decision" && text(answer, "decision") != "continue")
      trials_.erase(id);
    const auto* others = answer.find("others");
    for (const auto& x : others == nullptr ? value::list{} : *others->as_list())
      trials_.erase(id_of(*x.as_object()));
  }
};

/// Admits trials while there is room; then each running trial makes a step, in turn.
template <class Side>
void drive(Side& side, std::size_t slots) {
  for (auto turn = 0; turn < 10'000 && !side.is_over(); ++turn) {
    while (side.running().size() < slots && side.admit()) {}
    for (auto id : side.running()) {
      if (side.runs(id))
        side.step(id);
    }
  }
}

/// Events as text, without what only one side knows: where trials run, and the names of their
/// checkpoints.
std::vector<std::string> words(std::vector<event> log) {
  std::vector<std::string> result;
  for (auto& x : log) {
    if (auto* placed = std::get_if<on::placed>(&x.what))
      placed->what = {};
    if (auto* saved = std::get_if<on::saved>(&x.what)) {
      saved->location.clear();
      saved->bytes = 0;
    }
    auto text = std::to_string(x.seq) + " " + std::string{name_of(x.what)} + " ";
    append_event_json(text, x.what);
    result.push_back(std::move(text));
  }
  return result;
}

struct rules {
  const char* name;
  std::function<std::unique_ptr<scheduler>()> judge;
};
std::ostream& operator<<(std::ostream& out, const rules& x) {
  return out << x.name;
}

class same_as_run : public testing::TestWithParam<std::tuple<rules, std::size_t>> {};

TEST_P(same_as_run, the_same_words_make_the_same_log) {
  const auto& [by, slots] = GetParam();
  recipe how;
  how.trials = 20;
  how.judge = by.judge;
  how.settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  how.settings.failures.backoff = {};
  how.stops = {{"when", "loss <= 0.11"}};
  straight_run run{how};
  executor told{how};

  drive(run, slots);
  drive(told, slots);

  ASSERT_TRUE(run.is_over());
  ASSERT_TRUE(told.is_over());
  EXPECT_GT(run.log.size(), 200u);
  auto expected = words(run.log);
  auto got = words(told.world().log());
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
    ASSERT_EQ(got[i], expected[i]) << "event " << i;
  EXPECT_EQ(got.size(), expected.size());
}

std::vector<rules> all_rules() {
  std::vector<rules> result{
      {"fifo", [] { return recipe::builtin("fifo"); }},
      {"asha", [] {
         return recipe::builtin("asha", {{"grace_period", "2"}, {"max_t", "9"}});
       }}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    result.push_back({"toy", [seed] { return std::make_unique<steady_toy>(seed); }});
  return result;
}

INSTANTIATE_TEST_SUITE_P(schedulers, same_as_run,
                         testing::Combine(testing::ValuesIn(all_rules()),
                                          testing::Values(std::size_t{1}, std::size_t{4})));

/// Checks that the toy does in these runs everything a scheduler can do, or they would prove
/// little.
TEST(same_as_run_itself, pauses_clones_and_stops) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    recipe how;
    how.trials = 20;
    how.judge = [seed] { return std::make_unique<steady_toy>(seed); };
    executor told{how};
    drive(told, 4);
    for (const auto& x : told.world().rows<cmd::decision_taken>())
      ++seen[x.action];
    for (const auto& x : told.world().rows<cmd::attempt_changed>())
      seen["cloned"] += x.donor && !x.finished ? 1 : 0;
  }

  for (const auto* what : {"pause", "stop", "exploit", "allow", "save_failed", "cloned"})
    EXPECT_GT(seen[what], 0) << what;
}

} // namespace
} // namespace tune
