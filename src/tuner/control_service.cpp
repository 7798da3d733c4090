// SPDX-License-Identifier: BSD-3-Clause
#include "control_service.hpp"

#include "asked.hpp"
#include "tune/core/experiment/waiting_trials.hpp"
#include "tune/io/spec/fit_config.hpp"
#include "tune/io/store/store_reader.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

namespace tune {

namespace {

using op = control_request::op;

constexpr auto by_client = "stopped by a client";

/// Age up to which a status is reused: many clients may ask for it.
constexpr std::chrono::milliseconds status_age{50};

/// The runner's rows are not used: clients read the status of all trials from the database.
constexpr std::uint32_t no_rows = 0;

/// The orders of a request, and the verdicts known without the runner, by their place among them.
struct plan {
  std::vector<event_body> orders;
  std::vector<std::pair<std::size_t, order_verdict>> known;
};

/// All verdicts, in the order in which the trials were named.
std::vector<order_verdict> joined(const plan& made, std::vector<order_verdict> told) {
  for (const auto& [place, what] : made.known)
    told.insert(told.begin() + static_cast<std::ptrdiff_t>(place), what);
  return told;
}

event_body order_for(op what, std::optional<trial_id> trial) {
  if (what == op::stop)
    return on::stop_asked{trial, by_client};
  if (what == op::pause)
    return on::pause_asked{trial};
  return on::unpause_asked{trial};
}

plan orders_for(const control_request& what) {
  plan result;
  if (what.trials.empty())
    result.orders.push_back(order_for(what.what, std::nullopt));
  for (auto id : what.trials)
    result.orders.push_back(order_for(what.what, id));
  return result;
}

/// The configurations come from the record: the runner keeps none of trials that have ended.
expected<plan> retries_for(const control_request& what, const std::filesystem::path& directory) {
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  plan result;
  for (auto id : what.trials) {
    auto row = reader->trial(id);
    if (!row)
      return row.error();
    auto place = result.orders.size() + result.known.size();
    if (!*row) {
      result.known.push_back({place, {order_verdict::kind::unknown, "there is no such trial", id}});
    } else if (!is_final((*row)->status)) {
      result.known.push_back({place, {order_verdict::kind::refused, "it has not ended", id}});
    } else {
      auto config = std::make_shared<const object>(std::move((*row)->config));
      result.orders.emplace_back(
          on::retry_asked{id, std::move(config), std::move((*row)->origin), what.from_scratch});
    }
  }
  return result;
}

expected<plan> addition_for(const control_request& what, const search_space& space) {
  auto config = complete_config(what.config, space);
  if (!config)
    return config.error();
  plan result;
  result.orders.emplace_back(
      on::add_asked{what.key, std::make_shared<const object>(std::move(*config))});
  return result;
}

object to_object(const scaling_board::note& x) {
  auto count = [](std::uint64_t number) { return value{static_cast<std::int64_t>(number)}; };
  const auto& what = x.what;
  object result{{"wanted", count(what.wanted)},      {"now", count(what.now)},
                {"asked", count(what.asked)},        {"given_back", count(what.given_back)},
                {"calls", count(what.calls)},        {"failures", count(what.failures)},
                {"missed", count(what.missed)},      {"since_call", value{}},
                {"last_failure", what.last_failure}, {"too_large", what.too_large}};
  if (x.since_call)
    result.set("since_call",
               count(static_cast<std::uint64_t>(
                   std::chrono::duration_cast<std::chrono::seconds>(*x.since_call).count())));
  return result;
}

/// What a user holds of each kind of resource that has a limit; null where none has.
value quota_value(const holding& held, const user_quota& most) {
  object result;
  auto set = [&result](const char* name, value used, value total) {
    result.set(name, object{{"used", std::move(used)}, {"total", std::move(total)}});
  };
  auto whole = [](std::uint64_t x) { return value{static_cast<std::int64_t>(x)}; };
  if (most.cpu)
    set("cpu", held.what.cpu.number(), most.cpu->number());
  if (most.gpu)
    set("gpu", held.what.gpu.number(), most.gpu->number());
  if (most.memory)
    set("memory", whole(held.what.memory), whole(*most.memory));
  if (most.trials)
    set("trials", whole(held.leases), whole(*most.trials));
  return result.empty() ? value{} : value{std::move(result)};
}

object to_object(const allocation_view& x) {
  auto count = [](std::uint64_t number) { return value{static_cast<std::int64_t>(number)}; };
  return {{"user", x.standing.user},
          {"priority", static_cast<std::int64_t>(x.standing.priority)},
          {"share", x.standing.share},
          {"running", count(x.held.leases)},
          {"cpu", x.held.what.cpu.number()},
          {"gpu", x.held.what.gpu.number()},
          {"memory", count(x.held.what.memory)},
          {"waiting", count(x.waiting)},
          {"place", count(x.place)},
          {"stands_aside", x.stands_aside},
          {"made_room", count(x.made_room)},
          {"made_room_for", x.made_room_for},
          {"quota", quota_value(x.of_user, x.quota)}};
}

expected<plan> plan_of(const control_request& what, const control_service_parts& parts) {
  if (what.what == op::add)
    return addition_for(what, *parts.space);
  if (what.what == op::retry)
    return retries_for(what, parts.directory);
  return orders_for(what);
}

} // namespace

void control_service::handle(const control_request& what, const desk_answer& answer) {
  if (what.what == op::status)
    return answer(recent_status());
  is_stale_ = true;
  auto made = plan_of(what, parts_);
  if (!made)
    return answer(made.error());
  if (made->orders.empty())
    return answer(control_answer{joined(*made, {}), {}});
  auto orders = std::move(made->orders);
  auto pass_on = [made = std::move(*made), answer](expected<std::vector<order_verdict>> told) {
    if (told)
      answer(control_answer{joined(made, std::move(*told)), {}});
    else
      answer(told.error());
  };
  send_from_outside(parts_.runner, client_orders{std::move(orders), std::move(pass_on)});
}

expected<control_answer> control_service::recent_status() {
  std::lock_guard guard{mutex_};
  if (is_stale_.exchange(false) || !status_ || std::chrono::steady_clock::now() >= status_until_) {
    status_ = status();
    status_until_ = std::chrono::steady_clock::now() + status_age;
  }
  return *status_;
}

expected<control_answer> control_service::status() const {
  auto state
      = asked<runner_status>(parts_.system, parts_.runner, answer_patience, status_atom_v, no_rows);
  auto books = parts_.where.resources();
  if (!state || !books)
    return error{ec::timeout, "the experiment does not answer"};
  control_status result;
  result.pid = ::getpid();
  result.elapsed = state->at;
  result.suspended = state->view.suspended;
  result.held = state->view.held;
  result.nodes = books->nodes;
  result.planned = state->view.planned;
  result.total = books->total;
  result.used = books->used;
  result.leaving = books->leaving;
  result.waits_for = state->waits_for;
  if (parts_.board != nullptr)
    result.scheduler = parts_.board->read();
  if (const auto scaling = parts_.where.scaling())
    result.scaling = to_object(*scaling);
  const auto standing = parts_.where.standing_of(parts_.runner);
  if (standing && !standing->standing.name.empty()) {
    auto shown = *standing;
    shown.waiting = waiting_trials(state->view, shown.waiting);
    result.allocation = to_object(shown);
    if (result.waits_for.empty())
      result.waits_for = standing->why;
    else if (standing->stands_aside && standing->why.starts_with("no node"))
      result.waits_for += "; until then it takes no place among the experiments that are served";
    else if (standing->stands_aside)
      result.waits_for += "; it takes no place among the experiments that are served";
  }
  return control_answer{{}, std::move(result)};
}

control_handler spoken_by(std::shared_ptr<control_service> service) {
  return [service = std::move(service)](const control_request& what, const control_reply& reply) {
    service->handle(what, [reply](const expected<control_answer>& told) {
      reply(told ? to_json(*told) : control_fault(told.error()));
    });
  };
}

} // namespace tune
