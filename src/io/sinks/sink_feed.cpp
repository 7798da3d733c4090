// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/sink_feed.hpp"

#include "sinks/holding_sink.hpp"
#include "sinks/silent_ends.hpp"
#include "sinks/trial_watch.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace tune {

namespace {

constexpr std::size_t fed_at_once = 1024;
constexpr std::size_t fed_bytes_at_once = 4 * 1024 * 1024;
/// Most attempts whose configurations are kept.
constexpr std::size_t most_kept = 4096;

/// Runs code of the calling program. @errors `ec::refused` with the message of the exception it
/// threw.
template <class F>
expected<void> guarded(F what) {
  try {
    what();
    return {};
  } catch (const std::exception& x) {
    return error{ec::refused, std::string{"it threw: "} + x.what()};
  } catch (...) {
    return error{ec::refused, "it threw an exception"};
  }
}

std::int64_t milliseconds(instant x) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(x).count();
}

/// Reckons dates: experiment time stands still while no head runs. Reports are dated, and so are
/// the beginnings of heads, except those of earlier versions.
class calendar {
public:
  explicit calendar(std::int64_t created_ms = 0) : offset_{created_ms} {}

  void note(instant at, std::int64_t wall_ms) { offset_ = wall_ms - milliseconds(at); }
  [[nodiscard]] std::int64_t date(instant at) const { return offset_ + milliseconds(at); }

  /// A head of an earlier version goes on after a break: its first report tells.
  void look_ahead(const std::vector<event>& events, std::size_t from) {
    for (auto i = from; i < events.size(); ++i) {
      const auto* x = std::get_if<on::reported>(&events[i].what);
      if (x == nullptr)
        continue;
      note(events[i].at, std::max(x->what->timestamp_ms, date(events[i].at)));
      return;
    }
  }

private:
  std::int64_t offset_;
};

bool may_mutate(const std::string& scheduler) {
  return scheduler == "pbt" || scheduler == "pb2" || scheduler == "pbt_replay";
}

} // namespace

expected<experiment_facts> facts_in(store_reader& from) {
  auto head = from.head();
  if (!head)
    return head.error();
  auto opened = from.opening();
  if (!opened)
    return opened.error();
  experiment_facts result;
  result.created_ms = head->created_ms;
  if (!*opened)
    return result;
  result.seed = (*opened)->seed;
  result.identity = std::to_string(head->created_ms) + "-" + std::to_string(result.seed);
  auto what = spec_from_json((*opened)->spec);
  // Records of tests and of much later versions have none that can be read.
  if (!what)
    return result;
  result.name = what->experiment.name;
  result.objectives = what->experiment.objectives;
  result.constraints = what->experiment.constraints;
  for (const auto& x : what->space)
    result.space.emplace_back(x.name, x.text);
  result.changes_configurations = may_mutate(what->scheduler.type);
  return result;
}

class sink_feed::impl {
public:
  impl(std::filesystem::path directory, chosen_sink what)
      : directory_{std::move(directory)}, what_{std::move(what)} {}

  expected<void> catch_up(sequence committed) {
    if (auto ready = open(); !ready)
      return ready;
    auto stored = flush();
    while (stored && cursor_ < committed) {
      if (is_out_of_time())
        return error{ec::timeout, "there was no time for more"};
      stored = advance(committed);
      if (stored)
        stored = flush();
    }
    if (!stored)
      return stored;
    if (auto told = tell_of_end(); !told)
      return told;
    return flush();
  }

  [[nodiscard]] sequence cursor() const { return is_unstored_ ? stored_ : cursor_; }

  [[nodiscard]] sequence missing(sequence committed) const {
    const auto* holds = dynamic_cast<const holding_sink*>(to_.get());
    return committed - std::min(committed, holds != nullptr ? holds->delivered() : cursor());
  }

private:
  std::filesystem::path directory_;
  chosen_sink what_;
  std::unique_ptr<trial_sink> to_;
  std::optional<store_reader> from_;
  trial_watch trials_;
  std::map<attempt_id, attempt_facts> attempts_;
  calendar dates_;
  sequence cursor_ = 0;
  /// Last place that the sink has stored.
  sequence stored_ = 0;
  bool is_unstored_ = false;
  /// Whether the sink knows that the experiment is over.
  bool knows_end_ = false;

  [[nodiscard]] bool is_out_of_time() const {
    const auto& left = what_.context.time_left;
    return left && left() <= std::chrono::milliseconds{0};
  }

  expected<void> open() {
    if (from_)
      return {};
    auto opened = store_reader::open(directory_);
    if (!opened)
      return opened.error();
    auto facts = facts_in(*opened);
    if (!facts)
      return facts.error();
    if (auto made = make(*facts); !made)
      return made;
    dates_ = calendar{facts->created_ms};
    if (auto began = find_place(*opened); !began)
      return began;
    from_.emplace(std::move(*opened));
    return {};
  }

  expected<void> make(const experiment_facts& facts) {
    if (to_ != nullptr)
      return {};
    auto refused = error{ec::refused, "its factory made nothing"};
    auto done = guarded([&] {
      auto made = what_.make(what_.context);
      if (!made) {
        refused = made.error();
        return;
      }
      to_ = std::move(*made);
      if (to_ == nullptr)
        return;
      to_->introduced(facts);
      cursor_ = to_->cursor();
    });
    if (!done)
      return done;
    stored_ = cursor_;
    return to_ == nullptr ? expected<void>{refused} : expected<void>{};
  }

  /// Finds out what the sink knows by what it has stored.
  expected<void> find_place(store_reader& from) {
    instant at{-1};
    if (cursor_ > 0) {
      auto last = from.events_after(cursor_ - 1, 1);
      if (!last)
        return last.error();
      if (last->empty())
        return error{ec::storage, "it knows of event " + std::to_string(cursor_)
                                      + ", but the log ends before: is it another record's?"};
      at = last->front().at;
      constexpr sequence near = 4096;
      auto found
          = from.scan_results(cursor_ > near ? cursor_ - near : 0, near, [&](const raw_result& x) {
              if (x.seq <= cursor_)
                dates_.note(x.at, x.timestamp_ms);
            });
      if (!found)
        return found.error();
    }
    return trials_.begin(from, at);
  }

  expected<void> flush() {
    if (!is_unstored_)
      return {};
    expected<void> stored;
    auto called = guarded([&] { stored = to_->flush(cursor_); });
    if (!called || !stored)
      return called ? stored : called;
    is_unstored_ = false;
    stored_ = cursor_;
    return {};
  }

  expected<void> advance(sequence committed) {
    auto limit = std::min<sequence>(fed_at_once, committed - cursor_);
    auto some = from_->events_after(cursor_, static_cast<std::size_t>(limit), fed_bytes_at_once);
    if (!some)
      return some.error();
    if (some->empty())
      return error{ec::internal, "the log ends at event " + std::to_string(cursor_)
                                     + ", before event " + std::to_string(committed)};
    keep_moments_whole(*some, committed);
    const auto& last = some->back();
    if (auto looked = trials_.look(*from_, cursor_, last.seq, last.at); !looked)
      return looked;
    is_unstored_ = true;
    for (std::size_t i = 0; i < some->size(); ++i) {
      if (auto told = tell(*some, i); !told)
        return told;
      cursor_ = (*some)[i].seq;
    }
    return {};
  }

  /// Leaves events of one moment for the next time, unless all of them are here: which trials are
  /// over is known by the time.
  static void keep_moments_whole(std::vector<event>& some, sequence committed) {
    const auto last = some.back();
    if (last.seq >= committed)
      return;
    auto keeps
        = std::find_if(some.rbegin(), some.rend(), [&](const event& x) { return x.at != last.at; });
    if (keeps != some.rend())
      some.erase(keeps.base(), some.end());
  }

  expected<void> tell(const std::vector<event>& all, std::size_t i) {
    const auto& what = all[i];
    if (const auto* x = std::get_if<on::opened>(&what.what); x != nullptr && what.seq > 1) {
      if (x->wall_ms > 0)
        dates_.note(what.at, std::max(x->wall_ms, dates_.date(what.at)));
      else
        dates_.look_ahead(all, i);
    }
    if (const auto* x = std::get_if<on::reported>(&what.what))
      dates_.note(what.at, x->what->timestamp_ms);
    const log_place where{what.seq, what.at, dates_.date(what.at)};
    while (auto trial = trials_.next_created(what.at)) {
      trial->created_ms = dates_.date(trial->created);
      if (auto told = guarded([&] { to_->created(where, *trial); }); !told)
        return told;
    }
    if (auto told = tell(where, what); !told)
      return told;
    while (auto trial = trials_.next_concluded(what.at)) {
      trial->created_ms = dates_.date(trial->created);
      if (auto told = guarded([&] { to_->concluded(where, *trial); }); !told)
        return told;
    }
    return {};
  }

  expected<void> tell(const log_place& where, const event& what) {
    if (const auto* x = std::get_if<on::opened>(&what.what)) {
      knows_end_ = false;
      return guarded([&] { to_->opened(where, *x); });
    }
    if (const auto* x = std::get_if<on::placed>(&what.what)) {
      auto config = config_of(*x);
      if (!config)
        return config.error();
      // Resources came that were no longer wanted: nothing started.
      if (!*config)
        return {};
      trials_.reopen(x->trial);
      return guarded([&] { to_->started(where, *x, **config); });
    }
    if (const auto* x = std::get_if<on::reported>(&what.what))
      return tell_by(where, x->what->attempt,
                     [&](const log_place& place) { to_->reported(place, *x->what); });
    if (const auto* x = std::get_if<on::saved>(&what.what))
      return tell_by(where, x->attempt, [&](const log_place& place) { to_->saved(place, *x); });
    if (const auto* x = std::get_if<on::ended>(&what.what)) {
      auto right = put_right(*x);
      if (!right)
        return right.error();
      return tell_of(where, *right);
    }
    auto silent = silent_ends(*from_, what);
    if (!silent)
      return silent.error();
    for (const auto& x : *silent) {
      if (auto told = tell_of(where, x); !told)
        return told;
    }
    return {};
  }

  expected<void> tell_of(const log_place& where, const on::ended& what) {
    auto told
        = tell_by(where, what.attempt, [&](const log_place& place) { to_->ended(place, what); });
    attempts_.erase(what.attempt);
    return told;
  }

  /// Tells what an attempt did.
  template <class F>
  expected<void> tell_by(log_place where, attempt_id who, F what) {
    auto by = attempt(who);
    if (!by)
      return by.error();
    where.by = *by;
    return guarded([&] { what(where); });
  }

  /// The configuration of the attempt; that of its trial may have changed since. Nothing if there
  /// is no such attempt.
  expected<std::optional<object>> config_of(const on::placed& x) {
    auto row = from_->attempt(x.attempt);
    if (!row)
      return row.error();
    if (!*row)
      return std::optional<object>{};
    auto found = attempt(x.attempt);
    if (!found)
      return found.error();
    return std::optional{(*found)->config};
  }

  /// Kept while the attempt runs, for its reports.
  expected<const attempt_facts*> attempt(attempt_id which) {
    if (auto known = attempts_.find(which); known != attempts_.end())
      return &known->second;
    auto row = from_->attempt(which);
    if (!row)
      return row.error();
    if (attempts_.size() >= most_kept)
      attempts_.clear();
    auto& result = attempts_[which];
    if (*row)
      result.node = (*row)->node;
    result.began_ms = dates_.date(*row ? (*row)->began : instant{0});
    if (*row && (*row)->config != nullptr)
      result.config = *(*row)->config;
    return &result;
  }

  /// Takes the reason for an end from the experiment's row, which says why it had a process killed.
  expected<on::ended> put_right(on::ended what) {
    auto row = from_->attempt(what.attempt);
    if (!row)
      return row.error();
    if (*row && (*row)->finished) {
      what.how = (*row)->how;
      what.detail = (*row)->detail;
    }
    return what;
  }

  expected<void> tell_of_end() {
    if (knows_end_)
      return {};
    auto head = from_->head();
    if (!head)
      return head.error();
    // A later entry tells of what came since.
    if (!head->finished || head->last_seq != cursor_ || head->status.empty())
      return {};
    knows_end_ = true;
    is_unstored_ = true;
    const log_place where{cursor_, *head->finished, dates_.date(*head->finished)};
    return guarded([&] { to_->finished(where, {head->status, head->why}); });
  }
};

sink_feed::sink_feed(std::filesystem::path directory, chosen_sink what)
    : impl_{std::make_unique<impl>(std::move(directory), std::move(what))} {}
sink_feed::sink_feed(sink_feed&&) noexcept = default;
sink_feed::~sink_feed() = default;

expected<void> sink_feed::catch_up(sequence committed) {
  return impl_->catch_up(committed);
}

sequence sink_feed::cursor() const {
  return impl_->cursor();
}

sequence sink_feed::missing(sequence committed) const {
  return impl_->missing(committed);
}

} // namespace tune
