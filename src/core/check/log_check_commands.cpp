// Consequences of events: rows, attempts, commands and their gates.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/check/log_check.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

using enum promise;
using enum trial_status;

/// The legal transitions of a trial, repeated here because the machine itself uses
/// `next`.
bool may_become(trial_status from, trial_status to) {
  switch (from) {
    case pending:
      return to == running || to == terminated || to == errored;
    case running:
      return to == pending || to == paused || to == terminated || to == errored;
    case paused:
      return to == pending || to == terminated || to == errored;
    case terminated:
    case errored:
      return false;
  }
  return false;
}

std::string origin_text(checkpoint_id id) {
  return id ? "checkpoint " + std::to_string(id.number) : "scratch";
}

/// Whether `part` does not fit into `whole`, alone on an empty node.
bool exceeds(const resources& part, const resources& whole) {
  auto custom = std::any_of(part.custom.begin(), part.custom.end(), [&](const auto& x) {
    auto has = whole.custom.find(x.first);
    return x.second > (has == whole.custom.end() ? amount{} : has->second);
  });
  return custom || part.cpu > whole.cpu || part.gpu > whole.gpu || part.memory > whole.memory;
}

} // namespace

void log_check::weigh(const cmd::trial_changed& x, const command& all) {
  if (x.trial.number == trials_.size()) {
    trials_.emplace_back().born = all.cause;
    if (x.status != pending)
      fault(nothing_lost_or_doubled, x.trial, "it begins as " + std::string{to_text(x.status)});
  }
  auto* trial = known(x.trial);
  if (trial == nullptr) {
    fault(nothing_lost_or_doubled, x.trial,
          "it appears when only " + std::to_string(trials_.size()) + " trials were made");
    return;
  }
  // A trial withdrawn before it began comes back if a later head wants more samples again.
  auto was_withdrawn = trial->status == trial_status::terminated && !trial->attempt
                       && trial->lineage == 1 && trial->checkpoints.empty();
  auto again
      = x.status == pending && is_final(trial->status) && (revived_ == x.trial || was_withdrawn);
  if (x.status != trial->status && !again && !may_become(trial->status, x.status))
    fault(nothing_lost_or_doubled, x.trial,
          "it goes from " + std::string{to_text(trial->status)} + " to "
              + std::string{to_text(x.status)});
  if (is_final(trial->status) && is_final(x.status))
    fault(nothing_lost_or_doubled, x.trial, "it comes to its end twice");
  trial->status = x.status;
  if (is_final(x.status))
    leave_to_others(x.trial, *trial);
  if (x.lineage != trial->lineage) {
    if (x.lineage != trial->lineage + 1)
      fault(nothing_lost_or_doubled, x.trial,
            "lineage " + std::to_string(x.lineage) + " follows lineage "
                + std::to_string(trial->lineage));
    trial->lineage = x.lineage;
    trial->aside = {};
    begin_lineage(x.trial, *trial);
  }
  if (is_final(x.status) && trial->attempt)
    fault(no_leftovers, x.trial,
          "it ended while its attempt " + to_text(trial->attempt->id) + " is open");
}

/// It has ended. Should it run again, what it took over from others is its own no more, but for
/// what it would go on from.
void log_check::leave_to_others(trial_id id, trial_book& trial) {
  trial.aside = {};
  auto newest = newest_good(trial);
  std::erase_if(trial.checkpoints,
                [&](checkpoint_id x) { return x != newest && checkpoints_.at(x).owner != id; });
}

checkpoint_id log_check::next_exploit(trial_id target) {
  // An exploit whose checkpoint is no longer good was refused.
  auto taken = std::find_if(exploits_.begin(), exploits_.end(), [&](const auto& x) {
    auto of = checkpoints_.find(x.second);
    return x.first == target && of != checkpoints_.end() && of->second.state == keeping::good;
  });
  if (taken == exploits_.end())
    return {};
  auto result = taken->second;
  exploits_.erase(taken);
  checkpoints_.at(result).borrowers.push_back(target);
  return result;
}

void log_check::begin_lineage(trial_id id, trial_book& trial) {
  if (revived_ == id && afresh_) {
    trial.checkpoints.clear();
    trial.due_exploit = {};
    return;
  }
  auto from = std::exchange(trial.due_exploit, {});
  // A trial that does not run takes over at once.
  if (!from) {
    from = next_exploit(id);
    risen_ = id;
  }
  if (from)
    trial.checkpoints.push_back(from);
  else
    fault(nothing_lost_or_doubled, id, "a new lineage begins that no decision explains");
}

void log_check::weigh(const cmd::attempt_changed& x, const command&) {
  if (!x.finished)
    return;
  auto* trial = known(x.trial);
  if (trial == nullptr || !trial->attempt || trial->attempt->id != x.attempt) {
    fault(nothing_lost_or_doubled, x.trial,
          "attempt " + to_text(x.attempt) + " ends, but is not open");
    return;
  }
  // The event `checkpoint_bad` follows, unless the head is lost in between.
  auto from = checkpoints_.find(trial->attempt->from);
  if (x.how == end_class::bad_checkpoint && from != checkpoints_.end()
      && from->second.state == keeping::good)
    from->second.state = keeping::bad;
  auto own_fault = x.how != end_class::preempted && x.how != end_class::interrupted;
  if (own_fault && trial->aside == trial->attempt->from)
    trial->aside = {};
  trial->attempt.reset();
  open_.erase(x.trial);
}

void log_check::weigh(const cmd::decision_taken& x, const command&) {
  auto* trial = known(x.trial);
  if (trial == nullptr || x.action != "exploit")
    return;
  if (risen_ == x.trial)
    risen_.reset();
  else
    trial->due_exploit = next_exploit(x.trial);
}

void log_check::weigh(const cmd::judge& x, const command&) {
  questions_.insert(x.cause);
}

void log_check::weigh(const cmd::resolve_stall& x, const command&) {
  questions_.insert(x.at);
}

void log_check::weigh(const cmd::place& x, const command& all) {
  auto* trial = known(x.trial);
  if (trial == nullptr || is_final(trial->status) || trial->attempt) {
    fault(nothing_lost_or_doubled, x.trial, "it is to be placed, but runs already or has ended");
    return;
  }
  if (!trial->placed && all.gate < trial->born)
    fault(durable_acknowledgement, x.trial, "it is to be placed before its row is on disk");
}

void log_check::weigh(const cmd::launch& x, const command&) {
  auto* trial = known(x.trial);
  if (trial == nullptr || trial->status != running || trial->attempt) {
    fault(nothing_lost_or_doubled, x.trial,
          "attempt " + to_text(x.attempt) + " is started where none may run");
    return;
  }
  check_start(x.trial, *trial, x);
  check_node(x.trial, x.where);
  trial->placed = true;
  trial->attempt = open_attempt{};
  auto& attempt = *trial->attempt;
  attempt.id = x.attempt;
  attempt.from = x.from;
  attempt.restores = bool{x.from};
  attempt.home = x.where.bundles.front().node;
  attempt.iteration = x.iteration;
  for (const auto& bundle : x.where.bundles)
    attempt.nodes.insert(bundle.node);
  open_.insert(x.trial);
}

/// Checks that an attempt goes on from the newest good checkpoint, or says why not.
void log_check::check_start(trial_id id, trial_book& trial, const cmd::launch& x) {
  // What it paused with is lost unless it lies in this node's memory.
  if (trial.aside && checkpoints_.at(trial.aside).node != x.where.bundles.front().node)
    trial.aside = {};
  auto best = trial.aside ? trial.aside : newest_good(trial);
  if (x.from != best) {
    fault(bounded_loss, id,
          "attempt " + to_text(x.attempt) + " starts from " + origin_text(x.from) + " where "
              + origin_text(best) + " is the newest good one");
    return;
  }
  if (!x.from && !trial.checkpoints.empty() && !restarts_from_scratch_)
    fault(bounded_loss, id, "it starts from scratch, as all its checkpoints are bad");
  if (x.from && checkpoints_.at(x.from).iteration != x.iteration)
    fault(bounded_loss, id,
          origin_text(x.from) + " is of iteration "
              + std::to_string(checkpoints_.at(x.from).iteration)
              + ", but the attempt goes on from " + std::to_string(x.iteration));
}

void log_check::check_node(trial_id id, const lease& what) {
  for (const auto& bundle : what.bundles) {
    auto node = nodes_.find(bundle.node);
    if (node == nodes_.end())
      continue;
    if (exceeds(bundle.what, node->second))
      fault(nothing_lost_or_doubled, id,
            "node " + bundle.node + " granted " + to_text(bundle.what) + " of "
                + to_text(node->second));
  }
}

checkpoint_id log_check::newest_good(const trial_book& trial) const {
  auto good = [this](checkpoint_id id) { return checkpoints_.at(id).state == keeping::good; };
  auto found = std::find_if(trial.checkpoints.rbegin(), trial.checkpoints.rend(), good);
  return found == trial.checkpoints.rend() ? checkpoint_id{} : *found;
}

void log_check::need_gate(const command& all, std::optional<trial_id> trial) {
  if (all.gate < all.cause)
    fault(durable_acknowledgement, trial,
          std::string{name_of(all.what)} + " does not wait until its cause is on disk");
}

void log_check::weigh(const cmd::save& x, const command& all) {
  if (x.then_end)
    need_gate(all, x.trial);
}

void log_check::weigh(const cmd::halt& x, const command& all) {
  auto* trial = known(x.trial);
  // An attempt that is over already may be cleared away at once.
  if (trial == nullptr || !trial->attempt || trial->attempt->id != x.attempt)
    return;
  if (x.how != halt_mode::kill)
    need_gate(all, x.trial);
  // The checkpoint that it was restoring is no longer needed for that.
  trial->attempt->restores = false;
}

bool log_check::needs(trial_id who, checkpoint_id id) {
  const auto* trial = known(who);
  if (trial == nullptr || is_final(trial->status))
    return false;
  auto restores = trial->attempt && trial->attempt->from == id && trial->attempt->restores;
  return restores || newest_good(*trial) == id || trial->aside == id;
}

void log_check::weigh(const cmd::discard& x, const command& all) {
  need_gate(all, {});
  auto book = checkpoints_.find(x.checkpoint);
  if (book == checkpoints_.end())
    return; // complained of already
  auto needed = [&](trial_id who) {
    if (needs(who, x.checkpoint))
      fault(bounded_loss, who,
            origin_text(x.checkpoint) + " is to be removed, but is still needed");
  };
  needed(book->second.owner);
  for (auto who : book->second.borrowers)
    needed(who);
  book->second.state = keeping::doomed;
  auto drop = [&](trial_id who) {
    if (auto* trial = known(who))
      std::erase(trial->checkpoints, x.checkpoint);
  };
  drop(book->second.owner);
  for (auto who : book->second.borrowers)
    drop(who);
}

void log_check::weigh(const cmd::finish& x, const command& all) {
  need_gate(all, {});
  finished_ = true;
  for (auto id : open_)
    fault(no_leftovers, id,
          "the experiment is over, but its attempt " + to_text(trials_[id.number].attempt->id)
              + " is open");
  if (x.status != experiment_status::done && x.status != experiment_status::stopped)
    return;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (!is_final(trials_[i].status))
      fault(nothing_lost_or_doubled, trial_id{i},
            "the experiment is " + std::string{to_text(x.status)} + ", but it is left as "
                + std::string{to_text(trials_[i].status)});
  }
}

} // namespace tune
