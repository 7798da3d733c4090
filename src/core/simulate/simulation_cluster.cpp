// Nodes and their sessions, and launches on them: the rules of `node_plan` and `membership`.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tune {

namespace {

/// Id of the one job that all trials belong to.
constexpr const char* the_job = "simulated";

} // namespace

// -- Launches.

void simulation::launch(const cmd::launch& x) {
  // A checkpoint in memory is lost with its node, which the head may not have noticed yet.
  if (x.from && !disk_.has(x.from) && !x.from_location.starts_with(kept_in_memory))
    found_.add({promise::bounded_loss, head_.engine->machine().last_seq(), x.trial,
                "checkpoint " + std::to_string(x.from.number) + " is to be restored, but gone"});
  const auto number = head_.members.launched(x.where.id);
  // The node was lost meanwhile, and the experiment is told so.
  if (!number)
    return;
  head_.lease_of.emplace(x.attempt, x.where.id);
  counts_.most_running = std::max<std::uint64_t>(counts_.most_running, head_.lease_of.size());
  head_.orders.insert_or_assign(x.where.id, x);
  head_.early.try_emplace(x.attempt);
  send_order(x.where.id, *number);
}

void simulation::send_order(lease_id which, membership::launch_number as) {
  const auto& x = head_.orders.at(which);
  const auto node = number_of(x.where.bundles.front().node);
  const node_plan::order order{which, x.attempt, the_job, as.turn, as.session};
  auto again = happens(how_.faults.doubled);
  for (int i = again ? 0 : 1; i < 2; ++i)
    for_node(node, [this, node, order, x] { receive_order(node, order, x); });
}

void simulation::receive_order(std::size_t which, const node_plan::order& as,
                               const cmd::launch& x) {
  auto& node = nodes_[which];
  auto commands = node.plan->launch(as, may_speak(node));
  if (node.plan->stage_of(as.lease) != allocation_stage::absent)
    node.orders.try_emplace(as.lease, x);
  carry_out(which, commands);
}

void simulation::carry_out(std::size_t node, const node_commands& all) {
  for (const auto& x : all)
    std::visit([this, node](const auto& y) { act(node, y); }, x);
}

void simulation::act(std::size_t node, const node_cmd::prepare& x) {
  on_node(node, delay(), [this, node, id = x.lease] { prepared(node, id); });
}

void simulation::prepared(std::size_t which, lease_id id) {
  auto& node = nodes_[which];
  if (!node.plan->is_wanted(id))
    return carry_out(which, node.plan->not_begun(id, end_class::preempted, "it is not wanted"));
  const auto x = node.orders.at(id);
  if (happens(how_.faults.no_process)) {
    history_.forkless.insert(x.attempt);
    return carry_out(which, node.plan->not_ready(id, {"it cannot make a process", true}));
  }
  start(which, id, x);
}

void simulation::start(std::size_t which, lease_id id, const cmd::launch& x) {
  if (how_.records && !history_.begun.insert(x.attempt).second)
    report_broken(promise::nothing_lost_or_doubled,
                  "attempt " + to_text(x.attempt) + " begins twice");
  process made{x.trial, x.attempt, id,
               which,   x.config,  attempt_session{x.iteration, x.time_total, agenda_.now()}};
  made.exports = x.ends;
  processes_.insert_or_assign(x.attempt, std::move(made));
  auto early = head_.early.extract(x.attempt);
  to_process(x.attempt, [this, from = x.from](process& who) { begin(who, from); });
  if (!early.empty()) {
    for (auto& what : early.mapped())
      to_process(x.attempt, std::move(what));
  }
  carry_out(which, nodes_[which].plan->started(id));
}

void simulation::act(std::size_t node, const node_cmd::kill& x) {
  const auto attempt = nodes_[node].orders.at(x.lease).attempt;
  on_node(node, delay(), [this, node, attempt, id = x.lease] { reap(node, attempt, id); });
}

void simulation::reap(std::size_t node, attempt_id attempt, lease_id id) {
  auto known = processes_.find(attempt);
  if (known != processes_.end() && known->second.node == node && known->second.lease == id)
    end(attempt, end_class::killed, "its node ended it");
}

/// Holds the node's grants back for a while.
void simulation::act(std::size_t which, const node_cmd::decline&) {
  if (!may_speak(nodes_[which]))
    return;
  from_node(which, [this, which] {
    head_.ledger->hold(name_of(which), 0);
    for_any_head(how_.lost_after, [this, which] {
      head_.ledger->unhold(name_of(which), 0);
      grant();
    });
  });
}

void simulation::act(std::size_t node, const node_cmd::tell_end& x) {
  const auto& of = nodes_[node].orders.at(x.lease);
  say(node, of.attempt, on::ended{of.trial, of.attempt, x.how, x.why, {}});
}

void simulation::act(std::size_t node, const node_cmd::report_over& x) {
  if (!may_speak(nodes_[node]))
    return;
  from_node(node, [this, id = x.lease] { free(id); });
}

void simulation::free(lease_id id) {
  head_.awaited.remove(id);
  head_.members.over(id);
  head_.orders.erase(id);
  give_back(id);
}

void simulation::act(std::size_t which, const node_cmd::forget& x) {
  auto& node = nodes_[which];
  const auto attempt = node.orders.at(x.lease).attempt;
  std::erase_if(node.unsaid, [&](const auto& y) { return y.attempt == attempt; });
  std::erase_if(node.kept, [&](const auto& y) { return y.what.attempt == attempt; });
  if (node.plan->stage_of(x.lease) == allocation_stage::absent)
    node.orders.erase(x.lease);
}

/// Lets the node send what it held back.
void simulation::act(std::size_t which, const node_cmd::open&) {
  auto& node = nodes_[which];
  node.is_open = true;
  node.lease.reset();
  ++node.silence;
  // By then, everything that the node sent before has arrived.
  auto wait = how_.most_delay;
  for (auto& x : std::exchange(node.unsaid, {}))
    send(which, wait, std::move(x));
  // Later messages must arrive after these.
  for (auto& [attempt, who] : processes_) {
    if (who.node == which)
      who.last_up = std::max(who.last_up, agenda_.now() + wait);
  }
  if (is_silent(node) || is_deaf(node))
    watch_silence(which);
  beat(which);
}

void simulation::act(std::size_t node, const node_cmd::drop_pauses&) {
  clear_memory(node);
}

// -- Messages.

std::uint64_t simulation::incarnation_of(const node_state& node) const {
  return node.plan ? node.plan->incarnation() : 0;
}

bool simulation::may_speak(const node_state& node) const {
  return node.is_open
         && (!node.lease || node.lease->at(agenda_.now()) == session_lease::state::held);
}

void simulation::for_node(std::size_t which, agenda::task what) {
  auto& node = nodes_[which];
  if (!node.plan)
    return;
  node.last_down = std::max(node.last_down, agenda_.now() + delay());
  at_node(which, incarnation_of(node), node.last_down - agenda_.now(), true, std::move(what));
}

void simulation::on_node(std::size_t which, instant after, agenda::task what) {
  at_node(which, incarnation_of(nodes_[which]), after, false, std::move(what));
}

void simulation::at_node(std::size_t which, std::uint64_t incarnation, instant after,
                         bool is_message, agenda::task what) {
  agenda_.add(after, [this, which, incarnation, is_message, what = std::move(what)] {
    const auto& node = nodes_[which];
    if (!node.plan || incarnation_of(node) != incarnation)
      return;
    const auto open = is_message ? std::max(node.frozen_until, node.deaf_until) : node.frozen_until;
    if (open > agenda_.now())
      at_node(which, incarnation, open - agenda_.now(), is_message, what);
    else
      what();
  });
}

void simulation::from_node(std::size_t which, agenda::task what) {
  // It does not know yet that its head was lost.
  if (outlives_heads() && nodes_[which].epoch != epoch_)
    return;
  for_head([this, which, what = std::move(what)] {
    const auto open = nodes_[which].unheard_until;
    if (open <= agenda_.now())
      return what();
    agenda_.add(open - agenda_.now(),
                [this, which, epoch = epoch_, what] { at_head(epoch, [=] { what(); }); });
  });
}

void simulation::say(std::size_t which, attempt_id attempt, event_body what) {
  auto& node = nodes_[which];
  auto said = keep(which, attempt, std::move(what));
  if (!may_speak(node))
    node.unsaid.push_back(std::move(said));
  else
    send(which, delay(), std::move(said));
}

// -- A node comes in, or back.

/// Joins as a new incarnation.
void simulation::come_in(std::size_t which) {
  auto& node = nodes_[which];
  if (is_in_trouble(node) || (node.plan && node.epoch == epoch_))
    return;
  if (outlives_heads() && node.plan && !finished_)
    return rejoin_successor(which);
  abandon(which);
  if (finished_)
    return;
  clear_memory(which);
  const auto session = ++last_.session;
  node.plan.emplace(node_plan::settings{name_of(which), true, false, session});
  node.plan->know(the_job);
  node.epoch = epoch_;
  node.is_open = true;
  node.lease.reset();
  ++node.silence;
  enter(which, session, node.plan->holdings());
}

void simulation::enter(std::size_t which, std::uint64_t session, const node_holdings& has) {
  const auto worker = name_of(which) + "/" + std::to_string(nodes_[which].process);
  const node_arrival what{name_of(which), worker, session, has};
  from_node(which, [this, which, what] { receive_node(which, what); });
}

/// Called when a node's trouble is over; the head decides whether it rejoins.
void simulation::come_back(std::size_t which) {
  auto& node = nodes_[which];
  if (is_in_trouble(node))
    return;
  if (!node.plan || node.epoch != epoch_)
    agenda_.add(delay(), [this, which] { come_in(which); });
  else if (node.lease)
    agenda_.add(delay(), [this, which] { go_on(which); });
}

void simulation::go_on(std::size_t which) {
  auto& node = nodes_[which];
  if (is_in_trouble(node) || !node.plan || !node.lease)
    return;
  const auto at = node.lease->at(agenda_.now());
  if (at == session_lease::state::lost)
    abandon(which);
  if (!node.plan || node.epoch != epoch_)
    return come_in(which);
  if (at == session_lease::state::held) {
    node.lease.reset();
    ++node.silence;
    return beat(which);
  }
  rejoin(which);
}

void simulation::rejoin(std::size_t which) {
  auto& node = nodes_[which];
  node.is_open = false;
  const auto session = ++last_.session;
  enter(which, session, node.plan->rejoin(session));
}

/// Sends a heartbeat. A head that has given the node up no longer knows its session, and says so.
void simulation::beat(std::size_t which) {
  on_node(which, delay(), [this, which] {
    const auto& node = nodes_[which];
    const auto may = node.is_open && node.epoch == epoch_ && !is_in_trouble(node);
    // Once the experiment is over, the node leaves when nothing runs on it any more.
    const auto has_cause = !finished_ || !node.plan->holdings().leases.empty();
    if (may && has_cause && !is_member(which))
      rejoin(which);
  });
}

void simulation::receive_node(std::size_t which, const node_arrival& what) {
  if (finished_)
    return dismiss(which, what.session);
  auto came = head_.members.arrive(what);
  if (came.how == membership::reception::stale)
    return;
  if (came.how == membership::reception::returned)
    return take_back(which, what.session, came);
  if (came.how == membership::reception::replaces) {
    replace(which, what.worker);
    static_cast<void>(head_.members.arrive(what));
  }
  workers_[what.node] = what.worker;
  const auto claims = head_.awaited.arrived(what);
  std::vector<lease_id> kept;
  for (const auto& x : claims.running)
    kept.push_back(x.what.id);
  dismiss(which, what.session, kept);
  const auto& node = nodes_[which].what;
  head_.ledger->set_node(node.name, node.capacity, {node.name});
  if (how_.records)
    conduct_.offers(node.name, node.capacity);
  take_over(which, claims);
  tell(on::node_up{node.name, node.capacity});
  grant();
}

/// If the process is the same, it ended its trials because it did not hear from the head: neither
/// the node nor the trials are to blame.
void simulation::replace(std::size_t which, const std::string& worker) {
  if (workers_[name_of(which)] == worker) {
    for (auto id : head_.members.open_on(name_of(which))) {
      if (auto order = head_.orders.find(id); order != head_.orders.end())
        tell(on::ended{order->second.trial,
                       order->second.attempt,
                       end_class::preempted,
                       "its node began anew",
                       {}});
    }
  }
  take_for_lost(which);
}

void simulation::dismiss(std::size_t which, std::uint64_t session,
                         const std::vector<lease_id>& kept) {
  change_connection(which);
  for_node(which, [this, which, session, kept] {
    carry_out(which, nodes_[which].plan->keep_only(session, kept, true));
  });
}

void simulation::take_back(std::size_t which, std::uint64_t session,
                           const membership::arrival& came) {
  change_connection(which);
  for_node(which, [this, which, session, kept = came.kept] {
    carry_out(which, nodes_[which].plan->keep_only(session, kept, false));
  });
  for (auto id : came.known)
    send_order(id, head_.members.number_of(id));
  for (auto id : came.missed)
    send_order(id, *head_.members.launched(id));
  for (auto id : came.over)
    free(id);
}

/// Messages over the new connection may overtake those over the last.
void simulation::change_connection(std::size_t which) {
  nodes_[which].last_down = agenda_.now();
}

/// Ends everything on the node: another incarnation will join.
void simulation::abandon(std::size_t which) {
  auto& node = nodes_[which];
  std::erase_if(processes_, [&](const auto& x) {
    if (x.second.node != which)
      return false;
    counts_.computed += computing(x.second);
    return true;
  });
  node.unsaid.clear();
  node.kept.clear();
  node.orders.clear();
  node.plan.reset();
  node.is_open = false;
}

void simulation::take_for_lost(std::size_t which) {
  const auto name = name_of(which);
  ++counts_.nodes_lost;
  head_.ledger->remove_node(name);
  // Its leases have run out: by its own clock, the node has stopped what still runs there.
  const auto over = head_.members.lose(name);
  const std::set<lease_id> gone(over.begin(), over.end());
  for (auto id : over) {
    if (auto order = head_.orders.extract(id))
      head_.early.erase(order.mapped().attempt);
  }
  std::erase_if(head_.lease_of, [&](const auto& x) { return gone.contains(x.second); });
  tell(on::node_down{name, "silent for too long"});
  for (auto id : over)
    give_back(id);
}

std::size_t simulation::number_of(const std::string& name) const {
  auto is_it = [&](const auto& x) { return x.what.name == name; };
  return static_cast<std::size_t>(std::find_if(nodes_.begin(), nodes_.end(), is_it)
                                  - nodes_.begin());
}

} // namespace tune
