// SPDX-License-Identifier: BSD-3-Clause
#include "view/record_log.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/event_codec.hpp"
#include "view/fields.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace {

constexpr std::string_view report_kind = "reported";

template <std::size_t... I>
std::vector<std::string> kind_names(std::index_sequence<I...>) {
  return {std::string{name_of(event_body{std::in_place_index<I>})}...};
}

value event_value(const raw_event& x) {
  auto body = x.body.size() > 65'536 ? expected<value>{error{}} : from_json(x.body);
  auto* fields = body ? body->as_object() : nullptr;
  if (fields != nullptr && x.kind == "opened")
    fields->erase("spec");
  return object{{"seq", number_value(x.seq)},
                {"t", seconds_of(x.at)},
                {"kind", x.kind},
                {"body", body ? std::move(*body) : value{}}};
}

value event_value(const event& x) {
  std::string body;
  append_event_json(body, x.what);
  return event_value(raw_event{x.seq, x.at, name_of(x.what), body});
}

/// Whether an event names a trial.
class naming {
public:
  explicit naming(trial_id which) : which_{which} {}

  template <class Body>
  bool operator()(const Body& x) const {
    if constexpr (requires { x.trial; })
      return x.trial == which_;
    else
      return false;
  }
  bool operator()(const on::ticked& x) const {
    using enum on::ticked::due;
    return x.what != time_limit && x.what != ask_again && x.what != free_place && x.trial == which_;
  }
  bool operator()(const on::decided& x) const {
    return std::any_of(x.answers.begin(), x.answers.end(), [this](const decision& answer) {
      return std::any_of(answer.actions.begin(), answer.actions.end(),
                         [this](const action& each) { return each.trial == which_; });
    });
  }
  bool operator()(const on::chosen& x) const {
    const auto& start = x.what.start;
    return std::find(start.begin(), start.end(), which_) != start.end();
  }

private:
  trial_id which_;
};

/// Gathers the events of one part: those but reports lie in one table, reports in another.
class part_reader {
public:
  part_reader(store_reader& from, const log_query& what)
      : from_{from}
      , what_{what}
      , number_{what.trial ? std::to_string(what.trial->number) : std::string{}} {}

  expected<log_stretch> read() {
    // What is written from now on is for the next stretch: it may be missing from what is read
    // first.
    auto head = from_.head();
    if (!head)
      return head.error();
    until_ = head->last_seq;
    if (auto read = add_events(); !read)
      return read.error();
    if (auto read = add_reports(); !read)
      return read.error();
    return part();
  }

private:
  store_reader& from_;
  const log_query& what_;
  /// Of the trial that is asked for.
  std::string number_;
  sequence until_ = 0;
  /// By their places; null: a report that is not read yet.
  std::map<sequence, value> found_;

  [[nodiscard]] bool is_wanted(const raw_event& x) const {
    if (!what_.kind.empty() && x.kind != what_.kind)
      return false;
    if (!what_.trial)
      return true;
    // Most are told apart without being read.
    if (x.body.find(number_) == x.body.npos)
      return false;
    auto body = event_from_json(x.kind, x.body);
    return body && std::visit(naming{*what_.trial}, *body);
  }

  expected<void> add_events() {
    constexpr std::size_t at_once = 1000;
    if (what_.kind == report_kind)
      return {};
    for (auto after = what_.after; found_.size() < what_.limit;) {
      auto passed = from_.scan_events(after, at_once, [&](const raw_event& x) {
        after = x.seq;
        if (found_.size() < what_.limit && x.seq <= until_ && is_wanted(x))
          found_.emplace(x.seq, event_value(x));
      });
      if (!passed)
        return passed.error();
      if (*passed < at_once || after >= until_)
        return {};
    }
    return {};
  }

  expected<void> add_reports() {
    if (!what_.kind.empty() && what_.kind != report_kind)
      return {};
    std::size_t count = 0;
    auto add = [&](const raw_result& x) {
      if (x.seq > what_.after && x.seq <= until_ && count < what_.limit) {
        found_.emplace(x.seq, value{});
        ++count;
      }
    };
    if (what_.trial)
      return from_.scan_results_of(*what_.trial, add);
    auto passed = from_.scan_results(what_.after, what_.limit, add);
    return passed ? expected<void>{} : passed.error();
  }

  expected<log_stretch> part() {
    log_stretch result;
    result.more = found_.size() >= what_.limit;
    result.last = std::max(what_.after, until_);
    for (auto& [seq, each] : found_) {
      if (result.events.size() == what_.limit)
        break;
      if (each.is_null()) {
        auto read = from_.events_after(seq - 1, 1);
        if (!read)
          return read.error();
        if (!read->empty())
          each = event_value(read->front());
      }
      result.events.push_back(std::move(each));
      if (result.more)
        result.last = seq;
    }
    return result;
  }
};

} // namespace

const std::vector<std::string>& event_kinds() {
  static const auto result
      = kind_names(std::make_index_sequence<std::variant_size_v<event_body>>{});
  return result;
}

expected<log_stretch> log_of(store_reader& from, const log_query& what) {
  return part_reader{from, what}.read();
}

} // namespace tune::cli
