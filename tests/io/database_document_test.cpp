// SPDX-License-Identifier: BSD-3-Clause
// docs/database.md is a promise: the views have exactly its columns, and its queries run.
#include "store_fixture.hpp"

#include <map>

namespace tune {
namespace {

namespace fs = std::filesystem;
using samples::rows;

class database_document : public samples::store_fixture {
protected:
  void SetUp() override {
    samples::store_fixture::SetUp();
    std::istringstream all{content(fs::path{TUNE_SOURCE_DIR} / "docs" / "database.md")};
    for (std::string line; std::getline(all, line);)
      lines.push_back(line);
    ASSERT_GT(lines.size(), 100u);
  }

  /// The names in the first column of each table below a heading "### `view`".
  std::map<std::string, std::vector<std::string>> documented_views() const {
    std::map<std::string, std::vector<std::string>> result;
    std::string view;
    for (const auto& line : lines) {
      if (line.starts_with("### `"))
        view = line.substr(5, line.rfind('`') - 5);
      else if (line.starts_with("## "))
        view.clear();
      else if (line.starts_with("| `") && !view.empty())
        result[view].push_back(line.substr(3, line.find('`', 3) - 3));
    }
    return result;
  }

  std::vector<std::string> queries() const {
    std::vector<std::string> result;
    bool inside = false;
    for (const auto& line : lines) {
      if (line == "```sql")
        result.emplace_back();
      else if (inside && !line.starts_with("```"))
        result.back() += line + "\n";
      inside = line == "```sql" || (inside && !line.starts_with("```"));
    }
    return result;
  }

  /// Writes four trials with everything that the queries look for.
  experiment_store full() {
    auto store = fresh();
    auto items = a_run(4, 3);
    cmd::attempt_changed failed;
    failed.trial = {2};
    failed.attempt = {1, 90};
    failed.node = "node-b";
    failed.finished = std::chrono::seconds{9};
    failed.how = end_class::user_error;
    failed.detail = "boom";
    items.emplace_back(37, failed);
    items.emplace_back(37, cmd::decision_taken{{1}, {1, 2}, 3, "stop", {{"rule", "asha"}}});
    items.emplace_back(
        at(38, on::saved{{1}, {1, 2}, {1}, 3, {}, "trials/00001/1.2/checkpoint_000001", 99}));
    for (sequence i = 39; i <= 120; ++i)
      items.emplace_back(at(i, on::node_up{"node-a", {amount{40000}, {}, 1024, {}}, {"zone=a"}}));
    auto written = store.write(items);
    EXPECT_TRUE(written.has_value()) << written.error().detail;
    return store;
  }

  std::vector<std::string> lines;
};

TEST_F(database_document, names_every_view_and_every_column_in_order) {
  auto store = fresh();
  auto db = sql();
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& view : db.ask("SELECT name FROM sqlite_master WHERE type = 'view'")) {
    for (const auto& column : db.ask("PRAGMA table_info(" + view[0] + ")"))
      found[view[0]].push_back(column[1]);
  }

  EXPECT_EQ(documented_views(), found);
  EXPECT_EQ(found.size(), 9u);
}

TEST_F(database_document, names_the_version_of_the_views) {
  auto store = full();

  const auto version = sql().ask("PRAGMA user_version");

  EXPECT_EQ(sql().ask("SELECT schema_version FROM experiment"), version);
  EXPECT_EQ(sql().ask("PRAGMA application_id"), (rows{{"1414876741"}}));
  const auto sentence = "version of the views, " + version[0][0] + " at present";
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                          [&](const auto& line) { return line.find(sentence) != line.npos; }));
}

TEST_F(database_document, has_queries_that_run_and_find_something) {
  auto store = full();
  const auto all = queries();
  ASSERT_EQ(all.size(), 9u);

  for (const auto& query : all) {
    const auto answer = sql().ask(query);
    ASSERT_FALSE(answer.empty()) << query;
    EXPECT_FALSE(answer[0][0].starts_with("error: ")) << answer[0][0] << "\n" << query;
  }
}

TEST_F(database_document, gives_the_answers_one_would_expect) {
  auto store = full();
  const auto all = queries();

  EXPECT_EQ(sql().ask(all[0]), (rows{{"TERMINATED", "4", "12"}}));
  EXPECT_EQ(sql().ask(all[1])[0],
            (std::vector<std::string>{"00003", "0.166666666666667", "3", "0.5"}));
  EXPECT_EQ(sql().ask(all[2]).size(), 3u);
  EXPECT_EQ(sql().ask(all[3]), (rows{{"stop", "asha", "1"}}));
  EXPECT_EQ(sql().ask(all[4]), (rows{{"00002", "1.90", "node-b", "user_error", "NULL", "boom"}}));
  EXPECT_EQ(sql().ask(all[6]), (rows{{"1", "trials/00001/1.2/checkpoint_000001", "38"}}));
  EXPECT_EQ(sql().ask(all[7]).size(), 20u);
}

TEST_F(database_document, shows_the_events_without_gaps_reports_among_them) {
  auto store = full();

  EXPECT_EQ(sql().ask("SELECT count(*), min(seq), max(seq) FROM events"),
            (rows{{"120", "1", "120"}}));
  EXPECT_EQ(sql().ask("SELECT kind, body FROM events WHERE seq = 4"),
            (rows{{"reported", R"({"trial":0,"attempt":"1.1","number":11,"training_iteration":1,)"
                               R"("time_this_iter_ns":123456789,"time_total_ns":9876543210,)"
                               R"("timestamp_ms":1700000000123,"pid":4242,"done":true,)"
                               R"("has_checkpoint":true,"metrics":{"loss":1.0,"n":1}})"}}));
}

TEST_F(database_document, shows_the_experiment_and_the_nodes) {
  auto store = full();

  EXPECT_EQ(
      sql().ask("SELECT epoch, last_seq, build, seed, json_extract(spec, '$.experiment.name'),"
                " status, finished FROM experiment"),
      (rows{{"1", "120", "0.1.0", "7", "digits", "running", "NULL"}}));
  EXPECT_EQ(sql().ask("SELECT node, state, capacity, since, labels, taints FROM nodes"),
            (rows{{"node-a", "up", R"({"cpu":4,"memory":1024})", "60.0", R"(["zone=a"])", "[]"}}));
}

TEST_F(database_document, shows_metrics_that_sqlite_would_spoil) {
  auto store = fresh();
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{
                      at(1, on::reported{samples::a_report(0, 1, {1, 1}, samples::awkward())})})
                  .has_value());

  EXPECT_EQ(sql().ask("SELECT json_extract(metrics, '$.nan'), json_extract(metrics, '$.inf'),"
                      " typeof(json_extract(metrics, '$.int')),"
                      " typeof(json_extract(metrics, '$.float')),"
                      " json_extract(metrics, '$.wide') FROM results"),
            (rows{{"nan", "inf", "integer", "real", "9223372036854775807"}}));
}

} // namespace
} // namespace tune
