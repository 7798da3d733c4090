// The answers of a conversation that change nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/ask_tell/conversation.hpp"

#include <string_view>
#include <utility>

namespace tune {

expected<object> conversation::best(const object&) {
  auto view = machine().view();
  if (!view.best)
    return object{{"op", "best"}, {"trial", nullptr}, {"config", nullptr}, {"metrics", nullptr}};
  const auto& x = *view.best;
  object result{{"op", "best"},
                {"trial", to_text(x.trial)},
                {"config", *x.config},
                {"metrics", *x.at->metrics},
                {"iteration", static_cast<std::int64_t>(x.at->iteration)},
                {"status", to_text(x.status)}};
  if (!constraints_.empty())
    result.set("violation", total_violation(constraints_, *x.at->metrics));
  auto name = std::string_view{x.checkpoint};
  if (name.starts_with(kept_outside))
    name.remove_prefix(kept_outside.size());
  // A pause without a name is no checkpoint that anybody could ask for.
  auto has = !name.empty();
  result.set("checkpoint", has ? value{std::string{name}} : value{});
  result.set("checkpoint_iteration",
             has ? value{static_cast<std::int64_t>(x.checkpoint_iteration)} : value{});
  result.set("checkpoint_metrics",
             has && x.checkpoint_metrics ? value{*x.checkpoint_metrics} : value{});
  if (x.runs)
    result.set("runs", to_object(*x.runs));
  return result;
}

expected<object> conversation::status(const object&) {
  auto view = machine().view();
  object counts;
  for (std::size_t i = 0; i < view.counts.size(); ++i)
    counts.set(to_text(static_cast<trial_status>(i)), static_cast<std::int64_t>(view.counts[i]));
  if (view.withdrawn > 0) {
    counts.set("TERMINATED", static_cast<std::int64_t>(
                                 view.counts[static_cast<std::size_t>(trial_status::terminated)]
                                 - view.withdrawn));
    counts.set("WITHDRAWN", static_cast<std::int64_t>(view.withdrawn));
  }
  object result{{"op", "status"},
                {"counts", std::move(counts)},
                {"succeeded", static_cast<std::int64_t>(view.succeeded)},
                {"finished", machine().is_finished()}};
  if (const auto* why = runner_->why_left_off())
    result.set("why", *why);
  return result;
}

} // namespace tune
