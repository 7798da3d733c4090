// SPDX-License-Identifier: BSD-3-Clause
#include "laggards.hpp"

namespace embed {

using namespace tune;

void laggards::apply(const scheduler_fact& what) {
  queue_.apply(what);
  if (const auto* x = std::get_if<fact::result>(&what.what)) {
    // Larger is better, whatever the experiment's mode; NaN is never the best.
    auto score = x->scores.front();
    standings_[x->trial] = {x->iteration, score};
    if (!best_ || score > *best_)
      best_ = score;
  } else if (const auto* over = std::get_if<fact::ended>(&what.what)) {
    standings_.erase(over->trial);
  }
}

decision laggards::judge(sequence cause, trial_id trial) const {
  auto known = standings_.find(trial);
  if (known == standings_.end())
    return {cause, {{trial, go_on{}, {}}}};
  const auto& [iteration, score] = known->second;
  if (iteration < grace_ || !best_ || score >= *best_ - margin_)
    return {cause, {{trial, go_on{}, {}}}};
  return {cause, {{trial, stop{}, {{"rule", "laggards"}, {"score", score}, {"best", *best_}}}}};
}

choice laggards::choose(sequence at, std::uint32_t count) const {
  return queue_.first(at, count);
}

decision laggards::on_stall(sequence at) const {
  return queue_.end_paused(at, "laggards");
}

void laggards::describe(fingerprint& into) const {
  queue_.describe(into);
  for (const auto& [trial, x] : standings_)
    into.add(trial).add(x.iteration).add(x.score);
  into.add(best_.value_or(0));
}

scheduler_catalogue::entry laggards_entry() {
  option_spec grace{"grace", option_kind::integer, "2", 1};
  grace.meaning = "iterations before a trial may be stopped";
  option_spec margin{"margin", option_kind::number, "1", 0};
  margin.meaning = "how far behind the best a trial may be";
  return {"laggards",
          "stops trials that are far behind the best",
          "",
          {grace, margin},
          [](const options& with, const scheduler_context&) {
            return expected<std::unique_ptr<scheduler>>{std::make_unique<laggards>(
                static_cast<std::uint64_t>(with.integer("grace")), with.number("margin"))};
          }};
}

} // namespace embed
