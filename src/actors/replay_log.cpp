// SPDX-License-Identifier: BSD-3-Clause
#include "replay_log.hpp"

#include "rank_orders.hpp"

#include "tune/actors/node.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tune {

expected<void> follow_head(engine& run, const head_rules_function& rules, const on::opened& head) {
  if (!rules)
    return {};
  auto change = rules(head);
  if (!change)
    return change.error();
  if (*change)
    run.go_by(std::move(**change));
  return {};
}

expected<replayed_log> replay_log(engine& run, const runner_parts& parts,
                                  const std::function<void()>& after_batch) {
  replayed_log result;
  while (parts.history) {
    auto some = parts.history(run.machine().last_seq());
    if (!some)
      return some.error();
    if (some->empty())
      return result;
    for (const auto& x : *some) {
      if (const auto* head = std::get_if<on::opened>(&x.what)) {
        if (auto done = follow_head(run, parts.rules_of_head, *head); !done)
          return done.error();
      }
      run.replay(x);
      result.last = x.at;
      if (const auto* up = std::get_if<on::node_up>(&x.what))
        result.nodes.insert(up->node);
      else if (const auto* down = std::get_if<on::node_down>(&x.what))
        result.nodes.erase(down->node);
      result.results += std::holds_alternative<on::reported>(x.what) ? 1 : 0;
    }
    after_batch();
  }
  return result;
}

on::opened opening_of(const runner_parts& parts) {
  auto result = parts.opening;
  if (parts.wishes.are_any())
    result.how = opening::gathers;
  return result;
}

std::vector<event_body> first_events(const experiment& x, runner_parts& parts) {
  std::vector<event_body> result;
  auto add_all = [&result](auto& what) {
    for (auto& one : std::exchange(what, {}))
      result.emplace_back(std::move(one));
  };
  add_all(parts.bad);
  for (auto [trial, attempt] : x.open_attempts()) {
    if (!is_awaited(*x.launch_of(trial), parts))
      result.emplace_back(
          on::ended{trial, attempt, end_class::interrupted, "its head was lost", {}});
  }
  if (parts.opening.how == opening::gathers) {
    add_all(parts.wishes.again);
    add_all(parts.wishes.additions);
    result.emplace_back(on::gathered{parts.wishes.only_again});
  }
  return result;
}

bool is_awaited(const cmd::launch& what, const runner_parts& parts) {
  const auto& bundles = what.where.bundles;
  if (!parts.awaits_attempts || parts.runs_ranks || bundles.empty())
    return false;
  const auto& home = bundles.front().node;
  auto is_there = [&](const bundle_grant& x) { return x.node == home; };
  return home != node_settings{}.name && std::all_of(bundles.begin(), bundles.end(), is_there);
}

std::vector<awaited_launch> awaited_launches(const experiment& x, const runner_parts& parts) {
  std::vector<awaited_launch> result;
  for (auto [trial, attempt] : x.open_attempts()) {
    const auto launch = x.launch_of(trial);
    if (!is_awaited(*launch, parts))
      continue;
    const auto notes = x.notes_on(trial);
    auto order = order_of_launch(*launch, parts.job, parts.runs_ranks, parts.secret);
    order.is_awaited = true;
    result.push_back(
        {trial,
         launch->config,
         {std::move(order), launch->where, notes->request, parts.labels, notes->has_begun}});
  }
  return result;
}

std::string text_of_bad(const std::vector<on::checkpoint_bad>& bad) {
  const auto& first = bad.front();
  auto text = "trial " + to_text(first.trial) + ": checkpoint "
              + std::to_string(first.checkpoint.number) + " cannot be restored: " + first.why;
  if (bad.size() > 1)
    text += "; nor can " + std::to_string(bad.size() - 1) + " more";
  return text;
}

} // namespace tune
