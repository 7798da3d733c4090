// Trainables at work on their nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <algorithm>
#include <utility>

namespace tune {

void simulation::to_process(attempt_id attempt, std::function<void(process&)> what) {
  auto known = processes_.find(attempt);
  if (known == processes_.end()) {
    if (auto early = head_.early.find(attempt); early != head_.early.end())
      early->second.push_back(std::move(what));
    return;
  }
  auto& who = known->second;
  // Messages arrive in the order in which they were sent.
  who.last_down = std::max(who.last_down, agenda_.now() + delay());
  agenda_.add(who.last_down - agenda_.now(),
              [this, attempt, what = std::move(what)] { reach(attempt, what); });
}

void simulation::reach(attempt_id attempt, const std::function<void(process&)>& what) {
  auto known = processes_.find(attempt);
  if (known == processes_.end())
    return;
  const auto& node = nodes_[known->second.node];
  auto open = std::max(node.frozen_until, node.deaf_until);
  if (open > agenda_.now())
    agenda_.add(open - agenda_.now(), [this, attempt, what] { reach(attempt, what); });
  else
    what(known->second);
}

void simulation::to_head(process& from, event_body what) {
  const auto strayable = std::holds_alternative<on::started>(what);
  auto said = keep(from.node, from.attempt, std::move(what));
  if (!may_speak(nodes_[from.node])) {
    nodes_[from.node].unsaid.push_back(std::move(said));
    return;
  }
  auto wait = delay();
  auto strays = strayable && happens(how_.faults.reordered);
  if (strays) {
    wait += how_.most_delay;
  } else {
    from.last_up = std::max(from.last_up, agenda_.now() + wait);
    wait = from.last_up - agenda_.now();
  }
  if (happens(how_.faults.doubled))
    send(from.node, wait + delay(), said);
  send(from.node, wait, std::move(said));
}

/// The word reaches the head after a while. Where nodes keep words, it is lost if the head for
/// which the node arrived is lost before.
void simulation::send(std::size_t from, instant after, word what) {
  auto reach = [this, from, epoch = nodes_[from].epoch](const word& x) {
    if (epoch == epoch_ || !outlives_heads())
      arrive(from, x);
  };
  if (after.count() == 0)
    reach(what);
  else
    agenda_.add(after, [reach, what = std::move(what)] { reach(what); });
}

void simulation::arrive(std::size_t from, word what) {
  auto& waiting = nodes_[from].on_the_way;
  if (waiting.empty() && hears_at(from) <= agenda_.now())
    return receive(from, what);
  waiting.push_back(std::move(what));
  if (waiting.size() == 1)
    agenda_.add(hears_at(from) - agenda_.now(), [this, from] { deliver(from); });
}

/// Earliest time at which the head can hear from the node.
instant simulation::hears_at(std::size_t from) const {
  return std::max(nodes_[from].unheard_until, clock_.awake_from());
}

/// Delivers waiting messages in the order in which they were sent.
void simulation::deliver(std::size_t from) {
  if (const auto open = hears_at(from); open > agenda_.now())
    return agenda_.add(open - agenda_.now(), [this, from] { deliver(from); });
  // Messages sent meanwhile are queued behind these.
  for (auto& waiting = nodes_[from].on_the_way; !waiting.empty();) {
    const auto next = waiting.front();
    receive(from, next);
    // A head that was lost has taken the queue with it.
    if (!waiting.empty() && waiting.front().number == next.number)
      waiting.pop_front();
  }
}

void simulation::receive(std::size_t from, const word& what) {
  if (passes(from, what))
    take_in(from, what);
}

void simulation::take_in(std::size_t from, const word& what) {
  std::optional<lease_id> over;
  if (const auto* end = std::get_if<on::ended>(&what.what))
    over = tell_end(*end);
  else
    tell(what.what);
  if (outlives_heads())
    note_heard(from, what.number, over);
  else if (over)
    hear_over(from, *over);
}

/// Tells the cluster of the end on a way of its own, before or after the runner.
std::optional<lease_id> simulation::tell_end(const on::ended& what) {
  if (history_.forkless.contains(what.attempt) && what.how != end_class::preempted)
    report_broken(promise::nothing_lost_or_doubled,
                  "attempt " + to_text(what.attempt)
                      + " pays for a process that its node could not make");
  head_.early.erase(what.attempt);
  auto known = head_.lease_of.find(what.attempt);
  if (known == head_.lease_of.end()) {
    tell(what);
    return std::nullopt;
  }
  const auto lease = known->second;
  head_.lease_of.erase(known);
  if (happens(0.5))
    free(lease);
  tell(what);
  return lease;
}

void simulation::begin(process& who, checkpoint_id from) {
  if (from && !disk_.has(from)) {
    end(who.attempt, end_class::bad_checkpoint, "it is not there");
    return;
  }
  if (from) {
    if (!disk_.is_torn(from) && happens(how_.faults.torn))
      disk_.tear(from);
    if (disk_.is_torn(from)) {
      end(who.attempt, end_class::bad_checkpoint, "torn");
      return;
    }
  }
  who.session.go_on(agenda_.now());
  to_head(who, on::started{who.trial, who.attempt, 1});
  compute(who);
}

void simulation::compute(process& who) {
  who.waits = false;
  if (happens(how_.faults.failure)) {
    end(who.attempt, end_class::user_error, "boom");
    return;
  }
  auto step = model_->next(who.trial, who.config, who.session.iteration());
  if (step.failure) {
    end(who.attempt, end_class::user_error, std::move(*step.failure));
    return;
  }
  if (!step.metrics) {
    end_in_order(who, end_class::finished, true);
    return;
  }
  who.computes = true;
  who.step_began = agenda_.now();
  who.step_takes = step.takes;
  agenda_.add(step.takes, [this, attempt = who.attempt, metrics = std::move(*step.metrics)] {
    end_of_step(attempt, metrics);
  });
}

instant simulation::computing(const process& who) const {
  return who.computes ? std::min(agenda_.now() - who.step_began, who.step_takes) : instant{0};
}

instant simulation::computed() const {
  auto result = counts_.computed;
  for (const auto& [attempt, who] : processes_)
    result += computing(who);
  return result;
}

void simulation::end_of_step(attempt_id attempt, const object& metrics) {
  auto known = processes_.find(attempt);
  if (known == processes_.end())
    return;
  auto until = nodes_[known->second.node].frozen_until;
  if (until > agenda_.now())
    agenda_.add(until - agenda_.now(), [this, attempt, metrics] { end_of_step(attempt, metrics); });
  else
    finish_step(known->second, metrics);
}

void simulation::finish_step(process& who, object metrics) {
  counts_.computed += computing(who);
  who.computes = false;
  auto made = who.session.make(std::move(metrics), agenda_.now(), 0);
  if (!made) {
    end(who.attempt, end_class::user_error, to_text(made.error()));
    return;
  }
  made->trial = who.trial;
  made->attempt = who.attempt;
  made->has_checkpoint = happens(how_.hands_over.chance);
  auto hands_over = made->has_checkpoint;
  auto iteration = made->iteration;
  auto goes_on = who.session.has_credit() && !who.stops;
  who.waits = !goes_on;
  auto attempt = who.attempt;
  auto stops = who.stops;
  to_head(who, on::reported{std::make_shared<const report>(std::move(*made))});
  // The report may have had any effect, even the end of this process.
  auto still = processes_.find(attempt);
  if (still == processes_.end())
    return;
  if (hands_over) {
    hand_over(still->second, iteration);
    still = processes_.find(attempt);
    if (still == processes_.end())
      return;
  }
  if (stops)
    end_in_order(still->second, end_class::stopped, false);
  else if (goes_on)
    compute(still->second);
  else if (trains_on(nodes_[still->second.node]))
    train_on(still->second);
}

/// Reports whether the checkpoint that came with the report is safe.
void simulation::hand_over(process& who, std::uint64_t iteration) {
  if (happens(how_.faults.save_failure)) {
    to_head(who, on::save_failed{who.trial, who.attempt, {}, "disk full", iteration, false});
    return;
  }
  auto location = "there/" + to_text(who.attempt) + "/" + std::to_string(iteration);
  disk_.hand_over(location, who.trial);
  to_head(
      who,
      on::saved{
          who.trial, who.attempt, {}, iteration, who.session.time_total(), std::move(location), 1});
}

void simulation::go_on(process& who, const cmd::proceed& x) {
  who.session.allow(x.until);
  // An answer may come twice, and an answer to an earlier report may give credit for this one.
  if (!who.waits || (x.number != who.session.number() && !who.session.has_credit()))
    return;
  who.session.go_on(agenda_.now());
  compute(who);
}

void simulation::save(process& who, const cmd::save& x) {
  if (x.number <= who.passed_over) {
    to_head(who, on::save_failed{x.trial, x.attempt, x.checkpoint, "it had trained on"});
    return;
  }
  // A head that took the place of another repeats what it waits for, and may have heard how that
  // ended before it asked.
  const std::pair asked{x.checkpoint, x.number};
  if (std::exchange(who.asked, asked) == asked) {
    to_head(who, on::save_failed{x.trial, x.attempt, x.checkpoint, "it had trained on"});
    return;
  }
  auto failed = how_.hands_over.only || happens(how_.faults.save_failure);
  auto attempt = who.attempt;
  if (how_.hands_over.only) {
    to_head(who, on::save_failed{x.trial, attempt, x.checkpoint, "it cannot", 0, true});
  } else if (failed) {
    to_head(who, on::save_failed{x.trial, attempt, x.checkpoint, "disk full"});
  } else {
    write(who, x);
  }
  auto still = processes_.find(attempt);
  if (still == processes_.end())
    return;
  if (!x.then_end) {
    still->second.session.go_on(agenda_.now());
    compute(still->second);
  } else if (!failed) {
    end_in_order(still->second, end_class::stopped, x.exports);
  }
}

void simulation::write(process& who, const cmd::save& x) {
  simulated_checkpoint made{x.trial};
  auto location = "there/" + std::to_string(x.checkpoint.number);
  if (x.in_memory && !happens(how_.faults.no_memory)) {
    made.node = who.node;
    location.insert(0, kept_in_memory);
  }
  disk_.write(x.checkpoint, made);
  to_head(who, on::saved{x.trial, who.attempt, x.checkpoint, x.iteration, who.session.time_total(),
                         std::move(location), 1});
}

void simulation::halt(process& who, const cmd::halt& x) {
  if (x.how == halt_mode::kill)
    end(who.attempt, end_class::killed);
  else if (who.computes && happens(0.5))
    who.stops = true;
  else
    end_in_order(who, end_class::stopped, x.exports);
  if (auto known = processes_.find(x.attempt); known != processes_.end())
    known->second.exports = known->second.exports || x.exports;
}

/// @param exports True at the end of the trial; an earlier order to export counts as well.
void simulation::end_in_order(process& who, end_class how, bool exports) {
  const auto attempt = who.attempt;
  if ((exports || who.exports) && settings_.export_time.count() > 0) {
    on::exported made{who.trial, attempt, "there/" + to_text(attempt), 1, {}};
    for (const auto& format : settings_.exports)
      made.formats.push_back({format, made.location + "/" + format, {}});
    to_head(who, std::move(made));
  }
  // The report may have had any effect, even the end of this process.
  if (processes_.contains(attempt))
    end(attempt, how);
}

void simulation::end(attempt_id attempt, end_class how, std::string detail) {
  auto known = processes_.extract(attempt);
  auto& who = known.mapped();
  counts_.computed += computing(who);
  model_->forget(who.trial);
  auto& plan = *nodes_[who.node].plan;
  auto commands = plan.gone(who.lease);
  // A lease that the head has given up is not reported any more.
  if (plan.stage_of(who.lease) == allocation_stage::closing)
    to_head(who, on::ended{who.trial, attempt, how, std::move(detail), {}});
  carry_out(who.node, commands);
}

} // namespace tune
