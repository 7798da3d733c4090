// Scans over many rows of an experiment's tables, as its reader makes them.
// SPDX-License-Identifier: BSD-3-Clause
#include "store_reader_impl.hpp"

#include "head_row.hpp"

#include <type_traits>

namespace tune {

namespace {

using store::bounded;
using store::select;
using store::statement;

const std::string& raw_trial_columns() {
  static const auto result
      = "trial, status, config, origin, reason, error, failures, iterations, time_total, metrics,"
        " best_iteration, best_metrics, created, ended, nullif("
        + std::string{store::best_config} + ", t.config)";
  return result;
}
/// The node of the newest attempt of `t`, a row of `t_trials`; NULL: it had none.
constexpr std::string_view last_node_of_t
    = "(SELECT node FROM t_attempts n WHERE n.trial = t.trial ORDER BY n.attempt DESC LIMIT 1)";
constexpr std::string_view raw_result_columns
    = "seq, t, trial, attempt, iteration, time_iter, time_total, timestamp_ms, metrics,"
      " exceptions IS NOT NULL";

std::uint64_t unsigned_at(const statement& row, int column) {
  return static_cast<std::uint64_t>(row.number(column));
}

raw_trial trial_in(const statement& row) {
  raw_trial x;
  x.trial = {unsigned_at(row, 0)};
  x.status = store::status_of(row.text(1)).value_or(trial_status::pending);
  x.config = row.text(2);
  x.origin = row.text(3);
  x.reason = row.text(4);
  x.error = row.text(5);
  x.failures = static_cast<std::uint32_t>(row.number(6));
  x.iterations = unsigned_at(row, 7);
  x.time_total = std::chrono::nanoseconds{row.number(8)};
  x.metrics = row.text(9);
  x.best_iteration = unsigned_at(row, 10);
  x.best_metrics = row.text(11);
  x.created = instant{row.number(12)};
  if (!row.is_null(13))
    x.ended = instant{row.number(13)};
  x.best_config = row.text(14);
  return x;
}

raw_result result_in(const statement& row) {
  raw_result x;
  x.seq = unsigned_at(row, 0);
  x.at = instant{row.number(1)};
  x.trial = {unsigned_at(row, 2)};
  x.attempt = store::unpacked(row.number(3));
  x.iteration = unsigned_at(row, 4);
  x.time_this_iter = std::chrono::nanoseconds{row.number(5)};
  x.time_total = std::chrono::nanoseconds{row.number(6)};
  x.timestamp_ms = row.number(7);
  x.metrics = row.text(8);
  x.has_exceptions = row.number(9) != 0;
  return x;
}

template <class X, class... Others>
constexpr bool is_one_of = (std::is_same_v<X, Others> || ...);

/// Adds the trials that an event names.
class toucher {
public:
  explicit toucher(touched_trials& to) : to_{to} {}

  template <class Body>
  void operator()(const Body& x) {
    if constexpr (requires { x.trial; })
      add(x.trial);
    else
      to_.all = to_.all || may_change_any<Body>;
  }
  void operator()(const on::ticked& x) {
    using enum on::ticked::due;
    if (x.what == time_limit)
      to_.all = true;
    else if (x.what != ask_again && x.what != free_place)
      add(x.trial);
  }
  void operator()(const on::suggest_asked& x) {
    if (x.trial)
      add(*x.trial);
  }
  void operator()(const on::decided& x) {
    for (const auto& answer : x.answers) {
      for (const auto& each : answer.actions)
        add(each.trial);
    }
  }
  void operator()(const on::chosen& x) {
    for (auto each : x.what.start)
      add(each);
  }

private:
  touched_trials& to_;

  /// Events about no trial in particular that change no row of a trial, or only make new ones.
  template <class Body>
  static constexpr bool may_change_any
      = !is_one_of<Body, on::suggested, on::checkpoints_doomed, on::checkpoint_gone, on::node_up,
                   on::add_asked, on::reported>;

  void add(trial_id x) { to_.which.push_back(x); }
  void add(const std::optional<trial_id>& x) {
    if (x)
      add(*x);
    else // a client's request about all
      to_.all = true;
  }
};

} // namespace

void store_reader::heed_locks_for(std::chrono::milliseconds time) {
  impl_->heed_locks_for(time);
}

expected<head_facts> store_reader::head() {
  return impl_->in_snapshot([this]() -> expected<head_facts> {
    auto row = impl_->head_row();
    if (!row)
      return row.error();
    auto elapsed = impl_->elapsed();
    if (!elapsed)
      return elapsed.error();
    head_facts x;
    x.epoch = static_cast<std::uint32_t>(row->epoch);
    x.created_ms = row->created_ms;
    x.last_seq = static_cast<sequence>(row->last_seq);
    x.opened_seq = static_cast<sequence>(row->opened_seq.value_or(0));
    x.status = std::move(row->status).value_or("");
    x.why = std::move(row->why).value_or("");
    if (row->finished)
      x.finished = instant{*row->finished};
    x.elapsed = instant{*elapsed};
    return x;
  });
}

expected<std::optional<on::opened>> store_reader::opening() {
  auto found = impl_->one(
      select(store::event_columns, "t_events WHERE seq = (SELECT opened_seq FROM t_head)"),
      store::read_event);
  if (!found)
    return found.error();
  auto* opened = *found ? std::get_if<on::opened>(&(*found)->what) : nullptr;
  return opened == nullptr ? std::optional<on::opened>{} : std::optional{std::move(*opened)};
}

expected<std::vector<trial_row>> store_reader::trials(std::span<const trial_id> which) {
  return impl_->in_snapshot([&]() -> expected<std::vector<trial_row>> {
    std::vector<trial_row> result;
    result.reserve(which.size());
    for (auto id : which) {
      auto row = trial(id);
      if (!row)
        return row.error();
      if (*row)
        result.push_back(std::move(**row));
    }
    return result;
  });
}

expected<std::size_t> store_reader::scan_trials(trial_id from, std::size_t limit,
                                                const std::function<void(const raw_trial&)>& hear) {
  return impl_->scan(
      select(raw_trial_columns(), "t_trials t WHERE trial >= ?1 ORDER BY trial LIMIT ?2"),
      [&](const statement& row) { hear(trial_in(row)); }, bounded(from.number), bounded(limit));
}

expected<void> store_reader::scan_trials(std::span<const trial_id> which,
                                         const std::function<void(const raw_trial&)>& hear) {
  static const auto sql = select(raw_trial_columns(), "t_trials t WHERE trial = ?1");
  return impl_->in_snapshot([&]() -> expected<void> {
    for (auto id : which) {
      auto found = impl_->scan(
          sql, [&](const statement& row) { hear(trial_in(row)); }, bounded(id.number));
      if (!found)
        return found.error();
    }
    return {};
  });
}

expected<std::size_t>
store_reader::scan_results(sequence after, std::size_t limit,
                           const std::function<void(const raw_result&)>& hear) {
  return impl_->scan(
      select(raw_result_columns, "t_results WHERE seq > ?1 ORDER BY seq LIMIT ?2"),
      [&](const statement& row) { hear(result_in(row)); }, bounded(after), bounded(limit));
}

expected<void> store_reader::scan_results_of(trial_id of,
                                             const std::function<void(const raw_result&)>& hear) {
  auto found = impl_->scan(
      select(raw_result_columns, "t_results WHERE trial = ?1 ORDER BY seq"),
      [&](const statement& row) { hear(result_in(row)); }, bounded(of.number));
  return found ? expected<void>{} : found.error();
}

expected<touched_trials> store_reader::touched_between(sequence after, sequence until) {
  touched_trials result;
  std::optional<error> bad;
  auto found = impl_->scan(
      select(store::event_columns, "t_events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq"),
      [&](const statement& row) {
        ++result.kinds[std::string{row.text(2)}];
        auto one = store::read_event(row);
        if (one)
          std::visit(toucher{result}, one->what);
        else
          bad = one.error();
      },
      bounded(after), bounded(until));
  if (!found)
    return found.error();
  if (bad)
    return *bad;
  return result;
}

expected<std::size_t>
store_reader::scan_attempts(attempt_id after, std::size_t limit,
                            const std::function<void(const raw_attempt&)>& hear) {
  auto read = [&](const statement& row) {
    raw_attempt x{store::unpacked(row.number(0)),
                  {unsigned_at(row, 1)},
                  static_cast<lineage_id>(row.number(2)),
                  row.text(3),
                  {},
                  instant{row.number(5)},
                  {},
                  row.text(7),
                  row.is_null(8) ? std::string_view{} : row.text(8)};
    if (!row.is_null(4))
      x.donor = trial_id{unsigned_at(row, 4)};
    if (!row.is_null(6))
      x.finished = instant{row.number(6)};
    hear(x);
  };
  const std::string costs = impl_->has_costs() ? "costs" : "NULL";
  return impl_->scan("SELECT attempt, trial, lineage, node, donor, started, ended, end_class, "
                         + costs + " FROM t_attempts WHERE attempt > ?1 ORDER BY attempt LIMIT ?2",
                     read, store::packed(after), bounded(limit));
}

expected<std::optional<attempt_origin>> store_reader::origin_of(attempt_id which) {
  std::optional<attempt_origin> result;
  auto read = [&](const statement& row) {
    auto& x = result.emplace();
    x.lineage = static_cast<lineage_id>(row.number(0));
    if (!row.is_null(1))
      x.donor = trial_id{unsigned_at(row, 1)};
    x.restored = !row.is_null(2);
  };
  auto found
      = impl_->scan("SELECT lineage, donor, start_checkpoint FROM t_attempts WHERE attempt = ?1",
                    read, store::packed(which));
  if (!found)
    return found.error();
  return result;
}

expected<void> store_reader::scan_decisions(const std::function<void(const raw_decision&)>& hear) {
  auto read = [&](const statement& row) {
    hear({unsigned_at(row, 0),
          {unsigned_at(row, 1)},
          unsigned_at(row, 2),
          row.text(3),
          row.text(4)});
  };
  auto found = impl_->scan(
      "SELECT seq, trial, iteration, action, reason FROM t_decisions ORDER BY id", read);
  return found ? expected<void>{} : found.error();
}

expected<std::size_t> store_reader::scan_events(sequence after, std::size_t limit,
                                                const std::function<void(const raw_event&)>& hear) {
  auto read = [&](const statement& row) {
    hear({unsigned_at(row, 0), instant{row.number(1)}, row.text(2), row.text(3)});
  };
  return impl_->scan("SELECT seq, t, kind, body FROM t_events WHERE seq > ?1 ORDER BY seq LIMIT ?2",
                     read, bounded(after), bounded(limit));
}

expected<std::vector<decision_row>> store_reader::decisions_after(const decision_query& which) {
  constexpr std::string_view columns = "seq, trial, attempt, iteration, action, reason";
  const std::string where
      = which.trial ? "t_decisions WHERE trial = ?1" : "t_decisions WHERE ?1 IS NULL";
  std::optional<std::int64_t> trial;
  if (which.trial)
    trial = bounded(which.trial->number);
  std::optional<std::string_view> action;
  if (!which.action.empty())
    action = which.action;
  return impl_->collect(select(columns, where
                                            + " AND seq > ?2 AND (?3 IS NULL OR action = ?3)"
                                              " ORDER BY id LIMIT ?4"),
                        store::read_decision, trial, bounded(which.after), action,
                        bounded(which.limit));
}

expected<std::vector<checkpoint_row>> store_reader::checkpoints_after(sequence after,
                                                                      std::size_t limit) {
  return impl_->collect(
      select(store::checkpoint_columns, "t_checkpoints WHERE seq > ?1 ORDER BY seq LIMIT ?2"),
      store::read_checkpoint, bounded(after), bounded(limit));
}

expected<std::vector<listed_row>> store_reader::listed_trials(std::span<const trial_id> which) {
  auto columns = impl_->trial_columns(store::last_reports::left_out);
  if (!columns)
    return columns.error();
  const auto sql
      = select(*columns + ", " + std::string{last_node_of_t}, "t_trials AS t WHERE trial = ?");
  auto read = [](const statement& row) -> expected<listed_row> {
    auto trial = store::read_trial(row);
    if (!trial)
      return trial.error();
    return listed_row{std::move(*trial), std::string{row.text(store::trial_width)}};
  };
  return impl_->in_snapshot([&]() -> expected<std::vector<listed_row>> {
    std::vector<listed_row> result;
    result.reserve(which.size());
    for (auto id : which) {
      auto row = impl_->one<listed_row>(sql, +read, bounded(id.number));
      if (!row)
        return row.error();
      if (*row)
        result.push_back(std::move(**row));
    }
    return result;
  });
}

expected<std::string> store_reader::last_node(trial_id of) {
  auto read
      = [](const statement& row) -> expected<std::string> { return std::string{row.text(0)}; };
  auto found = impl_->one<std::string>(
      "SELECT node FROM t_attempts WHERE trial = ? ORDER BY attempt DESC LIMIT 1", +read,
      bounded(of.number));
  if (!found)
    return found.error();
  return std::move(*found).value_or("");
}

} // namespace tune
