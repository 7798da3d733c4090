// Hosts that serve several trials; they run this same program, hence its own main.
// SPDX-License-Identifier: BSD-3-Clause
#include "bowl.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/leftovers.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

namespace tune {
namespace {

/// Crashes by the signal itself, even if a sanitizer would handle it.
void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
}

namespace fs = std::filesystem;
using samples::number;
using testing::ElementsAre;
using testing::HasSubstr;
using numbers = std::vector<std::int64_t>;

std::string text(const object& config, std::string_view name) {
  const auto* x = config.find(name);
  return x == nullptr || x->as_string() == nullptr ? std::string{} : *x->as_string();
}

std::string variable(const char* name) {
  const auto* found = std::getenv(name);
  return found == nullptr ? "" : found;
}

std::string text_in(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string text_without(const fs::path& path, const std::string& line) {
  auto result = text_in(path);
  for (auto at = result.find(line); at != result.npos; at = result.find(line))
    result.erase(at, line.size());
  return result;
}

/// Waits for the other trials of the round: until `count` files lie in `place`.
void meet(const fs::path& place, const std::string& name, std::int64_t count) {
  fs::create_directories(place);
  std::ofstream{place / name};
  auto all = [&] {
    return std::distance(fs::directory_iterator{place}, fs::directory_iterator{}) >= count;
  };
  support::eventually(all);
}

/// Prints until it is ended.
[[noreturn]] void print_on(const std::string& name) {
  auto line = "left by " + name + "\n";
  for (;;) {
    [[maybe_unused]] auto count = ::write(STDOUT_FILENO, line.data(), line.size());
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

void leave_child(const std::string& name) {
  if (::fork() == 0)
    print_on(name);
}

/// Leaves a daemon in a session of its own, whose parent is dead.
void leave_daemon(const std::string& name) {
  auto father = ::fork();
  if (father == 0) {
    ::setsid();
    leave_child(name);
    std::_Exit(0);
  }
  ::waitpid(father, nullptr, 0);
}

void leave_dead_child() {
  auto pid = ::fork();
  if (pid == 0)
    std::_Exit(0);
  siginfo_t how{};
  ::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT);
}

void redirect_stdout(const char* file) {
  std::fflush(stdout);
  auto fd = ::open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ::dup2(fd, STDOUT_FILENO);
  ::close(fd);
}

/// Trial i does what letter i of `plan` says: o = ends well, t = throws, s = segmentation fault, b
/// = ends well but leaves a broken process behind, w = refuses its reset, f and d = leaves a child
/// or a daemon behind that prints, z = leaves a zombie behind, x = closes descriptors 0 to 2, r =
/// redirects stdout, q = closes the stream itself.
class letters : public trainable {
public:
  void setup(const object& config, const trial_context& context) override {
    ++setups_;
    begin(config, context);
  }
  bool reset_for(const object& config, const trial_context& context) override {
    if (broken_)
      crash();
    if (letter_of(config) == 'w')
      return false;
    ++resets_;
    begin(config, context);
    return true;
  }
  metrics step() override {
    if (++n_ == 1) {
      print();
      if (auto round = number(config_, "round"); round > 0)
        meet(text(config_, "place") + "/" + std::to_string(int(number(config_, "i") / round)),
             trial_, static_cast<std::int64_t>(round));
    }
    auto letter = letter_of(config_);
    if (letter == 't')
      throw std::runtime_error{"thrown as planned"};
    if (letter == 's')
      crash();
    broken_ = letter == 'b';
    spoil(letter);
    return {{"loss", 1.0 / static_cast<double>(n_)},
            {"resets", resets_},
            {"setups", setups_},
            {"host", ::getpid()},
            {"as_told", told_right()},
            {"done", n_ >= steps()}};
  }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const fs::path& to) override { std::ofstream{to / "n"} << n_; }
  void load(const fs::path& from) override { std::ifstream{from / "n"} >> n_; }
  void cleanup() override {
    if (auto place = text(config_, "cleanups"); !place.empty())
      std::ofstream{place, std::ios::app} << trial_ << '\n';
    if (config_.contains("last_words"))
      std::cout << "cleanup " << trial_ << '\n';
  }

private:
  static inline std::int64_t setups_ = 0;
  object config_;
  std::string trial_;
  fs::path directory_;
  std::int64_t resets_ = 0;
  std::int64_t n_ = 0;
  bool broken_ = false;

  static char letter_of(const object& config) {
    auto plan = text(config, "plan");
    auto i = static_cast<std::size_t>(number(config, "i"));
    return i < plan.size() ? plan[i] : 'o';
  }
  void begin(const object& config, const trial_context& context) {
    config_ = config;
    trial_ = context.trial_id;
    directory_ = context.directory;
    n_ = 0;
  }
  [[nodiscard]] std::int64_t steps() const {
    return config_.contains("steps") ? static_cast<std::int64_t>(number(config_, "steps")) : 1;
  }
  /// Damage that a trial may do to its process.
  void spoil(char letter) const {
    if (letter == 'f')
      leave_child(trial_);
    if (letter == 'd')
      leave_daemon(trial_);
    if (letter == 'z')
      leave_dead_child();
    if (letter == 'x') {
      std::fflush(stdout);
      for (auto fd : {0, 1, 2})
        ::close(fd);
      std::cout << "lost" << std::endl;
    }
    if (letter == 'r')
      redirect_stdout("elsewhere");
    if (letter == 'q')
      std::fclose(stdout);
  }
  /// Prints in every possible way, and flushes nothing.
  void print() const {
    std::cout << "cout " << trial_ << '\n';
    std::clog << "clog " << trial_ << '\n';
    std::printf("stdout %s\n", trial_.c_str());
    std::ofstream{"artifact", std::ios::app} << trial_ << '\n';
  }
  /// Whether the environment is that of a process made for this trial.
  [[nodiscard]] bool told_right() const {
    auto odd = static_cast<int>(number(config_, "i")) % 2 != 0;
    return variable("TUNE_TRIAL_ID") == trial_ && variable("TUNE_TRIAL_DIR") == directory_
           && fs::current_path() == fs::canonical(directory_)
           && variable("TUNE_TRIAL_PARAMS") == directory_ / "params.json"
           && variable("TUNE_TRIAL_PARAM_i") == std::to_string(int(number(config_, "i")))
           && (std::getenv("TUNE_TRIAL_PARAM_odd") != nullptr) == odd;
  }
};

/// A trainable without a reset.
class plain : public trainable {
public:
  void setup(const object&, const trial_context&) override { ++setups_; }
  metrics step() override {
    return {{"loss", 1}, {"setups", setups_}, {"host", ::getpid()}, {"done", true}};
  }

private:
  static inline std::int64_t setups_ = 0;
};

trainable_registry trainables() {
  trainable_registry result;
  result.add_class<letters>("letters");
  result.add_class<plain>("plain");
  result.add_function("counts", [](session& with) {
    static std::int64_t calls = 0;
    with.report({{"loss", 1}, {"calls", ++calls}, {"host", ::getpid()}});
  });
  return result;
}

/// Pauses each trial after each of its iterations.
class pauser : public scheduler {
public:
  [[nodiscard]] scheduler_traits traits() const override { return {"training_iteration", 1, true}; }
  void apply(const scheduler_fact& what) override { queue_.apply(what); }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    return {cause, {{trial, pause_trial{}, {{"rule", "pauser"}}}}};
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    return queue_.first(at, count);
  }
  [[nodiscard]] decision on_stall(sequence at) const override {
    return queue_.end_paused(at, "pauser");
  }
  void describe(fingerprint& into) const override { queue_.describe(into); }

  static scheduler_catalogue::entry entry() {
    return {"pauser",
            "pauses after each iteration",
            "",
            {},
            [](const options&, const scheduler_context&) {
              return expected<std::unique_ptr<scheduler>>{std::make_unique<pauser>()};
            }};
  }

private:
  fifo_queue queue_;
};

struct reused_hosts : samples::tuner_test {
  /// `count` trials of "letters", `at_once` of them at once.
  [[nodiscard]] run_options planned(const std::string& plan, int at_once = 1,
                                    std::size_t count = 0) const {
    std::string all;
    for (std::size_t i = 0; i < std::max(plan.size(), count); ++i)
      all += (i == 0 ? "" : ", ") + std::to_string(i);
    return run_options{}
        .name("e")
        .storage(root)
        .trainable("letters")
        .parameter("i", "grid(" + all + ")")
        .parameter("plan", "\"" + plan + "\"")
        .minimise("loss")
        .reuse_actors()
        .set("cluster.cpus", at_once);
  }

  static result_grid run(const run_options& what) {
    auto all = builtin_choices(trainables());
    all.schedulers.add(pauser::entry());
    auto grid = tuner{all}.run(what);
    EXPECT_TRUE(grid) << to_text(grid.error());
    return grid ? std::move(*grid) : result_grid{{}, {}};
  }

  static numbers last(const result_grid& of, std::string_view metric) {
    numbers result;
    for (const auto& x : of.trials()) {
      const auto* found = x.last_metrics.find(metric);
      result.push_back(found == nullptr ? -1 : static_cast<std::int64_t>(found->number().value()));
    }
    return result;
  }

  static std::size_t hosts(const result_grid& of) {
    std::set<std::int64_t> result;
    for (auto pid : last(of, "host")) {
      if (pid >= 0)
        result.insert(pid);
    }
    return result.size();
  }

  /// Checks that each trial's stdout holds its own output, and nothing of another trial's.
  static void expect_own_output(const result_grid& of) {
    for (const auto& x : of.trials()) {
      auto id = to_text(x.trial);
      EXPECT_EQ(text_without(x.directory / "stdout", "left by " + id + "\n"),
                "cout " + id + "\nstdout " + id + "\n");
    }
  }

  [[nodiscard]] std::size_t left_behind() const {
    return find_leftovers(
               [&](std::string_view tag) { return tag.starts_with((root / "e").string() + "#"); })
        .size();
  }
};

TEST_F(reused_hosts, B4_1_are_there_only_where_they_are_asked_for) {
  for (const auto* wanted : {"", "false"}) {
    auto what = planned("oooo").name(std::string{"e"} + wanted);
    what = *wanted == 0 ? run_options{}
                              .name("default")
                              .storage(root)
                              .trainable("letters")
                              .parameter("i", "grid(0, 1, 2, 3)")
                              .minimise("loss")
                              .set("cluster.cpus", 1)
                        : what.set("trainable.reuse_actors", wanted);

    auto grid = run(what);

    EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(last(grid, "setups"), ElementsAre(1, 1, 1, 1));
    EXPECT_EQ(hosts(grid), 4u);
  }
}

TEST_F(reused_hosts, B4_7_serve_one_trial_after_the_other) {
  auto grid = run(planned("oooooo"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(hosts(grid), 1u);
  EXPECT_TRUE(grid.errors().empty());
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(reused_hosts, A2_2_one_serves_four_trials_and_none_is_left) {
  auto grid = run(planned("oooo"));

  EXPECT_EQ(hosts(grid), 1u);
  EXPECT_THAT(last(grid, "setups"), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(reused_hosts, B4_2_serve_trials_that_pause_as_well) {
  auto grid = run(planned("oooo").parameter("steps", "2").scheduler("pauser"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(hosts(grid), 1u);
  for (const auto& x : grid.trials()) {
    EXPECT_EQ(x.status, trial_status::terminated);
    EXPECT_EQ(x.iterations, 2u);
    // The trial went on where it was paused.
    EXPECT_EQ(number(x.last_metrics, "loss"), 0.5);
  }
}

TEST_F(reused_hosts, B4_3_go_with_a_trial_that_fails) {
  auto grid = run(planned("otoottooo"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(0, -1, 0, 1, -1, -1, 0, 1, 2));
  ASSERT_EQ(grid.errors().size(), 3u);
  for (const auto& x : grid.errors())
    EXPECT_EQ(x.error, "thrown as planned");
}

TEST_F(reused_hosts, lose_only_the_trial_that_crashes_them) {
  auto grid = run(planned("oosoo"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 1, -1, 0, 1));
  EXPECT_EQ(hosts(grid), 2u);
  ASSERT_EQ(grid.errors().size(), 1u);
  EXPECT_THAT(grid.errors()[0].error, HasSubstr("SIGSEGV"));
}

TEST_F(reused_hosts, that_are_broken_cost_the_next_trial_nothing) {
  auto grid = run(planned("oboo"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(hosts(grid), 2u);
  for (const auto& x : grid.trials())
    EXPECT_EQ(x.failures, 0u);
}

TEST_F(reused_hosts, B4_4_make_an_instance_anew_that_refuses_its_reset) {
  auto grid = run(planned("oowo"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(last(grid, "setups"), ElementsAre(1, 1, 2, 2));
  EXPECT_EQ(hosts(grid), 1u);
}

TEST_F(reused_hosts, A8_9_make_an_instance_anew_that_has_no_reset) {
  auto grid = run(planned("ooo").trainable("plain"));

  EXPECT_THAT(last(grid, "setups"), ElementsAre(1, 2, 3));
  EXPECT_EQ(hosts(grid), 1u);
}

TEST_F(reused_hosts, call_functions_again) {
  auto grid = run(planned("ooo").trainable("counts"));

  EXPECT_THAT(last(grid, "calls"), ElementsAre(1, 2, 3));
  EXPECT_EQ(hosts(grid), 1u);
}

TEST_F(reused_hosts, B4_5_print_into_the_files_of_the_trial_they_serve) {
  auto grid = run(planned("ooto"));

  ASSERT_EQ(grid.trials().size(), 4u);
  for (const auto& x : grid.trials()) {
    auto id = to_text(x.trial);
    EXPECT_EQ(text_in(x.directory / "stdout"), "cout " + id + "\nstdout " + id + "\n");
    EXPECT_EQ(text_in(x.directory / "stderr"), "clog " + id + "\n");
  }
}

TEST_F(reused_hosts, end_with_a_trial_that_leaves_processes_behind) {
  for (const auto* plan : {"ofoo", "odoo"}) {
    auto grid = run(planned(plan).name(std::string{"e"} + plan));

    EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 1, 0, 1)) << plan;
    EXPECT_EQ(hosts(grid), 2u);
    EXPECT_TRUE(grid.errors().empty());
    ASSERT_EQ(grid.trials().size(), 4u);
    expect_own_output(grid);
  }
}

TEST_F(reused_hosts, are_kept_where_all_children_are_dead) {
  auto grid = run(planned("ozoo"));

  EXPECT_EQ(hosts(grid), 1u);
  EXPECT_TRUE(grid.errors().empty());
}

TEST_F(reused_hosts, print_where_they_should_after_trials_that_close_or_redirect) {
  auto grid = run(planned("oxoroo"));

  EXPECT_EQ(hosts(grid), 1u);
  EXPECT_TRUE(grid.errors().empty());
  ASSERT_EQ(grid.trials().size(), 6u);
  for (const auto& x : grid.trials()) {
    auto id = to_text(x.trial);
    EXPECT_EQ(text_in(x.directory / "stdout"), "cout " + id + "\nstdout " + id + "\n");
    EXPECT_EQ(text_in(x.directory / "stderr"), "clog " + id + "\n");
  }
}

TEST_F(reused_hosts, end_where_their_stdout_is_closed_for_good) {
  auto grid = run(planned("qo"));

  EXPECT_EQ(hosts(grid), 2u);
  EXPECT_TRUE(grid.errors().empty());
  expect_own_output(grid);
}

TEST_F(reused_hosts, clean_up_after_a_refused_reset_as_part_of_the_trial_that_asked) {
  auto grid = run(planned("ow").parameter("last_words", "1"));

  ASSERT_EQ(grid.trials().size(), 2u);
  auto of = [&](std::size_t i) { return text_in(grid.trials()[i].directory / "stdout"); };
  EXPECT_EQ(of(0), "cout 00000\nstdout 00000\n");
  EXPECT_EQ(of(1), "cleanup 00000\ncout 00001\nstdout 00001\n");
}

TEST_F(reused_hosts, B4_9_run_in_directory_and_environment_of_the_trial_they_serve) {
  auto grid = run(planned("oooo").parameter("odd", "1 if i in (1, 3)"));

  EXPECT_EQ(hosts(grid), 1u);
  ASSERT_EQ(grid.trials().size(), 4u);
  for (const auto& x : grid.trials()) {
    EXPECT_EQ(*x.last_metrics.find("as_told"), value{true});
    EXPECT_EQ(text_in(x.directory / "artifact"), to_text(x.trial) + "\n");
  }
}

TEST_F(reused_hosts, B4_6_are_as_many_as_trials_run_at_once) {
  auto grid = run(planned("oooo", 2)
                      .parameter("round", "2")
                      .parameter("place", "\"" + (root / "met").string() + "\""));

  auto resets = last(grid, "resets");
  EXPECT_THAT(resets, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(hosts(grid), 2u);
}

TEST_F(reused_hosts, B4_6_are_fewer_by_the_one_that_failed) {
  auto grid = run(planned("otoo", 2)
                      .parameter("round", "2")
                      .parameter("place", "\"" + (root / "met").string() + "\""));

  auto resets = last(grid, "resets");
  ASSERT_EQ(resets.size(), 4u);
  EXPECT_EQ(resets[1], -1);
  EXPECT_EQ(resets[2] + resets[3], 1);
  EXPECT_EQ(hosts(grid), 2u);
}

TEST_F(reused_hosts, outlive_trials_that_are_stopped) {
  auto grid = run(planned("ooo").parameter("steps", "1000").set("stop.training_iteration", "2"));

  EXPECT_THAT(last(grid, "resets"), ElementsAre(0, 1, 2));
  for (const auto& x : grid.trials())
    EXPECT_EQ(x.iterations, 2u);
}

TEST_F(reused_hosts, clean_up_once_before_they_end) {
  auto place = (root / "cleanups").string();
  auto grid = run(planned("ooto").parameter("cleanups", "\"" + place + "\""));

  EXPECT_EQ(hosts(grid), 2u);
  // The trial that threw cleaned up at once, the other one with its host at the end of the run.
  EXPECT_EQ(text_in(place), "00002\n00003\n");
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(reused_hosts, do_not_outlive_a_trial_that_is_ended_by_force) {
  auto what = planned("oo")
                  .trainable("letters")
                  .parameter("round", "2")
                  .parameter("place", "\"" + (root / "met").string() + "\"");

  auto grid = run(what.set("failure.progress_timeout", "1s")
                      .set("cluster.kill_grace", "100ms")
                      .set("failure.max_consecutive_failures", "0"));

  EXPECT_EQ(grid.errors().size(), 1u);
  EXPECT_THAT(last(grid, "resets"), ElementsAre(-1, 0));
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(reused_hosts, are_refused_where_they_can_mean_nothing) {
  auto refusal = [&](run_options what) {
    auto grid = tuner{trainables()}.run(what.reuse_actors());
    EXPECT_FALSE(grid);
    return grid ? std::string{} : to_text(grid.error());
  };

  EXPECT_THAT(refusal(planned("o").isolation(isolation_kind::thread)),
              HasSubstr("reuse_actors = true: has no meaning for isolation = thread"));
  EXPECT_THAT(
      refusal(run_options{}.name("e").storage(root).command("true").parameter("x", "1").minimise(
          "loss")),
      HasSubstr("reuse_actors = true: has no meaning for kind = command"));
  EXPECT_FALSE(fs::exists(root / "e"));
}

} // namespace
} // namespace tune

int main(int argc, char** argv) {
  if (auto status = tune::host_main(argc, argv, tune::trainables()))
    return *status;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
