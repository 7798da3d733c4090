// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/needed_metric.hpp"

#include "tune/core/plugin/options.hpp"

#include <algorithm>
#include <cctype>

namespace tune {

namespace {

constexpr std::size_t most_named = 5;
constexpr std::size_t longest_value = 40;

std::string shortened_value(const std::string& text) {
  return text.size() <= longest_value ? text : text.substr(0, longest_value) + "...";
}

/// Paths of all metrics, as `find_path` takes them.
void add_names(std::vector<std::string>& to, const object& from, const std::string& prefix) {
  for (const auto& [name, what] : from) {
    if (const auto* nested = what.as_object())
      add_names(to, *nested, prefix + name + "/");
    else
      to.push_back(prefix + name);
  }
}

/// Text such as "; did you mean "loss"?" or "; it has: loss, accuracy".
std::string advice(const std::string& wrong, const report& from) {
  std::vector<std::string> names;
  if (from.metrics != nullptr)
    add_names(names, *from.metrics, "");
  if (auto near = nearest_name(wrong, names); !near.empty())
    return "; did you mean \"" + near + "\"?";
  if (names.empty())
    return "; it has none at all.";
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
    result += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most_named)
    result += " and " + std::to_string(names.size() - most_named) + " more";
  return "; it has: " + result + ".";
}

/// Hint for spellings of numbers that JSON lacks: how to write them so that they are read as
/// numbers.
std::string advice_for_text(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto sign = text.starts_with('-') ? std::string{"-"} : std::string{};
  if (text.starts_with('-') || text.starts_with('+'))
    text.erase(0, 1);
  if (text == "nan")
    return "; as a number it is written \"nan\"";
  if (text == "inf" || text == "infinity")
    return "; as a number it is written \"" + sign + "inf\"";
  return {};
}

/// Whether the report names the metric, be it with null.
bool is_there(const std::string& metric, const report& from) {
  return from.metrics && (from.metrics->find(metric) || find_path(*from.metrics, metric));
}

} // namespace

std::string shown_as_written(const value& what) {
  const auto* text = what.as_string();
  if (text == nullptr)
    return shortened_value(to_text(what));
  return "the text \"" + shortened_value(*text) + "\"" + advice_for_text(*text);
}

std::vector<std::string> missing_metrics(const std::vector<needed_metric>& needed,
                                         const report& from) {
  std::vector<std::string> result;
  for (const auto& x : needed) {
    if (metric_number(from, x.metric))
      continue;
    auto found = metric(from, x.metric);
    auto line
        = x.key + ": "
          + (found.is_null() && !is_there(x.metric, from)
                 ? "the first report has no metric \"" + x.metric + "\"" + advice(x.metric, from)
                 : "\"" + x.metric + "\" is no number in the first report, but "
                       + shown_as_written(found) + ".")
          + " As long as that is so, " + x.without + ".";
    if (std::find(result.begin(), result.end(), line) == result.end())
      result.push_back(std::move(line));
  }
  return result;
}

} // namespace tune
