// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trainable/drive.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace tune {
namespace {

using kind = link_answer::kind;
using trace = std::vector<std::string>;

/// Answers reports from a list, then with `continue`; records all that it hears.
class scripted_link : public trainable_link {
public:
  std::deque<link_answer> answers;
  trace heard;
  std::size_t stop_after = 1000;

  void ready(bool can_save) override { heard.push_back(can_save ? "ready, can save" : "ready"); }

  link_answer report(metrics what, bool done, const std::filesystem::path* checkpoint) override {
    std::string line = "report";
    for (const auto& [name, x] : what)
      line += " " + name + "=" + to_text(x);
    heard.push_back(line + (done ? " done" : "")
                    + (checkpoint != nullptr ? " from " + checkpoint->string() : ""));
    ++reports_;
    if (answers.empty())
      return {};
    auto result = answers.front();
    answers.pop_front();
    return result;
  }

  void saved(const std::filesystem::path& directory) override {
    heard.push_back("saved " + directory.string());
  }
  void save_failed(const std::filesystem::path& directory, std::string_view why) override {
    heard.push_back("save failed " + directory.string() + ": " + std::string{why});
  }
  export_order exports() override { return wanted; }
  void export_failed(std::string_view format, std::string_view why) override {
    heard.push_back("export failed " + std::string{format} + ": " + std::string{why});
  }
  bool should_stop() const override { return reports_ >= stop_after; }

  export_order wanted;

private:
  std::size_t reports_ = 0;
};

/// Counts steps; its configuration says how many, and what goes wrong.
class counter : public trainable {
public:
  explicit counter(trace& calls) : calls_{calls} {}

  void setup(const object& config, const trial_context& context) override {
    calls_.push_back("setup " + context.trial_id);
    config_ = config;
    fail_if("setup");
  }
  bool reset(const object& config) override {
    calls_.push_back("reset");
    config_ = config;
    n_ = 0;
    fail_if("reset");
    return !config.contains("refuses");
  }
  metrics step() override {
    calls_.push_back("step");
    fail_if("step");
    ++n_;
    const auto* last = config_.find("last");
    metrics result{{"n", n_}};
    if (last != nullptr)
      result.set("done", n_ == *last->as_int());
    return result;
  }
  void save(const std::filesystem::path& directory) override {
    calls_.push_back("save " + directory.string());
    fail_if("save");
  }
  void load(const std::filesystem::path& directory) override {
    calls_.push_back("load " + directory.string());
    fail_if("load");
    n_ = 10;
  }
  bool can_save() const override { return true; }
  bool export_model(const std::filesystem::path& directory, std::string_view format) override {
    calls_.push_back("export " + std::string{format}
                     + (std::filesystem::is_directory(directory) ? "" : " nowhere"));
    fail_if("export");
    return format != "unknown";
  }
  void cleanup() override {
    calls_.push_back("cleanup");
    fail_if("cleanup");
  }

private:
  trace& calls_;
  object config_;
  std::int64_t n_ = 0;

  void fail_if(std::string_view place) const {
    const auto* where = config_.find("fails");
    if (where != nullptr && *where->as_string() == place)
      throw std::runtime_error{"broken " + std::string{place}};
  }
};

struct drive_test : testing::Test {
  trace calls;
  scripted_link link;
  trial_context context{"00007", "x", {}, 1, 0, {}};

  trainable_registry::entry counting() {
    return {"counter", "", {}, [this] { return std::make_unique<counter>(calls); }};
  }
  void run(const object& config, std::optional<std::filesystem::path> restore = {}) {
    drive(counting(), config, context, restore, link);
  }
  void run(trainable_function what, std::optional<std::filesystem::path> restore = {}) {
    drive({"f", "", std::move(what), {}}, {{"lr", 0.5}}, context, restore, link);
  }
};

TEST_F(drive_test, steps_until_the_metrics_say_done) {
  run({{"last", 2}});

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "step", "cleanup"}));
  EXPECT_EQ(link.heard, (trace{"ready, can save", "report n=1", "report n=2 done"}));
}

struct exporting_test : drive_test {
  std::filesystem::path out
      = std::filesystem::temp_directory_path() / ("drive_test_" + std::to_string(::getpid()));
  ~exporting_test() override { std::filesystem::remove_all(out); }
};

TEST_F(exporting_test, exports_before_it_is_cleaned_up) {
  link.wanted = {out, {"model", "onnx"}};

  run({{"last", 1}});

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "export model", "export onnx", "cleanup"}));
  EXPECT_TRUE(std::filesystem::is_directory(out / "model"));
}

TEST_F(exporting_test, goes_on_to_the_next_format_where_one_fails) {
  link.wanted = {out, {"unknown", "model"}};

  run({{"last", 1}});

  EXPECT_EQ(link.heard.back(), "export failed unknown: it does not know this format");
  EXPECT_FALSE(std::filesystem::exists(out / "unknown"));
  EXPECT_TRUE(std::filesystem::exists(out / "model"));
}

TEST_F(exporting_test, fails_no_trial_by_what_it_throws) {
  link.wanted = {out, {"model"}};

  run({{"last", 1}, {"fails", "export"}});

  EXPECT_EQ(link.heard.back(), "export failed model: broken export");
  EXPECT_EQ(calls.back(), "cleanup");
}

TEST_F(exporting_test, exports_nothing_of_a_trainable_that_failed) {
  link.wanted = {out, {"model"}};

  EXPECT_THROW(run({{"fails", "step"}}), std::runtime_error);

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "cleanup"}));
}

TEST_F(drive_test, loads_before_the_first_step) {
  run({{"last", 11}}, "/c");

  EXPECT_EQ(calls, (trace{"setup 00007", "load /c", "step", "cleanup"}));
  EXPECT_EQ(link.heard.back(), "report n=11 done");
}

TEST_F(drive_test, saves_and_trains_on) {
  link.answers = {{kind::save, "/a"}, {kind::stop, {}}};

  run(object{});

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "save /a", "step", "cleanup"}));
  EXPECT_EQ(link.heard, (trace{"ready, can save", "report n=1", "saved /a", "report n=2"}));
}

TEST_F(drive_test, obeys_a_save_that_answers_the_last_report) {
  link.answers = {{kind::save, "/a"}};

  run({{"last", 1}});

  EXPECT_EQ(link.heard.back(), "saved /a");
  EXPECT_EQ(calls.back(), "cleanup");
}

TEST_F(drive_test, ends_after_the_checkpoint_of_a_pause) {
  link.answers = {{kind::pause, "/p"}};

  run(object{});

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "save /p", "cleanup"}));
  EXPECT_EQ(link.heard.back(), "saved /p");
}

TEST_F(drive_test, trains_on_when_the_checkpoint_of_a_pause_fails) {
  link.answers = {{kind::pause, "/p"}, {kind::stop, {}}};

  run({{"fails", "save"}});

  EXPECT_EQ(link.heard,
            (trace{"ready, can save", "report n=1", "save failed /p: broken save", "report n=2"}));
}

TEST_F(drive_test, asks_before_each_step_whether_to_stop) {
  link.stop_after = 3;

  run(object{});

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "step", "step", "cleanup"}));
}

TEST_F(drive_test, cleans_up_once_after_an_exception_and_passes_it_on) {
  for (const auto* place : {"setup", "step"}) {
    calls.clear();
    try {
      run({{"fails", place}});
      ADD_FAILURE() << place << " did not throw";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(e.what(), "broken " + std::string{place});
    }
    EXPECT_EQ(calls.back(), "cleanup");
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "cleanup"), 1);
  }
}

TEST_F(drive_test, tells_a_bad_checkpoint_from_a_bad_configuration) {
  EXPECT_THROW(run({{"fails", "load"}}, "/c"), restore_error);
  EXPECT_EQ(calls.back(), "cleanup");
}

TEST_F(drive_test, passes_on_what_cleanup_throws_once) {
  EXPECT_THROW(run({{"fails", "cleanup"}, {"last", 1}}), std::runtime_error);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cleanup"), 1);
}

TEST_F(drive_test, refuses_a_maker_that_makes_nothing) {
  trainable_registry::entry empty{"none", "", {}, [] { return std::unique_ptr<trainable>{}; }};
  EXPECT_THROW(drive(empty, {}, context, {}, link), std::runtime_error);
}

TEST_F(drive_test, gives_a_function_its_configuration_and_checkpoint) {
  run(
      [&](session& s) {
        calls.push_back(to_text(*s.config().find("lr")) + " " + s.context().trial_id + " "
                        + s.restore_from()->string());
      },
      "/c");

  EXPECT_EQ(calls, (trace{"0.5 00007 /c"}));
}

TEST_F(drive_test, lets_a_function_report_until_it_is_stopped) {
  link.answers = {{}, {kind::stop, {}}};

  run([&](session& s) {
    EXPECT_TRUE(s.report({{"n", 1}}));
    EXPECT_FALSE(s.should_stop());
    EXPECT_FALSE(s.report({{"n", 2}}, "/mine"));
    EXPECT_TRUE(s.should_stop());
    EXPECT_FALSE(s.report({{"n", 3}}));
  });

  EXPECT_EQ(link.heard, (trace{"ready", "report n=1", "report n=2 from /mine"}));
}

TEST_F(drive_test, says_that_a_function_cannot_save_on_demand) {
  link.answers = {{kind::save, "/a"}};

  run([](session& s) { EXPECT_TRUE(s.report({{"n", 1}})); });

  EXPECT_EQ(link.heard.back(),
            "save failed /a: a function hands checkpoints over with its reports");
}

TEST_F(drive_test, ends_a_function_that_is_to_pause_or_says_done) {
  link.answers = {{kind::pause, "/p"}};
  run([](session& s) { EXPECT_FALSE(s.report({{"n", 1}}, "/mine")); });
  run([](session& s) { EXPECT_FALSE(s.report({{"done", true}})); });
  EXPECT_EQ(link.heard.back(), "report done");
}

TEST_F(drive_test, passes_a_functions_exceptions_on) {
  EXPECT_THROW(run([](session&) { throw 7; }), int);
}

TEST(current_exception_text, knows_the_usual_kinds) {
  auto text_of = [](auto thrown) {
    try {
      throw thrown;
    } catch (...) {
      return current_exception_text();
    }
  };

  EXPECT_EQ(text_of(std::runtime_error{"a"}), "a");
  EXPECT_EQ(text_of(std::string{"b"}), "b");
  EXPECT_EQ(text_of(static_cast<const char*>("c")), "c");
  EXPECT_EQ(text_of(7), "unknown exception");
}

struct kept_trainable_test : drive_test {
  trainable_registry::entry entry = counting();
  kept_trainable uut{entry};

  void drive(const object& config, std::optional<std::filesystem::path> restore = {}) {
    uut.drive(config, context, restore, link);
  }
};

TEST_F(kept_trainable_test, resets_its_instance_and_cleans_up_once) {
  drive({{"last", 1}});
  drive({{"last", 1}});
  drive({{"last", 11}}, "/c");
  uut.end();
  uut.end();

  EXPECT_EQ(calls,
            (trace{"setup 00007", "step", "reset", "step", "reset", "load /c", "step", "cleanup"}));
}

TEST_F(kept_trainable_test, makes_one_anew_that_refuses_its_reset) {
  drive({{"last", 1}});
  drive({{"last", 1}, {"refuses", true}});

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "reset", "cleanup", "setup 00007", "step"}));
  EXPECT_EQ(link.heard.back(), "report n=1 done");
}

TEST_F(kept_trainable_test, does_not_let_a_trial_pay_for_the_cleanup_of_those_before) {
  drive({{"last", 1}});
  drive({{"last", 1}, {"refuses", true}, {"fails", "cleanup"}});

  EXPECT_EQ(calls.back(), "step");
  EXPECT_THROW(uut.end(), std::runtime_error);
}

TEST_F(kept_trainable_test, begins_anew_after_an_error) {
  drive({{"last", 1}});
  EXPECT_THROW(drive({{"fails", "step"}}), std::runtime_error);
  drive({{"last", 1}});

  EXPECT_EQ(calls,
            (trace{"setup 00007", "step", "reset", "step", "cleanup", "setup 00007", "step"}));
}

TEST_F(kept_trainable_test, fails_the_trial_whose_reset_throws) {
  drive({{"last", 1}});
  EXPECT_THROW(drive({{"fails", "reset"}}), std::runtime_error);

  EXPECT_EQ(calls, (trace{"setup 00007", "step", "reset", "cleanup"}));
}

TEST_F(kept_trainable_test, calls_a_function_again) {
  trainable_registry::entry function{"f", "", [](session& s) { s.report({{"a", 1}}); }, {}};
  kept_trainable again{function};

  again.drive({}, context, {}, link);
  again.drive({}, context, {}, link);
  again.end();

  EXPECT_EQ(link.heard, (trace{"ready", "report a=1", "ready", "report a=1"}));
}

} // namespace
} // namespace tune
