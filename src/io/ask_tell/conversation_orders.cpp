// The orders of a conversation: a trial is to stop, or to be added.
// SPDX-License-Identifier: BSD-3-Clause
#include "executor_book.hpp"
#include "request.hpp"

#include "tune/io/ask_tell/conversation.hpp"
#include "tune/io/spec/fit_config.hpp"

#include <string_view>
#include <utility>

namespace tune {

namespace {

/// Adds what became of an order, in the words of the control protocol.
object with_outcome(object answer, std::string_view outcome) {
  answer.set("outcome", outcome);
  return answer;
}

/// Only those who ask are told: the answer to a request that is repeated is the same.
bool wants_outcome(const object& request) {
  const auto* asks = request.find("outcome");
  return asks != nullptr && *asks == value{true};
}

} // namespace

expected<object> conversation::stop(const object& request) {
  auto id = trial_in(request);
  if (!id)
    return fault_answer(id.error().detail);
  using kind = order_verdict::kind;
  on::stop_asked wish{*id, "stopped by the executor"};
  const auto told = machine().weigh(wish).what;
  if (told == kind::unknown)
    return with_outcome(fault_answer("there is no trial " + to_text(*id)), "unknown");
  runner_->post(std::move(wish));
  if (auto done = runner_->settle(); !done)
    return done.error();
  return wants_outcome(request) && told == kind::needless ? with_outcome(ok_answer(), "needless")
                                                          : ok_answer();
}

/// Adds a trial. It waits for its turn; a later `ask` returns it.
expected<object> conversation::add(const object& request) {
  auto given = config_in(request);
  if (!given)
    return fault_answer(given.error().detail);
  auto key = own_name_in(request, "key");
  if (!key)
    return fault_answer(key.error().detail);
  auto config = complete_config(*given, *space_);
  if (!config)
    return fault_answer("\"config\": " + config.error().detail);
  on::add_asked wish{*key, std::make_shared<const object>(std::move(*config))};
  auto told = machine().weigh(wish);
  if (told.what == order_verdict::kind::refused)
    return with_outcome(fault_answer("nothing can be added: " + told.text), "refused");
  if (told.what == order_verdict::kind::taken) {
    runner_->post(wish);
    if (auto done = runner_->settle(); !done)
      return done.error();
  }
  const auto* trial = trials_->find(*told.trial);
  object result{{"op", "trial"},
                {"trial", to_text(*told.trial)},
                {"attempt", static_cast<std::int64_t>(trial == nullptr ? 0 : trial->attempts)},
                {"config", *trials_->added(*key, wish.config)},
                {"resume", false}};
  return wants_outcome(request) && told.what == order_verdict::kind::needless
             ? with_outcome(std::move(result), "needless")
             : result;
}

} // namespace tune
