// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/store_reader.hpp"

#include "head_row.hpp"
#include "open_to_read.hpp"
#include "row_reader.hpp"
#include "schema.hpp"
#include "sqlite.hpp"
#include "wal_check.hpp"

#include "tune/io/store/event_codec.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <unistd.h>
#include <utility>

namespace tune {

namespace {

using store::connection;
using store::statement;
namespace fs = std::filesystem;

std::string select(std::string_view columns, std::string_view rest) {
  return "SELECT " + std::string{columns} + " FROM " + std::string{rest};
}

std::int64_t bounded(std::uint64_t x) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return x > static_cast<std::uint64_t>(most) ? most : static_cast<std::int64_t>(x);
}

/// A statement in use; the destructor resets it for the next use.
class borrowed {
public:
  explicit borrowed(statement& what) : what_{what} {}
  borrowed(const borrowed&) = delete;
  borrowed& operator=(const borrowed&) = delete;
  ~borrowed() { what_.reset(); }
  statement* operator->() { return &what_; }
  statement& operator*() { return what_; }

private:
  statement& what_;
};

std::string order_of(const trial_query& which) {
  const std::string way = which.descending ? " DESC" : " ASC";
  switch (which.by) {
    case trial_query::order::number:
      return "trial" + way;
    case trial_query::order::created:
      return "created" + way + ", trial" + way;
    case trial_query::order::ended:
      return "ended IS NULL, ended" + way + ", trial" + way;
    case trial_query::order::iterations:
      return "iterations" + way + ", trial";
    case trial_query::order::metric:
      break;
  }
  // NaN is stored as a text.
  return "typeof(rank) IN ('integer', 'real') DESC, rank" + way + ", trial";
}

expected<connection> open_experiment(const fs::path& directory) {
  const auto file = database_file(directory);
  if (::access(file.c_str(), F_OK) != 0)
    return error{ec::unreadable, directory.string() + " holds no experiment"};
  std::int64_t version = 0;
  auto db = store::open_to_read(file, version);
  if (db && version == 0)
    return error{ec::unreadable, directory.string() + " holds no experiment"};
  return db;
}

} // namespace

class store_reader::impl {
public:
  explicit impl(connection db, std::string file) : db_{std::move(db)}, file_{std::move(file)} {}

  /// Runs `sql` with the values and turns every row into a `Row`.
  template <class Row, class... Values>
  expected<std::vector<Row>> collect(const std::string& sql,
                                     expected<Row> (*read)(const statement&),
                                     const Values&... values) {
    auto* found = prepared(sql);
    if (found == nullptr)
      return db_.failure();
    borrowed query{*found};
    query->bind(values...);
    std::vector<Row> result;
    bool failed = false;
    while (query->step(failed)) {
      auto row = read(*query);
      if (!row)
        return located(row.error());
      result.push_back(std::move(*row));
    }
    if (failed)
      return db_.failure();
    return result;
  }

  template <class Row, class... Values>
  expected<std::optional<Row>> one(const std::string& sql, expected<Row> (*read)(const statement&),
                                   const Values&... values) {
    auto all = collect(sql, read, values...);
    if (!all)
      return all.error();
    if (all->empty())
      return std::optional<Row>{};
    return std::optional<Row>{std::move(all->front())};
  }

  /// Calls `work` within one transaction.
  template <class Work>
  auto in_snapshot(Work work) -> decltype(work()) {
    if (held_)
      return work();
    if (auto begun = db_.run("BEGIN"); !begun)
      return begun.error();
    auto result = work();
    auto ended = db_.run("COMMIT");
    if (result && !ended)
      return ended.error();
    return result;
  }

  expected<experiment_row> experiment();
  expected<std::vector<event>> events_after(sequence after, std::size_t limit, std::size_t bytes);
  connection& db() { return db_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Columns of `t_trials AS t`, with the checksum and the configuration of the best report.
  expected<std::string> trial_columns() {
    if (trial_columns_.empty()) {
      auto summed = store::has_sum(db_, "t_trials");
      if (!summed)
        return summed.error();
      trial_columns_ = std::string{store::trial_columns} + (*summed ? ", sum" : ", NULL")
                       + ", nullif(" + std::string{store::best_config} + ", t.config)";
    }
    return trial_columns_;
  }

  expected<void> hold() {
    if (auto begun = db_.run("BEGIN"); !begun)
      return begun;
    held_ = true;
    // The first read fixes the snapshot.
    auto seen = db_.number("SELECT last_seq FROM t_head");
    return seen ? expected<void>{} : seen.error();
  }

private:
  connection db_;
  std::string file_;
  /// True if one transaction lasts until the reader is gone.
  bool held_ = false;
  std::string trial_columns_;
  /// By SQL text; one for each different query.
  std::map<std::string, statement> prepared_;

  statement* prepared(const std::string& sql) {
    auto known = prepared_.find(sql);
    if (known == prepared_.end()) {
      auto made = statement::prepare(db_, sql);
      if (!made)
        return nullptr;
      known = prepared_.emplace(sql, std::move(*made)).first;
    }
    return &known->second;
  }

  error located(const error& what) const { return {what.code, file_ + ": " + what.detail}; }
  error missing(sequence seq) const {
    return {ec::storage,
            file_ + ": event " + std::to_string(seq) + " is missing from t_events and t_results"};
  }
  expected<void> count_trials(status_counts& to);
  expected<std::uint64_t> count_withdrawn();
};

expected<std::uint64_t> store_reader::impl::count_withdrawn() {
  auto found = db_.number("SELECT count(*) FROM t_trials WHERE status = 'TERMINATED'"
                          " AND reason LIKE '"
                          + std::string{withdrawn_reason} + "%'");
  if (!found)
    return found.error();
  return static_cast<std::uint64_t>(*found);
}

expected<void> store_reader::impl::count_trials(status_counts& to) {
  using group = std::pair<std::string, std::uint64_t>;
  auto read = [](const statement& row) -> expected<group> {
    return group{row.text(0), static_cast<std::uint64_t>(row.number(1))};
  };
  auto found = collect<group>("SELECT status, count(*) FROM t_trials GROUP BY status", +read);
  if (!found)
    return found.error();
  for (std::size_t i = 0; i < trial_status_count; ++i) {
    for (const auto& [name, count] : *found) {
      if (name == to_text(static_cast<trial_status>(i)))
        to[i] = count;
    }
  }
  return {};
}

expected<experiment_row> store_reader::impl::experiment() {
  auto head = store::read_head(db_);
  auto opened = collect<event>(
      select(store::event_columns, "t_events WHERE seq = (SELECT opened_seq FROM t_head)"),
      store::read_event);
  auto elapsed
      = db_.number("SELECT max(ifnull((SELECT t FROM t_events ORDER BY seq DESC LIMIT 1), 0),"
                   " ifnull((SELECT t FROM t_results ORDER BY seq DESC LIMIT 1), 0))");
  auto results = db_.number("SELECT count(*) FROM t_results");
  if (!head || !opened)
    return head ? opened.error() : head.error();
  if (!elapsed || !results)
    return elapsed ? results.error() : elapsed.error();
  experiment_row x;
  x.epoch = static_cast<std::uint32_t>(head->epoch);
  x.created_ms = head->created_ms;
  x.last_seq = static_cast<sequence>(head->last_seq);
  x.status = std::move(head->status).value_or("");
  x.why = std::move(head->why).value_or("");
  if (head->finished)
    x.finished = instant{*head->finished};
  x.elapsed = instant{*elapsed};
  x.results = static_cast<std::uint64_t>(*results);
  const auto* start = opened->empty() ? nullptr : std::get_if<on::opened>(&opened->front().what);
  if (start != nullptr) {
    x.build = start->build;
    x.spec = start->spec;
    x.seed = start->seed;
  } else if (head->opened_seq) {
    return located(store::damaged("t_events", std::to_string(*head->opened_seq),
                                  "damaged: it should be the one that opened the experiment"));
  }
  if (auto counted = count_trials(x.counts); !counted)
    return counted.error();
  auto withdrawn = count_withdrawn();
  if (!withdrawn)
    return withdrawn.error();
  x.withdrawn = *withdrawn;
  return x;
}

expected<std::vector<event>> store_reader::impl::events_after(sequence after, std::size_t limit,
                                                              std::size_t bytes) {
  auto* events
      = prepared(select(store::event_columns, "t_events WHERE seq > ?1 ORDER BY seq LIMIT ?2"));
  auto* results
      = prepared(select(store::result_columns, "t_results WHERE seq > ?1 ORDER BY seq LIMIT ?2"));
  auto last = db_.number("SELECT last_seq FROM t_head");
  if (events == nullptr || results == nullptr || !last)
    return db_.failure();
  borrowed left{*events};
  borrowed right{*results};
  left->bind(bounded(after), bounded(limit));
  right->bind(bounded(after), bounded(limit));
  bool bad_left = false, bad_right = false;
  bool has_left = left->step(bad_left), has_right = right->step(bad_right);

  std::vector<event> result;
  std::size_t filled = 0;
  while (result.size() < limit && filled < bytes && !bad_left && !bad_right) {
    const auto next = after + result.size() + 1;
    if (next > static_cast<sequence>(*last))
      return result;
    const bool from_left = has_left && static_cast<sequence>(left->number(0)) == next;
    if (!from_left && !(has_right && static_cast<sequence>(right->number(0)) == next))
      return missing(next);
    filled += from_left ? left->text(3).size() : right->text(11).size();
    auto one = from_left ? store::read_event(*left) : store::read_reported(*right);
    if (!one)
      return located(one.error());
    result.push_back(std::move(*one));
    if (from_left)
      has_left = left->step(bad_left);
    else
      has_right = right->step(bad_right);
  }
  if (bad_left || bad_right)
    return db_.failure();
  return result;
}

store_reader::store_reader(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
store_reader::store_reader(store_reader&&) noexcept = default;
store_reader& store_reader::operator=(store_reader&&) noexcept = default;
store_reader::~store_reader() = default;

expected<store_reader> store_reader::open(const fs::path& directory) {
  auto db = open_experiment(directory);
  if (!db)
    return db.error();
  if (auto set = db->run("PRAGMA cache_size = -4096"); !set)
    return set.error();
  return store_reader{std::make_unique<impl>(std::move(*db), database_file(directory).string())};
}

expected<void> store_reader::hold() {
  return impl_->hold();
}

expected<std::vector<std::string>> store_reader::faults() {
  constexpr std::string_view most = "20";
  std::vector<std::string> result;
  if (auto whole = store::check_wal(impl_->file()); !whole)
    result.push_back(whole.error().detail);
  auto read
      = [](const statement& row) -> expected<std::string> { return std::string{row.text(0)}; };
  auto said
      = impl_->collect<std::string>("PRAGMA integrity_check(" + std::string{most} + ")", +read);
  if (!said)
    return said.error();
  if (*said == std::vector<std::string>{"ok"})
    return result;
  for (const auto& x : *said)
    result.push_back(impl_->file() + ": " + x);
  return result;
}

expected<sequence> store_reader::last_seq() {
  auto last = impl_->db().number("SELECT last_seq FROM t_head");
  if (!last)
    return last.error();
  return static_cast<sequence>(*last);
}

expected<std::uint32_t> store_reader::epoch() {
  auto newest = impl_->db().number("SELECT epoch FROM t_head");
  if (!newest)
    return newest.error();
  return static_cast<std::uint32_t>(*newest);
}

expected<experiment_row> store_reader::experiment() {
  return impl_->in_snapshot([this] { return impl_->experiment(); });
}

expected<std::vector<trial_row>> store_reader::trials(const trial_query& which) {
  std::string from = "t_trials AS t";
  if (which.by == trial_query::order::metric)
    // Infinities are stored as texts but rank as numbers.
    from = "(SELECT *, (SELECT CASE value WHEN 'inf' THEN 9e999 WHEN '-inf' THEN -9e999"
           " ELSE value END FROM json_each(best_metrics) WHERE key = ?4) AS rank"
           " FROM t_trials) AS t";
  auto columns = impl_->trial_columns();
  if (!columns)
    return columns.error();
  const auto sql = select(*columns, from + " WHERE (?1 IS NULL OR status = ?1) ORDER BY "
                                        + order_of(which) + " LIMIT ?2 OFFSET ?3");
  std::optional<std::string_view> status;
  if (which.status)
    status = to_text(*which.status);
  const auto limit = bounded(which.limit), offset = bounded(which.offset);
  if (which.by == trial_query::order::metric)
    return impl_->collect(sql, store::read_trial, status, limit, offset,
                          std::string_view{which.metric});
  return impl_->collect(sql, store::read_trial, status, limit, offset);
}

expected<std::optional<trial_row>> store_reader::trial(trial_id which) {
  auto columns = impl_->trial_columns();
  if (!columns)
    return columns.error();
  return impl_->one(select(*columns, "t_trials AS t WHERE trial = ?"), store::read_trial,
                    which.number);
}

expected<std::vector<result_row>> store_reader::results(trial_id of, sequence after,
                                                        std::size_t limit) {
  auto work = [&]() -> expected<std::vector<result_row>> {
    auto reports
        = impl_->collect(select(store::result_columns, "t_results WHERE trial = ?1 AND seq > ?2"
                                                       " ORDER BY seq LIMIT ?3"),
                         store::read_reported, of.number, bounded(after), bounded(limit));
    auto runs = attempts(of);
    if (!reports || !runs)
      return reports ? runs.error() : reports.error();
    std::map<attempt_id, const attempt_row*> known;
    for (const auto& run : *runs)
      known[run.attempt] = &run;
    std::vector<result_row> result;
    result.reserve(reports->size());
    for (auto& x : *reports) {
      result_row row{x.seq, x.at, std::get<on::reported>(x.what).what, 1, {}};
      if (auto found = known.find(row.what->attempt); found != known.end()) {
        row.lineage = found->second->lineage;
        row.node = found->second->node;
      }
      result.push_back(std::move(row));
    }
    return result;
  };
  return impl_->in_snapshot(work);
}

expected<std::vector<std::shared_ptr<const report>>>
store_reader::saved_reports(trial_id of, std::optional<std::uint64_t> iteration) {
  std::optional<std::int64_t> only;
  if (iteration)
    only = bounded(*iteration);
  auto rows = impl_->collect(
      select(store::result_columns,
             "t_results WHERE trial = ?1 AND (?2 IS NULL OR iteration = ?2)"
             " AND (attempt, iteration) IN (SELECT attempt, iteration FROM t_checkpoints"
             " WHERE trial = ?1 AND state = 'good') ORDER BY seq"),
      store::read_reported, of.number, only);
  if (!rows)
    return rows.error();
  std::vector<std::shared_ptr<const report>> result;
  result.reserve(rows->size());
  for (const auto& x : *rows)
    result.push_back(std::get<on::reported>(x.what).what);
  return result;
}

expected<std::optional<std::int64_t>> store_reader::event_sum(sequence seq) {
  auto read = [](const statement& row) -> expected<std::int64_t> { return row.number(0); };
  auto found = impl_->collect<std::int64_t>("SELECT sum FROM t_events WHERE seq = ?1"
                                            " UNION ALL SELECT sum FROM t_results WHERE seq = ?1",
                                            +read, bounded(seq));
  if (!found)
    return found.error();
  return found->empty() ? std::nullopt : std::optional{found->front()};
}

expected<std::uint64_t> store_reader::count_results(trial_id of, sequence until) {
  auto read = [](const statement& row) -> expected<std::uint64_t> {
    return static_cast<std::uint64_t>(row.number(0));
  };
  auto found
      = impl_->collect<std::uint64_t>("SELECT count(*) FROM t_results WHERE trial = ? AND seq <= ?",
                                      +read, of.number, bounded(until));
  if (!found)
    return found.error();
  return found->empty() ? 0 : found->front();
}

expected<std::vector<attempt_row>> store_reader::attempts(trial_id of) {
  return impl_->collect(
      select(store::attempt_columns, "t_attempts WHERE trial = ? ORDER BY attempt"),
      store::read_attempt, of.number);
}

expected<std::optional<attempt_row>> store_reader::attempt(attempt_id which) {
  return impl_->one(select(store::attempt_columns, "t_attempts WHERE attempt = ?"),
                    store::read_attempt, store::packed(which));
}

expected<std::vector<attempt_row>> store_reader::failures(trial_id of) {
  auto all = attempts(of);
  if (all)
    std::erase_if(*all, [](const attempt_row& x) { return !x.finished || !is_failure(x.how); });
  return all;
}

expected<std::vector<decision_row>> store_reader::decisions(trial_id of) {
  return impl_->collect(select("seq, trial, attempt, iteration, action, reason",
                               "t_decisions WHERE trial = ? ORDER BY id"),
                        store::read_decision, of.number);
}

expected<std::vector<checkpoint_row>> store_reader::checkpoints(trial_id of) {
  return impl_->collect(
      select(store::checkpoint_columns, "t_checkpoints WHERE trial = ? ORDER BY seq"),
      store::read_checkpoint, of.number);
}

expected<std::vector<checkpoint_row>> store_reader::good_checkpoints() {
  return impl_->collect(
      select(store::checkpoint_columns, "t_checkpoints WHERE state = 'good' ORDER BY seq"),
      store::read_checkpoint);
}

expected<std::vector<export_row>> store_reader::exports(trial_id of) {
  return impl_->collect("SELECT e.seq, json_extract(e.body, '$.trial'),"
                        " json_extract(e.body, '$.attempt'), json_extract(f.value, '$.format'),"
                        " json_extract(f.value, '$.path'), json_extract(f.value, '$.why'),"
                        " json_extract(e.body, '$.location')"
                        " FROM t_events e, json_each(e.body, '$.formats') f"
                        " WHERE e.kind = 'exported' AND json_extract(e.body, '$.trial') = ?"
                        " ORDER BY e.seq, f.id",
                        store::read_export, of.number);
}

expected<std::vector<on::opened>> store_reader::openings() {
  auto head = epoch();
  if (!head)
    return head.error();
  const auto* only = "t_events WHERE seq = (SELECT opened_seq FROM t_head)";
  const auto* all = "t_events WHERE kind = 'opened' ORDER BY seq";
  auto found = impl_->collect<event>(select(store::event_columns, *head > 1 ? all : only),
                                     store::read_event);
  if (!found)
    return found.error();
  std::vector<on::opened> result;
  for (auto& x : *found) {
    if (auto* opened = std::get_if<on::opened>(&x.what))
      result.push_back(std::move(*opened));
  }
  return result;
}

expected<bool> store_reader::stands_paused() {
  auto read = [](const statement& row) -> expected<bool> { return row.number(0) != 0; };
  auto found = impl_->one<bool>(
      "SELECT kind = 'pause_asked' FROM t_events WHERE kind IN ('pause_asked', 'unpause_asked')"
      " AND json_extract(body, '$.trial') IS NULL ORDER BY seq DESC LIMIT 1",
      +read);
  if (!found)
    return found.error();
  return found->value_or(false);
}

expected<export_counts> store_reader::count_exports() {
  auto read = [](const statement& row) -> expected<export_counts> {
    return export_counts{static_cast<std::uint64_t>(row.number(0)),
                         static_cast<std::uint64_t>(row.number(1)), std::string{row.text(2)}};
  };
  // With a single min(), SQLite takes the other columns from the same row.
  auto found = impl_->one<export_counts>(
      "SELECT (SELECT count(*) FROM t_events e, json_each(e.body, '$.formats') f"
      " WHERE e.kind = 'exported' AND json_extract(f.value, '$.path') <> ''),"
      " count(*), coalesce(json_extract(f.value, '$.format') || ': '"
      " || json_extract(f.value, '$.why'), ''), min(e.seq)"
      " FROM t_events e, json_each(e.body, '$.formats') f"
      " WHERE e.kind = 'exported' AND json_extract(f.value, '$.path') = ''",
      +read);
  if (!found)
    return found.error();
  return found->value_or(export_counts{});
}

expected<trial_tally> store_reader::tally() {
  auto read = [](const statement& row) -> expected<trial_tally> {
    auto count = [&](int column) { return static_cast<std::uint64_t>(row.number(column)); };
    return trial_tally{count(0), trial_id{count(1)}, count(2), count(3)};
  };
  auto found = impl_->one<trial_tally>(
      "SELECT coalesce(sum(iterations > 0 AND best_metrics IS NULL), 0),"
      " coalesce(min(iif(iterations > 0 AND best_metrics IS NULL, trial, NULL)), 0),"
      " coalesce(sum(origin LIKE 'confirms %'), 0),"
      " coalesce(sum(origin LIKE 'confirms %' AND status = 'ERRORED'), 0)"
      " FROM t_trials WHERE ended IS NOT NULL",
      +read);
  if (!found)
    return found.error();
  return found->value_or(trial_tally{});
}

expected<std::vector<node_row>> store_reader::nodes() {
  return impl_->collect("SELECT node, state, capacity, since, why FROM t_nodes ORDER BY node",
                        store::read_node);
}

expected<std::vector<event>> store_reader::events_after(sequence after, std::size_t limit,
                                                        std::size_t bytes) {
  return impl_->in_snapshot([&] { return impl_->events_after(after, limit, bytes); });
}

} // namespace tune
