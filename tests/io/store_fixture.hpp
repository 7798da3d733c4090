/// A scratch experiment, and access to its database without the project's own code.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "event_samples.hpp"
#include "scratch_directory.hpp"

#include "tune/io/store/experiment_store.hpp"
#include "tune/io/store/store_reader.hpp"

#include <sqlite3.h>

#include <string>
#include <vector>

namespace tune::samples {

using rows = std::vector<std::vector<std::string>>;

/// An SQLite client like any user's.
class client {
public:
  explicit client(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &db_), SQLITE_OK);
    sqlite3_busy_timeout(db_, 5000);
  }
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { sqlite3_close(db_); }

  /// @returns all rows as texts, NULL as "NULL"; on failure a single cell with the error's text.
  rows ask(const std::string& sql) {
    rows result;
    char* why = nullptr;
    sqlite3_exec(db_, sql.c_str(), take, &result, &why);
    if (why != nullptr)
      result = {{std::string{"error: "} + why}};
    sqlite3_free(why);
    return result;
  }

private:
  sqlite3* db_ = nullptr;

  static int take(void* to, int count, char** cells, char**) {
    auto& row = static_cast<rows*>(to)->emplace_back();
    for (int i = 0; i < count; ++i)
      row.emplace_back(cells[i] != nullptr ? cells[i] : "NULL");
    return 0;
  }
};

class store_fixture : public scratch_directory {
protected:
  std::filesystem::path directory() const { return root / "results" / "digits"; }

  experiment_store fresh(const store_options& options = {}) {
    auto made = experiment_store::create(directory(), options);
    EXPECT_TRUE(made.has_value()) << made.error().detail;
    return std::move(*made);
  }
  store_reader reader() {
    auto made = store_reader::open(directory());
    EXPECT_TRUE(made.has_value()) << made.error().detail;
    return std::move(*made);
  }
  client sql() { return client{database_file(directory())}; }

  static event at(sequence seq, event_body what) {
    return {seq, std::chrono::milliseconds{seq * 500}, std::move(what)};
  }

  /// An opening event, then `trials` trials of `reports` reports each, with all of their rows.
  static std::vector<store_item> a_run(std::uint64_t trials, std::uint64_t reports,
                                       sequence from = 1, std::uint32_t epoch = 1) {
    std::vector<store_item> result;
    auto post = [&](event_body what) { result.emplace_back(at(from++, std::move(what))); };
    post(on::opened{epoch, "0.1.0", R"({"experiment":{"name":"digits"}})", 7});
    for (std::uint64_t i = 0; i < trials; ++i) {
      const trial_id id{i};
      const attempt_id run{epoch, i + 1};
      const auto settings = config({{"lr", 0.5}, {"layers", static_cast<std::int64_t>(i)}});
      cmd::trial_changed row{id, trial_status::pending, settings, "random", 0, 1, "", "", {}, {}};
      cmd::attempt_changed attempt;
      attempt.trial = id;
      attempt.attempt = run;
      attempt.node = "node-a";
      attempt.config = settings;
      attempt.began = std::chrono::seconds{1};

      post(on::suggested{i + 1, std::vector<suggestion>{{settings, "random"}}});
      result.emplace_back(from - 1, row);
      post(on::placed{id, run, {{i + 1}, {{"node-a", {amount{10000}, {}, 0, {}}, {}}}}});
      row.status = trial_status::running;
      result.emplace_back(from - 1, row);
      result.emplace_back(from - 1, attempt);
      for (std::uint64_t n = 1; n <= reports; ++n) {
        auto what = a_report(i, n, run, {{"loss", 1.0 / static_cast<double>(n + i)}, {"n", 1}});
        row.last = row.best = what;
        const auto seq = from;
        post(on::reported{what});
        post(on::decided{{{seq, {{id, go_on{}, {}}}}}});
      }
      post(on::ended{id, run, end_class::finished, "", 0});
      row.status = trial_status::terminated;
      row.reason = "finished";
      attempt.finished = std::chrono::seconds{2};
      attempt.exit_status = 0;
      result.emplace_back(from - 1, row);
      result.emplace_back(from - 1, attempt);
    }
    return result;
  }
};

} // namespace tune::samples
