// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/control/control_words.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/io/field_reader.hpp"
#include "tune/io/json.hpp"
#include "tune/io/resources_json.hpp"

#include <algorithm>
#include <array>

namespace tune {

namespace {

using op = control_request::op;
using kind = order_verdict::kind;

constexpr std::array<std::string_view, 6> op_names{"status",  "stop", "pause",
                                                   "unpause", "add",  "retry"};
constexpr std::array all_kinds{kind::taken, kind::needless, kind::unknown, kind::refused};

value trial_value(trial_id id) {
  return static_cast<std::int64_t>(id.number);
}

/// A trial's number, given as a number or as its displayed text.
std::optional<trial_id> trial_from(const value& x) {
  if (const auto* number = x.as_int(); number != nullptr && *number >= 0)
    return trial_id{static_cast<std::uint64_t>(*number)};
  const auto* text = x.as_string();
  if (text == nullptr)
    return std::nullopt;
  auto number = parse_integer(*text);
  if (!number || *number < 0)
    return std::nullopt;
  return trial_id{static_cast<std::uint64_t>(*number)};
}

std::vector<trial_id> read_trials(field_reader& from) {
  std::vector<trial_id> result;
  auto given = from.get_if<value::list>("trials");
  auto list = given.value_or(value::list{});
  // An empty list is refused, since no list at all means all trials.
  if (given && list.empty())
    from.fail("trials names none");
  if (list.size() > most_control_trials)
    from.fail("trials names more than " + std::to_string(most_control_trials));
  for (const auto& x : list) {
    auto id = trial_from(x);
    if (!id) {
      from.fail("trials has " + to_text(x) + ", which is no trial");
      break;
    }
    result.push_back(*id);
  }
  return result;
}

void check(const control_request& x, field_reader& from) {
  if (x.what == op::retry && x.trials.empty())
    from.fail("trials names none");
  if (x.key.size() > longest_control_key)
    from.fail("key is longer than " + std::to_string(longest_control_key) + " bytes");
}

expected<op> op_from(const std::string& name) {
  auto i = std::find(op_names.begin(), op_names.end(), name);
  if (i != op_names.end())
    return static_cast<op>(i - op_names.begin());
  std::string known;
  for (auto x : op_names)
    known += (known.empty() ? "" : ", ") + std::string{x};
  return error{ec::unknown_name, "op is one of " + known};
}

object to_object(const control_status& x) {
  object result;
  result.set("pid", x.pid);
  result.set("elapsed_ns", static_cast<std::int64_t>(x.elapsed.count()));
  result.set("paused", x.suspended);
  result.set("held", static_cast<std::int64_t>(x.held));
  result.set("nodes", static_cast<std::int64_t>(x.nodes));
  if (x.planned)
    result.set("planned", static_cast<std::int64_t>(*x.planned));
  result.set("total", to_object(x.total));
  result.set("used", to_object(x.used));
  if (!x.waits_for.empty())
    result.set("waits_for", x.waits_for);
  result.set("scheduler", x.scheduler);
  if (!x.scaling.empty())
    result.set("scaling", x.scaling);
  if (!x.allocation.empty())
    result.set("allocation", x.allocation);
  if (!x.leaving.empty())
    result.set("leaving", value::list{x.leaving.begin(), x.leaving.end()});
  return result;
}

control_status read_status(field_reader& from) {
  control_status result;
  result.pid = from.get<std::int64_t>("pid");
  result.elapsed = std::chrono::nanoseconds{from.get<std::int64_t>("elapsed_ns")};
  result.suspended = from.get<bool>("paused");
  result.held = from.get_count("held");
  result.nodes = from.get_count("nodes");
  if (auto planned = from.get_if<std::int64_t>("planned"))
    result.planned = static_cast<std::uint64_t>(*planned);
  result.total = read_resources(from, "total");
  result.used = read_resources(from, "used");
  result.waits_for = from.get_if<std::string>("waits_for").value_or(std::string{});
  result.scheduler = from.get_if<std::string>("scheduler").value_or(std::string{});
  result.scaling = from.get_if<object>("scaling").value_or(object{});
  result.allocation = from.get_if<object>("allocation").value_or(object{});
  for (const auto& node : from.get_if<value::list>("leaving").value_or(value::list{})) {
    if (node.as_string() == nullptr)
      from.fail("leaving has what is no text");
    else
      result.leaving.push_back(*node.as_string());
  }
  return result;
}

object to_object(const order_verdict& x) {
  object result;
  if (x.trial)
    result.set("trial", to_text(*x.trial));
  result.set("outcome", to_text(x.what));
  result.set("text", x.text);
  return result;
}

expected<order_verdict> read_verdict(const value& x) {
  if (x.as_object() == nullptr)
    return error{ec::bad_option, "in an answer: told has what is no object"};
  field_reader from{*x.as_object(), "in an answer"};
  order_verdict result;
  if (const auto* trial = x.as_object()->find("trial"))
    result.trial = trial_from(*trial);
  result.text = from.get<std::string>("text");
  auto name = from.get<std::string>("outcome");
  auto known = std::find_if(all_kinds.begin(), all_kinds.end(),
                            [&](kind each) { return to_text(each) == name; });
  if (known == all_kinds.end())
    from.fail("outcome has an unknown name");
  else
    result.what = *known;
  if (from.fault())
    return *from.fault();
  return result;
}

error read_fault(field_reader& from) {
  auto code = from.get<std::string>("code");
  error result{ec::internal, from.get<std::string>("error")};
  for (auto x = static_cast<int>(ec::bad_option); x <= static_cast<int>(ec::unreachable); ++x) {
    if (to_text(static_cast<ec>(x)) == code)
      result.code = static_cast<ec>(x);
  }
  return from.fault() ? *from.fault() : result;
}

} // namespace

std::string_view to_text(control_request::op x) {
  return op_names[static_cast<std::size_t>(x)];
}

std::string to_json(const control_request& x) {
  object result{{"op", to_text(x.what)}};
  if (!x.trials.empty()) {
    value::list all;
    for (auto id : x.trials)
      all.push_back(trial_value(id));
    result.set("trials", std::move(all));
  }
  if (x.what == op::add)
    result.set("config", x.config);
  if (!x.key.empty())
    result.set("key", x.key);
  if (x.from_scratch)
    result.set("from_scratch", true);
  return to_json(result);
}

expected<control_request> control_request_from_json(std::string_view line) {
  json_limits limits;
  limits.bytes = longest_control_line;
  auto all = object_from_json(line, json_position::plain, limits);
  if (!all)
    return all.error();
  field_reader from{*all, "in a request"};
  control_request result;
  auto name = from.get<std::string>("op");
  if (from.fault())
    return *from.fault();
  auto what = op_from(name);
  if (!what)
    return what.error();
  result.what = *what;
  result.trials = read_trials(from);
  if (result.what == op::add)
    result.config = from.get<object>("config");
  result.key = from.get_if<std::string>("key").value_or("");
  result.from_scratch = from.get_if<bool>("from_scratch").value_or(false);
  check(result, from);
  if (from.fault())
    return *from.fault();
  return result;
}

std::string to_json(const control_answer& x) {
  object result{{"ok", true}};
  if (x.status)
    result.set("status", to_object(*x.status));
  value::list told;
  for (const auto& each : x.told)
    told.push_back(to_object(each));
  if (!told.empty())
    result.set("told", std::move(told));
  return to_json(result);
}

std::string control_fault(const error& why) {
  return to_json(object{{"ok", false}, {"code", to_text(why.code)}, {"error", to_text(why)}});
}

expected<control_answer> control_answer_from_json(std::string_view line) {
  auto all = object_from_json(line);
  if (!all)
    return all.error();
  field_reader from{*all, "in an answer"};
  if (!from.get<bool>("ok"))
    return from.fault() ? *from.fault() : read_fault(from);
  control_answer result;
  if (auto inner = from.get_if<object>("status")) {
    field_reader fields{*inner, "in a status"};
    result.status = read_status(fields);
    if (fields.fault())
      return *fields.fault();
  }
  for (const auto& x : from.get_if<value::list>("told").value_or(value::list{})) {
    auto each = read_verdict(x);
    if (!each)
      return each.error();
    result.told.push_back(std::move(*each));
  }
  if (from.fault())
    return *from.fault();
  return result;
}

} // namespace tune
