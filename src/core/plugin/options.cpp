// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

namespace tune {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string shown_in_quotes(std::string_view x) {
  constexpr std::size_t shown = 60;
  if (x.size() > shown)
    return '"' + std::string{x.substr(0, shown)} + "…\"";
  return '"' + std::string{x} + '"';
}

std::string joined(const std::vector<std::string>& xs) {
  std::string result;
  for (const auto& x : xs)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

/// A bound as users write it: durations carry their unit, whole numbers no ".0".
std::string bound_text(const option_spec& spec, double x) {
  char buffer[32];
  // Common magnitudes are written out: 1000000, not 1e+06.
  constexpr double shortest_as_power = 1e15;
  const auto form = std::abs(x) >= 1 && std::abs(x) < shortest_as_power
                        ? std::chars_format::fixed
                        : std::chars_format::general;
  auto end = std::to_chars(buffer, buffer + sizeof buffer, x, form).ptr;
  std::string result{buffer, end};
  if (spec.kind == option_kind::duration && x != 0)
    result += 's';
  return result;
}

bool in_range(const option_spec& spec, double x) {
  return (spec.open_low ? x > spec.least : x >= spec.least) && x <= spec.most;
}

std::optional<bool> parse_boolean(std::string_view text) {
  for (auto yes : {"true", "yes", "on", "1"}) {
    if (text == yes)
      return true;
  }
  for (auto no : {"false", "no", "off", "0"}) {
    if (text == no)
      return false;
  }
  return std::nullopt;
}

expected<double> parse_real(const option_spec& spec, std::string_view text) {
  return spec.kind == option_kind::duration ? parse_seconds(text) : parse_number(text);
}

/// Infinity is legal only where the default is infinite, a NaN nowhere.
bool may_be(const option_spec& spec, double x) {
  if (std::isfinite(x))
    return in_range(spec, x);
  if (std::isnan(x) || spec.fallback.empty())
    return false;
  auto usual = parse_real(spec, spec.fallback);
  return usual && std::isinf(*usual) && in_range(spec, x);
}

error refusal(const option_spec& spec, std::string_view text, const std::string& wanted) {
  return {ec::bad_option,
          spec.name + " = " + std::string{text.substr(0, 60)} + ": must be " + wanted};
}

std::string_view kind_text(option_kind x) {
  switch (x) {
    case option_kind::integer:
      return "whole number";
    case option_kind::duration:
      return "duration";
    default:
      return "number";
  }
}

/// Results: "a whole number", "a finite number > 1", "a duration > 0s, such as 90, 500ms, 10m,
/// 1.5h".
std::string kind_and_range(const option_spec& spec, std::string_view article) {
  auto result = std::string{article} + " " + std::string{kind_text(spec.kind)};
  auto range = range_text(spec);
  if (!range.empty())
    result += (spec.least == -infinity || spec.most == infinity ? " " : ", ") + range;
  if (spec.kind == option_kind::duration)
    result += (range.empty() ? " such as " : ", such as ") + std::string{"90, 500ms, 10m, 1.5h"};
  return result;
}

/// Names what is wrong with a number: its kind, that it is infinite, or its range.
/// @param read Number that was read; NaN if the text is none at all.
error number_refusal(const option_spec& spec, std::string_view text, double read) {
  if (std::isnan(read))
    return refusal(spec, text, kind_and_range(spec, "a"));
  if (in_range(spec, read))
    return refusal(spec, text, kind_and_range(spec, "a finite"));
  return refusal(spec, text, range_text(spec));
}

expected<value> check(const option_spec& spec, const std::string& text) {
  switch (spec.kind) {
    case option_kind::integer: {
      auto x = parse_integer(text);
      if (!x || !in_range(spec, static_cast<double>(*x)))
        return number_refusal(spec, text, x ? static_cast<double>(*x) : nan);
      return value{*x};
    }
    case option_kind::number:
    case option_kind::duration: {
      auto x = parse_real(spec, text);
      if (!x || !may_be(spec, *x))
        return number_refusal(spec, text, x ? *x : nan);
      return value{*x};
    }
    case option_kind::boolean:
      if (auto x = parse_boolean(text))
        return value{*x};
      return refusal(spec, text, "true or false");
    case option_kind::text:
      break;
  }
  const auto& legal = spec.choices;
  if (!legal.empty() && std::find(legal.begin(), legal.end(), text) == legal.end()) {
    auto result = refusal(spec, text, range_text(spec));
    if (auto near = nearest_name(text, legal); !near.empty())
      result.detail += "; did you mean " + shown_in_quotes(near) + '?';
    return result;
  }
  // An option with a default must not be empty: the empty text is no name of a metric, for
  // instance.
  if (text.empty() && !spec.fallback.empty())
    return error{ec::bad_option, spec.name + " = : must not be empty"};
  return value{text};
}

error unknown_option(std::string_view name, const std::vector<option_spec>& known) {
  std::vector<std::string> names;
  for (const auto& x : known)
    names.push_back(x.name);
  std::string detail = shown_in_quotes(name) + " is not a known option";
  if (auto near = nearest_name(name, names); !near.empty())
    detail += "; did you mean " + shown_in_quotes(near) + '?';
  else if (names.empty())
    detail += "; there are none";
  else
    detail += "; known: " + joined(names);
  return {ec::unknown_name, std::move(detail)};
}

const value& at(const std::map<std::string, value, std::less<>>& values, std::string_view name) {
  static const value none;
  auto i = values.find(name);
  assert(i != values.end() && "option neither declared with a default nor tested with has()");
  return i == values.end() ? none : i->second;
}

char folded(char c) {
  if (c >= 'A' && c <= 'Z')
    return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

/// Edit distance with neighbouring letters swapped as one edit; letter case and '-' for '_' are
/// free. @source Damerau 1964, restricted ("optimal string alignment").
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto same = folded(a[i - 1]) == folded(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2])
          && folded(a[i - 2]) == folded(b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

struct unit_of_time {
  std::string_view name;
  double times;
  double per;
};

const unit_of_time* find_unit(std::string_view name) {
  static constexpr unit_of_time units[] = {
      {"ms", 1, 1000}, {"s", 1, 1}, {"m", 60, 1}, {"min", 60, 1}, {"h", 3600, 1}, {"d", 86400, 1},
  };
  auto i = std::find_if(std::begin(units), std::end(units),
                        [&](const unit_of_time& x) { return x.name == name; });
  return i == std::end(units) ? nullptr : i;
}

error not_a(std::string_view text, std::string_view what) {
  return {ec::bad_syntax, shown_in_quotes(text) + " is not " + std::string{what}};
}

} // namespace

std::string range_text(const option_spec& x) {
  if (!x.choices.empty())
    return "one of: " + joined(x.choices);
  if (x.kind == option_kind::boolean)
    return "true or false";
  auto low = bound_text(x, x.least);
  auto high = bound_text(x, x.most);
  if (x.least == -infinity)
    return x.most == infinity ? "" : "<= " + high;
  if (x.most == infinity)
    return (x.open_low ? "> " : ">= ") + low;
  return x.open_low ? "> " + low + " and <= " + high : low + " to " + high;
}

expected<options> options::parse(const std::vector<option_spec>& known,
                                 const std::map<std::string, std::string>& written) {
  for (const auto& [name, text] : written) {
    auto same = [&wanted = name](const option_spec& x) { return x.name == wanted; };
    if (std::none_of(known.begin(), known.end(), same))
      return unknown_option(name, known);
  }
  options result;
  for (const auto& spec : known) {
    auto i = written.find(spec.name);
    if (i == written.end() && spec.fallback.empty())
      continue;
    auto what = check(spec, i == written.end() ? spec.fallback : i->second);
    if (!what)
      return what.error();
    result.values_.insert_or_assign(spec.name, std::move(*what));
  }
  return result;
}

std::int64_t options::integer(std::string_view name) const {
  const auto* x = at(values_, name).as_int();
  assert(x && "not an integer option");
  return x ? *x : 0;
}

double options::number(std::string_view name) const {
  return at(values_, name).number().value_or(0);
}

bool options::boolean(std::string_view name) const {
  const auto* x = at(values_, name).as_bool();
  assert(x && "not a boolean option");
  return x && *x;
}

const std::string& options::text(std::string_view name) const {
  static const std::string none;
  const auto* x = at(values_, name).as_string();
  assert(x && "not a text option");
  return x ? *x : none;
}

double options::seconds(std::string_view name) const {
  return number(name);
}

bool options::has(std::string_view name) const {
  return values_.find(name) != values_.end();
}

namespace {

/// The only known name that begins with `wrong`, if that is long enough; empty if there is none or
/// several.
std::string continued(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr std::size_t telling = 3;
  auto goes_on = [&](const std::string& x) {
    return x.size() > wrong.size()
           && std::equal(wrong.begin(), wrong.end(), x.begin(),
                         [](char a, char b) { return folded(a) == folded(b); });
  };
  if (wrong.size() < telling || std::count_if(known.begin(), known.end(), goes_on) != 1)
    return {};
  return *std::find_if(known.begin(), known.end(), goes_on);
}

} // namespace

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  // The time grows with the product of both lengths, and names so long are not misspellings.
  constexpr std::size_t longest = 200;
  if (wrong.size() > longest)
    return {};
  const std::string* best = nullptr;
  std::size_t least = 0;
  for (const auto& x : known) {
    auto limit = x.size() < 2 ? 0 : std::max<std::size_t>(1, (x.size() + 1) / 3);
    auto gap = std::max(x.size(), wrong.size()) - std::min(x.size(), wrong.size());
    if (gap > limit)
      continue;
    auto d = distance(wrong, x);
    if (d <= limit && (best == nullptr || d < least)) {
      best = &x;
      least = d;
    }
  }
  return best == nullptr ? continued(wrong, known) : *best;
}

expected<std::int64_t> parse_integer(std::string_view text) {
  auto digits = text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
  std::int64_t result = 0;
  auto [end, why] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (why == std::errc::invalid_argument || end != digits.data() + digits.size())
    return not_a(text, "a whole number");
  if (why == std::errc::result_out_of_range)
    return error{ec::bad_syntax, shown_in_quotes(text) + " does not fit a 64-bit integer"};
  return result;
}

expected<double> parse_number(std::string_view text) {
  auto digits = text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
  double result = 0;
  auto [end, why] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (why == std::errc::invalid_argument || end != digits.data() + digits.size())
    return not_a(text, "a number");
  if (why == std::errc::result_out_of_range)
    return error{ec::bad_syntax, shown_in_quotes(text) + " is too large or too small for a number"};
  return result;
}

expected<double> parse_seconds(std::string_view text) {
  constexpr std::string_view what = "a duration such as 90, 500ms, 10m, 1h30m, 2d";
  if (auto plain = parse_number(text)) {
    if (!(*plain >= 0))
      return error{ec::bad_syntax, shown_in_quotes(text) + ": a duration must be >= 0"};
    return *plain;
  }
  double sum = 0;
  auto before = std::numeric_limits<double>::infinity();
  auto rest = text;
  do {
    auto digits = std::min(rest.find_first_not_of("0123456789.+"), rest.size());
    auto unit = std::min(rest.find_first_of("0123456789.+", digits), rest.size());
    auto amount = parse_number(rest.substr(0, digits));
    const auto* scale = find_unit(rest.substr(digits, unit - digits));
    if (!amount || scale == nullptr)
      return not_a(text, what);
    // Each unit occurs once, larger ones first: "1h1h" is a mistake.
    auto size = scale->times / scale->per;
    if (size >= before)
      return not_a(text, what);
    before = size;
    sum += *amount * size;
    rest.remove_prefix(unit);
  } while (!rest.empty());
  return sum;
}

} // namespace tune
