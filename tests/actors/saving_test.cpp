// Checkpoints are committed while the training goes on: tests with a slow checkpoint service.
#include "support/process_limit.hpp"
#include "support/small_run.hpp"

#include "tune/actors/checkpoint_service.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/checkpoint/pause_memory.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <thread>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using iterations = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

/// Behaviour of the checkpoint service of a test.
struct keeping {
  support::latch door{true};
  std::atomic<bool> fails = false;
  support::told<std::string> left;
  support::told<keep_artifacts> wrote;
  /// Why some artifacts of an attempt are not at the head.
  std::string artifacts_lack;
};

checkpoint_service_actor::behavior_type odd_checkpoint_service(checkpoint_service_actor::pointer,
                                                               std::shared_ptr<keeping> how) {
  return {
      [](const prepare_attempt& x) { return prepare_here(x); },
      [](const copy_draft& x) { return copy_here(x); },
      [how](const keep_draft& x) {
        how->door.wait();
        if (how->fails)
          return draft_kept{{}, "the disk is full"};
        return keep_here(x);
      },
      [how](const keep_artifacts& x) {
        how->wrote.add(x);
        return artifacts_kept{how->artifacts_lack};
      },
      [](const gather_exported& x) { return gather_here(x); },
      [](const drop_directory& x) { remove_directory(x.where); },
      [how](const attempt_left& x) { how->left.add(to_text(x.who.attempt.id())); },
      [](const job_over&) {},
      [](const forget_paused& x) { forget_here(x); },
      [](const saves_dropped&) {},
      [](leave_atom) {},
  };
}

TEST(prepare_here, calls_no_checkpoint_bad_that_it_has_no_descriptor_to_look_at) {
  auto root = (fs::temp_directory_path() / "tune_checkpoint_service_XXXXXX").string();
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  auto draft = fs::path{root} / "trials" / "00000" / "attempt_1_1" / "checkpoint_000001.tmp";
  fs::create_directories(draft);
  std::ofstream{draft / "state"} << 1;
  auto kept = commit_checkpoint({root, draft, 4});
  ASSERT_TRUE(kept);
  prepare_attempt what{{}, root, {}};
  what.who.restore_from = kept->location;
  attempt_prepared under_shortage;
  {
    support::descriptor_limit none{3};
    under_shortage = prepare_here(what);
  }

  EXPECT_FALSE(under_shortage.is_bad);
  EXPECT_TRUE(under_shortage.is_passing);
  EXPECT_THAT(under_shortage.why, HasSubstr("Too many open files"));
  EXPECT_EQ(prepare_here(what).why, "");
  fs::remove_all(root);
}

/// Counts to five.
struct counter : trainable {
  std::int64_t n = 0;

  void setup(const object&, const trial_context&) override {}
  metrics step() override {
    ++n;
    return {{"loss", 1.0 / static_cast<double>(n)}, {"done", n == 5}};
  }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const fs::path& to) override { std::ofstream{to / "n"} << n; }
  void load(const fs::path& from) override { std::ifstream{from / "n"} >> n; }
  bool export_model(const fs::path& to, std::string_view format) override {
    if (format == "broken")
      throw std::runtime_error{"no such layer"};
    std::ofstream{to / "n"} << n;
    return format == "model";
  }
};

struct saving : support::small_run {
  std::shared_ptr<keeping> how = std::make_shared<keeping>();

  saving() { settings.saves = save_ability::on_request; }
  void TearDown() override {
    how->door.open();
    // The system waits for a detached actor's thread as long as somebody holds the actor.
    node.checkpoint_service = checkpoint_service_actor{};
    support::small_run::TearDown();
  }

  void keep_oddly() {
    node.checkpoint_service = keep(system->spawn<caf::detached>(odd_checkpoint_service, how));
  }
  void in_a_thread() {
    work.plan = run_in_thread{"mine"};
    trainables.add_class<counter>("mine");
  }
  void in_a_process(const std::string& script) {
    node.processes.guard_program = TUNE_FAKE_TRAINABLE;
    work.kill_grace = 200ms;
    work.objective = "i";
    settings.objectives = {{"i", true}};
    auto command = command_template::parse(TUNE_FAKE_TRAINABLE " " + script, {});
    ASSERT_TRUE(command);
    work.plan = run_command{*command, "/", {}, {}};
  }
  /// Kinds of the events about the attempt, in order.
  std::vector<std::string> story() {
    std::vector<std::string> result;
    for (const auto& x : log.all()) {
      if (std::holds_alternative<on::reported>(x.what) || std::holds_alternative<on::saved>(x.what)
          || std::holds_alternative<on::save_failed>(x.what)
          || std::holds_alternative<on::ended>(x.what))
        result.emplace_back(name_of(x.what));
    }
    return result;
  }
  void expect_one_step_beyond_the_save() {
    how->door.close();
    keep_oddly();
    settings.checkpoints.frequency = 2;
    start();
    ASSERT_TRUE(wait_for_events<on::reported>(4));
    // The next checkpoint is due, and waits for the first.
    EXPECT_EQ(events<on::saved>().size(), 0u);
    how->door.open();
    finish();

    EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 4, 5}));
    auto saved = events<on::saved>();
    ASSERT_EQ(saved.size(), 2u);
    EXPECT_EQ(saved[0].iteration, 2u);
    EXPECT_EQ(saved[1].iteration, 4u);
    EXPECT_EQ(story().back(), "ended");
    EXPECT_TRUE(how->left.wait_for(1));
  }
};

TEST_F(saving, lets_a_thread_train_on_meanwhile) {
  in_a_thread();

  expect_one_step_beyond_the_save();
}

TEST_F(saving, lets_a_program_train_on_meanwhile) {
  in_a_process("report 5");

  expect_one_step_beyond_the_save();
}

// -- Artifacts.

TEST_F(saving, has_what_an_attempt_wrote_brought_before_its_end_is_told) {
  keep_oddly();
  in_a_process("report 2");
  work.artifacts = {{"*.txt"}, 100, 3};

  run();

  ASSERT_TRUE(how->wrote.wait_for(1));
  const auto asked = how->wrote.all().front();
  EXPECT_EQ(asked.who.attempt.counter, 1u);
  EXPECT_EQ(asked.directory.parent_path(), work.directory / "trials");
  EXPECT_EQ(asked.rules, work.artifacts);
  EXPECT_EQ(events<on::ended>()[0].detail, "");
}

TEST_F(saving, says_with_its_end_what_an_attempt_wrote_and_did_not_come) {
  keep_oddly();
  how->artifacts_lack = "its disk is full";
  in_a_thread();
  work.artifacts = {{"."}, 0, 3};

  run();

  EXPECT_EQ(events<on::ended>()[0].how, end_class::stopped) << "no fault of the trial's";
  EXPECT_THAT(events<on::ended>()[0].detail,
              HasSubstr("what it wrote on node local is not all here: its disk is full"));
}

TEST_F(saving, has_what_a_failing_attempt_wrote_brought_too) {
  keep_oddly();
  in_a_process("report 1 exit 3");
  work.artifacts = {{"."}, 0, 3};

  run();

  EXPECT_TRUE(how->wrote.wait_for(1));
  EXPECT_EQ(events<on::ended>()[0].how, end_class::user_error);
}

TEST_F(saving, asks_for_nothing_where_nothing_is_wanted_or_all_is_where_it_belongs) {
  in_a_process("report 2");
  work.artifacts = {{"."}, 0, 3};
  run();

  EXPECT_EQ(events<on::ended>()[0].detail, "");
  EXPECT_TRUE(how->wrote.all().empty());
}

TEST_F(saving, ranks_a_checkpoint_by_its_report_however_late_it_is_safe) {
  in_a_thread();
  settings.checkpoints.frequency = 1;
  // The loss falls, so the first checkpoint is the best and must be kept.
  settings.checkpoints.retention = {1, "loss", true, 0, 0};

  run();

  std::set<std::uint64_t> doomed;
  for (const auto& x : events<on::checkpoints_doomed>()) {
    for (auto id : x.which)
      doomed.insert(id.number);
  }
  auto saved = events<on::saved>();
  ASSERT_GE(saved.size(), 2u);
  EXPECT_FALSE(doomed.contains(saved[0].checkpoint.number));
  EXPECT_EQ(saved[0].iteration, 1u);
}

struct end_in_a_save : saving {
  /// Ends the attempt with a checkpoint that is still on its way when the attempt ends.
  void interrupt() {
    start();
    ASSERT_TRUE(wait_for_events<on::reported>(1));
    how->door.close();
    post(on::interrupted{"ctrl-c"});
  }
};

TEST_F(end_in_a_save, is_told_behind_it) {
  keep_oddly();
  in_a_process("report 100000000");

  interrupt();
  how->door.open();
  finish();

  auto all = story();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[all.size() - 2], "saved");
  EXPECT_EQ(all.back(), "ended");
  EXPECT_EQ(events<on::ended>()[0].how, end_class::stopped);
}

TEST_F(end_in_a_save, is_no_end_of_the_trial_where_the_checkpoint_is_lost) {
  keep_oddly();
  how->fails = true;
  in_a_process("report 100000000");

  interrupt();
  how->door.open();
  auto over = finish();

  EXPECT_EQ(events<on::saved>().size(), 0u);
  ASSERT_EQ(events<on::save_failed>().size(), 1u);
  EXPECT_EQ(events<on::save_failed>()[0].why, "the disk is full");
  EXPECT_EQ(events<on::ended>()[0].how, end_class::preempted);
  EXPECT_THAT(events<on::ended>()[0].detail, HasSubstr("could not be kept: the disk is full"));
  EXPECT_EQ(over.view.counts[static_cast<std::size_t>(trial_status::pending)], 1u);
}

TEST_F(saving, hands_over_more_only_when_the_disk_keeps_up) {
  keep_oddly();
  how->door.close();
  work.plan = run_in_thread{"mine"};
  std::atomic<int> handed = 0;
  auto own = work.directory / "own";
  fs::create_directories(own);
  trainables.add_function("mine", [&](session& s) {
    for (int i = 1; i <= 5; ++i) {
      std::ofstream{own / "state"} << i;
      s.report({{"loss", 1.0 / i}}, own);
      handed = i;
    }
  });

  start();
  ASSERT_TRUE(wait_for_events<on::reported>(2));
  EXPECT_LE(handed, 2);
  EXPECT_EQ(events<on::saved>().size(), 0u);
  how->door.open();
  finish();

  auto saved = events<on::saved>();
  ASSERT_EQ(saved.size(), 5u);
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(saved[i].iteration, i + 1);
    std::ifstream in{work.directory / saved[i].location / "state"};
    std::size_t state = 0;
    EXPECT_TRUE(in >> state);
    EXPECT_EQ(state, i + 1) << "it was written on before it was copied";
  }
}

TEST_F(saving, gives_a_program_its_answer_once_what_it_handed_over_is_copied) {
  auto own = work.directory / "own";
  fs::create_directories(own);
  std::ofstream{own / "state"} << 1;
  in_a_process(R"(say '{"metrics":{"i":1},"checkpoint":")" + own.string() + R"("}' hear report 1)");

  run();

  auto saved = events<on::saved>();
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_EQ(saved[0].iteration, 1u);
  EXPECT_EQ(story().back(), "ended");
  std::ifstream in{work.directory / saved[0].location / "state"};
  int state = 0;
  EXPECT_TRUE(in >> state);
  EXPECT_EQ(state, 1);
}

/// Corrupts its newest checkpoint and then fails, once.
struct spoiler : counter {
  static inline std::atomic<int> faults = 0;
  fs::path last;

  metrics step() override {
    if (n == 3 && faults-- > 0) {
      // The checkpoint is being committed while the training goes on.
      while (!fs::exists(last))
        std::this_thread::yield();
      std::ofstream{last / "n", std::ios::app} << "0";
      throw std::runtime_error{"broken"};
    }
    return counter::step();
  }
  void setup(const object&, const trial_context& where) override {
    last = where.directory / "attempt_1_1" / checkpoint_name(3);
  }
};

TEST_F(saving, restores_nothing_that_was_spoilt) {
  spoiler::faults = 1;
  work.plan = run_in_thread{"mine"};
  trainables.add_class<spoiler>("mine");
  settings.checkpoints.frequency = 1;
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  settings.failures.budget[static_cast<std::size_t>(end_class::bad_checkpoint)] = 1;

  auto over = run();

  EXPECT_EQ(over.view.succeeded, 1u);
  auto ends = events<on::ended>();
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(ends[1].how, end_class::bad_checkpoint);
  EXPECT_THAT(ends[1].detail, HasSubstr("n is not as it was saved"));
  // It went on from the second checkpoint, since the third was corrupt.
  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 3, 4, 5}));
}

// -- Checkpoints that come with reports, and pauses that wait for them.

struct paused_by_reports : saving {
  std::atomic<bool> asked = false;

  /// Asks for a pause at the first report; it takes effect at the second, which brings a
  /// checkpoint.
  void pause_and_go_on() {
    before_judging = [this] {
      if (!asked.exchange(true))
        post(on::pause_asked{trial_id{0}});
    };
    start();
    ASSERT_TRUE(wait_for_events<on::ended>(1));
    post(on::unpause_asked{trial_id{0}});
    auto over = finish();

    EXPECT_EQ(over.view.succeeded, 1u);
    auto ends = events<on::ended>();
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends[0].how, end_class::stopped);
    auto begun = events<on::placed>();
    ASSERT_EQ(begun.size(), 2u);
    EXPECT_EQ(events<on::saved>()[0].iteration, 2u);
  }
  /// Counts to five; every second report brings a checkpoint.
  void function_in_a_thread() {
    settings.saves = save_ability::with_reports;
    work.plan = run_in_thread{"mine"};
    trainables.add_function("mine", [this](session& s) {
      auto n = 0;
      if (auto from = s.restore_from())
        std::ifstream{*from / "state"} >> n;
      auto own = work.directory / "own";
      fs::create_directories(own);
      while (++n <= 5) {
        metrics said{{"loss", 1.0 / n}};
        if (n % 2 == 0)
          std::ofstream{own / "state"} << n;
        if (!(n % 2 == 0 ? s.report(said, own) : s.report(said)))
          return;
      }
    });
  }
};

TEST_F(paused_by_reports, lets_a_function_go_on_from_what_it_handed_over) {
  function_in_a_thread();

  pause_and_go_on();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 4, 5}));
  EXPECT_EQ(judged.all(), (iterations{1, 2, 3, 4, 5}));
  EXPECT_TRUE(events<on::save_failed>().empty());
}

TEST_F(paused_by_reports, waits_until_what_the_function_handed_over_is_safe) {
  function_in_a_thread();
  keep_oddly();
  how->door.close();
  before_judging = [this] {
    if (!asked.exchange(true))
      post(on::pause_asked{trial_id{0}});
  };
  start();
  ASSERT_TRUE(wait_for_events<on::reported>(2));
  how->door.open();
  ASSERT_TRUE(wait_for_events<on::ended>(1));
  post(on::unpause_asked{trial_id{0}});
  finish();

  auto first = story();
  first.resize(4);
  EXPECT_EQ(first, (std::vector<std::string>{"reported", "reported", "saved", "ended"}));
}

TEST_F(paused_by_reports, lets_a_program_go_on_that_says_that_it_cannot_save) {
  auto own = work.directory / "own";
  fs::create_directories(own);
  std::ofstream{own / "state"} << 1;
  // The second attempt starts where the first was stopped.
  in_a_process(R"(say '{"tune":1,"can_save":false}' say '{"metrics":{"i":1}}' hear )"
               R"(say '{"metrics":{"i":2},"checkpoint":")"
               + own.string() + R"("}' hear)");

  pause_and_go_on();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 4}));
  auto refused = events<on::save_failed>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_TRUE(refused[0].unable);
  EXPECT_THAT(refused[0].why, HasSubstr("cannot save"));
}

// -- Pauses in memory.

struct pausing : saving {
  fs::path memory;

  pausing() {
    memory = work.directory / "memory";
    node.memory = memory;
    work.pause_memory = 1000;
    settings.checkpoints.pause_in_memory = true;
  }

  std::atomic<bool> asked = false;

  /// Pauses the trial at its first report.
  void pause_once() {
    before_judging = [this] {
      if (!asked.exchange(true))
        post(on::pause_asked{trial_id{0}});
    };
    start();
    ASSERT_TRUE(wait_for_events<on::ended>(1));
    ASSERT_EQ(events<on::saved>().size(), 1u);
  }
  void go_on() {
    post(on::unpause_asked{trial_id{0}});
    finish();
  }
  [[nodiscard]] bool is_off_the_disk() const {
    return !fs::exists(work.directory / "trials" / "00000" / "attempt_1_1");
  }
  [[nodiscard]] static std::vector<std::string> files_in(const fs::path& where) {
    std::vector<std::string> result;
    std::error_code ignored;
    for (fs::recursive_directory_iterator i{where, ignored}, last; i != last; i.increment(ignored))
      if (i->is_regular_file())
        result.push_back(i->path().filename().string());
    return result;
  }
  void expect_a_pause_in_memory() {
    pause_once();
    EXPECT_TRUE(events<on::saved>()[0].location.starts_with("memory:trials/00000/attempt_1_1/"));
    EXPECT_FALSE(files_in(memory).empty());
    EXPECT_TRUE(is_off_the_disk());
    go_on();

    EXPECT_EQ(events<on::checkpoint_gone>().size(), 1u);
    EXPECT_TRUE(support::eventually([&] { return files_in(memory).empty(); }));
  }
  void expect_a_pause_on_disk() {
    pause_once();
    EXPECT_TRUE(events<on::saved>()[0].location.starts_with("trials/00000/attempt_1_1/"));
    EXPECT_FALSE(is_off_the_disk());
    go_on();
  }
};

TEST_F(pausing, keeps_the_state_of_a_class_in_memory_and_off_the_disk) {
  in_a_thread();

  expect_a_pause_in_memory();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 4, 5}));
}

TEST_F(pausing, keeps_the_state_of_a_program_in_memory_and_off_the_disk) {
  in_a_process("report 5");

  expect_a_pause_in_memory();
}

TEST_F(pausing, goes_to_disk_where_memory_has_no_room) {
  fs::create_directories(pause_directory(memory, work.id));
  std::ofstream{pause_directory(memory, work.id) / "filler"} << std::string(2000, 'x');
  in_a_thread();

  expect_a_pause_on_disk();

  EXPECT_EQ(reported_iterations(), (iterations{1, 2, 3, 4, 5}));
}

TEST_F(pausing, goes_to_disk_where_there_is_no_memory_to_write_to) {
  node.memory = "/proc/no/such/place";
  in_a_thread();

  expect_a_pause_on_disk();
}

// -- Exports.

struct exporting : saving {
  exporting() {
    work.exports = {"model"};
    work.export_time = 10s;
    settings.export_time = 10s;
  }
  on::exported told() {
    auto all = events<on::exported>();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? on::exported{} : all[0];
  }
};

TEST_F(exporting, brings_what_a_class_exports_into_the_record) {
  work.exports = {"model", "broken", "unknown"};
  in_a_thread();

  auto over = run();

  EXPECT_EQ(over.view.succeeded, 1u);
  auto what = told();
  ASSERT_EQ(what.formats.size(), 3u);
  EXPECT_EQ(what.formats[0].path, what.location + "/model");
  EXPECT_EQ(what.formats[0].why, "");
  EXPECT_EQ(what.formats[1].path, "");
  EXPECT_EQ(what.formats[1].why, "no such layer");
  EXPECT_EQ(what.formats[2].why, "it does not know this format");
  std::int64_t n = 0;
  std::ifstream{work.directory / what.formats[0].path / "n"} >> n;
  EXPECT_EQ(n, 5);
  EXPECT_EQ(story().back(), "ended");
}

TEST_F(exporting, asks_a_program_for_it_when_it_stops) {
  in_a_process("report 1000");
  stop_lines = {{"i", "2"}};

  run();

  EXPECT_EQ(told().formats[0].path, told().location + "/model");
  EXPECT_TRUE(fs::is_regular_file(work.directory / told().location / "model"));
}

TEST_F(exporting, takes_what_a_program_exports_before_it_ends_by_itself) {
  in_a_process("report 2 export model");

  run();

  EXPECT_TRUE(fs::is_regular_file(work.directory / told().location / "model"));
}

TEST_F(exporting, says_what_a_program_did_not_export) {
  work.exports = {"onnx"};
  in_a_process("report 2");

  auto over = run();

  EXPECT_EQ(over.view.succeeded, 1u);
  EXPECT_EQ(told().location, "");
  EXPECT_EQ(told().formats[0].why, "nothing was written");
}

TEST_F(exporting, ends_a_program_that_takes_too_long) {
  work.export_time = 10ms;
  in_a_process("report_and_hang 1000");
  stop_lines = {{"i", "2"}};

  auto over = run();

  EXPECT_EQ(over.view.succeeded, 1u);
  EXPECT_EQ(told().location, "");
  EXPECT_THAT(told().formats[0].why, HasSubstr("export_timeout"));
}

TEST_F(exporting, ends_a_program_that_takes_too_long_at_its_own_end) {
  work.export_time = 10ms;
  in_a_process("report 2 exporting export model hang");

  auto over = run();

  EXPECT_EQ(over.view.succeeded, 1u);
  EXPECT_EQ(told().location, "");
  EXPECT_EQ(told().formats[0].why,
            "it was cut short: it took longer than export_timeout, which is 0.01 s");
  const auto said = events<on::started>();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_FALSE(said[0].exports);
  EXPECT_TRUE(said[1].exports) << "no report is due from here on";
}

TEST_F(exporting, keeps_nothing_of_an_attempt_that_failed) {
  in_a_process("export model report 2 exit 3");

  run();

  EXPECT_EQ(events<on::exported>().size(), 0u);
  const auto draft = work.directory / "trials" / "00000" / "attempt_1_1" / "checkpoint_export.tmp";
  EXPECT_TRUE(support::eventually([&] { return !fs::exists(draft); }));
}

TEST_F(exporting, says_why_it_could_not_be_kept) {
  keep_oddly();
  how->fails = true;
  in_a_thread();

  auto over = run();

  EXPECT_EQ(over.view.succeeded, 1u);
  EXPECT_EQ(told().location, "");
  EXPECT_EQ(told().formats[0].why, "the disk is full");
}

} // namespace
} // namespace tune
