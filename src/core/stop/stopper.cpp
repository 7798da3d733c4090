// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/stopper.hpp"

#include "tune/core/name.hpp"
#include "tune/core/plugin/make_part.hpp"
#include "tune/core/plugin/option_line.hpp"
#include "tune/core/stop/metric_condition.hpp"
#include "tune/core/stop/plateau.hpp"
#include "tune/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace tune {

namespace {

using made_stopper = expected<std::unique_ptr<stopper>>;

/// Ends a trial, or all, when a report meets a condition. Stateless.
class condition_stopper final : public stopper {
public:
  /// @param key The line of `[stop]` that it implements.
  condition_stopper(std::string key, metric_condition condition, stop_verdict::reach scope)
      : key_{std::move(key)}, condition_{std::move(condition)}, scope_{scope} {}

  std::optional<stop_verdict> see(const report& what) override {
    auto why = condition_.met_by(what);
    if (!why)
      return std::nullopt;
    return stop_verdict{scope_, std::move(*why)};
  }
  void forget(trial_id) override {}
  [[nodiscard]] std::vector<needed_metric> needs() const override {
    std::vector<needed_metric> result;
    for (auto& metric : condition_.metrics())
      result.push_back({"[stop] " + key_, std::move(metric), "no condition on it is ever met"});
    return result;
  }
  void describe(fingerprint&) const override {}

private:
  std::string key_;
  metric_condition condition_;
  stop_verdict::reach scope_;
};

error bad_option(std::string what) {
  return {ec::bad_option, std::move(what)};
}

made_stopper make_condition(const stop_line& line, stop_verdict::reach scope) {
  auto condition = metric_condition::parse(line.text);
  if (!condition)
    return condition.error();
  return {std::make_unique<condition_stopper>(line.key, std::move(*condition), scope)};
}

made_stopper make_threshold(const std::string& metric, const std::string& text) {
  auto limit = parse_limit(metric, text);
  if (!limit) {
    auto kind = metric.ends_with("_s") ? " is not a number or a duration" : " is not a number";
    return error{ec::bad_syntax,
                 in_quotes(text) + kind + "; a trial stops at " + metric
                     + " >= this number, for other comparisons write when = " + metric + " <= 0.1"};
  }
  if (metric == "training_iteration" && *limit < 1)
    return bad_option(text + ": must be >= 1");
  metric_condition condition{{metric, metric_comparison::op::at_least, *limit}};
  return {std::make_unique<condition_stopper>(metric, std::move(condition),
                                              stop_verdict::reach::trial)};
}

/// A plateau's metric, which may stand in double quotes, and the words after it: names, most of
/// them followed by a value.
class word_reader {
public:
  explicit word_reader(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    auto i = text.find_first_not_of(blanks);
    if (i != std::string_view::npos && text[i] == '"') {
      const auto end = text.find('"', i + 1);
      is_open_ = end == std::string_view::npos;
      words_.emplace_back(text.substr(i + 1, is_open_ ? end : end - i - 1));
      i = is_open_ ? end : end + 1;
    }
    for (i = text.find_first_not_of(blanks, i); i != std::string_view::npos;
         i = text.find_first_not_of(blanks, i)) {
      auto end = std::min(text.find_first_of(blanks, i), text.size());
      words_.emplace_back(text.substr(i, end - i));
      i = end;
    }
  }

  [[nodiscard]] bool at_end() const { return next_ == words_.size(); }
  /// Returns the next word; empty at the end.
  std::string next() { return at_end() ? std::string{} : words_[next_++]; }

  expected<std::string> metric(std::string_view legal) {
    auto result = next();
    if (is_open_)
      return error{ec::bad_syntax, "expected a closing quote after \"" + result};
    if (result.empty())
      return error{ec::bad_syntax, "expected the name of a metric, then " + std::string{legal}};
    if (auto why = why_no_name(result); !why.empty())
      return bad_option(why);
    return result;
  }

  /// Notes that `name` was read. @errors if it was read before.
  expected<void> once(const std::string& name) {
    if (!read_.insert(name).second)
      return bad_option(name + " is given twice");
    return {};
  }

  expected<void> whole(const std::string& name, std::int64_t least, std::uint64_t& to) {
    auto text = next();
    auto x = parse_integer(text);
    if (!x || *x < least)
      return bad_option(name + " must be a whole number >= " + std::to_string(least) + ", not "
                        + in_quotes(text));
    to = static_cast<std::uint64_t>(*x);
    return {};
  }

  expected<void> positive(const std::string& name, double& to) {
    auto text = next();
    auto x = parse_number(text);
    if (!x || !std::isfinite(*x) || *x <= 0)
      return bad_option(name + " must be a number > 0, not " + in_quotes(text));
    to = *x;
    return {};
  }

private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  /// The quote before the metric is not closed.
  bool is_open_ = false;
  std::set<std::string> read_;
};

error unknown_word(const std::string& word, const std::vector<std::string>& legal) {
  auto result = in_quotes(word) + " is not known here; after the metric may follow: ";
  for (const auto& x : legal)
    result += (&x == &legal.front() ? "" : ", ") + x;
  if (auto near = nearest_name(word, legal); !near.empty())
    result += "; did you mean " + in_quotes(near) + "?";
  return {ec::bad_syntax, std::move(result)};
}

expected<void> read_threshold(word_reader& words, trial_plateau_settings& to) {
  auto text = words.next();
  auto x = parse_number(text);
  if (!x || std::isnan(*x))
    return bad_option("threshold must be a number, not " + in_quotes(text));
  to.threshold = *x;
  auto mode = words.next();
  if (mode != "min" && mode != "max")
    return bad_option("after threshold " + text + " must follow min or max, not "
                      + in_quotes(mode));
  to.maximise = mode == "max";
  return {};
}

made_stopper make_trial_plateau(const std::string& text) {
  static const std::vector<std::string> legal{"std", "window", "grace", "threshold"};
  word_reader words{text};
  trial_plateau_settings result;
  auto metric = words.metric("[std 0.01] [window 4] [grace 4] [threshold X min|max]");
  if (!metric)
    return metric.error();
  result.metric = std::move(*metric);
  while (!words.at_end()) {
    auto word = words.next();
    auto done = words.once(word);
    if (!done)
      return done.error();
    if (word == "std")
      done = words.positive(word, result.std);
    else if (word == "window")
      done = words.whole(word, 2, result.window);
    else if (word == "grace")
      done = words.whole(word, 0, result.grace);
    else if (word == "threshold")
      done = read_threshold(words, result);
    else
      return unknown_word(word, legal);
    if (!done)
      return done.error();
  }
  return {std::make_unique<trial_plateau>(std::move(result))};
}

made_stopper make_experiment_plateau(const std::string& text) {
  static const std::vector<std::string> legal{"std", "top", "patience", "min", "max"};
  word_reader words{text};
  experiment_plateau_settings result;
  auto metric = words.metric("[std 0.001] [top 10] [patience 0] [min|max]");
  if (!metric)
    return metric.error();
  result.metric = std::move(*metric);
  while (!words.at_end()) {
    auto word = words.next();
    auto is_mode = word == "min" || word == "max";
    auto done = words.once(is_mode ? "min or max" : word);
    if (!done)
      return done.error();
    if (is_mode)
      result.maximise = word == "max";
    else if (word == "std")
      done = words.positive(word, result.std);
    else if (word == "top")
      done = words.whole(word, 2, result.top);
    else if (word == "patience")
      done = words.whole(word, 0, result.patience);
    else
      return unknown_word(word, legal);
    if (!done)
      return done.error();
  }
  return {std::make_unique<experiment_plateau>(std::move(result))};
}

/// A stopper of a catalogue. The first exception it throws is reported, and disables it.
class own_stopper final : public stopper {
public:
  own_stopper(std::string name, std::unique_ptr<stopper> what)
      : name_{std::move(name)}, what_{std::move(what)} {}

  std::optional<stop_verdict> see(const report& what) override {
    if (failed_)
      return std::nullopt;
    if (why_.empty())
      try_to([&] { said_ = what_->see(what); });
    if (why_.empty())
      return std::exchange(said_, std::nullopt);
    failed_ = true;
    throw std::runtime_error{"[stop] " + name_ + " failed: " + why_
                             + "; it is asked no more, and stops nothing"};
  }
  void forget(trial_id trial) override {
    if (why_.empty())
      try_to([&] { what_->forget(trial); });
  }
  [[nodiscard]] std::vector<needed_metric> needs() const override {
    try {
      auto result = what_->needs();
      for (auto& x : result)
        x.key = "[stop] " + name_;
      return result;
    } catch (...) {
      return {};
    }
  }
  void describe(fingerprint& into) const override {
    into.add(std::string_view{name_}).add(std::uint64_t{failed_});
    if (why_.empty())
      what_->describe(into);
  }

private:
  std::string name_;
  std::unique_ptr<stopper> what_;
  std::optional<stop_verdict> said_;
  /// Message of the exception the stopper threw; empty if none was thrown.
  std::string why_;
  bool failed_ = false;

  template <class F>
  void try_to(F what) {
    try {
      what();
    } catch (const std::exception& x) {
      why_ = x.what();
      why_ = why_.empty() ? "an exception" : why_;
    } catch (...) {
      why_ = "an exception";
    }
  }
};

made_stopper make_own(const stopper_catalogue::entry& entry, const std::string& text,
                      const stopper_context& context) {
  auto checked = parse_option_line(entry.known, text);
  if (!checked)
    return checked.error();
  auto made = make_part(entry, *checked, context);
  if (!made)
    return made.error();
  return {std::make_unique<own_stopper>(entry.name, std::move(*made))};
}

made_stopper make_stopper(const stop_line& line, const stopper_catalogue& own,
                          const stopper_context& context) {
  if (line.key.empty())
    return error{ec::bad_syntax, "expected the name of a metric"};
  if (line.key == "when")
    return make_condition(line, stop_verdict::reach::trial);
  if (line.key == "all_when")
    return make_condition(line, stop_verdict::reach::experiment);
  if (line.key == "plateau")
    return make_trial_plateau(line.text);
  if (line.key == "experiment_plateau")
    return make_experiment_plateau(line.text);
  if (const auto* entry = own.find(line.key))
    return make_own(*entry, line.text, context);
  auto result = make_threshold(line.key, line.text);
  if (auto near = nearest_name(line.key, own.names()); !result && !near.empty())
    return error{result.error().code,
                 result.error().detail + "; did you mean the stopper \"" + near + "\"?"};
  return result;
}

} // namespace

expected<std::vector<std::unique_ptr<stopper>>> make_stoppers(const std::vector<stop_line>& lines,
                                                              const stopper_catalogue& own,
                                                              const stopper_context& context) {
  std::vector<std::unique_ptr<stopper>> result;
  for (const auto& line : lines) {
    auto made = make_stopper(line, own, context);
    if (!made)
      return error{made.error().code, in_quotes(line.key) + ": " + made.error().detail};
    result.push_back(std::move(*made));
  }
  return result;
}

} // namespace tune
