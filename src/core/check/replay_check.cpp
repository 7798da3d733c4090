// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/check/replay_check.hpp"

#include "tune/core/experiment/rule_answers.hpp"
#include "tune/core/search/earlier_versions.hpp"
#include "tune/core/search/repeat/repeater.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace tune {

namespace {

// Answers as texts, for comparison where NaN must equal NaN.

std::string text_of(const action_body& what) {
  std::string result{name_of(what)};
  if (const auto* x = std::get_if<go_on>(&what))
    result += " " + std::to_string(x->until);
  else if (const auto* y = std::get_if<exploit>(&what))
    result += " " + to_text(y->donor) + " " + std::to_string(y->from.number) + " "
              + (y->config != nullptr ? to_text(value{*y->config}) : std::string{});
  else if (const auto* z = std::get_if<reconfigure>(&what))
    result += z->config != nullptr ? " " + to_text(value{*z->config}) : std::string{};
  else if (const auto* u = std::get_if<set_resources>(&what))
    result += " " + to_text(u->request);
  else if (const auto* v = std::get_if<annotate>(&what))
    result += " " + to_text(value{v->notes});
  return result;
}

std::string text_of(const choice& what) {
  std::string result = "start";
  for (auto id : what.start)
    result += " " + to_text(id);
  return result;
}

std::string text_of(const proposal& what) {
  if (std::holds_alternative<nothing_yet>(what))
    return "nothing yet";
  if (std::holds_alternative<exhausted>(what))
    return "no more";
  std::string result = "configurations";
  for (const auto& x : std::get<std::vector<suggestion>>(what))
    result += " " + to_text(value{*x.config}) + " (" + x.origin + ")";
  return result;
}

constexpr std::size_t longest_text = 200;

std::string shown(const std::string& text) {
  return text.size() <= longest_text ? text : text.substr(0, longest_text) + "...";
}

// Rules may be a program's own, and throw.

/// Begins the text of a rule that gave no answer; no answer begins so.
constexpr std::string_view no_answer = "failed: ";

/// The answer as `f` says it, or why there is none.
template <class F>
std::string answer_by(F f) {
  try {
    return f();
  } catch (const std::exception& why) {
    return std::string{no_answer} + why.what();
  } catch (...) {
    return std::string{no_answer} + "an exception";
  }
}

/// Stands in for a scheduler that failed when it was told a fact: it is told no more, and whatever
/// it is asked, it fails as it did. Answers that the scheduler deferred may still need it.
class failed_scheduler final : public scheduler {
public:
  failed_scheduler(std::unique_ptr<scheduler> whom, std::string why)
      : whom_{std::move(whom)}, why_{std::move(why)} {}

  [[nodiscard]] scheduler_traits traits() const override { return whom_->traits(); }
  void apply(const scheduler_fact& what) override { static_cast<void>(what); }
  [[nodiscard]] decision judge(sequence, trial_id) const override { fail(); }
  [[nodiscard]] choice choose(sequence, std::uint32_t) const override { fail(); }
  [[nodiscard]] decision on_stall(sequence) const override { fail(); }
  void describe(fingerprint& into) const override { into.add(std::string_view{why_}); }

private:
  std::unique_ptr<scheduler> whom_;
  std::string why_;

  [[noreturn]] void fail() const { throw std::runtime_error{why_}; }
};

/// The same for a searcher.
class failed_searcher final : public searcher {
public:
  failed_searcher(std::unique_ptr<searcher> whom, std::string why)
      : whom_{std::move(whom)}, why_{std::move(why)} {}

  [[nodiscard]] searcher_traits traits() const override { return whom_->traits(); }
  void apply(const searcher_fact& what) override { static_cast<void>(what); }
  [[nodiscard]] proposal propose(const ask&) const override { throw std::runtime_error{why_}; }
  void describe(fingerprint& into) const override { into.add(std::string_view{why_}); }

private:
  std::unique_ptr<searcher> whom_;
  std::string why_;
};

/// Tells a rule a fact. @tparam Failed Takes its place if it throws.
template <class Failed, class Rule, class Fact>
void tell_or_replace(std::unique_ptr<Rule>& whom, const Fact& what) {
  std::string why;
  try {
    whom->apply(what);
    return;
  } catch (const std::exception& x) {
    why = x.what();
  } catch (...) {
    why = "an exception";
  }
  whom = std::make_unique<Failed>(std::move(whom), std::move(why));
}

} // namespace

std::uint64_t digest_of(const experiment& machine, const scheduler& judge, const searcher& source) {
  fingerprint all;
  machine.describe(all);
  judge.describe(all);
  source.describe(all);
  return all.digest();
}

replay_check::replay_check(const experiment_settings& settings, rule_set rules, bool verify)
    : judge_{std::move(rules.judge)}
    , older_judges_{std::move(rules.older_judges)}
    , source_{std::move(rules.source)}
    , machine_{settings, judge_->traits(), source_->traits(), std::move(rules.stoppers)}
    , log_{settings}
    , verify_{verify} {}

std::uint64_t replay_check::digest() const {
  return digest_of(machine_, *judge_, *source_);
}

void replay_check::go_by(rule_change what) {
  changed_ = true;
  log_.go_by(what.settings);
  machine_.go_by(std::move(what));
}

std::span<const command> replay_check::apply(const event& what) {
  if (const auto* head = std::get_if<on::opened>(&what.what))
    begin_head(*head);
  if (verify_)
    compare(what);
  gave_ = machine_.apply(what);
  log_.see(what, gave_);
  bool for_judge = false;
  bool for_source = false;
  for (const auto& x : gave_) {
    if (const auto* told = std::get_if<cmd::tell_scheduler>(&x.what)) {
      tell_or_replace<failed_scheduler>(judge_, told->what);
      for (auto& older : older_judges_) {
        if (older != nullptr)
          tell_or_replace<failed_scheduler>(older, told->what);
      }
      for_judge = true;
    } else if (const auto* heard = std::get_if<cmd::tell_searcher>(&x.what)) {
      tell_or_replace<failed_searcher>(source_, heard->what);
      for_source = true;
    }
    if (verify_)
      note(x);
  }
  if (verify_)
    answer_open(for_judge, for_source);
  return gave_;
}

void replay_check::begin_head(const on::opened& what) {
  draws_ = what.draws;
  // Usually all heads are of this version: then judges of older versions need not follow along.
  if (machine_.last_seq() != 0)
    return;
  for (std::size_t i = 0; i < older_judges_.size() && i < draws_; ++i)
    older_judges_[i].reset();
}

const scheduler& replay_check::answering() const {
  auto older = draws_ < older_judges_.size() ? older_judges_[draws_].get() : nullptr;
  return older != nullptr ? *older : *judge_;
}

std::string replay_check::text_of_answer(const decision& what) const {
  std::string result;
  for (const auto& x : what.actions) {
    const auto* end = std::get_if<stop>(&x.what);
    // Earlier versions did not record that a stop completes its trial.
    auto completes = end != nullptr && end->completes && draws_ >= on::judged_afresh;
    result += (result.empty() ? "" : "; ") + text_of(x.what) + (completes ? " as complete" : "")
              + " of trial " + to_text(x.trial) + " " + to_text(value{x.reason});
  }
  return result.empty() ? "nothing" : result;
}

void replay_check::note(const command& what) {
  if (const auto* x = std::get_if<cmd::judge>(&what.what))
    judged_[x->cause] = {x->trial, 0, 0, x->cause};
  else if (const auto* stall = std::get_if<cmd::resolve_stall>(&what.what))
    stalls_[stall->at] = {std::nullopt, 0, 0, stall->at};
  else if (const auto* chosen = std::get_if<cmd::choose>(&what.what))
    choices_[chosen->at] = {std::nullopt, chosen->count, 0, chosen->at};
  else if (const auto* asked = std::get_if<cmd::ask_searcher>(&what.what);
           asked != nullptr && source_->traits().recomputes) {
    // One is open at a time: another one is given up.
    asks_.clear();
    asks_[asked->what.number] = {asked->what.trial, asked->what.count, asked->what.number,
                                 asked->what.at, asked->what.drafts};
  }
}

void replay_check::give(question& to, std::string answer) {
  if (to.answers.empty() || to.answers.back() != answer)
    to.answers.push_back(std::move(answer));
}

/// Computes an answer, or defers the computation until it is known to be needed if it is slow.
void replay_check::answer_report(sequence cause, question& what) const {
  auto is_first = what.answers.empty() && what.later.empty();
  deferred_decision later;
  auto answer = answer_by([&] {
    later = answering().judge_later(cause, *what.trial);
    return later ? std::string{}
                 : text_of_answer(answer_about(cause, answering().judge(cause, *what.trial)));
  });
  if (later)
    what.later.emplace_back(is_first || heard_later_, std::move(later));
  else
    give(what, std::move(answer));
}

/// Whether a deferred answer equals the recorded one; computes the likely ones first.
bool replay_check::works_out(question& what, const std::string& recorded) const {
  for (auto likely : {true, false}) {
    for (auto i = what.later.rbegin(); i != what.later.rend(); ++i) {
      if (i->first != likely)
        continue;
      give(what, answer_by([&] { return text_of_answer(answer_about(what.at, i->second())); }));
      if (what.answers.back() == recorded)
        return true;
    }
  }
  return false;
}

void replay_check::answer_ask(const ask& about, question& what) const {
  if (const auto* before = dynamic_cast<const has_earlier_versions*>(source_.get())) {
    for (const auto& x : before->earlier_proposals(about))
      give(what, text_of(x));
  }
  give(what, answer_by([&] { return text_of(answer_to(about, source_->propose(about)).what); }));
  // The best are confirmed after a number of samples, which a later configuration may have changed.
  const auto* repeats = changed_ ? dynamic_cast<const repeater*>(source_.get()) : nullptr;
  if (repeats == nullptr)
    return;
  for (const auto& x : repeats->with_other_samples(about))
    give(what, text_of(x));
}

/// Computes the answers that each open question could get now.
void replay_check::answer_open(bool facts_for_judge, bool facts_for_source) {
  for (auto& [cause, x] : judged_) {
    if (facts_for_judge || (x.answers.empty() && x.later.empty()))
      answer_report(cause, x);
  }
  heard_later_ = false;
  for (auto& [at, x] : stalls_) {
    if (facts_for_judge || x.answers.empty())
      give(x, answer_by([this, seq = at] {
             return text_of_answer(answer_about(seq, answering().on_stall(seq)));
           }));
  }
  for (auto& [at, x] : choices_) {
    if (facts_for_judge || x.answers.empty())
      give(x, answer_by([this, seq = at, count = x.count] {
             return text_of(answering().choose(seq, count));
           }));
  }
  for (auto& [number, x] : asks_) {
    if (facts_for_source || x.answers.empty())
      answer_ask({number, x.count, x.at, x.drafts, x.trial}, x);
  }
}

/// Whether today's searcher gives this very answer.
bool replay_check::was_answered(const on::suggested& what) const {
  const auto known = asks_.find(what.ask);
  if (known == asks_.end())
    return false;
  const auto& all = known->second.answers;
  return std::find(all.begin(), all.end(), text_of(what.what)) != all.end();
}

/// Whether the answers differ only because the number of samples did: with fewer samples than now
/// the searcher had no more or only the beginning of today's answer to give, with more it gave
/// more.
bool replay_check::came_to_an_end_earlier(const on::suggested& what) const {
  if (std::holds_alternative<exhausted>(what.what))
    return true;
  auto known = asks_.find(what.ask);
  auto recorded = text_of(what.what);
  return known != asks_.end()
         && std::any_of(
             known->second.answers.begin(), known->second.answers.end(), [&](const auto& x) {
               return x.starts_with(recorded) || recorded.starts_with(x) || x == "no more";
             });
}

void replay_check::compare(const event& what) {
  if (const auto* x = std::get_if<on::decided>(&what.what)) {
    for (const auto& answer : x->answers) {
      auto& among = stalls_.contains(answer.cause) ? stalls_ : judged_;
      settle(among, answer.cause, text_of_answer(answer), what.seq, "the scheduler");
    }
  } else if (const auto* chosen = std::get_if<on::chosen>(&what.what)) {
    settle(choices_, chosen->what.at, text_of(chosen->what), what.seq, "the scheduler");
  } else if (const auto* made = std::get_if<on::suggested>(&what.what)) {
    if (!source_->traits().recomputes)
      ++unverifiable_;
    else if (changed_ && !was_answered(*made) && came_to_an_end_earlier(*made))
      asks_.erase(made->ask);
    else
      settle(asks_, made->ask, text_of(made->what), what.seq, "the searcher");
  } else if (std::holds_alternative<on::opened>(what.what)) {
    // A new head asks again; of the questions about reports, only the last of each trial.
    stalls_.clear();
    std::map<trial_id, sequence> last;
    for (const auto& [cause, y] : judged_)
      last[*y.trial] = cause;
    std::erase_if(judged_, [&](const auto& y) { return last[*y.second.trial] != y.first; });
    // The last head gave no answer, and this one may draw differently.
    for (auto& [cause, y] : judged_) {
      y.answers.clear();
      y.later.clear();
    }
  }
}

void replay_check::settle(open_questions& among, sequence cause, const std::string& recorded,
                          sequence seq, std::string_view who) {
  auto known = among.find(cause);
  if (known == among.end())
    return; // `log_check` reports it
  ++verified_;
  const auto& could = known->second.answers;
  auto matches = std::find(could.begin(), could.end(), recorded) != could.end();
  heard_later_ = heard_later_ || !known->second.later.empty();
  if (!matches && !works_out(known->second, recorded)) {
    const auto last = could.empty() ? std::string{"nothing"} : shown(could.back());
    auto text = last.starts_with(no_answer)
                    ? " " + last + "; it is recorded to have said: " + shown(recorded)
                    : " is recorded to have said: " + shown(recorded) + "; it says: " + last;
    found_.add({promise::replay, seq, known->second.trial, std::string{who} + text});
  }
  among.erase(known);
}

void replay_check::end() {
  log_.end(machine_);
  found_.add(log_.found());
}

} // namespace tune
