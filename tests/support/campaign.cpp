// SPDX-License-Identifier: BSD-3-Clause
#include "support/campaign.hpp"

#include "support/best_of_log.hpp"
#include "support/place_watch.hpp"
#include "support/world.hpp"

#include "tune/core/check/replay_check.hpp"
#include "tune/core/search/repeat/repeater.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace tune::support {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t trials = 20;
constexpr std::uint64_t iterations = 10;
/// Adds a second objective to the loss: a size derived from the trial's number.
class loss_and_size final : public trial_model {
public:
  explicit loss_and_size(falling_loss loss) : loss_{loss} {}
  [[nodiscard]] simulated_step next(trial_id trial, const config_ptr& config,
                                    std::uint64_t done) override {
    auto result = loss_.next(trial, config, done);
    if (result.metrics)
      result.metrics->set("size", static_cast<std::int64_t>(trial.number * 7 % 11));
    return result;
  }

private:
  falling_loss loss_;
};

/// A run that needs more events than this is taken to be endless.
constexpr std::size_t most_events = 50'000;

simulation_options options_of(const judge& who, std::uint64_t seed) {
  rng draw{seed, "campaign", 0};
  simulation_options result;
  result.seed = seed;
  for (const auto* name : {"a", "b", "c"}) {
    resources capacity;
    capacity.cpu = amount::of(1 + static_cast<double>(draw.below(3)));
    result.nodes.push_back({name, capacity});
  }
  result.most_delay = milliseconds{1 + draw.below(40)};
  result.lost_after = milliseconds{200};
  // In half of the schedules attempts outlive their heads.
  if (rng{seed, "campaign", 3}.below(2) == 0)
    result.head_grace = std::chrono::seconds{2};
  result.faults.failure = draw.unit() * 0.04;
  result.faults.save_failure = draw.unit() * 0.2;
  result.faults.torn = draw.unit() * 0.2;
  result.faults.doubled = draw.unit() * 0.2;
  result.faults.reordered = draw.unit() * 0.5;
  result.faults.sudden = 5;
  result.faults.within = 500;
  result.faults.recalls = seed % 2 == 0;
  result.faults.no_memory = draw.unit() * 0.3;
  result.faults.no_process = draw.unit() * 0.1;
  if (who.by_reports) {
    // Whether all reports, some, or none bring a checkpoint. Most trainables cannot save otherwise.
    auto kind = draw.below(8);
    result.hands_over = {kind == 0 ? 0 : kind < 3 ? 1 : draw.unit(), kind != 7};
  }
  return result;
}

experiment_settings settings_of(const judge& who, std::uint64_t seed) {
  rng draw{seed, "campaign", 1};
  experiment_settings result;
  result.seed = seed;
  result.objectives = {{"loss", false}};
  if (who.objectives > 1)
    result.objectives.push_back({"size", false});
  result.saves = save_ability::on_request;
  result.request = one_slot();
  result.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
  result.failures.budget[static_cast<std::size_t>(end_class::killed)] = 3;
  result.failures.budget[static_cast<std::size_t>(end_class::timeout)] = 3;
  result.failures.budget[static_cast<std::size_t>(end_class::bad_checkpoint)] = 3;
  result.failures.max_consecutive_failures = 0;
  result.failures.restart_from_scratch = draw.below(2) == 0;
  if (draw.below(2) == 0) {
    result.failures.backoff = milliseconds{30};
    result.failures.most_backoff = std::chrono::seconds{1};
  }
  if (draw.below(2) == 0)
    result.failures.progress_timeout = std::chrono::seconds{2};
  result.stop_grace = milliseconds{300};
  result.checkpoints.frequency = draw.below(4);
  result.checkpoints.at_end = draw.below(2) == 0;
  result.checkpoints.retention = {draw.below(3), draw.below(2) == 0 ? "loss" : "",
                                  draw.below(2) == 0, draw.below(7), draw.below(4) * 5};
  result.max_concurrent = draw.below(3) * 3;
  result.checkpoints.pause_in_memory = draw.below(2) == 0;
  if (who.by_reports && draw.below(2) == 0)
    result.saves = save_ability::with_reports;
  // The kill time is shorter than some nodes' standstills.
  if (draw.below(2) == 0)
    result.kill_time = std::chrono::seconds{1};
  if (seed % 3 != 0) {
    result.export_time = milliseconds{100};
    result.exports = {"model"};
  }
  // In every third schedule the searcher limits how many of its proposals may be unfinished.
  rng bound{seed, "campaign", 2};
  if (bound.below(3) == 0) {
    result.max_pending = 1 + bound.below(6);
    result.in_batches = bound.below(2) == 0;
  }
  return result;
}

/// What the log says about the end of a trial.
struct end_of_trial {
  bool reported = false;
  bool completed = false;
  bool exported = false;
};

/// Counts independently what the searcher suggested.
class suggestions_seen {
public:
  explicit suggestions_seen(const experiment_settings& bounds) : bounds_{bounds} {}

  void suggest(const suggested_fact& what) {
    const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
    // Suggestions already counted: replaced drafts.
    if (list != nullptr && what.first < next_)
      return;
    has_more_ = list != nullptr && !list->empty();
    if (list == nullptr)
      return;
    next_ = what.first;
    for (const auto& x : *list) {
      if (!is_confirming(x.origin))
        pending_.emplace(next_, made_++ / bounds_.repeats.runs);
      ++next_.number;
    }
  }
  /// The searcher's last answer was not that it has no more, now or ever.
  [[nodiscard]] bool has_more() const { return has_more_; }
  [[nodiscard]] bool are_too_many() const {
    if (bounds_.in_batches)
      return made_ > (batch_ + bounds_.max_pending) * bounds_.repeats.runs;
    std::set<std::uint64_t> configurations;
    for (const auto& [trial, configuration] : pending_)
      configurations.insert(configuration);
    return configurations.size() > bounds_.max_pending;
  }
  void end(trial_id trial) {
    pending_.erase(trial);
    if (pending_.empty())
      batch_ = made_ / bounds_.repeats.runs;
  }

private:
  const experiment_settings& bounds_;
  std::uint64_t made_ = 0;
  /// Index of the batch's first configuration.
  std::uint64_t batch_ = 0;
  trial_id next_{0};
  bool has_more_ = false;
  std::map<trial_id, std::uint64_t> pending_;
};

/// Whether a population was given up: its trials must end by themselves, since each can always go
/// on.
bool gives_up(const cmd::decision_taken& x) {
  const auto* rule = x.reason.find("rule");
  const auto* why = x.reason.find("why");
  return x.action == "stop" && rule != nullptr && why != nullptr
         && (*rule == value{"pbt"} || *rule == value{"pb2"}) && *why == value{"not promoted"};
}

/// Whether the scheduler gave a trial up because nothing else could come.
bool gives_up_at_rest(const cmd::decision_taken& x) {
  const auto* why = x.reason.find("why");
  return x.action == "stop" && why != nullptr && *why == value{"not promoted"};
}

/// Derives the outcome of a log and its commands without the machine's own bookkeeping.
class witness {
public:
  explicit witness(const experiment_settings& settings)
      : settings_{settings}, suggested_{settings}, places_{settings} {}

  void see(const event& what, std::span<const command> commands) {
    at_ = what.seq;
    if (const auto* news = std::get_if<on::reported>(&what.what))
      ends_[news->what->trial].reported = true;
    else if (const auto* made = std::get_if<on::exported>(&what.what))
      ends_[made->trial].exported = true;
    else if (const auto* retried = std::get_if<on::retry_asked>(&what.what))
      call(retried->trial);
    else if (const auto* freed = std::get_if<on::unpause_asked>(&what.what))
      free(freed->trial.value_or(nobody));
    else if (const auto* paused = std::get_if<on::pause_asked>(&what.what))
      called_.erase(paused->trial.value_or(nobody));
    else if (const auto* placed = std::get_if<on::placed>(&what.what))
      begin(placed->trial);
    else if (const auto* ended = std::get_if<on::ended>(&what.what))
      open_.erase(ended->trial);
    best_.see(what);
    for (const auto& x : commands) {
      best_.see(x);
      std::visit([this](const auto& y) { note(y); }, x.what);
    }
    places_.see(what, commands);
    if (places_.waited_too_long())
      found_.add({promise::bounded_detection,
                  at_,
                  {},
                  "a free place has waited longer for the searcher than it may"});
    if (settings_.max_pending > 0 && suggested_.are_too_many())
      find("more is suggested than max_pending lets be under way");
  }

  /// @param best The best trial that the head reports at the end.
  [[nodiscard]] findings faults(const std::optional<best_trial>& best, bool finished) {
    for (const auto& [trial, x] : ends_) {
      if (finished && settings_.export_time.count() > 0 && x.completed && x.reported && !x.exported)
        find("it has completed, and nobody says what became of its export", trial);
    }
    auto right = best ? best_.checkpoint_of(best->trial) : std::string{};
    if (best && best->checkpoint != right)
      find("its best checkpoint is said to be \"" + best->checkpoint + "\", and is \"" + right
               + '"',
           best->trial);
    return std::move(found_);
  }

private:
  template <class Command>
  void note(const Command&) {}
  void note(const cmd::tell_searcher& x) {
    if (const auto* made = std::get_if<suggested_fact>(&x.what.what))
      suggested_.suggest(*made);
  }
  void note(const cmd::tell_scheduler& x) {
    const auto* ended = std::get_if<fact::ended>(&x.what.what);
    if (ended == nullptr)
      return;
    ends_[ended->trial].completed = ended->how == fact::end_kind::completed;
    suggested_.end(ended->trial);
  }
  void note(const cmd::decision_taken& x) {
    if (gives_up(x))
      find("it is ended and could have gone on", x.trial);
    if (gives_up_at_rest(x) && suggested_.has_more() && settings_.max_pending == 0)
      find("it is given up before the searcher has said that it has no more", x.trial);
    if (gives_up_at_rest(x) && called_.contains(x.trial))
      find("a client wanted it to run, and it never did", x.trial);
  }
  void call(trial_id trial) {
    ends_[trial] = {};
    called_.insert(trial);
  }
  /// Notes that a client lets a trial go on. For one that runs this takes back a pause that the
  /// client had asked for, and wishes nothing else: the scheduler may let it wait at its next rung.
  void free(trial_id trial) {
    if (!open_.contains(trial))
      called_.insert(trial);
  }
  void begin(trial_id trial) {
    open_.insert(trial);
    called_.erase(trial);
  }
  void find(std::string what, std::optional<trial_id> trial = {}) {
    found_.add({promise::nothing_lost_or_doubled, at_, trial, std::move(what)});
  }

  static constexpr trial_id nobody{std::numeric_limits<std::uint64_t>::max()};

  const experiment_settings& settings_;
  sequence at_ = 0;
  std::map<trial_id, end_of_trial> ends_;
  /// Trials that clients let go on, or had run again, and that have not begun since.
  std::set<trial_id> called_;
  /// Trials with an attempt that has not ended.
  std::set<trial_id> open_;
  suggestions_seen suggested_;
  place_watch places_;
  best_of_log best_;
  findings found_;
};

/// Replays the log and has a witness inspect it.
findings seen_in(const simulation& of, const experiment_settings& settings, rule_set rules) {
  witness seen{settings};
  replay_check again{settings, std::move(rules), false};
  for (const auto& x : of.log())
    seen.see(x, again.apply(x));
  return seen.faults(of.machine().view().best, of.finished().has_value());
}

/// In every fourth schedule each configuration runs twice, and in half of these the best are
/// confirmed. Excluded are schedulers that change configurations.
repeat_rule repeats_of(const judge& who, std::uint64_t seed) {
  repeat_rule result;
  if (seed % 4 != 0 || who.name.find("pb") != std::string::npos)
    return result;
  result.runs = 2;
  result.judge = static_cast<run_judge>(seed / 4 % 3);
  result.confirm = seed % 8 == 0 ? 2 : 0;
  result.confirm_runs = 2;
  return result;
}

std::unique_ptr<searcher> source_of(const repeat_rule& rule, std::uint64_t seed) {
  auto ahead = 1 + static_cast<std::uint32_t>(seed % 4);
  auto plain = std::make_unique<counting_searcher>(trials / rule.runs, ahead);
  if (!rule.is_on())
    return plain;
  return std::make_unique<repeater>(std::move(plain), rule, 0);
}

} // namespace

schedule_result run_schedule(const judge& who, std::uint64_t seed) {
  const auto repeats = repeats_of(who, seed);
  auto rules = [&who, seed, repeats] {
    return rule_set{make_scheduler(who, seed), source_of(repeats, seed), {}};
  };
  auto settings = settings_of(who, seed);
  settings.repeats = repeats;
  settings.drafts = seed % 3 == 0 ? drafting::quick : drafting::thorough;
  // Answers take longer than that now and then.
  if (seed % 5 == 1)
    settings.draft_patience = milliseconds{2};
  falling_loss loss{seed, iterations, milliseconds{20}};
  std::shared_ptr<trial_model> model = std::make_shared<falling_loss>(loss);
  if (who.objectives > 1)
    model = std::make_shared<loss_and_size>(loss);
  simulation uut{options_of(who, seed), settings, rules, std::move(model)};
  uut.run(most_events);
  schedule_result result;
  result.found = uut.check();
  result.finished = uut.finished().has_value();
  if (!result.finished && result.found.empty())
    result.found.add({promise::nothing_lost_or_doubled, uut.log().size(), std::nullopt,
                      "it does not come to an end"});
  if (result.finished && uut.finished()->status != experiment_status::done)
    result.found.add({promise::nothing_lost_or_doubled, uut.log().size(), std::nullopt,
                      "it ends as " + std::string{to_text(uut.finished()->status)} + ": "
                          + uut.finished()->why});
  result.found.add(seen_in(uut, settings, rules()));
  result.events = uut.events();
  for (const auto& x : uut.log()) {
    result.nodes_lost += std::holds_alternative<on::node_down>(x.what) ? 1 : 0;
    if (const auto* opened = std::get_if<on::opened>(&x.what))
      result.heads = opened->epoch;
  }
  return result;
}

campaign_result run_campaign(const judge& who, std::uint64_t first, std::uint64_t count) {
  campaign_result result;
  for (auto seed = first; seed < first + count; ++seed) {
    auto one = run_schedule(who, seed);
    ++result.schedules;
    result.events += one.events;
    result.heads += one.heads;
    result.nodes_lost += one.nodes_lost;
    if (one.found.empty())
      continue;
    result.failed = seed;
    result.found = std::move(one.found);
    return result;
  }
  return result;
}

std::unique_ptr<simulation> large_simulation(const judge& who, std::uint64_t trials_wanted) {
  simulation_options how;
  resources capacity;
  capacity.cpu = amount::of(8);
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    how.nodes.push_back({name, capacity});
  how.records = false;
  experiment_settings settings;
  settings.objectives = {{"loss", false}};
  settings.saves = save_ability::on_request;
  settings.request = one_slot();
  auto rules = [who, trials_wanted] {
    return rule_set{
        make_scheduler(who, 1), std::make_unique<counting_searcher>(trials_wanted, 64), {}};
  };
  return std::make_unique<simulation>(
      std::move(how), std::move(settings), rules,
      std::make_shared<falling_loss>(1, iterations, std::chrono::seconds{1}));
}

std::string text_of(const judge& who, const campaign_result& x) {
  std::string result;
  for (const auto& y : x.found.kept())
    result
        += who.name + ", seed " + std::to_string(x.failed.value_or(0)) + ": " + to_text(y) + "\n";
  return result;
}

} // namespace tune::support
