// SPDX-License-Identifier: BSD-3-Clause
#include "view/parameters.hpp"

#include "tune/core/secret_name.hpp"
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

std::vector<std::string> parameter_names_in(const value& parameters) {
  std::vector<std::string> result;
  const auto* all = parameters.as_list();
  for (const auto& x : all == nullptr ? value::list{} : *all) {
    if (const auto* name = x.as_object()->find("name"))
      result.push_back(to_text(*name));
  }
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

namespace {

value without_secrets(const value& x);

/// The same without what has the name of a secret: members, and options, which are pairs of name
/// and text.
object without_secrets(const object& x) {
  object result;
  for (const auto& [key, each] : x) {
    const auto is_plain = each.as_object() == nullptr && each.as_list() == nullptr;
    result.set(key,
               is_plain && names_a_secret(key) ? value{secret_not_shown} : without_secrets(each));
  }
  return result;
}

bool is_secret_option(const value::list& x) {
  return x.size() == 2 && x[0].as_string() != nullptr && x[1].as_string() != nullptr
         && names_a_secret(*x[0].as_string());
}

value without_secrets(const value& x) {
  if (const auto* inner = x.as_object())
    return without_secrets(*inner);
  const auto* list = x.as_list();
  if (list == nullptr)
    return x.as_string() != nullptr ? value{tune::without_secrets(*x.as_string())} : x;
  if (is_secret_option(*list))
    return value::list{list->front(), secret_not_shown};
  value::list result;
  for (const auto& each : *list)
    result.push_back(without_secrets(each));
  return result;
}

} // namespace

value shown_spec(spec what) {
  for (auto& x : what.trainable.env)
    x.text = secret_not_shown;
  auto whole = object_from_json(to_json(what));
  if (!whole)
    return {};
  return without_secrets(*whole);
}

} // namespace tune::cli
