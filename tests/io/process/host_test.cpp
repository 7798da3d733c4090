// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host.hpp"

#include "process_fixture.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/bundle_list.hpp"
#include "tune/io/process/host_talk.hpp"
#include "tune/io/process/line_protocol.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>

namespace tune {
namespace {

using kind = link_answer::kind;
using testing::ElementsAre;
using testing::HasSubstr;

struct host_test : process_fixture {
  trial_context context{"00007", "digits", {}, 2, 0.5, {}};
  std::optional<std::filesystem::path> restore;
  std::deque<link_answer> answers;
  process_handle handle;

  /// Runs a hosted trainable; answers its reports from the list, then with `continue`.
  exit_info host(const std::string& name, const object& config) {
    std::ofstream{scratch.path() / "params.json"} << to_json(config);
    auto what = order({"__tune-host", name});
    what.env = environment_with(
        trial_environment(config, context, scratch.path() / "params.json", restore));
    what.protocol = true;
    heard->on_report = line_flow::hold;
    handle = uut->launch(what, heard);
    for (std::size_t n = 1; wait_report_or_exit(n); ++n) {
      auto line = read_report_line(heard->reports()[n - 1]);
      EXPECT_TRUE(line) << heard->reports()[n - 1];
      if (line && std::holds_alternative<line::report>(*line))
        answer_next();
      uut->resume_reports(handle);
    }
    return heard->wait_exit();
  }

  template <class T>
  T report(std::size_t index) {
    auto lines = heard->reports();
    auto line = index < lines.size() ? read_report_line(lines[index])
                                     : expected<line::any>{error{ec::protocol, "no such line"}};
    EXPECT_TRUE(line) << line.error().detail;
    EXPECT_TRUE(std::holds_alternative<T>(*line)) << lines[index];
    return std::get<T>(*line);
  }

private:
  /// @returns false if the process ended without another line.
  bool wait_report_or_exit(std::size_t count) {
    support::eventually([&] { return heard->reports().size() >= count || heard->has_exited(); });
    return heard->reports().size() >= count;
  }
  void answer_next() {
    link_answer next;
    if (!answers.empty()) {
      next = answers.front();
      answers.pop_front();
    }
    uut->answer(handle, to_line(next));
  }
};

TEST_F(host_test, runs_a_trainable_to_its_end) {
  auto how = host("hosted", {{"last", 2}});

  EXPECT_EQ(how.code, 0);
  EXPECT_EQ(heard->reports().size(), 3u);
  EXPECT_EQ(report<line::hello>(0).can_save, true);
  auto first = report<line::report>(1);
  EXPECT_EQ(*first.metrics.find("n"), value{1});
  EXPECT_EQ(*first.metrics.find("trial"), value{"00007"});
  EXPECT_TRUE(std::isnan(*first.metrics.find("loss")->as_double()));
  EXPECT_FALSE(first.done);
  EXPECT_TRUE(report<line::report>(2).done);
}

/// A host that is kept, in the middle of its first attempt.
struct kept_host_test : host_test {
  std::shared_ptr<support::recorder> holder = std::make_shared<support::recorder>();

  void start(const object& config) {
    auto what = order({"__tune-host", "hosted", "kept"});
    what.env
        = environment_with(trial_environment(config, context, write("params.json", config), {}));
    what.protocol = true;
    what.stdout_lines = false;
    heard->on_report = line_flow::hold;
    handle = uut->launch(what, heard);
    go_through(config);
  }
  /// The trial's messages: a hello, the reports, and idle.
  void go_through(const object& config) {
    auto last = static_cast<std::size_t>(*config.find("last")->as_int());
    for (std::size_t n = 1; n <= last + 1; ++n) {
      ASSERT_TRUE(heard->wait_reports(n));
      if (n == 1)
        uut->resume_reports(handle);
      else
        uut->answer(handle, to_line(link_answer{}));
    }
    ASSERT_TRUE(heard->wait_reports(last + 2));
    EXPECT_EQ(heard->reports().back(), idle_line);
    handle = uut->park(handle, holder);
    ASSERT_TRUE(holder->wait_started());
  }
  std::filesystem::path write(const std::string& name, const object& config) {
    std::ofstream{scratch.path() / name} << to_json(config);
    return scratch.path() / name;
  }
};

TEST_F(kept_host_test, serves_an_attempt_after_the_other) {
  object config{{"last", 1}};
  start(config);

  heard = std::make_shared<support::recorder>();
  heard->on_report = line_flow::hold;
  auto next = context;
  next.trial_id = "00008";
  next.directory = scratch.path();
  object longer{{"last", 2}};
  handle = uut->hand_on(handle, {}, heard,
                        to_line(host_order{next, write("next.json", longer), std::nullopt}));
  go_through(longer);

  EXPECT_EQ(*report<line::report>(1).metrics.find("trial"), value{"00008"});
  EXPECT_EQ(*report<line::report>(2).metrics.find("n"), value{2});
  EXPECT_EQ(heard->pid(), holder->pid());
}

TEST_F(kept_host_test, ends_in_order_while_it_waits) {
  start({{"last", 1}});

  uut->end(handle, std::chrono::seconds{60});

  EXPECT_EQ(holder->wait_exit().code, 0);
}

TEST_F(kept_host_test, ends_without_a_word_where_it_cannot_begin_an_attempt) {
  start({{"last", 1}});
  heard = std::make_shared<support::recorder>();
  auto next = context;
  next.directory = scratch.path() / "missing";

  uut->hand_on(handle, {}, heard, to_line(host_order{next, "params.json", std::nullopt}));

  EXPECT_EQ(heard->wait_exit().code, 0);
  EXPECT_TRUE(heard->reports().empty());
}

TEST_F(host_test, saves_pauses_and_goes_on_from_there) {
  auto directory = scratch.path() / "checkpoint";
  std::filesystem::create_directory(directory);
  answers = {{kind::go_on, {}}, {kind::pause, directory}};
  EXPECT_EQ(host("hosted", {{"last", 100}}).code, 0);
  EXPECT_EQ(report<line::saved>(3).directory, directory);

  heard = std::make_shared<support::recorder>();
  restore = directory;
  EXPECT_EQ(host("hosted", {{"last", 3}}).code, 0);
  EXPECT_EQ(*report<line::report>(1).metrics.find("n"), value{3});
}

TEST_F(host_test, says_that_a_checkpoint_could_not_be_written) {
  answers = {{kind::save, scratch.path() / "missing"}, {kind::stop, {}}};
  EXPECT_EQ(host("hosted", {{"last", 100}}).code, 0);
  EXPECT_THAT(report<line::save_failed>(2).why, HasSubstr("cannot write"));
  EXPECT_EQ(*report<line::report>(3).metrics.find("n"), value{2});
}

TEST_F(host_test, tells_what_was_thrown) {
  auto how = host("hosted", {{"throws", "bad luck"}});

  EXPECT_EQ(how.code, 1);
  EXPECT_EQ(report<line::failure>(1).text, "bad luck");
  EXPECT_FALSE(report<line::failure>(1).restore);
}

TEST_F(host_test, tells_a_bad_checkpoint_apart) {
  restore = scratch.path() / "nowhere";
  auto how = host("hosted", {{"last", 3}});

  EXPECT_EQ(how.code, 1);
  EXPECT_TRUE(report<line::failure>(0).restore);
}

TEST_F(host_test, names_an_unknown_trainable) {
  EXPECT_EQ(host("nobody", {}).code, 1);
  EXPECT_THAT(report<line::failure>(0).text, HasSubstr("'nobody'"));
}

TEST_F(host_test, names_a_missing_parameter_file) {
  auto what = order({"__tune-host", "hosted"});
  what.env = environment_with({{"TUNE_TRIAL_PARAMS", "/no/such/params.json"}});
  what.protocol = true;
  EXPECT_EQ(run(what).code, 1);
  EXPECT_THAT(report<line::failure>(0).text, HasSubstr("/no/such/params.json"));
}

TEST_F(host_test, says_on_stderr_that_nobody_listens) {
  auto how = run({"__tune-host", "hosted"});
  EXPECT_EQ(how.code, 1);
  ASSERT_EQ(how.stderr_lines.size(), 1u);
  EXPECT_THAT(how.stderr_lines[0], HasSubstr("TUNE_TRIAL_REPORT_FD"));
}

TEST_F(host_test, lets_a_function_hear_of_an_unasked_stop) {
  answers = {{kind::go_on, {}}, {kind::stop, {}}};
  EXPECT_EQ(host("waits", {{"last", 1}}).code, 0);
  EXPECT_EQ(report<line::hello>(0).can_save, false);
  EXPECT_EQ(heard->reports().size(), 3u);
}

TEST(trial_environment, names_parameters_that_a_shell_can_read) {
  trial_context context{"00001", "x", "/d", 1, 0, "0,1"};
  auto uut = trial_environment({{"lr", 0.01}, {"opt.lr", 1}, {"layers", value::list{1, 2}}},
                               context, "/d/params.json", "/c");

  using pair = std::pair<std::string, std::string>;
  EXPECT_THAT(uut,
              testing::IsSupersetOf(
                  {pair{"TUNE_TRIAL_PARAM_lr", "0.01"}, pair{"TUNE_TRIAL_PARAM_layers", "[1,2]"},
                   pair{"TUNE_TRIAL_RESTORE", "/c"}, pair{"TUNE_TRIAL_DIR", "/d"},
                   pair{"TUNE_TRIAL_PARAMS", "/d/params.json"}, pair{"TUNE_TRIAL_ID", "00001"},
                   pair{"CUDA_VISIBLE_DEVICES", "0,1"}, pair{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}));
  for (const auto& [name, x] : uut)
    EXPECT_EQ(name.find('.'), name.npos) << name;
}

TEST(trial_environment, tells_of_all_bundles) {
  trial_context context{"00001", "x", "/d", 1, 0, {}};
  context.bundles = {{"w1", "10.0.0.5", 2, 1, 1024, "0"}, {"w2", "10.0.0.6", 0.5, 0, 0, {}}};

  auto uut = trial_environment({}, context, "/d/params.json", {});

  using pair = std::pair<std::string, std::string>;
  EXPECT_THAT(uut, testing::IsSupersetOf({pair{"TUNE_TRIAL_NODES", "w1,w2"},
                                          pair{"TUNE_TRIAL_ADDRESSES", "10.0.0.5,10.0.0.6"}}));
  auto told = std::find_if(uut.begin(), uut.end(),
                           [](const auto& x) { return x.first == "TUNE_TRIAL_BUNDLES"; });
  ASSERT_NE(told, uut.end());
  auto read = from_json(told->second);
  ASSERT_TRUE(read) << told->second;
  EXPECT_EQ(bundles_from(*read), context.bundles);
}

TEST(host_order, brings_a_host_that_waits_the_bundles_of_its_next_trial) {
  host_order what{{"00001", "x", "/d", 1, 0, {}}, "/d/params.json", {}};
  what.context.bundles = {{"w1", "10.0.0.5", 2, 1, 1024, "0"}};

  auto back = read_host_order(to_line(what));

  ASSERT_TRUE(back);
  EXPECT_EQ(back->context.bundles, what.context.bundles);
}

TEST(host_command, names_this_program) {
  auto uut = host_command("mlp");
  ASSERT_EQ(uut.size(), 3u);
  EXPECT_EQ(uut[0], std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_EQ(uut[2], "mlp");
}

} // namespace
} // namespace tune
