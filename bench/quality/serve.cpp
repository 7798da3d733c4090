// SPDX-License-Identifier: BSD-3-Clause
#include "quality/serve.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

namespace tune::quality {

namespace {

/// A condition on a parent with more values than this does not list them.
constexpr std::size_t most_values = 1000;

/// Description of a domain for a peer.
struct description {
  object operator()(const float_range& x) const {
    return {{"kind", "float"}, {"low", x.low}, {"high", x.high}, {"log", x.log}, {"step", x.step}};
  }
  object operator()(const int_range& x) const {
    auto step = std::max<std::int64_t>(x.step, 1);
    return {{"kind", "int"},
            {"low", x.low},
            {"high", x.step > 1 ? x.high : x.high - 1},
            {"log", x.log},
            {"step", step}};
  }
  object operator()(const choice_of& x) const {
    return {{"kind", "choice"}, {"options", x.options}};
  }
  template <class T>
  object operator()(const T&) const {
    return {{"kind", "none"}};
  }
};

/// The values of its only parent at which a parameter is active.
object when(const search_space& space, std::size_t p) {
  const auto& parent = space.parameters()[space.parents(p).front()];
  value::list result;
  auto all = all_values(parent.what, most_values).value_or(value::list{});
  for (const auto& x : all) {
    const value* read[] = {&x};
    if (space.parameters()[p].active_if->decide(read).value_or(false))
      result.push_back(x);
  }
  return {{parent.name, std::move(result)}};
}

object describe(const problem& what) {
  auto by = scale_of(what);
  return {{"name", what.name},
          {"noise", what.noise},
          {"conditional", what.conditional},
          {"optimum", by.optimum},
          {"ten_draws", by.ten_draws},
          {"parameters", parameters_of(*what.space)}};
}

object refusal(std::string why) {
  return {{"error", std::move(why)}};
}

object evaluate(const std::vector<problem>& all, const object& asked) {
  const auto* name = asked.find("problem");
  const auto* params = asked.find("params");
  if (name == nullptr || name->as_string() == nullptr || params == nullptr
      || params->as_object() == nullptr)
    return refusal("neither {\"op\": \"list\"} nor {\"problem\": \"…\", \"params\": {…}}");
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const problem& x) { return x.name == *name->as_string(); });
  if (found == all.end())
    return refusal("no problem " + *name->as_string());
  auto config = fitted(*found->space, *params->as_object());
  if (auto why = found->space->reject(config, false))
    return refusal(why->detail);
  auto y = found->f(config);
  object result;
  result.set("value", {});
  if (!std::isnan(y))
    result.set("value", y);
  return result;
}

} // namespace

value parameters_of(const search_space& space) {
  value::list result;
  for (auto p : space.order()) {
    const auto& x = space.parameters()[p];
    auto shown = std::visit(description{}, x.what);
    shown.set("name", x.name);
    if (x.active_if)
      shown.set("when", when(space, p));
    result.emplace_back(std::move(shown));
  }
  return value{std::move(result)};
}

object fitted(const search_space& space, object config) {
  for (const auto& x : space.parameters()) {
    const auto* range = std::get_if<float_range>(&x.what);
    auto* given = config.find(x.name);
    if (range != nullptr && given != nullptr && range->step == 0 && given->number() == range->high)
      *given = std::nextafter(range->high, range->low);
  }
  return config;
}

int serve(const std::vector<problem>& all, std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    auto asked = object_from_json(line);
    if (!asked) {
      out << to_json(refusal(asked.error().detail)) << std::endl;
      continue;
    }
    const auto* op = asked->find("op");
    if (op != nullptr && *op == value{"list"}) {
      value::list list;
      for (const auto& x : all)
        list.emplace_back(describe(x));
      out << to_json(value{std::move(list)}) << std::endl;
    } else {
      out << to_json(evaluate(all, *asked)) << std::endl;
    }
  }
  return 0;
}

} // namespace tune::quality
