// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/check/log_check.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

using enum promise;

std::string text_of(checkpoint_id id) {
  return "checkpoint " + std::to_string(id.number);
}

} // namespace

log_check::log_check(const experiment_settings& settings)
    : restarts_from_scratch_{settings.failures.restart_from_scratch} {}

void log_check::fault(promise broken, std::optional<trial_id> trial, std::string what) {
  found_.add({broken, seq_, trial, std::move(what)});
}

log_check::trial_book* log_check::known(trial_id id) {
  return id.number < trials_.size() ? &trials_[id.number] : nullptr;
}

log_check::open_attempt* log_check::of(trial_id id, attempt_id attempt, std::string_view said) {
  auto* trial = known(id);
  if (trial != nullptr && trial->attempt && trial->attempt->id == attempt)
    return &*trial->attempt;
  fault(nothing_lost_or_doubled, id,
        "what attempt " + to_text(attempt) + " " + std::string{said}
            + " is recorded, although it is over or never began");
  return nullptr;
}

void log_check::see(const event& what, std::span<const command> gave) {
  begin(what);
  exploits_.clear();
  risen_.reset();
  revived_.reset();
  std::visit([this](const auto& body) { take(body); }, what.what);
  for (const auto& x : gave)
    std::visit([&](const auto& body) { weigh(body, x); }, x.what);
  if (const auto* doomed = std::get_if<on::checkpoints_doomed>(&what.what))
    end(*doomed);
  if (const auto* lost = std::get_if<on::node_down>(&what.what)) {
    for (auto id : open_) {
      if (trials_[id.number].attempt->nodes.contains(lost->node))
        fault(bounded_detection, id,
              "node " + lost->node + " is lost, but attempt "
                  + to_text(trials_[id.number].attempt->id) + " on it stays open");
    }
  }
}

/// Checks that every checkpoint named in the event was removed, since the database's rows follow
/// it.
void log_check::end(const on::checkpoints_doomed& what) {
  for (auto id : what.which) {
    auto known = checkpoints_.find(id);
    auto stays = known != checkpoints_.end() && known->second.state != keeping::doomed;
    if (stays && draws_ >= on::dooms_all_named)
      fault(replay, known->second.owner, text_of(id) + " is said to go, but stays or is gone");
  }
}

void log_check::begin(const event& what) {
  if (what.seq != seq_ + 1)
    fault(nothing_lost_or_doubled, {},
          "event " + std::to_string(seq_ + 1) + " is followed by event "
              + std::to_string(what.seq));
  seq_ = what.seq;
  if (what.at < at_)
    fault(replay, {}, "time goes back by " + std::to_string((at_ - what.at).count()) + " ns");
  at_ = std::max(at_, what.at);
  auto opens = std::holds_alternative<on::opened>(what.what);
  if (epoch_ == 0 && !opens)
    fault(replay, {}, "the log does not begin with the event \"opened\"");
  // These may follow the end of all trials, as consequences of the last events.
  auto follows = std::holds_alternative<on::checkpoints_doomed>(what.what)
                 || std::holds_alternative<on::checkpoint_bad>(what.what);
  if (finished_ && !opens && !follows)
    fault(replay, {}, "something is recorded after the end");
}

void log_check::take(const on::opened& x) {
  if (x.epoch <= epoch_)
    fault(replay, {},
          "epoch " + std::to_string(x.epoch) + " follows epoch " + std::to_string(epoch_));
  epoch_ = x.epoch;
  draws_ = x.draws;
  newest_ = {epoch_, 0};
  finished_ = false;
  // Checkpoints in memory were lost with the previous head, even if one was being restored.
  for (auto& trial : trials_) {
    trial.aside = {};
    if (trial.attempt && trial.attempt->from && !checkpoints_.at(trial.attempt->from).node.empty())
      trial.attempt->restores = false;
  }
}

void log_check::take(const on::suggest_asked& x) {
  auto gives_up = !x.trial && x.drafts == drafting::quick;
  if (x.ask != asked_ + 1 || (ask_open_ && !gives_up))
    fault(nothing_lost_or_doubled, {},
          "ask " + std::to_string(x.ask) + " follows ask " + std::to_string(asked_)
              + (ask_open_ ? ", which is not answered yet" : ""));
  asked_ = x.ask;
  asked_for_ = x.count;
  ask_open_ = true;
}

void log_check::take(const on::suggested& x) {
  if (!std::exchange(ask_open_, false) || x.ask != asked_)
    fault(nothing_lost_or_doubled, {},
          "an answer to ask " + std::to_string(x.ask) + " is recorded, which is not open");
  const auto* list = std::get_if<std::vector<suggestion>>(&x.what);
  if (list != nullptr && list->size() > asked_for_)
    fault(nothing_lost_or_doubled, {},
          std::to_string(list->size()) + " configurations are suggested where "
              + std::to_string(asked_for_) + " were asked for");
}

void log_check::take(const on::decided& x) {
  for (const auto& answer : x.answers) {
    if (questions_.erase(answer.cause) == 0)
      fault(nothing_lost_or_doubled, {},
            "a decision about event " + std::to_string(answer.cause)
                + " is recorded that nobody waits for");
    for (const auto& y : answer.actions) {
      if (const auto* due_exploit = std::get_if<exploit>(&y.what))
        exploits_.emplace_back(y.trial, due_exploit->from);
    }
  }
}

void log_check::take(const on::placed& x) {
  if (x.attempt.epoch != epoch_ || x.attempt <= newest_)
    fault(nothing_lost_or_doubled, x.trial,
          "attempt " + to_text(x.attempt) + " begins after attempt " + to_text(newest_)
              + " in epoch " + std::to_string(epoch_));
  newest_ = std::max(newest_, x.attempt);
}

void log_check::take(const on::started& x) {
  if (auto* attempt = of(x.trial, x.attempt, "says of its start"))
    attempt->restores = false;
}

void log_check::take(const on::reported& x) {
  const auto& news = *x.what;
  auto* attempt = of(news.trial, news.attempt, "reports");
  if (attempt == nullptr)
    return;
  auto name = "attempt " + to_text(news.attempt);
  if (news.iteration <= attempt->iteration)
    fault(nothing_lost_or_doubled, news.trial,
          "iteration " + std::to_string(news.iteration) + " of " + name
              + " is recorded after its iteration " + std::to_string(attempt->iteration));
  if (news.number != attempt->number + 1)
    fault(nothing_lost_or_doubled, news.trial,
          "report " + std::to_string(news.number) + " of " + name + " follows its report "
              + std::to_string(attempt->number));
  // The trial no longer needs what it had paused with.
  if (auto& aside = trials_[news.trial.number].aside; aside == attempt->from)
    aside = {};
  attempt->number = news.number;
  attempt->iteration = std::max(attempt->iteration, news.iteration);
  attempt->restores = false;
}

void log_check::take(const on::saved& x) {
  const auto* attempt = of(x.trial, x.attempt, "saved");
  if (attempt == nullptr)
    return;
  auto [book, fresh] = checkpoints_.try_emplace(
      x.checkpoint, checkpoint_book{x.trial, keeping::good, x.iteration});
  if (!fresh) {
    fault(nothing_lost_or_doubled, x.trial, text_of(x.checkpoint) + " is registered twice");
    return;
  }
  auto& trial = trials_[x.trial.number];
  if (!x.location.starts_with(kept_in_memory)) {
    trial.checkpoints.push_back(x.checkpoint);
    return;
  }
  book->second.node = attempt->home;
  trial.aside = x.checkpoint;
}

void log_check::take(const on::checkpoint_bad& x) {
  auto known = checkpoints_.find(x.checkpoint);
  if (known == checkpoints_.end())
    fault(bounded_loss, x.trial, text_of(x.checkpoint) + " is bad, but was never registered");
  else if (known->second.state == keeping::good)
    known->second.state = keeping::bad;
}

void log_check::take(const on::checkpoints_doomed& x) {
  for (auto id : x.which) {
    if (!checkpoints_.contains(id))
      fault(bounded_loss, {}, text_of(id) + " is to go, but was never registered");
  }
}

void log_check::take(const on::checkpoint_gone& x) {
  auto known = checkpoints_.find(x.checkpoint);
  if (known == checkpoints_.end() || known->second.state == keeping::gone) {
    fault(nothing_lost_or_doubled, {}, text_of(x.checkpoint) + " is gone twice, or never was");
    return;
  }
  if (known->second.state != keeping::doomed)
    fault(bounded_loss, known->second.owner,
          text_of(x.checkpoint) + " is gone, although nobody had given it up");
  known->second.state = keeping::gone;
}

void log_check::take(const on::ended& x) {
  if (of(x.trial, x.attempt, "says of its end") == nullptr)
    return;
  // `weigh` closes the attempt once its rows say so, too.
}

void log_check::take(const on::retry_asked& x) {
  revived_ = x.trial;
  afresh_ = x.from_scratch;
}

void log_check::take(const on::node_up& x) {
  nodes_[x.node] = x.capacity;
}

void log_check::take(const on::node_down& x) {
  nodes_.erase(x.node);
  for (auto& trial : trials_) {
    if (trial.aside && checkpoints_.at(trial.aside).node == x.node)
      trial.aside = {};
  }
}

void log_check::take(const on::node_leaving& x) {
  nodes_.erase(x.node);
}

void log_check::end(const experiment& machine) {
  if (machine.last_seq() != seq_)
    fault(replay, {},
          "the state is that of event " + std::to_string(machine.last_seq())
              + ", but the log ends with event " + std::to_string(seq_));
  status_counts counts{};
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    ++counts[static_cast<std::size_t>(trials_[i].status)];
    if (auto is = machine.status_of({i}); is != trials_[i].status)
      fault(replay, trial_id{i},
            "its row says " + std::string{to_text(trials_[i].status)} + ", its state "
                + std::string{is ? to_text(*is) : "nothing"});
  }
  if (counts != machine.view().counts)
    fault(replay, {}, "trials by status do not add up");
}

} // namespace tune
