// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json.hpp"
#include "tune/io/store/store_reader.hpp"

#include "store_fixture.hpp"

#include "tune/io/store/best_trials.hpp"
#include "tune/io/store/trials_with_number.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tune {
namespace {

namespace fs = std::filesystem;
using samples::rows;

class store_reader_test : public samples::store_fixture {};

TEST_F(store_reader_test, gives_every_kind_of_event_back_exactly) {
  std::vector<event> log;
  for (const auto& body : samples::every_kind())
    log.push_back(at(log.size() + 1, body));
  auto store = fresh();
  ASSERT_TRUE(store.write(std::vector<store_item>(log.begin(), log.end())).has_value());

  auto uut = reader();
  auto read = uut.events_after(0, 1000);

  ASSERT_TRUE(read.has_value()) << read.error().detail;
  ASSERT_EQ(read->size(), log.size());
  for (std::size_t i = 0; i < log.size(); ++i)
    EXPECT_TRUE(samples::same(log[i], (*read)[i])) << name_of(log[i].what) << " " << i;
}

TEST_F(store_reader_test, gives_the_log_in_parts) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  auto uut = reader();

  auto middle = uut.events_after(5, 4);
  auto small = uut.events_after(5, 100, 1);
  auto end = uut.events_after(22, 10);

  ASSERT_TRUE(middle && small && end);
  ASSERT_EQ(middle->size(), 4u);
  EXPECT_EQ(middle->front().seq, 6u);
  EXPECT_EQ(middle->back().seq, 9u);
  EXPECT_EQ(small->size(), 1u);
  EXPECT_TRUE(end->empty());
}

TEST_F(store_reader_test, sees_one_moment_for_as_long_as_it_holds) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  auto uut = reader();
  ASSERT_TRUE(uut.hold());
  auto before = uut.experiment();
  ASSERT_TRUE(before);

  ASSERT_TRUE(store.write(std::vector<store_item>{at(23, on::stop_asked{})}).has_value());

  auto now = uut.experiment();
  auto more = uut.events_after(22, 10);
  auto last = uut.last_seq();
  ASSERT_TRUE(now && more && last);
  EXPECT_EQ(now->last_seq, before->last_seq);
  EXPECT_EQ(*last, 22u);
  EXPECT_TRUE(more->empty());
  EXPECT_EQ(*reader().last_seq(), 23u);
}

TEST_F(store_reader_test, tells_whether_a_pause_of_the_experiment_stands) {
  auto store = fresh();
  auto write = [&](sequence seq, const event_body& what) {
    ASSERT_TRUE(store.write(std::vector<store_item>{at(seq, what)}).has_value());
  };
  auto uut = reader();

  EXPECT_EQ(*uut.stands_paused(), false);
  write(1, on::pause_asked{trial_id{0}});
  EXPECT_EQ(*uut.stands_paused(), false) << "of one trial alone";
  write(2, on::pause_asked{});
  write(3, on::unpause_asked{trial_id{0}});
  write(4, on::stop_asked{});
  EXPECT_EQ(*uut.stands_paused(), true);
  write(5, on::unpause_asked{});
  EXPECT_EQ(*uut.stands_paused(), false);
}

TEST_F(store_reader_test, names_the_trials_that_clients_hold) {
  using ids = std::vector<trial_id>;
  const trial_id ended{0};
  const trial_id waits{3};
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  auto seq = *reader().last_seq();
  auto write = [&](const event_body& what) {
    ASSERT_TRUE(store.write(std::vector<store_item>{at(++seq, what)}).has_value());
  };
  const auto settings = samples::config({{"lr", 0.5}});
  std::vector<store_item> more{
      at(++seq, on::suggested{4, std::vector<suggestion>{{settings, "random"}}})};
  more.emplace_back(
      seq,
      cmd::trial_changed{waits, trial_status::pending, settings, "random", 0, 1, "", "", {}, {}});
  ASSERT_TRUE(store.write(more).has_value());
  auto uut = reader();

  EXPECT_EQ(*uut.held_trials(), ids{});
  write(on::pause_asked{});
  EXPECT_EQ(*uut.held_trials(), ids{}) << "the whole experiment";
  write(on::pause_asked{ended});
  write(on::pause_asked{waits});
  EXPECT_EQ(*uut.held_trials(), ids{waits});
  write(on::unpause_asked{});
  EXPECT_EQ(*uut.held_trials(), ids{waits});
  write(on::unpause_asked{waits});
  EXPECT_EQ(*uut.held_trials(), ids{});
}

TEST_F(store_reader_test, sums_the_experiment_up) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  auto uut = reader();

  auto running = uut.experiment();
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{
                      at(23, on::stop_asked{}),
                      {23, cmd::finish{experiment_status::stopped, "by request"}}})
                  .has_value());
  auto finished = uut.experiment();

  ASSERT_TRUE(running.has_value()) << running.error().detail;
  EXPECT_EQ(running->epoch, 1u);
  EXPECT_EQ(running->build, "0.1.0");
  EXPECT_EQ(running->seed, 7u);
  EXPECT_EQ(running->spec, R"({"experiment":{"name":"digits"}})");
  EXPECT_EQ(running->status, "running");
  EXPECT_EQ(running->last_seq, 22u);
  EXPECT_EQ(running->elapsed, std::chrono::seconds{11});
  EXPECT_EQ(running->counts, (status_counts{0, 0, 0, 3, 0}));
  EXPECT_EQ(running->results, 6u);
  EXPECT_GT(running->created_ms, 1'700'000'000'000);
  EXPECT_FALSE(running->finished.has_value());
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->status, "stopped");
  EXPECT_EQ(finished->why, "by request");
  EXPECT_EQ(finished->finished, std::chrono::milliseconds{11500});
}

TEST_F(store_reader_test, lists_trials_filtered_sorted_and_in_pages) {
  auto items = a_run(5, 1);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();
  auto numbers = [&](const trial_query& which) {
    std::vector<std::uint64_t> result;
    auto found = uut.trials(which);
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    for (const auto& x : *found)
      result.push_back(x.trial.number);
    return result;
  };
  using order = trial_query::order;
  using list = std::vector<std::uint64_t>;

  EXPECT_EQ(numbers({}), (list{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers({std::nullopt, order::number, "", true, 2, 1}), (list{3, 2}));
  EXPECT_EQ(numbers({trial_status::running}), list{});
  EXPECT_EQ(numbers({trial_status::terminated, order::ended, "", true, 1}), list{4});
  EXPECT_EQ(numbers({std::nullopt, order::metric, "loss", false, 2}), (list{4, 3}));
  EXPECT_EQ(numbers({std::nullopt, order::metric, "loss", true, 2}), (list{0, 1}));
  EXPECT_EQ(numbers({std::nullopt, order::metric, "no'such", true, 2}), (list{0, 1}));
}

TEST_F(store_reader_test, counts_trials_with_a_number_that_have_not_failed) {
  std::vector<store_item> items;
  items.emplace_back(at(1, on::opened{}));
  const value losses[] = {2.0, samples::nan, "none", samples::inf, 1.0};
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto what = samples::a_report(i, 1, {1, i + 1}, {{"loss", losses[i]}});
    cmd::trial_changed row;
    row.trial = {i};
    row.status = i < 4 ? trial_status::terminated : trial_status::errored;
    row.last = what;
    if (i == 0 || i >= 3)
      row.best = what;
    items.emplace_back(at(i + 2, on::reported{what}));
    items.emplace_back(i + 2, row);
  }
  cmd::trial_changed silent;
  silent.trial = {5};
  silent.status = trial_status::terminated;
  items.emplace_back(6, silent);
  const auto seen = samples::a_report(6, 1, {1, 6}, {{"loss", 3.0}});
  cmd::trial_changed paused;
  paused.trial = {6};
  paused.status = trial_status::paused;
  paused.last = paused.best = seen;
  items.emplace_back(at(7, on::reported{seen}));
  items.emplace_back(7, paused);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();

  auto counted = count_with_number(uut, "loss");

  ASSERT_TRUE(counted) << counted.error().detail;
  EXPECT_EQ(counted->succeeded, 3u) << "a number, NaN, infinity";
  EXPECT_EQ(counted->promising, 4u) << "these, and the paused one, but not the failed one";
}

TEST_F(store_reader_test, puts_trials_without_the_number_last_either_way) {
  std::vector<store_item> items;
  items.emplace_back(at(1, on::opened{}));
  const value losses[] = {samples::nan, 2.0, "none", -1};
  for (std::uint64_t i = 0; i < 4; ++i) {
    cmd::trial_changed row;
    row.trial = {i};
    row.best = samples::a_report(i, 1, {1, i + 1}, {{"loss", losses[i]}});
    items.emplace_back(1, row);
  }
  items.emplace_back(1, cmd::trial_changed{});
  std::get<cmd::trial_changed>(items.back().what).trial = {4};
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();

  for (bool descending : {false, true}) {
    auto found = uut.trials({std::nullopt, trial_query::order::metric, "loss", descending, 2});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ((*found)[descending ? 1 : 0].trial.number, 3u);
    EXPECT_EQ((*found)[descending ? 0 : 1].trial.number, 1u);
  }
}

TEST_F(store_reader_test, tells_what_became_of_checkpoints) {
  std::vector<store_item> items{at(1, on::opened{1, "0.1.0", "{}", 7})};
  for (std::uint64_t i = 1; i <= 3; ++i)
    items.push_back(at(1 + i, on::saved{{1}, {1, 2}, {i}, i, {}, "somewhere", 9}));
  items.push_back(at(5, on::checkpoints_doomed{{{1}, {2}}}));
  items.push_back(at(6, on::checkpoint_gone{{1}}));
  auto store = fresh();

  auto written = store.write(items);

  ASSERT_TRUE(written.has_value()) << written.error().detail;
  auto found = reader().checkpoints({1});
  std::vector<std::string> states;
  for (const auto& x : *found)
    states.push_back(x.state);
  EXPECT_EQ(states, (std::vector<std::string>{"gone", "doomed", "good"}));
}

TEST_F(store_reader_test, shows_all_of_one_trial) {
  auto items = a_run(2, 3);
  items.emplace_back(16, cmd::decision_taken{{1}, {1, 2}, 3, "stop", {{"rule", "asha"}}});
  items.emplace_back(at(
      20, on::saved{
              {1}, {1, 2}, {1}, 3, std::chrono::seconds{4}, "trials/00001/1.2/checkpoint_1", 99}));
  items.emplace_back(at(21, on::checkpoint_bad{{1}, {1, 2}, {1}, "checksum"}));
  auto store = fresh();
  auto written = store.write(items);
  ASSERT_TRUE(written.has_value()) << written.error().detail;
  auto uut = reader();

  auto trial = uut.trial({1});
  auto results = uut.results({1}, 0, 100);
  auto tail = uut.results({1}, (*results)[0].seq, 1);
  auto attempts = uut.attempts({1});
  auto decisions = uut.decisions({1});
  auto checkpoints = uut.checkpoints({1});

  ASSERT_TRUE(trial && *trial);
  EXPECT_EQ((*trial)->status, trial_status::terminated);
  EXPECT_EQ((*trial)->config, (object{{"lr", 0.5}, {"layers", 1}}));
  EXPECT_EQ((*trial)->iterations, 3u);
  EXPECT_EQ(*(*trial)->metrics, (object{{"loss", 0.25}, {"n", 1}}));
  EXPECT_EQ((*trial)->best_iteration, 3u);
  EXPECT_EQ((*trial)->reason, "finished");
  ASSERT_EQ(results->size(), 3u);
  EXPECT_EQ((*results)[1].what->iteration, 2u);
  EXPECT_EQ((*results)[1].node, "node-a");
  ASSERT_EQ(tail->size(), 1u);
  EXPECT_EQ((*tail)[0].seq, (*results)[1].seq);
  ASSERT_EQ(attempts->size(), 1u);
  EXPECT_EQ((*attempts)[0].attempt, (attempt_id{1, 2}));
  EXPECT_EQ((*attempts)[0].exit_status, 0);
  ASSERT_EQ(decisions->size(), 1u);
  EXPECT_EQ((*decisions)[0].action, "stop");
  EXPECT_EQ((*decisions)[0].reason, (object{{"rule", "asha"}}));
  ASSERT_EQ(checkpoints->size(), 1u);
  EXPECT_EQ((*checkpoints)[0].state, "bad");
  EXPECT_EQ((*checkpoints)[0].detail, "checksum");
  EXPECT_EQ((*checkpoints)[0].bytes, 99u);
  EXPECT_EQ((*checkpoints)[0].time_total, std::chrono::seconds{4});
  EXPECT_EQ(*uut.count_results({1}, 1000), 3u);
  EXPECT_EQ(*uut.count_results({1}, (*results)[1].seq), 2u);
  EXPECT_FALSE((*uut.trial({7})).has_value());
}

TEST_F(store_reader_test, tells_the_failures_of_a_trial) {
  auto items = a_run(1, 1);
  cmd::attempt_changed failed;
  failed.attempt = {1, 9};
  failed.finished = std::chrono::seconds{3};
  failed.how = end_class::user_error;
  failed.detail = "boom";
  failed.exit_status = 3;
  items.emplace_back(6, failed);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();

  auto found = uut.failures({0});

  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].detail, "boom");
  EXPECT_EQ((*found)[0].how, end_class::user_error);
  EXPECT_EQ((*found)[0].exit_status, 3);
}

TEST_F(store_reader_test, gives_the_row_of_an_attempt_back_as_it_was_written) {
  auto items = a_run(1, 1);
  cmd::attempt_changed written;
  written.attempt = {1, 9};
  written.lineage = 3;
  written.node = "node-b";
  written.from = {4};
  written.donor = trial_id{7};
  written.config = std::make_shared<const object>(object{{"lr", 0.5}});
  written.pid = 42;
  written.began = std::chrono::seconds{2};
  items.emplace_back(6, written);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();

  auto read = uut.attempt({1, 9});

  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->trial, written.trial);
  EXPECT_EQ((*read)->lineage, 3u);
  EXPECT_EQ((*read)->node, "node-b");
  EXPECT_EQ((*read)->from, (checkpoint_id{4}));
  EXPECT_EQ((*read)->donor, trial_id{7});
  EXPECT_EQ(*(*read)->config, (object{{"lr", 0.5}}));
  EXPECT_EQ((*read)->pid, 42);
  EXPECT_EQ((*read)->began, std::chrono::seconds{2});
  EXPECT_EQ((*read)->finished, std::nullopt);
  EXPECT_EQ((*read)->exit_status, std::nullopt);
}

TEST_F(store_reader_test, tells_where_an_attempt_began) {
  auto items = a_run(1, 1);
  cmd::attempt_changed written;
  written.attempt = {1, 9};
  written.lineage = 3;
  written.from = {4};
  written.donor = trial_id{7};
  written.config = std::make_shared<const object>(object{{"lr", 0.5}});
  items.emplace_back(6, written);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();

  const auto clone = uut.origin_of({1, 9});
  const auto own = uut.origin_of({1, 1});
  const auto none = uut.origin_of({1, 99});

  ASSERT_TRUE(clone && *clone && own && *own && none);
  EXPECT_EQ((*clone)->lineage, 3u);
  EXPECT_EQ((*clone)->donor, trial_id{7});
  EXPECT_TRUE((*clone)->restored);
  EXPECT_EQ((*own)->lineage, 1u);
  EXPECT_FALSE((*own)->donor);
  EXPECT_FALSE((*own)->restored);
  EXPECT_FALSE(*none);
}

TEST_F(store_reader_test, shows_nodes_as_they_are_now) {
  auto store = fresh();
  ASSERT_TRUE(store
                  .write(std::vector<store_item>{
                      at(1, on::node_up{"a", {amount{20000}, amount{5000}, 7, {{"x", amount{1}}}}}),
                      at(2, on::node_up{"b", {}, {"gpu_model=A100"}, {"spot", "site=x"}}),
                      at(3, on::node_down{"b", "gone"})})
                  .has_value());
  auto uut = reader();

  auto nodes = uut.nodes();

  ASSERT_TRUE(nodes.has_value()) << nodes.error().detail;
  ASSERT_EQ(nodes->size(), 2u);
  EXPECT_TRUE((*nodes)[0].up);
  EXPECT_EQ((*nodes)[0].capacity, (resources{amount{20000}, amount{5000}, 7, {{"x", amount{1}}}}));
  EXPECT_FALSE((*nodes)[1].up);
  EXPECT_EQ((*nodes)[1].why, "gone");
  EXPECT_EQ((*nodes)[1].since, std::chrono::milliseconds{1500});
  EXPECT_EQ((*nodes)[0].labels, std::vector<std::string>{});
  EXPECT_EQ((*nodes)[1].labels, std::vector<std::string>{"gpu_model=A100"});
  EXPECT_EQ((*nodes)[1].taints, (std::vector<std::string>{"spot", "site=x"}));
}

struct damage {
  const char* name;
  const char* sql;
  const char* told;
};

class damaged_store : public samples::store_fixture, public testing::WithParamInterface<damage> {};

TEST_P(damaged_store, is_refused_with_table_and_row) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 2)).has_value());
  EXPECT_EQ(sql().ask(GetParam().sql), rows{});
  auto uut = reader();

  auto read = uut.events_after(0, 100);

  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ec::storage);
  EXPECT_NE(read.error().detail.find(GetParam().told), std::string::npos) << read.error().detail;
  EXPECT_NE(read.error().detail.find("experiment.db"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    store, damaged_store,
    testing::Values(
        damage{"body", "UPDATE t_events SET body = replace(body, 'random', 'rondom') WHERE seq = 2",
               "t_events row 2: damaged"},
        damage{"time", "UPDATE t_events SET t = t + 1 WHERE seq = 3", "t_events row 3: damaged"},
        damage{"kind", "UPDATE t_events SET kind = 'ended' WHERE seq = 3", "t_events row 3"},
        damage{"sum", "UPDATE t_events SET sum = 0 WHERE seq = 3", "t_events row 3: damaged"},
        damage{"metrics", "UPDATE t_results SET metrics = '{}' WHERE seq = 4",
               "t_results row 4: damaged"},
        damage{"exceptions", "UPDATE t_results SET exceptions = '[[0]]' WHERE seq = 6",
               "t_results row 6: damaged"},
        damage{"trial", "UPDATE t_results SET trial = 1 WHERE seq = 6", "t_results row 6: damaged"},
        damage{"done", "UPDATE t_results SET done = 1 - done WHERE seq = 6",
               "t_results row 6: damaged"},
        damage{"lost_event", "DELETE FROM t_events WHERE seq = 3", "event 3 is missing"},
        damage{"lost_result", "DELETE FROM t_results WHERE seq = 6", "event 6 is missing"},
        damage{"lost_end", "DELETE FROM t_events WHERE seq = 8", "event 8 is missing"},
        damage{"moved", "UPDATE t_events SET seq = 100 WHERE seq = 5", "event 5 is missing"}),
    [](const auto& x) { return std::string{x.param.name}; });

TEST_F(store_reader_test, finds_a_damaged_result_when_asked_for_one_trial) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(1, 2)).has_value());
  sql().ask("UPDATE t_results SET pid = 1 WHERE seq = 4");

  auto read = reader().results({0}, 0, 10);

  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().detail.find("t_results row 4"), std::string::npos);
}

TEST_F(store_reader_test, tells_with_which_configuration_the_best_report_came) {
  // Trial 0 reports twice with lr = 0.5, takes over another's state, and gets worse with lr = 2.
  auto items = a_run(2, 2);
  cmd::attempt_changed second;
  second.trial = {0};
  second.attempt = {1, 9};
  second.config = samples::config({{"lr", 2.0}});
  cmd::trial_changed row{{0}, trial_status::terminated, second.config, "random", 0, 2, "", "", {},
                         {}};
  row.best = samples::a_report(0, 2, {1, 1}, {{"loss", 0.5}, {"n", 1}});
  row.last = samples::a_report(0, 3, second.attempt, {{"loss", 9.0}, {"n", 1}});
  const auto next = items.back().seq + 1;
  items.emplace_back(at(next, on::reported{row.last}));
  items.emplace_back(next, second);
  items.emplace_back(next, row);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());

  auto uut = reader();
  auto changed = uut.trial({0});
  auto all = uut.trials({std::nullopt, trial_query::order::metric, "loss"});

  ASSERT_TRUE(changed && *changed && all) << changed.error().detail;
  EXPECT_EQ((*changed)->config, (object{{"lr", 2.0}}));
  EXPECT_EQ((*changed)->best_config, (object{{"lr", 0.5}, {"layers", std::int64_t{0}}}));
  EXPECT_FALSE((*changed)->last_config);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_FALSE(all->at(0).best_config);
  EXPECT_EQ(all->at(1).best_config, (*changed)->best_config);
  EXPECT_EQ(sql().ask("SELECT best_config = config FROM trials ORDER BY trial"),
            (rows{{"0"}, {"1"}}));
  std::vector<std::string> scanned;
  ASSERT_TRUE(
      uut.scan_trials({0}, 9, [&](const raw_trial& x) { scanned.emplace_back(x.best_config); }));
  EXPECT_EQ(scanned, (std::vector<std::string>{to_json(*(*changed)->best_config), ""}));
}

TEST_F(store_reader_test, tells_with_which_configuration_reports_came_where_none_came_since) {
  // Trial 0 takes over another's state after its last report.
  auto items = a_run(2, 2);
  cmd::attempt_changed second;
  second.trial = {0};
  second.attempt = {1, 9};
  second.lineage = 2;
  second.config = samples::config({{"lr", 2.0}});
  cmd::trial_changed row{{0}, trial_status::paused, second.config, "random", 0, 2, "", "", {}, {}};
  row.best = row.last = samples::a_report(0, 2, {1, 1}, {{"loss", 0.5}, {"n", 1}});
  items.emplace_back(items.back().seq, second);
  items.emplace_back(items.back().seq, row);
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  const object before{{"lr", 0.5}, {"layers", std::int64_t{0}}};

  auto uut = reader();
  auto changed = uut.trial({0});
  auto other = uut.trial({1});
  auto reports = uut.results({0}, 0, 10);

  ASSERT_TRUE(changed && *changed && other && *other && reports);
  EXPECT_EQ((*changed)->config, *second.config);
  EXPECT_EQ((*changed)->last_config, before);
  EXPECT_EQ((*changed)->best_config, before);
  EXPECT_FALSE((*other)->last_config);
  ASSERT_EQ(reports->size(), 2u);
  ASSERT_TRUE(reports->back().config);
  EXPECT_EQ(*reports->back().config, before);
}

TEST_F(store_reader_test, finds_the_best_trials_by_constraints_and_nested_metrics) {
  std::vector<store_item> items;
  items.emplace_back(at(1, on::opened{}));
  const object metrics[] = {{{"loss", 0.1}, {"size", 9}, {"v", object{{"loss", 3}}}},
                            {{"loss", 0.5}, {"size", 4}, {"v", object{{"loss", 1}}}},
                            {{"loss", 0.4}, {"size", 5}, {"v", object{{"loss", 2}}}},
                            {{"loss", 0.2}, {"v", object{{"loss", samples::nan}}}},
                            {{"size", 1}}};
  for (std::uint64_t i = 0; i < 5; ++i) {
    cmd::trial_changed row;
    row.trial = {i};
    row.best = samples::a_report(i, 1, {1, i + 1}, metrics[i]);
    items.emplace_back(1, row);
  }
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();
  auto best = [&](const objective& by, const std::string& constraints, std::size_t limit) {
    std::vector<std::uint64_t> result;
    auto found = best_trials(uut, {by, *parse_constraints(constraints)}, limit);
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    for (const auto& x : *found)
      result.push_back(x.trial.number);
    return result;
  };
  using list = std::vector<std::uint64_t>;

  EXPECT_EQ(best({"loss", false}, "", 9), (list{0, 3, 2, 1}));
  EXPECT_EQ(best({"loss", false}, "size <= 5", 9), (list{2, 1, 0, 3}));
  EXPECT_EQ(best({"loss", true}, "size <= 5", 1), list{1});
  EXPECT_EQ(best({"loss", false}, "size <= 4.5, loss > 0", 2), (list{1, 2}));
  EXPECT_EQ(best({"v/loss", false}, "", 2), (list{1, 2}));
  EXPECT_EQ(best({"none", false}, "", 2), list{});
}

TEST_F(store_reader_test, takes_a_seed_for_a_parameter_where_nothing_runs_several_times) {
  std::vector<store_item> items;
  items.emplace_back(at(1, on::opened{}));
  for (std::uint64_t i = 0; i < 4; ++i) {
    cmd::trial_changed row;
    row.trial = {i};
    row.status = trial_status::terminated;
    row.config = std::make_shared<const object>(
        object{{"x", 1}, {"seed", static_cast<std::int64_t>(i % 3)}});
    row.best = samples::a_report(i, 1, {1, i + 1}, {{"loss", 0.5}});
    items.emplace_back(1, row);
  }
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();
  const auto count = [&uut](const repeat_rule& repeats) {
    auto found = judged_configs(uut, {{"loss", false}, {}, repeats});
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    return found->size();
  };

  repeat_rule repeats;
  repeats.parameter = "seed";
  EXPECT_EQ(count(repeats), 3u);
  repeats.runs = 2;
  EXPECT_EQ(count(repeats), 1u);
}

TEST_F(store_reader_test, takes_infinities_for_the_numbers_that_they_are) {
  std::vector<store_item> items;
  items.emplace_back(at(1, on::opened{}));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double losses[] = {0.5, infinity, samples::nan, -infinity, 7};
  for (std::uint64_t i = 0; i < 5; ++i) {
    cmd::trial_changed row;
    row.trial = {i};
    row.best = samples::a_report(i, 1, {1, i + 1}, {{"loss", losses[i]}});
    items.emplace_back(1, row);
  }
  auto store = fresh();
  ASSERT_TRUE(store.write(items).has_value());
  auto uut = reader();
  auto best = [&](bool maximise, std::size_t limit) {
    std::vector<std::uint64_t> result;
    auto found = best_trials(uut, {{"loss", maximise}, {}}, limit);
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    for (const auto& x : *found)
      result.push_back(x.trial.number);
    return result;
  };

  EXPECT_THAT(best(true, 9), testing::ElementsAre(1, 4, 0, 3));
  EXPECT_THAT(best(false, 9), testing::ElementsAre(3, 0, 4, 1));
  EXPECT_THAT(best(true, 1), testing::ElementsAre(1));
}

TEST_F(store_reader_test, refuses_a_trial_whose_configuration_is_damaged) {
  for (const char* change :
       {"config = replace(config, '0.5', '0.6')", "config = NULL", "origin = 'grid'", "sum = 1"}) {
    SCOPED_TRACE(change);
    fs::remove_all(directory());
    auto store = fresh();
    ASSERT_TRUE(store.write(a_run(2, 1)).has_value());
    ASSERT_EQ(sql().ask(std::string{"UPDATE t_trials SET "} + change + " WHERE trial = 1"), rows{});

    auto one = reader().trial({1});
    auto all = reader().trials();

    ASSERT_FALSE(one.has_value());
    EXPECT_EQ(one.error(), (error{ec::storage, database_file(directory()).string()
                                                   + ": t_trials row 1: damaged: the checksum does"
                                                     " not fit"}));
    ASSERT_FALSE(all.has_value());
    EXPECT_EQ(all.error(), one.error());
    EXPECT_TRUE(reader().trial({0}).has_value());
  }
}

TEST_F(store_reader_test, finds_no_fault_in_a_sound_file) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(3, 2)).has_value());

  auto faults = reader().faults();

  ASSERT_TRUE(faults.has_value()) << faults.error().detail;
  EXPECT_EQ(*faults, std::vector<std::string>{});
}

TEST_F(store_reader_test, finds_a_view_that_is_damaged) {
  {
    auto store = fresh();
    ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  }
  sql().ask("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
            " replace(sql, 'config', 'confZZ') WHERE name = 'trials'");

  auto faults = reader().faults();

  ASSERT_TRUE(faults.has_value()) << faults.error().detail;
  ASSERT_EQ(faults->size(), 1u);
  EXPECT_EQ(faults->front().find("the view \"trials\" cannot be read: "), 0u) << faults->front();
  EXPECT_NE(faults->front().find("confZZ"), std::string::npos) << faults->front();
}

TEST_F(store_reader_test, finds_what_is_wrong_between_a_table_and_its_index) {
  {
    auto store = fresh();
    ASSERT_TRUE(store.write(a_run(3, 2)).has_value());
  }
  sql().ask("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
            " replace(sql, '(trial)', '(seq)') WHERE name = 'i_results'");

  auto faults = reader().faults();

  ASSERT_TRUE(faults.has_value()) << faults.error().detail;
  ASSERT_FALSE(faults->empty());
  EXPECT_EQ(faults->front().find(database_file(directory()).string() + ": "), 0u);
  EXPECT_NE(faults->front().find("i_results"), std::string::npos) << faults->front();
}

TEST_F(store_reader_test, a_log_cut_short_is_refused_by_the_next_head) {
  {
    auto store = fresh();
    ASSERT_TRUE(store.write(a_run(1, 2)).has_value());
  }
  sql().ask("DELETE FROM t_events WHERE seq = 8");

  auto next = experiment_store::open(directory());

  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().code, ec::storage);
  EXPECT_NE(next.error().detail.find("the log ends at event 7"), std::string::npos);
}

TEST_F(store_reader_test, reads_whole_transactions_while_the_run_goes_on) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(0, 0)).has_value());
  std::atomic<bool> stop = false;
  std::string wrong;
  sequence seen = 0;
  std::thread watcher{[&] {
    auto uut = reader();
    while (!stop.load() || seen < 401) {
      auto news = uut.events_after(seen, 64);
      auto rows_now = uut.trials({std::nullopt, trial_query::order::number, "", true, 1});
      if (!news || !rows_now) {
        wrong = news ? rows_now.error().detail : news.error().detail;
        return;
      }
      for (const auto& x : *news) {
        if (x.seq != ++seen)
          wrong = "out of order";
      }
      // Each transaction below ends with an even event and holds one trial per two events.
      if (!rows_now->empty() && rows_now->front().status != trial_status::terminated)
        wrong = "a torn transaction";
    }
  }};
  for (sequence i = 0; i < 200; ++i) {
    cmd::trial_changed row;
    row.trial = {i};
    row.status = trial_status::terminated;
    ASSERT_TRUE(store
                    .write(std::vector<store_item>{at(2 * i + 2, on::suggest_asked{i, 1}),
                                                   {2 * i + 2, row},
                                                   at(2 * i + 3, on::suggest_asked{i, 1})})
                    .has_value());
  }
  stop = true;
  watcher.join();

  EXPECT_EQ(wrong, "");
  EXPECT_EQ(seen, 401u);
}

TEST_F(store_reader_test, does_not_stop_the_log_from_being_cut_back) {
  auto store = fresh();
  ASSERT_TRUE(store.write(a_run(0, 0)).has_value());
  auto uut = reader();
  const std::string text(60'000, 'x');
  for (sequence i = 2; i < 700; ++i) {
    ASSERT_TRUE(store.write(std::vector<store_item>{at(i, on::interrupted{text})}).has_value());
    if (i % 100 == 0) {
      ASSERT_TRUE(uut.events_after(i - 1, 1).has_value());
    }
  }

  // 42 MB have been written through it.
  EXPECT_LT(fs::file_size(directory() / "experiment.db-wal"), 30u << 20);
}

TEST_F(store_reader_test, reads_an_archive_where_it_may_not_write) {
  {
    auto store = fresh();
    ASSERT_TRUE(store.write(a_run(1, 1)).has_value());
  }
  fs::permissions(root, fs::perms{0755});
  fs::permissions(directory(), fs::perms{0555});

  // Root may write everywhere, so the child becomes nobody.
  const auto child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0)
      ::_exit(1);
    auto uut = store_reader::open(directory());
    if (!uut)
      ::_exit(2);
    auto read = uut->events_after(0, 100);
    ::_exit(read && read->size() == 6 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(store_reader_test, says_where_there_is_no_experiment) {
  EXPECT_EQ(store_reader::open(directory()).error().code, ec::unreadable);
  fill(directory() / "experiment.db", "");
  EXPECT_EQ(store_reader::open(directory()).error().code, ec::unreadable);
}

} // namespace
} // namespace tune
