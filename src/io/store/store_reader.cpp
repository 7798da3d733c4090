// SPDX-License-Identifier: BSD-3-Clause
#include "store_reader_impl.hpp"

#include "head_row.hpp"
#include "open_to_read.hpp"
#include "wal_check.hpp"

#include "tune/io/store/event_codec.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <cerrno>
#include <unistd.h>

namespace tune {

namespace {

using store::borrowed;
using store::bounded;
using store::connection;
using store::select;
using store::statement;
namespace fs = std::filesystem;

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
  auto elapsed = this->elapsed();
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
  for (const auto& x : *said) {
    if (x != "ok")
      result.push_back(impl_->file() + ": " + x);
  }
  // SQLite does not look into the text of views.
  auto views = impl_->collect<std::string>("SELECT printf('\"%w\"', name) FROM sqlite_master"
                                           " WHERE type = 'view' ORDER BY name",
                                           +read);
  if (!views)
    return views.error();
  for (const auto& x : *views) {
    if (auto can = statement::prepare(impl_->db(), "SELECT * FROM " + x); !can)
      result.push_back("the view " + x + " cannot be read: " + can.error().detail);
  }
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

expected<std::optional<std::int64_t>> store_reader::event_sum(sequence seq) {
  auto read = [](const statement& row) -> expected<std::int64_t> { return row.number(0); };
  auto found = impl_->collect<std::int64_t>("SELECT sum FROM t_events WHERE seq = ?1"
                                            " UNION ALL SELECT sum FROM t_results WHERE seq = ?1",
                                            +read, bounded(seq));
  if (!found)
    return found.error();
  return found->empty() ? std::nullopt : std::optional{found->front()};
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

expected<std::vector<trial_id>> store_reader::held_trials() {
  auto read = [](const statement& row) -> expected<trial_id> {
    return trial_id{static_cast<std::uint64_t>(row.number(0))};
  };
  // With a single max(), SQLite takes the other columns from the same row.
  return impl_->collect<trial_id>(
      "SELECT trial FROM (SELECT json_extract(body, '$.trial') AS trial, kind, max(seq)"
      " FROM t_events WHERE kind IN ('pause_asked', 'unpause_asked', 'retry_asked')"
      " AND json_extract(body, '$.trial') IS NOT NULL GROUP BY 1) JOIN t_trials USING (trial)"
      " WHERE kind = 'pause_asked' AND ended IS NULL ORDER BY trial",
      +read);
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
    return trial_tally{count(0), trial_id{count(1)}, count(2), count(3),
                       count(4), count(5),           count(6), count(7)};
  };
  auto found = impl_->one<trial_tally>(
      "WITH seen AS (SELECT trial, status, origin LIKE 'confirms %' AS confirms,"
      " origin = 'client' AS added, ended IS NULL AS open, best_metrics IS NOT NULL AS judged,"
      " ended IS NOT NULL AND best_metrics IS NULL AND (iterations > 0 OR status = 'TERMINATED'"
      " AND reason = '') AS unjudged FROM t_trials)"
      " SELECT coalesce(sum(unjudged), 0), coalesce(min(iif(unjudged, trial, NULL)), 0),"
      " coalesce(sum(confirms), 0), coalesce(sum(confirms AND status = 'ERRORED'), 0),"
      " coalesce(sum(confirms AND open), 0), coalesce(sum(confirms AND judged), 0),"
      " coalesce(sum(judged AND NOT confirms), 0), coalesce(sum(added), 0) FROM seen",
      +read);
  if (!found)
    return found.error();
  return found->value_or(trial_tally{});
}

expected<std::vector<event>> store_reader::events_after(sequence after, std::size_t limit,
                                                        std::size_t bytes) {
  return impl_->in_snapshot([&] { return impl_->events_after(after, limit, bytes); });
}

} // namespace tune
