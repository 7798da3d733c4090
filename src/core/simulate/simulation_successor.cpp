// Heads that take the place of others, whose attempts go on at their nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include <algorithm>
#include <utility>

namespace tune {

// -- Words that are kept until they are on disk.

simulation::word simulation::keep(std::size_t which, attempt_id attempt, event_body what) {
  word result{++last_.word, attempt, std::move(what)};
  if (outlives_heads())
    nodes_[which].kept.push_back({result});
  return result;
}

/// The head has taken the word in; it may be the second time.
void simulation::note_heard(std::size_t which, std::uint64_t number, std::optional<lease_id> over) {
  auto& kept = nodes_[which].kept;
  auto known = std::find_if(kept.begin(), kept.end(),
                            [&](const auto& x) { return x.what.number == number; });
  if (known == kept.end())
    return;
  known->heard = std::max<sequence>(head_.engine->machine().last_seq(), 1);
  if (over)
    known->over = over;
  confirm_words();
}

/// Nodes need no longer keep what is on disk, and end what ended with it.
void simulation::confirm_words() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<lease_id> over;
    std::erase_if(nodes_[i].kept, [&](const auto& x) {
      const auto is_safe = x.heard != 0 && (x.heard <= log_.on_disk() || !how_.records);
      if (is_safe && x.over)
        over.push_back(*x.over);
      return is_safe;
    });
    for (auto id : over)
      hear_over(i, id);
  }
}

void simulation::hear_over(std::size_t which, lease_id id) {
  for_node(which, [this, which, id] { carry_out(which, nodes_[which].plan->heard(id)); });
}

/// What was on its way to the head is lost with it, and so is what it had heard.
void simulation::lose_words() {
  if (!outlives_heads())
    return;
  for (auto& node : nodes_) {
    node.on_the_way.clear();
    for (auto& x : node.kept) {
      x.heard = 0;
      x.over.reset();
    }
  }
}

// -- The head that takes the place.

void simulation::await_attempts() {
  const auto& machine = head_.engine->machine();
  for (auto [trial, attempt] : machine.open_attempts()) {
    auto launch = *machine.launch_of(trial);
    const auto notes = *machine.notes_on(trial);
    if (!processes_.contains(attempt))
      head_.early.try_emplace(attempt);
    head_.awaited.add({0, trial, attempt, launch.where, notes.request, {}, notes.has_begun});
    head_.orders.insert_or_assign(launch.where.id, std::move(launch));
  }
  agenda_.add(rules().wait_for_nodes(),
              [this, epoch = epoch_] { at_head(epoch, [this] { end_wait(); }); });
}

void simulation::end_wait() {
  for (const auto& x : head_.awaited.give_up())
    end_awaited(x, "its node did not come back");
}

void simulation::end_awaited(const awaited_attempt& what, const std::string& why) {
  head_.orders.erase(what.what.id);
  head_.early.erase(what.attempt);
  tell(on::ended{what.trial, what.attempt, end_class::preempted, why, {}});
}

/// The node comes back to a head that took the place of its own, and says again what may not have
/// been heard for good.
void simulation::rejoin_successor(std::size_t which) {
  auto& node = nodes_[which];
  node.epoch = epoch_;
  node.unsaid.clear();
  for (const auto& x : node.kept)
    node.unsaid.push_back(x.what);
  rejoin(which);
}

void simulation::take_over(std::size_t which, const awaited_attempts::claims& claims) {
  const auto& name = name_of(which);
  for (const auto& x : claims.running) {
    adopt(x);
    head_.members.adopted(x.what.id, name);
    send_order(x.what.id, head_.members.number_of(x.what.id));
  }
  for (const auto& x : claims.lost)
    end_awaited(x, "its node began anew");
}

void simulation::adopt(const awaited_attempt& what) {
  head_.ledger->adopt(what.what, what.owner);
  head_.leases.emplace(what.what.id, what.what);
  head_.lease_of.emplace(what.attempt, what.what.id);
  // One whose process is over takes nothing of its node, though its head had not heard so for good.
  const auto is_over = history_.begun.contains(what.attempt) && !processes_.contains(what.attempt);
  if (how_.records && !is_over)
    conduct_.granted(what.trial, what.what);
}

} // namespace tune
