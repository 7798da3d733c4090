// SPDX-License-Identifier: BSD-3-Clause
#include "head/status_messages.hpp"

#include "head/snapshot_fields.hpp"
#include "tune/io/json.hpp"

#include <array>

namespace tune::cli {

namespace {

using objectives_list = std::vector<objective>;

constexpr auto in_event = "in an event";

void write(object& to, const cmd::trial_changed& x, const objectives_list& objectives) {
  to.set("kind", "trial");
  to.set("trial", count_value(x.trial.number));
  to.set("status", status_number(x.status));
  to.set("config", x.config ? value{*x.config} : value{});
  to.set("reason", x.reason);
  to.set("failures", count_value(x.failures));
  to.set("iteration", count_value(x.iteration));
  if (x.last == nullptr)
    return;
  object last;
  last.set("iteration", count_value(x.last->iteration));
  last.set("time_total", nanoseconds_value(x.last->time_total));
  auto metrics = x.last->metrics ? only_objectives(*x.last->metrics, objectives) : object{};
  last.set("metrics", metrics_text(&metrics));
  to.set("last", value{std::move(last)});
}

void write(object& to, const feed_event::failure& x, const objectives_list&) {
  to.set("kind", "failure");
  to.set("trial", count_value(x.what.trial.number));
  to.set("how", value{static_cast<std::int64_t>(x.what.how)});
  to.set("detail", x.what.detail);
  to.set("again", value{x.again});
}

void write(object& to, const feed_event::warning& x, const objectives_list&) {
  to.set("kind", "warning");
  to.set("text", x.text);
}

void write(object& to, const feed_event::line& x, const objectives_list&) {
  to.set("kind", "line");
  to.set("text", x.text);
}

value written(const std::vector<feed_event>& events, const objectives_list& objectives) {
  value::list result;
  for (const auto& x : events) {
    object fields;
    fields.set("number", count_value(x.number));
    fields.set("at", nanoseconds_value(x.at));
    std::visit([&](const auto& what) { write(fields, what, objectives); }, x.what);
    result.emplace_back(std::move(fields));
  }
  return value{std::move(result)};
}

cmd::trial_changed read_trial(field_reader& from) {
  cmd::trial_changed result;
  result.trial = trial_id{from.get_count("trial")};
  result.status = read_status(from, "status");
  result.config = read_config(from, "config");
  result.reason = from.get<std::string>("reason");
  result.failures = static_cast<std::uint32_t>(from.get_count("failures"));
  if (auto iteration = from.get_if<std::int64_t>("iteration"))
    result.iteration = static_cast<std::uint64_t>(*iteration);
  if (auto fields = from.get_if<object>("last")) {
    field_reader inner{*fields, "in a report"};
    report last;
    last.trial = result.trial;
    last.iteration = inner.get_count("iteration");
    last.time_total = read_nanoseconds(inner, "time_total");
    last.metrics = read_metrics(inner, "metrics");
    if (inner.fault() || !last.metrics)
      from.fail(inner.fault() ? inner.fault()->detail : "metrics are missing");
    else
      result.last = std::make_shared<const report>(std::move(last));
  }
  return result;
}

feed_event::failure read_failure(field_reader& from) {
  feed_event::failure result;
  result.what.trial = trial_id{from.get_count("trial")};
  auto how = from.get_count("how");
  if (how < end_class_count)
    result.what.how = static_cast<end_class>(how);
  else
    from.fail("how is no kind of end");
  result.what.detail = from.get<std::string>("detail");
  result.again = from.get<bool>("again");
  return result;
}

feed_event read_event(const object& x, field_reader& faults) {
  field_reader from{x, in_event};
  feed_event result;
  result.number = from.get_count("number");
  result.at = read_nanoseconds(from, "at");
  auto kind = from.get<std::string>("kind");
  if (kind == "trial")
    result.what = read_trial(from);
  else if (kind == "failure")
    result.what = read_failure(from);
  else if (kind == "warning")
    result.what = feed_event::warning{from.get<std::string>("text")};
  else if (kind == "line")
    result.what = feed_event::line{from.get<std::string>("text")};
  else
    from.fail("'" + kind + "' is no kind of event");
  if (from.fault())
    faults.fail(from.fault()->detail);
  return result;
}

std::vector<feed_event> read_events(field_reader& from) {
  std::vector<feed_event> result;
  for (const auto& x : from.get<value::list>("events")) {
    if (const auto* fields = x.as_object())
      result.push_back(read_event(*fields, from));
    else
      from.fail("events has a wrong type");
  }
  return result;
}

experiment_status read_ending(field_reader& from) {
  auto number = from.get_count("status");
  if (number > static_cast<std::uint64_t>(experiment_status::left_off))
    from.fail("status is no status");
  return static_cast<experiment_status>(number);
}

} // namespace

std::string to_json(const status_update& x, const std::vector<objective>& objectives) {
  object result;
  result.set("ok", value{true});
  result.set("now", x.now ? value{to_object(*x.now, false)} : value{});
  result.set("events", written(x.events, objectives));
  return to_json(result);
}

std::string to_json(const final_status& x, const std::vector<objective>& objectives) {
  object result;
  result.set("ok", value{true});
  result.set("status", value{static_cast<std::int64_t>(x.how.status)});
  result.set("why", x.how.why);
  result.set("succeeded", count_value(x.how.view.succeeded));
  result.set("promising", count_value(x.how.view.promising));
  result.set("elapsed", nanoseconds_value(x.how.elapsed));
  result.set("storage_error", x.how.storage_error);
  result.set("last", value{to_object(x.last, true)});
  result.set("events", written(x.events, objectives));
  result.set("head_goes", value{x.head_goes});
  return to_json(result);
}

expected<status_update> status_update_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in a state"};
  status_update result;
  if (auto now = from.get_if<object>("now"))
    result.now = read_snapshot(*now, from);
  result.events = read_events(from);
  if (from.fault())
    return *from.fault();
  return result;
}

expected<final_status> final_status_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in an end"};
  final_status result;
  result.how.status = read_ending(from);
  result.how.why = from.get<std::string>("why");
  result.how.view.succeeded = from.get_count("succeeded");
  result.how.view.promising = from.get_count("promising");
  result.how.elapsed = read_nanoseconds(from, "elapsed");
  result.how.storage_error = from.get<std::string>("storage_error");
  result.last = read_snapshot(from.get<object>("last"), from);
  result.how.view.counts = result.last.counts;
  if (result.last.best)
    result.how.view.best.emplace().trial = result.last.best->trial;
  result.events = read_events(from);
  result.head_goes = from.get<bool>("head_goes");
  if (from.fault())
    return *from.fault();
  return result;
}

} // namespace tune::cli
