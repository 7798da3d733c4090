// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/external/message.hpp"

#include "tune/core/space/quantum.hpp"

#include <cmath>
#include <utility>

namespace tune::external {

namespace {

void describe(object& to, const float_range& x) {
  to.set("type", "float");
  to.set("low", x.low);
  to.set("high", x.high);
  to.set("log", x.log);
  if (x.step > 0)
    to.set("step", x.step);
}

void describe(object& to, const int_range& x) {
  auto range = step_range{x.low, x.high - 1};
  if (x.step > 1)
    range = steps_between(x.low, x.high, x.step);
  to.set("type", "int");
  to.set("low", range.first * x.step);
  to.set("high", range.last * x.step);
  to.set("log", x.log);
  to.set("step", x.step);
}

void describe(object& to, const normal_range& x) {
  to.set("type", "normal");
  to.set("mean", x.mean);
  to.set("sd", x.sd);
  if (x.step > 0)
    to.set("step", x.step);
}

void describe(object& to, const choice_of& x) {
  to.set("type", "choice");
  to.set("values", x.options);
  if (x.ordered)
    to.set("ordered", true);
}

void describe(object& to, const permutation_of& x) {
  to.set("type", "permutation");
  to.set("items", x.items);
}

void describe(object& to, const subset_of& x) {
  to.set("type", "subset");
  to.set("items", x.items);
}

/// Described like a choice; the searcher refuses grids.
void describe(object& to, const grid_of& x) {
  describe(to, choice_of{x.options});
}

/// A bound: a number, or the expression that computes it.
value bound_of(const expression& x) {
  auto number = x.names().empty() ? x.number({}) : std::nullopt;
  if (!number)
    return x.tree();
  auto is_whole = *number == std::trunc(*number) && std::abs(*number) <= 0x1p53;
  return is_whole ? value{static_cast<std::int64_t>(*number)} : value{*number};
}

/// Adds the bounds beside the widest range.
void describe(object& to, const dependent_range& x) {
  to.set("bounds", object{{"low", bound_of(x.low)}, {"high", bound_of(x.high)}});
}

void describe(object& to, const constant& x) {
  to.set("type", "constant");
  to.set("value", x.what);
}

object named(std::string_view type) {
  return {{"type", type}};
}

/// The configuration by the names of the space, whether these are dotted or not.
object flat(const object& config, const search_space& space) {
  object result;
  for (const auto& x : space.parameters()) {
    if (const auto* given = find_parameter(config, x.name))
      result.set(x.name, *given);
  }
  return result;
}

std::string_view status_of(outcome x) {
  switch (x) {
    case outcome::completed:
      return "finished";
    case outcome::stopped:
      return "stopped";
    case outcome::failed:
      return "failed";
    case outcome::lost:
      return "lost";
    case outcome::removed:
      return "removed";
    case outcome::running:
      break;
  }
  return "running";
}

/// NaN becomes null; infinite numbers become the texts "inf" and "-inf".
value number_or_null(double x) {
  return std::isnan(x) ? value{} : value{x};
}

/// Adds the results of an ended or reporting trial.
void add_report(object& to, const episode& what, const std::vector<searched_metric>& metrics) {
  if (what.values.empty())
    return;
  to.set("iteration", static_cast<std::int64_t>(what.iteration));
  object numbers;
  for (std::size_t i = 0; i < what.values.size() && i < metrics.size(); ++i)
    numbers.set(metrics[i].name,
                number_or_null(metrics[i].maximise ? what.values[i] : -what.values[i]));
  to.set("metrics", std::move(numbers));
  if (what.constraints.empty())
    return;
  value::list missed;
  for (auto x : what.constraints)
    missed.push_back(number_or_null(x));
  to.set("violations", std::move(missed));
}

std::string_view type_of(episode::kind x) {
  switch (x) {
    case episode::kind::added:
      return "added";
    case episode::kind::reported:
      return "result";
    case episode::kind::completed:
      return "complete";
    default:
      return "suggested";
  }
}

object with_id(object to, std::uint64_t id) {
  to.set("id", static_cast<std::int64_t>(id));
  return to;
}

} // namespace

value::list description_of(const search_space& space) {
  value::list result;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const auto& x = space.parameters()[i];
    object made{{"name", x.name}};
    std::visit([&](const auto& in) { describe(made, in); }, space.widest(i));
    if (const auto* depends = std::get_if<dependent_range>(&x.what))
      describe(made, *depends);
    if (x.active_if)
      made.set("if", x.active_if->tree());
    auto text = to_text(x.what);
    made.set("text", x.active_if ? text + " if " + x.active_if->text() : text);
    result.emplace_back(std::move(made));
  }
  return result;
}

object begin_message(const searcher_context& about, const object& options) {
  auto result = named("begin");
  result.set("tune", protocol_version);
  result.set("seed", static_cast<std::int64_t>(about.seed & 0x7fffffffffffffffU));
  result.set("samples", about.samples == 0 ? value{} : static_cast<std::int64_t>(about.samples));
  value::list metrics;
  for (const auto& x : about.metrics)
    metrics.emplace_back(object{{"name", x.name}, {"mode", x.maximise ? "max" : "min"}});
  result.set("metrics", std::move(metrics));
  result.set("constraints",
             value::list{about.constraint_texts.begin(), about.constraint_texts.end()});
  result.set("space", description_of(*about.space));
  result.set("options", options);
  return result;
}

object suggest_message(std::uint64_t id) {
  return with_id(named("suggest"), id);
}

object refused_message(std::uint64_t id, const std::string& why) {
  auto result = with_id(named("refused"), id);
  result.set("error", why);
  return result;
}

object end_message() {
  return named("end");
}

object message_of(const episode& what, const search_space& space,
                  const std::vector<searched_metric>& metrics) {
  auto result = named(type_of(what.what));
  switch (what.what) {
    case episode::kind::waited:
    case episode::kind::ended_search:
      result = with_id(std::move(result), what.ask);
      result.set(what.what == episode::kind::waited ? "wait" : "none", true);
      return result;
    case episode::kind::suggested:
      result = with_id(std::move(result), what.ask);
      break;
    default:
      break;
  }
  result.set("trial", static_cast<std::int64_t>(what.trial.number));
  if (what.config != nullptr)
    result.set("config", flat(*what.config, space));
  if (!what.from.empty())
    result.set("from", what.from);
  if (what.what == episode::kind::completed)
    result.set("status", status_of(what.how));
  add_report(result, what, metrics);
  return result;
}

} // namespace tune::external
