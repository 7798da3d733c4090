// SPDX-License-Identifier: BSD-3-Clause
#include "exports/optuna/study_file.hpp"

#include "exports/optuna/distribution.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <utility>

namespace tune {

namespace {

/// The tables with the names, types and keys that Optuna expects.
constexpr std::string_view tables = R"sql(
PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE studies(study_id INTEGER NOT NULL PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE TABLE version_info(version_info_id INTEGER NOT NULL PRIMARY KEY, schema_version INTEGER,
  library_version VARCHAR(256), CHECK (version_info_id=1));
CREATE TABLE study_directions(study_direction_id INTEGER NOT NULL PRIMARY KEY,
  direction VARCHAR(8) NOT NULL, study_id INTEGER NOT NULL, objective INTEGER NOT NULL,
  UNIQUE (study_id, objective), FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE TABLE study_user_attributes(study_user_attribute_id INTEGER NOT NULL PRIMARY KEY,
  study_id INTEGER, "key" VARCHAR(512), value_json TEXT, UNIQUE (study_id, "key"),
  FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE TABLE study_system_attributes(study_system_attribute_id INTEGER NOT NULL PRIMARY KEY,
  study_id INTEGER, "key" VARCHAR(512), value_json TEXT, UNIQUE (study_id, "key"),
  FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE TABLE trials(trial_id INTEGER NOT NULL PRIMARY KEY, number INTEGER, study_id INTEGER,
  state VARCHAR(8) NOT NULL, datetime_start DATETIME, datetime_complete DATETIME,
  FOREIGN KEY(study_id) REFERENCES studies (study_id));
CREATE INDEX ix_trials_study_id ON trials (study_id);
CREATE TABLE trial_user_attributes(trial_user_attribute_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER, "key" VARCHAR(512), value_json TEXT, UNIQUE (trial_id, "key"),
  FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_system_attributes(trial_system_attribute_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER, "key" VARCHAR(512), value_json TEXT, UNIQUE (trial_id, "key"),
  FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_params(param_id INTEGER NOT NULL PRIMARY KEY, trial_id INTEGER,
  param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT,
  UNIQUE (trial_id, param_name), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_values(trial_value_id INTEGER NOT NULL PRIMARY KEY, trial_id INTEGER NOT NULL,
  objective INTEGER NOT NULL, value FLOAT, value_type VARCHAR(7) NOT NULL,
  UNIQUE (trial_id, objective), FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_intermediate_values(trial_intermediate_value_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER NOT NULL, step INTEGER NOT NULL, intermediate_value FLOAT,
  intermediate_value_type VARCHAR(7) NOT NULL, UNIQUE (trial_id, step),
  FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE trial_heartbeats(trial_heartbeat_id INTEGER NOT NULL PRIMARY KEY,
  trial_id INTEGER NOT NULL, heartbeat DATETIME NOT NULL, UNIQUE (trial_id),
  FOREIGN KEY(trial_id) REFERENCES trials (trial_id));
CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO version_info VALUES (1, 12, '4.0.0');
INSERT INTO alembic_version VALUES ('v3.2.0.a');
)sql";

/// All of these are of the only study.
constexpr int only_study = 1;

std::string_view name_in_optuna(optuna_state x) {
  constexpr std::array<std::string_view, 5> names{"RUNNING", "COMPLETE", "PRUNED", "FAIL",
                                                  "WAITING"};
  return names[static_cast<std::size_t>(x)];
}

std::string_view number_type(double x) {
  if (std::isnan(x))
    return "NAN";
  if (std::isinf(x))
    return x > 0 ? "INF_POS" : "INF_NEG";
  return "FINITE";
}

std::optional<double> finite(double x) {
  return std::isfinite(x) ? std::optional{x} : std::nullopt;
}

/// Local time, as Optuna writes it: "2026-01-31 12:00:00.250000".
std::optional<std::string> date_text(std::optional<std::int64_t> wall_ms) {
  if (!wall_ms)
    return std::nullopt;
  const auto seconds = static_cast<std::time_t>(*wall_ms / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  auto fraction = std::to_string(1000 + *wall_ms % 1000).substr(1);
  return std::string{text.data(), length} + "." + fraction + "000";
}

std::int64_t row_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number) + 1;
}

} // namespace

expected<study_file> study_file::create(const std::filesystem::path& file,
                                        const std::string& study) {
  auto db = store::connection::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!db)
    return db.error();
  study_file result{std::move(*db)};
  if (auto made = result.db_.run(std::string{tables}); !made)
    return made.error();
  auto named = store::statement::prepare(result.db_, "INSERT INTO studies VALUES (?1, ?2)");
  if (!named)
    return named.error();
  if (!named->bind(only_study, std::string_view{study}).run())
    return result.db_.failure();
  if (auto ready = result.prepare(); !ready)
    return ready.error();
  return result;
}

expected<void> study_file::prepare() {
  const std::pair<store::statement*, const char*> all[] = {
      {&trial_, "INSERT INTO trials VALUES (?1, ?2, 1, ?3, ?4, ?5)"},
      {&parameter_, "INSERT INTO trial_params VALUES (NULL, ?1, ?2, ?3, ?4)"},
      {&objective_, "INSERT INTO trial_values VALUES (NULL, ?1, ?2, ?3, ?4)"},
      {&intermediate_,
       "INSERT OR REPLACE INTO trial_intermediate_values VALUES (NULL, ?1, ?2, ?3, ?4)"},
      {&user_attribute_, "INSERT OR REPLACE INTO trial_user_attributes VALUES (NULL, ?1, ?2, ?3)"},
      {&system_attribute_,
       "INSERT OR REPLACE INTO trial_system_attributes VALUES (NULL, ?1, ?2, ?3)"}};
  for (const auto& [to, sql] : all) {
    auto made = store::statement::prepare(db_, sql);
    if (!made)
      return made.error();
    *to = std::move(*made);
  }
  return {};
}

void study_file::run(store::statement& what) {
  if (what.run() || std::exchange(failed_, true))
    return;
  why_ = db_.failure();
}

void study_file::directions(const std::vector<bool>& maximise) {
  auto add
      = store::statement::prepare(db_, "INSERT INTO study_directions VALUES (NULL, ?1, 1, ?2)");
  if (!add) {
    why_ = add.error();
    return;
  }
  for (std::size_t i = 0; i < maximise.size(); ++i) {
    add->bind(std::string_view{maximise[i] ? "MAXIMIZE" : "MINIMIZE"},
              static_cast<std::int64_t>(i));
    run(*add);
  }
}

void study_file::study_attribute(const char* table, const std::string& key, const value& what) {
  auto add = store::statement::prepare(db_, "INSERT OR REPLACE INTO " + std::string{table}
                                                + " VALUES (NULL, 1, ?1, ?2)");
  if (!add) {
    why_ = add.error();
    return;
  }
  const auto text = python_json(what);
  add->bind(std::string_view{key}, std::string_view{text});
  run(*add);
}

void study_file::study_user_attribute(const std::string& key, const value& what) {
  study_attribute("study_user_attributes", key, what);
}

void study_file::study_system_attribute(const std::string& key, const value& what) {
  study_attribute("study_system_attributes", key, what);
}

void study_file::trial(std::uint64_t number, optuna_state state, std::optional<std::int64_t> start,
                       std::optional<std::int64_t> end) {
  const auto began = date_text(start);
  const auto ended = date_text(end);
  auto view = [](const std::optional<std::string>& x) {
    return x ? std::optional<std::string_view>{*x} : std::nullopt;
  };
  trial_.bind(row_of(number), static_cast<std::int64_t>(number), name_in_optuna(state), view(began),
              view(ended));
  run(trial_);
}

void study_file::parameter(std::uint64_t number, const std::string& name, double x,
                           const std::string& distribution) {
  parameter_.bind(row_of(number), std::string_view{name}, x, std::string_view{distribution});
  run(parameter_);
}

void study_file::objective(std::uint64_t number, std::size_t which, double x) {
  objective_.bind(row_of(number), static_cast<std::int64_t>(which), finite(x), number_type(x));
  run(objective_);
}

void study_file::intermediate(std::uint64_t number, std::uint64_t step, double x) {
  intermediate_.bind(row_of(number), static_cast<std::int64_t>(step), finite(x), number_type(x));
  run(intermediate_);
}

void study_file::user_attribute(std::uint64_t number, const std::string& key, const value& what) {
  const auto text = python_json(what);
  user_attribute_.bind(row_of(number), std::string_view{key}, std::string_view{text});
  run(user_attribute_);
}

void study_file::system_attribute(std::uint64_t number, const std::string& key, const value& what) {
  const auto text = python_json(what);
  system_attribute_.bind(row_of(number), std::string_view{key}, std::string_view{text});
  run(system_attribute_);
}

expected<std::int64_t> study_file::intermediate_values() {
  return db_.number("SELECT COUNT(*) FROM trial_intermediate_values");
}

expected<void> study_file::commit() {
  if (why_)
    return *why_;
  return db_.run("COMMIT; PRAGMA synchronous = FULL;");
}

} // namespace tune
