// SPDX-License-Identifier: BSD-3-Clause
#include "schema.hpp"

#include "head_row.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tune::store {

namespace {

/// Times are in nanoseconds of experiment time; attempts are packed numbers. `t_results.done` has
/// `checkpoint_bit` set if a checkpoint came with the report. Metrics are JSON, since a REAL column
/// would turn NaN into NULL. `sum` is the row's checksum.
constexpr std::string_view tables = R"sql(
CREATE TABLE t_head(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL, last_seq INTEGER NOT NULL, created_ms INTEGER NOT NULL,
  opened_seq INTEGER, status TEXT, why TEXT, finished INTEGER, sum INTEGER NOT NULL);
CREATE TABLE t_events(
  seq INTEGER PRIMARY KEY, t INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
  sum INTEGER NOT NULL);
CREATE TABLE t_results(
  seq INTEGER PRIMARY KEY, t INTEGER NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL,
  number INTEGER NOT NULL, iteration INTEGER NOT NULL, time_iter INTEGER NOT NULL,
  time_total INTEGER NOT NULL, timestamp_ms INTEGER NOT NULL, pid INTEGER NOT NULL,
  done INTEGER NOT NULL, metrics TEXT, exceptions TEXT, sum INTEGER NOT NULL);
CREATE TABLE t_trials(
  trial INTEGER PRIMARY KEY, status TEXT NOT NULL, config TEXT, origin TEXT NOT NULL,
  failures INTEGER NOT NULL, lineage INTEGER NOT NULL, reason TEXT NOT NULL, error TEXT NOT NULL,
  iterations INTEGER NOT NULL, time_total INTEGER NOT NULL, metrics TEXT,
  best_iteration INTEGER, best_metrics TEXT, created INTEGER NOT NULL, ended INTEGER,
  sum INTEGER NOT NULL);
CREATE TABLE t_attempts(
  attempt INTEGER PRIMARY KEY, trial INTEGER NOT NULL, lineage INTEGER NOT NULL,
  node TEXT NOT NULL, start_checkpoint INTEGER, donor INTEGER, config TEXT, pid INTEGER NOT NULL,
  started INTEGER NOT NULL, ended INTEGER, end_class TEXT, detail TEXT, exit_status INTEGER,
  costs TEXT);
CREATE TABLE t_decisions(
  id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL,
  iteration INTEGER NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE t_checkpoints(
  seq INTEGER PRIMARY KEY, checkpoint INTEGER, t INTEGER NOT NULL, trial INTEGER NOT NULL,
  attempt INTEGER NOT NULL, iteration INTEGER NOT NULL, time_total INTEGER NOT NULL,
  location TEXT NOT NULL, bytes INTEGER NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE t_nodes(
  node TEXT PRIMARY KEY, state TEXT NOT NULL, capacity TEXT, since INTEGER NOT NULL,
  why TEXT NOT NULL, labels TEXT, taints TEXT) WITHOUT ROWID;
CREATE INDEX i_results ON t_results(trial);
CREATE INDEX i_attempts ON t_attempts(trial);
CREATE INDEX i_decisions ON t_decisions(trial);
CREATE INDEX i_checkpoints ON t_checkpoints(trial);
CREATE INDEX i_checkpoint ON t_checkpoints(checkpoint);
CREATE INDEX i_exports ON t_events(json_extract(body, '$.trial')) WHERE kind = 'exported';
)sql";

/// The public views. A new column goes to the end and increases the version.
constexpr std::string_view views = R"sql(
CREATE VIEW experiment AS SELECT
  1 AS schema_version, h.epoch, h.created_ms, h.last_seq,
  json_extract(o.body, '$.build') AS build, json_extract(o.body, '$.seed') AS seed,
  json_extract(o.body, '$.spec') AS spec,
  h.status, h.why, h.finished / 1e9 AS finished
  FROM t_head h LEFT JOIN t_events o ON o.seq = h.opened_seq;
CREATE VIEW trials AS SELECT
  trial, printf('%05d', trial) AS trial_id, status, config, origin, failures, lineage, reason,
  error, iterations, time_total / 1e9 AS time_total_s, metrics, best_iteration, best_metrics,
  created / 1e9 AS created, ended / 1e9 AS ended,
  {best_config} AS best_config
  FROM t_trials t;
{attempts}
CREATE VIEW results AS SELECT
  r.seq, r.t / 1e9 AS t, r.trial,
  (r.attempt >> 40) || '.' || (r.attempt & 1099511627775) AS attempt, a.lineage,
  r.iteration AS training_iteration, r.number, r.time_iter / 1e9 AS time_this_iter_s,
  r.time_total / 1e9 AS time_total_s, r.timestamp_ms, r.pid, r.done & 1 AS done, a.node, r.metrics,
  r.done >> 1 AS has_checkpoint
  FROM t_results r LEFT JOIN t_attempts a ON a.attempt = r.attempt;
CREATE VIEW decisions AS SELECT
  seq, trial,
  CASE WHEN attempt != 0 THEN (attempt >> 40) || '.' || (attempt & 1099511627775) END AS attempt,
  iteration AS training_iteration, action, reason
  FROM t_decisions;
CREATE VIEW checkpoints AS SELECT
  checkpoint, trial, (attempt >> 40) || '.' || (attempt & 1099511627775) AS attempt,
  iteration AS training_iteration, time_total / 1e9 AS time_total_s, location, bytes, state,
  detail, seq, t / 1e9 AS t
  FROM t_checkpoints;
CREATE VIEW exports AS SELECT
  json_extract(e.body, '$.trial') AS trial, json_extract(e.body, '$.attempt') AS attempt,
  json_extract(f.value, '$.format') AS format,
  nullif(json_extract(f.value, '$.path'), '') AS path,
  nullif(json_extract(f.value, '$.why'), '') AS why, e.seq, e.t / 1e9 AS t
  FROM t_events e, json_each(e.body, '$.formats') f WHERE e.kind = 'exported';
{nodes}
CREATE VIEW events AS
  SELECT seq, t / 1e9 AS t, kind, body FROM t_events
  UNION ALL
  SELECT seq, t / 1e9, 'reported', json_object(
    'trial', trial, 'attempt', (attempt >> 40) || '.' || (attempt & 1099511627775),
    'number', number, 'training_iteration', iteration, 'time_this_iter_ns', time_iter,
    'time_total_ns', time_total, 'timestamp_ms', timestamp_ms, 'pid', pid,
    'done', json(CASE WHEN done & 1 THEN 'true' ELSE 'false' END),
    'has_checkpoint', json(CASE WHEN done & 2 THEN 'true' ELSE 'false' END),
    'metrics', json(metrics))
  FROM t_results;
)sql";

constexpr std::string_view attempts_view = R"sql(
CREATE VIEW attempts AS SELECT
  trial, (attempt >> 40) || '.' || (attempt & 1099511627775) AS attempt, lineage, node,
  start_checkpoint, donor, config, pid, started / 1e9 AS started, ended / 1e9 AS ended,
  end_class, detail, exit_status, costs
  FROM t_attempts;
)sql";

constexpr std::string_view nodes_view = R"sql(
CREATE VIEW nodes AS SELECT
  node, state, capacity, since / 1e9 AS since, why, labels, taints
  FROM t_nodes;
)sql";

std::string pragma(std::string_view name, std::int64_t x) {
  return "PRAGMA " + std::string{name} + " = " + std::to_string(x) + ";";
}

/// The views, with the parts in braces filled in.
std::string views_with_names() {
  std::string result{views};
  for (const auto& [name, text] : {std::pair{std::string_view{"{best_config}"}, best_config},
                                   std::pair{std::string_view{"{attempts}"}, attempts_view},
                                   std::pair{std::string_view{"{nodes}"}, nodes_view}})
    result.replace(result.find(name), name.size(), text);
  return result;
}

/// Finds a view that replaces a table: its code would run at every read. Empty if there is none.
constexpr std::string_view false_tables
    = "SELECT ifnull((SELECT name FROM sqlite_master WHERE type = 'view'"
      " AND name LIKE 't\\_%' ESCAPE '\\' LIMIT 1), '')";

} // namespace

expected<void> create_schema(connection& in, std::int64_t created_ms) {
  if (auto provided = provide_sums(in); !provided)
    return provided;
  std::string sql = "BEGIN IMMEDIATE;";
  sql += tables;
  sql += views_with_names();
  const auto created = std::to_string(created_ms);
  sql += "INSERT INTO t_head(id, epoch, last_seq, created_ms, sum) VALUES (1, 1, 0, " + created
         + ", head_sum(1, 0, " + created + ", NULL, NULL, NULL, NULL));";
  sql += pragma("application_id", application_id);
  sql += pragma("user_version", schema_version);
  sql += "COMMIT;";
  return in.run(sql);
}

namespace {

expected<bool> has_column(connection& in, const std::string& table, const std::string& name) {
  auto found = in.number("SELECT count(*) FROM pragma_table_info('" + table + "') WHERE name = '"
                         + name + "'");
  if (!found)
    return found.error();
  return *found != 0;
}

} // namespace

expected<bool> has_costs(connection& in) {
  return has_column(in, "t_attempts", "costs");
}

expected<bool> has_node_labels(connection& in) {
  return has_column(in, "t_nodes", "taints");
}

expected<void> add_costs(connection& in) {
  auto there = has_costs(in);
  if (!there)
    return there.error();
  if (*there)
    return {};
  return in.run("BEGIN IMMEDIATE; ALTER TABLE t_attempts ADD COLUMN costs TEXT;"
                " DROP VIEW IF EXISTS attempts;"
                + std::string{attempts_view} + "COMMIT;");
}

expected<void> add_node_labels(connection& in) {
  auto there = has_node_labels(in);
  if (!there)
    return there.error();
  if (*there)
    return {};
  return in.run("BEGIN IMMEDIATE; ALTER TABLE t_nodes ADD COLUMN labels TEXT;"
                " ALTER TABLE t_nodes ADD COLUMN taints TEXT; DROP VIEW IF EXISTS nodes;"
                + std::string{nodes_view} + "COMMIT;");
}

expected<std::int64_t> check_version(connection& in) {
  auto owner = in.number("PRAGMA application_id");
  auto version = in.number("PRAGMA user_version");
  auto tables_found = in.number("SELECT count(*) FROM sqlite_master");
  for (const auto* x : {&owner, &version, &tables_found}) {
    if (!*x)
      return x->error();
  }
  const auto file = std::string{sqlite3_db_filename(in.handle(), "main")};
  if (*tables_found == 0)
    return std::int64_t{0};
  if (*owner != application_id)
    return error{ec::refused, file + ": is not the database of an experiment"};
  if (*version > schema_version)
    return error{ec::refused, file + ": was made by a newer version (schema "
                                  + std::to_string(*version) + "; this one knows "
                                  + std::to_string(schema_version) + ")"};
  // The version is written in the transaction that creates the tables.
  if (*version <= 0)
    return error{ec::storage,
                 file + ": damaged: its schema is version " + std::to_string(*version)};
  auto foreign = in.text(std::string{false_tables});
  if (!foreign)
    return foreign.error();
  if (!foreign->empty())
    return error{ec::refused, file + ": has a view in the place of its table " + *foreign
                                  + ": not made by tune-node"};
  return *version;
}

} // namespace tune::store
