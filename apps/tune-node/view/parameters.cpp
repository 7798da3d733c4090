// SPDX-License-Identifier: BSD-3-Clause
#include "view/parameters.hpp"

#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"

#include <utility>

namespace tune::cli {

namespace {

class domain_describer {
public:
  explicit domain_describer(object& to) : to_{to} {}

  void operator()(const float_range& x) { range("float", x.low, x.high, x.log, x.step); }
  void operator()(const int_range& x) {
    // The upper bound is excluded unless there are steps.
    range("int", x.low, x.step > 1 ? x.high : x.high - 1, x.log, x.step);
  }
  void operator()(const normal_range& x) {
    to_.set("kind", "normal");
    to_.set("mean", x.mean);
    to_.set("sd", x.sd);
    to_.set("quantum", x.step);
  }
  void operator()(const choice_of& x) { list(x.ordered ? "ordinal" : "choice", x.options); }
  void operator()(const grid_of& x) { list("grid", x.options); }
  void operator()(const permutation_of& x) { list("permutation", x.items); }
  void operator()(const subset_of& x) { list("subset", x.items); }
  void operator()(const constant& x) { list("constant", {x.what}); }
  void operator()(const dependent_range& x) {
    to_.set("kind", "dependent");
    to_.set("log", x.log);
  }

private:
  object& to_;

  template <class Number>
  void range(const char* kind, Number low, Number high, bool log, Number step) {
    to_.set("kind", kind);
    to_.set("low", low);
    to_.set("high", high);
    to_.set("log", log);
    to_.set("quantum", step);
  }
  void list(const char* kind, const value::list& values) {
    to_.set("kind", kind);
    to_.set("values", values);
  }
};

} // namespace

object domain_object(const domain& what) {
  object result;
  std::visit(domain_describer{result}, what);
  result.set("text", to_text(what));
  return result;
}

value parameters_value(const spec& what) {
  auto space = search_space::parse(space_lines(what));
  value::list result;
  if (!space)
    return result;
  for (std::size_t i = 0; i < space->parameters().size(); ++i) {
    const auto& x = space->parameters()[i];
    auto shape = domain_object(space->is_dependent(i) ? space->widest(i) : x.what);
    shape.set("text", to_text(x.what));
    result.emplace_back(object{
        {"name", x.name}, {"domain", std::move(shape)}, {"conditional", x.active_if.has_value()}});
  }
  return result;
}

value shown_spec(spec what) {
  for (auto& x : what.trainable.env)
    x.text = "(not shown)";
  auto whole = object_from_json(to_json(what));
  return whole ? value{std::move(*whole)} : value{};
}

} // namespace tune::cli
