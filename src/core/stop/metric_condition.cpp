// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/metric_condition.hpp"

#include "tune/core/name.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tune {

namespace {

using op = metric_comparison::op;

/// Symbols in the order of the enumeration; the longest match counts.
constexpr std::array<std::string_view, 6> symbols{">=", ">", "<=", "<", "==", "!="};

bool is_equality(op x) {
  return x == op::equal || x == op::unequal;
}

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view operator_characters = "<>=!";

/// Reads a condition from left to right.
class reader {
public:
  /// @param ends Characters that end a number, besides blanks.
  explicit reader(std::string_view text, std::string_view ends = {})
      : text_{text}, number_ends_{std::string{blanks} + std::string{ends}} {}

  expected<std::vector<metric_comparison>> list() {
    std::vector<metric_comparison> result;
    skip_blanks();
    while (position_ < text_.size() || !result.empty()) {
      auto one = comparison();
      if (!one)
        return one.error();
      result.push_back(std::move(*one));
      skip_blanks();
      if (position_ == text_.size())
        break;
      if (text_[position_] != ',')
        return wrong(position_, "a comma");
      ++position_;
    }
    return result;
  }

  expected<std::vector<std::vector<metric_comparison>>> run() {
    std::vector<std::vector<metric_comparison>> result(1);
    while (true) {
      auto one = comparison();
      if (!one)
        return one.error();
      result.back().push_back(std::move(*one));
      skip_blanks();
      if (position_ == text_.size())
        return result;
      auto start = position_;
      auto joint = word(blanks);
      if (joint == "or")
        result.emplace_back();
      else if (joint != "and")
        return wrong(start, "\"and\" or \"or\"");
    }
  }

private:
  std::string_view text_;
  std::string number_ends_;
  std::size_t position_ = 0;

  void skip_blanks() {
    position_ = std::min(text_.find_first_not_of(blanks, position_), text_.size());
  }

  std::string_view word(std::string_view end_at) {
    auto end = std::min(text_.find_first_of(end_at, position_), text_.size());
    auto result = text_.substr(position_, end - position_);
    position_ = end;
    return result;
  }

  error wrong(std::size_t at, std::string_view wanted) const {
    auto found = text_.substr(at, 30);
    return {ec::bad_syntax, "column " + std::to_string(at + 1) + ": expected " + std::string{wanted}
                                + ", found "
                                + (found.empty() ? std::string{"the end"} : in_quotes(found))};
  }

  expected<std::string> name() {
    skip_blanks();
    auto start = position_;
    auto result = bare_or_quoted_name();
    if (!result)
      return result;
    if (auto why = why_no_name(*result); !why.empty())
      return error{ec::bad_option, "column " + std::to_string(start + 1) + ": " + why};
    return result;
  }

  expected<std::string> bare_or_quoted_name() {
    auto start = position_;
    if (start < text_.size() && text_[start] == '"') {
      auto end = text_.find('"', start + 1);
      if (end == std::string_view::npos)
        return wrong(start, "a closing quote");
      position_ = end + 1;
      return std::string{text_.substr(start + 1, end - start - 1)};
    }
    auto result = word(std::string{blanks} + std::string{operator_characters});
    if (result.empty() || result == "and" || result == "or" || result.front() == '(')
      return wrong(start, "the name of a metric");
    return std::string{result};
  }

  expected<op> comparator() {
    skip_blanks();
    for (auto length : {2u, 1u}) {
      auto here = text_.substr(position_, length);
      auto i = std::find(symbols.begin(), symbols.end(), here);
      if (here.size() == length && i != symbols.end()) {
        position_ += length;
        return static_cast<op>(i - symbols.begin());
      }
    }
    return wrong(position_, ">=, >, <=, <, == or !=");
  }

  expected<metric_comparison> comparison() {
    auto metric = name();
    if (!metric)
      return metric.error();
    auto how = comparator();
    if (!how)
      return how.error();
    skip_blanks();
    auto start = position_;
    auto text = word(number_ends_);
    if (is_equality(*how) && (text == "nan" || text == "NaN"))
      return metric_comparison{std::move(*metric), *how, std::numeric_limits<double>::quiet_NaN()};
    auto limit = parse_limit(*metric, text);
    if (!limit)
      return wrong(start, metric->ends_with("_s") ? "a number or a duration" : "a number");
    return metric_comparison{std::move(*metric), *how, *limit};
  }
};

} // namespace

expected<double> parse_limit(std::string_view metric, std::string_view text) {
  auto result = parse_number(text);
  if (!result && metric.ends_with("_s"))
    result = parse_seconds(text);
  if (!result || std::isnan(*result))
    return error{ec::bad_syntax, in_quotes(text) + " is not a number"};
  return result;
}

std::string to_text(const metric_comparison& x) {
  auto needs_quotes = x.metric.find_first_of(std::string{blanks} + std::string{operator_characters})
                          != std::string::npos
                      || x.metric.starts_with('(') || x.metric == "and" || x.metric == "or";
  return (needs_quotes ? in_quotes(x.metric) : x.metric) + " "
         + std::string{symbols[static_cast<std::size_t>(x.how)]} + " " + to_text(value{x.limit});
}

expected<std::vector<metric_comparison>> parse_comparisons(std::string_view text) {
  return reader{text, ","}.list();
}

bool metric_comparison::holds(const report& from) const {
  auto x = metric_number(from, metric);
  if (!x)
    return false;
  if (std::isnan(limit))
    return is_equality(how) && std::isnan(*x) == (how == op::equal);
  if (std::isnan(*x))
    return false;
  switch (how) {
    case op::at_least:
      return *x >= limit;
    case op::more:
      return *x > limit;
    case op::at_most:
      return *x <= limit;
    case op::less:
      return *x < limit;
    case op::equal:
      return *x == limit;
    case op::unequal:
      return *x != limit;
  }
  return false;
}

expected<metric_condition> metric_condition::parse(std::string_view text) {
  auto result = reader{text}.run();
  if (!result)
    return result.error();
  return metric_condition{std::move(*result)};
}

std::optional<std::string> metric_condition::met_by(const report& from) const {
  auto holds = [&](const metric_comparison& x) { return x.holds(from); };
  auto met = std::find_if(any_of_.begin(), any_of_.end(), [&](const conjunction& all) {
    return std::all_of(all.begin(), all.end(), holds);
  });
  if (met == any_of_.end())
    return std::nullopt;
  std::string result;
  for (const auto& x : *met) {
    result += (result.empty() ? "" : " and ") + x.metric + " " + to_text(metric(from, x.metric))
              + " " + std::string{symbols[static_cast<std::size_t>(x.how)]} + " "
              + to_text(value{x.limit});
  }
  return result;
}

std::vector<std::string> metric_condition::metrics() const {
  std::vector<std::string> result;
  for (const auto& all : any_of_) {
    for (const auto& x : all)
      result.push_back(x.metric);
  }
  return result;
}

} // namespace tune
