// Trainables that are the user's own actors, and the actor that drives them.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_trainable.hpp"

#include "../../src/actors/trainables.hpp"

#include "tune/actors/checkpoint_service.hpp"

#include "support/deterministic_system.hpp"
#include "support/small_run.hpp"

#include <gmock/gmock.h>

#include <stdlib.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace tune {
namespace {

using namespace std::chrono_literals;
using support::attach_words;
using testing::HasSubstr;
using own = own_trainable_actor;
namespace fs = std::filesystem;

/// One step of the actor under test.
using step_function = std::function<caf::result<training_result>(own::pointer, int)>;

caf::result<training_result> says(metrics what) {
  return training_result{std::move(what)};
}

caf::error trouble(std::string text) {
  return caf::make_error(caf::sec::runtime_error, std::move(text));
}

/// Behaviour of the actor under test.
struct manners {
  step_function step = [](auto*, int n) { return says({{"loss", 1.0 / n}, {"n", n}}); };
  std::function<caf::result<void>(const training_setup&)> set_up;
  std::function<caf::result<void>(const fs::path&)> load;
  std::function<caf::result<void>(const fs::path&)> save;
  std::function<void(caf::scheduled_actor*)> begin;
  std::function<caf::result<bool>(const training_export&)> export_model;
};

struct counter_state {
  int n = 0;
};

own::behavior_type counter(own::stateful_pointer<counter_state> self,
                           const std::shared_ptr<manners>& how) {
  auto& n = state_of(self).n;
  if (how->begin)
    how->begin(self);
  return {
      [how](const training_setup& x) -> caf::result<void> {
        return how->set_up ? how->set_up(x) : caf::result<void>{caf::unit};
      },
      [&n, how](const training_load& x) -> caf::result<void> {
        if (how->load)
          return how->load(x.directory);
        if (!(std::ifstream{x.directory / "n"} >> n))
          return trouble("there is no n");
        return caf::unit;
      },
      [self, &n, how](training_step) { return how->step(self, ++n); },
      [&n, how](const training_save& x) -> caf::result<void> {
        if (how->save)
          return how->save(x.directory);
        std::ofstream{x.directory / "n"} << n;
        return caf::unit;
      },
      [how](const training_export& x) -> caf::result<bool> {
        return how->export_model ? how->export_model(x) : caf::result<bool>{false};
      },
  };
}

own_trainable counting(const std::shared_ptr<manners>& how,
                       actor_thread where = actor_thread::shared) {
  return trained_by<counter_state>(
      [how](own::stateful_pointer<counter_state> self) { return counter(self, how); }, where);
}

/// Confirms every request, and records the drafts that it was to keep.
checkpoint_service_actor::behavior_type
ready_checkpoint_service(const std::shared_ptr<std::vector<keep_draft>>& kept) {
  return {
      [](const prepare_attempt&) { return attempt_prepared{}; },
      [](const copy_draft&) { return draft_copied{}; },
      [kept](const keep_draft& x) {
        kept->push_back(x);
        return draft_kept{{"here", 7}, {}, false};
      },
      [](const gather_exported& x) { return gather_here(x); },
      [](const drop_directory& x) { remove_directory(x.where); },
      [](const attempt_left&) {},
      [](const job_over&) {},
      [](const forget_paused&) {},
      [](const keep_artifacts&) { return artifacts_kept{}; },
      [](const saves_dropped&) {},
      [](leave_atom) {},
  };
}

/// State of the directory maker, which makes directories or, if `stands_still`, lets the requester
/// wait.
struct making {
  bool stands_still = false;
  caf::typed_response_promise<directory_made> waiting;
  std::vector<attempt_directory> unwanted;
};

directory_maker_actor::behavior_type odd_maker(directory_maker_actor::pointer self,
                                               const std::shared_ptr<making>& how) {
  return {[self, how](const directory_wanted& x) -> caf::result<directory_made> {
            if (!how->stands_still)
              return make_here(x);
            how->waiting = self->make_response_promise<directory_made>();
            return how->waiting;
          },
          [how](const directory_unwanted& x) { how->unwanted.push_back(x.where); }};
}

struct own_trainable_test : support::deterministic_system {
  support::mock<trial_actor> trial = mock_trial();
  std::shared_ptr<manners> how = std::make_shared<manners>();
  std::shared_ptr<std::vector<keep_draft>> kept = std::make_shared<std::vector<keep_draft>>();
  job work;
  std::shared_ptr<making> disk = std::make_shared<making>();
  launch_order order;
  fs::path directory;
  fs::path restore;
  /// The actor spawned for the attempt.
  own actor;
  trainable_actor uut;

  own_trainable_test() {
    auto name = (fs::temp_directory_path() / "tune_own_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
    work.id = "x";
    work.directory = directory;
    work.plan = run_as_actor{"mine"};
    order.job = "x";
    order.attempt = attempt_id{1, 1};
    order.config = {std::make_shared<const object>(object{{"lr", 0.5}})};
  }
  ~own_trainable_test() override {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }

  /// The same trainable, which also stores the spawned actor in `actor`.
  own_trainable watched(const own_trainable& from) {
    auto result = from;
    result.spawn = [this, from](caf::actor_system& sys, const trial_context& about) {
      actor = from.spawn(sys, about);
      return actor;
    };
    return result;
  }
  void launch() { launch(counting(how)); }
  void launch(const own_trainable& what) {
    trainable_registry all;
    add_actor(all, "mine", watched(what));
    auto node = std::make_shared<node_settings>();
    node->trainables = std::make_shared<const trainable_registry>(all);
    auto checkpoint_service = keep(system->spawn(ready_checkpoint_service, kept));
    trainable_start start{order, trial.actor, node, std::make_shared<const job>(work),
                          checkpoint_service};
    start.maker = keep(system->spawn(odd_maker, disk));
    start.checkpoints = directory;
    start.restore = restore;
    uut = keep(spawn_own_trainable(*system, std::move(start)));
    run_now();
    EXPECT_TRUE(trial.take<attach_words>().second == uut);
  }
  attempt_report report() {
    auto result = trial.take<attempt_report>();
    if (result.metrics.content == nullptr)
      result.metrics = {std::make_shared<const object>()};
    return result;
  }
  value metric(const std::string& name) {
    const auto said = report();
    const auto* found = said.metrics.content->find(name);
    return found != nullptr ? *found : value{};
  }
  void answer(answer_kind what, std::uint64_t number, std::uint64_t checkpoint = 0) {
    attempt_answer x;
    x.attempt = order.attempt;
    x.number = number;
    x.kind = what;
    x.checkpoint = checkpoint;
    tell(uut, x);
  }
  void halt(halt_mode mode) {
    tell(uut, attempt_halt{order.attempt, static_cast<std::uint8_t>(mode), false});
  }
  void expect_end(end_class how_it_ended, const std::string& why = {}) {
    auto end = trial.take<attempt_ended>();
    EXPECT_EQ(end.how, static_cast<std::uint8_t>(how_it_ended)) << end.detail;
    if (why.empty())
      EXPECT_EQ(end.detail, "");
    else
      EXPECT_THAT(end.detail, HasSubstr(why));
    EXPECT_TRUE(is_gone(uut));
  }
};

TEST_F(own_trainable_test, is_told_of_its_trial_and_makes_a_step_for_each_answer) {
  std::optional<training_setup> told;
  how->set_up = [&told](const training_setup& x) -> caf::result<void> {
    told = x;
    return caf::unit;
  };

  launch();
  auto first = report();
  EXPECT_EQ(first.number, 1u);
  EXPECT_EQ(first.iteration, 1u);
  ASSERT_TRUE(told);
  EXPECT_EQ(*told->config->find("lr"), value{0.5});
  EXPECT_EQ(told->context.directory, directory / "trials" / "00000");

  answer(answer_kind::go_on, 1);
  EXPECT_EQ(report().iteration, 2u);
  answer(answer_kind::stop, 2);

  expect_end(end_class::stopped);
  EXPECT_TRUE(is_gone(actor));
}

TEST_F(own_trainable_test, steps_without_being_answered_as_far_as_it_may) {
  launch();
  EXPECT_EQ(report().number, 1u);
  attempt_answer far;
  far.number = 1;
  far.until = 4;
  tell(uut, far);

  for (std::uint64_t n = 2; n <= 4; ++n)
    EXPECT_EQ(report().number, n);
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, finishes_with_done) {
  how->step = [](auto*, int) { return says({{"loss", 1}, {"done", true}}); };

  launch();
  EXPECT_TRUE(report().done);
  answer(answer_kind::go_on, 1);

  expect_end(end_class::finished);
  EXPECT_TRUE(is_gone(actor));
}

/// Another actor that works for the trainable: it answers only when told to.
caf::behavior helper(caf::event_based_actor* self) {
  auto owed = std::make_shared<caf::typed_response_promise<int>>();
  return {
      [self, owed](int) {
        *owed = self->make_response_promise<int>();
        return *owed;
      },
      [owed](const std::string&) { owed->deliver(1); },
  };
}

step_function helped_by(const caf::actor& whom) {
  return [whom](own::pointer self, int) -> caf::result<training_result> {
    auto later = self->make_response_promise<training_result>();
    request(self, whom, caf::infinite, 1).then([later](int) mutable {
      later.deliver(training_result{{{"loss", 3}}});
    });
    return later;
  };
}

TEST_F(own_trainable_test, answers_when_it_likes) {
  auto other = keep(system->spawn(helper));
  how->step = helped_by(other);

  launch();
  trial.heard->expect_silence();
  tell(other, std::string{"now"});

  EXPECT_EQ(metric("loss"), value{3});
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, saves_when_it_is_asked_and_trains_on) {
  launch();
  report();
  answer(answer_kind::save, 1, 9);

  ASSERT_EQ(kept->size(), 1u);
  int n = 0;
  std::ifstream{kept->front().what.directory / "n"} >> n;
  EXPECT_EQ(n, 1);
  auto saved = trial.take<attempt_saved>();
  EXPECT_EQ(saved.checkpoint, 9u);
  EXPECT_EQ(saved.iteration, 1u);
  EXPECT_EQ(report().iteration, 2u);
  answer(answer_kind::save_and_end, 2, 10);
  EXPECT_EQ(trial.take<attempt_saved>().checkpoint, 10u);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, goes_on_from_a_checkpoint) {
  restore = directory / "c";
  fs::create_directories(restore);
  std::ofstream{restore / "n"} << 41;
  order.restore_from = "c";
  order.iteration = 41;

  launch();

  trial.take<attempt_started>();
  auto first = report();
  EXPECT_EQ(first.iteration, 42u);
  EXPECT_EQ(*first.metrics.content, (object{{"loss", 1.0 / 42}, {"n", 42}}));
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, blames_a_checkpoint_that_it_cannot_load) {
  restore = directory / "nothing";
  order.restore_from = "nothing";

  launch();

  expect_end(end_class::bad_checkpoint, "there is no n");
}

TEST_F(own_trainable_test, trains_on_where_a_save_fails) {
  how->save = [](const fs::path&) -> caf::result<void> { return trouble("the disk is full"); };

  launch();
  report();
  answer(answer_kind::save_and_end, 1, 9);

  auto failed = trial.take<attempt_save_failed>();
  EXPECT_EQ(failed.checkpoint, 9u);
  EXPECT_EQ(failed.why, "the disk is full");
  EXPECT_EQ(report().iteration, 2u);
  EXPECT_FALSE(
      fs::exists(directory / "trials" / "00000" / "attempt_1_1" / "checkpoint_000001.tmp"));
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, trains_on_where_no_place_to_save_can_be_made) {
  launch();
  report();
  std::ofstream{directory / "trials" / "00000" / "attempt_1_1"} << "a file";

  answer(answer_kind::save, 1, 9);

  EXPECT_THAT(trial.take<attempt_save_failed>().why, HasSubstr("attempt_1_1"));
  EXPECT_EQ(report().iteration, 2u);
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, ends_by_force_while_a_place_to_save_is_being_made) {
  launch();
  report();
  disk->stands_still = true;
  answer(answer_kind::save, 1, 9);
  EXPECT_EQ(trial.heard->size(), 0u);

  halt(halt_mode::kill);
  ASSERT_EQ(disk->unwanted.size(), 1u);
  EXPECT_EQ(disk->unwanted[0].name.filename(), "checkpoint_000001.tmp");
  disk->waiting.deliver(directory_made{{directory / "late", false}, {}});
  run_now();

  EXPECT_EQ(trial.take<attempt_save_failed>().checkpoint, 9u);
  expect_end(end_class::killed);
  EXPECT_TRUE(kept->empty());
}

TEST_F(own_trainable_test, ends_by_force_before_its_directory_is_made) {
  disk->stands_still = true;
  launch();

  halt(halt_mode::kill);
  disk->waiting.deliver(directory_made{});
  run_now();

  expect_end(end_class::killed);
  EXPECT_FALSE(actor);
}

TEST_F(own_trainable_test, is_told_to_have_ended_in_the_save_that_threw) {
  how->save
      = [](const fs::path&) -> caf::result<void> { throw std::runtime_error{"the disk is full"}; };

  launch();
  report();
  answer(answer_kind::save, 1, 9);

  EXPECT_EQ(trial.take<attempt_save_failed>().why, "the disk is full");
  expect_end(end_class::user_error, "its actor ended in its save: the disk is full");
}

TEST_F(own_trainable_test, only_exports_where_its_trial_has_come_to_its_end) {
  work.exports = {"text"};
  how->load = [](const fs::path&) -> caf::result<void> { return caf::unit; };
  how->export_model = [](const training_export& x) -> caf::result<bool> {
    std::ofstream{x.directory / "weights"} << 1;
    return true;
  };
  restore = directory / "nothing";
  order.restore_from = "nothing";
  order.ends = true;
  launch();

  trial.take<attempt_started>();
  EXPECT_EQ(trial.take<attempt_exported>().paths, (std::vector<std::string>{"here/text"}));
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, fails_with_the_text_of_an_error) {
  how->step = [](auto*, int) -> caf::result<training_result> { return trouble("it diverged"); };

  launch();

  expect_end(end_class::user_error, "it diverged");
  EXPECT_TRUE(is_gone(actor));
}

TEST_F(own_trainable_test, fails_with_an_error_that_is_none) {
  how->step = [](auto*, int) -> caf::result<training_result> { return caf::error{}; };

  launch();

  expect_end(end_class::user_error, "an error that says nothing");
  EXPECT_TRUE(is_gone(actor));
}

TEST_F(own_trainable_test, fails_where_it_passes_on_that_another_actor_has_ended) {
  how->step = [](auto*, int) -> caf::result<training_result> {
    return caf::make_error(caf::sec::request_receiver_down);
  };

  launch();
  pass(2s);

  expect_end(end_class::user_error, "with the error that another actor has ended");
  EXPECT_TRUE(is_gone(actor));
}

TEST_F(own_trainable_test, fails_with_the_text_of_an_exception_in_any_handler) {
  how->step = [](auto*, int) -> caf::result<training_result> {
    throw std::runtime_error{"no such optimizer"};
  };
  launch();
  expect_end(end_class::user_error, "no such optimizer");

  how->set_up = [](const training_setup&) -> caf::result<void> {
    throw std::invalid_argument{"lr must be a number"};
  };
  launch();
  expect_end(end_class::user_error, "lr must be a number");

  how->begin = [](auto*) { throw std::runtime_error{"not even that"}; };
  launch();
  expect_end(end_class::user_error, "not even that");
}

TEST_F(own_trainable_test, fails_where_it_cannot_be_spawned) {
  own_trainable bad;
  bad.spawn = [](caf::actor_system&, const trial_context&) -> own {
    throw std::runtime_error{"no licence"};
  };
  launch(bad);
  expect_end(end_class::user_error, "no licence");

  bad.spawn = [](caf::actor_system&, const trial_context&) { return own{}; };
  launch(bad);
  expect_end(end_class::user_error, "was not spawned");

  work.plan = run_as_actor{"yours"};
  launch();
  expect_end(end_class::user_error, "no actor named 'yours' is registered");
}

TEST_F(own_trainable_test, fails_with_the_cause_where_it_ends_by_itself) {
  how->step = [](own::pointer self, int n) {
    if (n == 2)
      self->quit(trouble("the licence has expired"));
    return says({{"loss", n}});
  };

  launch();
  report();
  answer(answer_kind::go_on, 1);
  report();

  expect_end(end_class::user_error, "the licence has expired");
}

TEST_F(own_trainable_test, fails_where_somebody_kills_it) {
  how->step = [](own::pointer self, int) -> caf::result<training_result> {
    return self->make_response_promise<training_result>();
  };
  launch();

  caf::anon_send_exit(actor, caf::exit_reason::kill);
  run_now();

  expect_end(end_class::user_error, "its actor ended in its step: ");
}

TEST_F(own_trainable_test, takes_nobody_along_that_it_is_linked_with) {
  how->step = [](own::pointer self, int n) -> caf::result<training_result> {
    if (n == 1) {
      self->link_to(caf::actor_cast<caf::actor>(self->current_sender()));
      return says({{"loss", 1}});
    }
    self->quit(trouble("it was fun"));
    return self->make_response_promise<training_result>();
  };

  launch();
  report();
  answer(answer_kind::go_on, 1);

  expect_end(end_class::user_error, "it was fun");
}

TEST_F(own_trainable_test, ends_behind_the_step_under_way) {
  auto other = keep(system->spawn(helper));
  how->step = helped_by(other);
  launch();

  halt(halt_mode::stop);
  EXPECT_FALSE(is_gone(actor));
  tell(other, std::string{"now"});

  report();
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, ends_at_once_by_force_though_it_never_answers) {
  how->step = [](own::pointer self, int) -> caf::result<training_result> {
    return self->make_response_promise<training_result>();
  };
  launch();
  EXPECT_EQ(ask_now<std::uint64_t>(uut, ping_atom_v, std::uint64_t{5}), 5u);

  halt(halt_mode::kill);

  expect_end(end_class::killed);
  EXPECT_TRUE(is_gone(actor));
}

TEST_F(own_trainable_test, is_forced_to_go_where_it_does_not_heed_that_it_was_told_to) {
  how->begin = [](caf::scheduled_actor* self) { self->set_exit_handler([](caf::exit_msg&) {}); };
  launch();
  report();
  answer(answer_kind::stop, 1);
  EXPECT_FALSE(is_gone(actor));
  trial.heard->expect_silence();

  pass(work.kill_grace + 1s);

  EXPECT_TRUE(is_gone(actor));
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, may_take_its_time_to_clean_up) {
  how->begin = [](caf::scheduled_actor* self) {
    self->set_exit_handler([self](caf::exit_msg& told) {
      if (told.reason == caf::exit_reason::user_shutdown)
        delayed_send_from_outside(caf::actor_cast<caf::actor>(self), 2s,
                                  caf::exit_msg{{}, caf::exit_reason::remote_link_unreachable});
      else
        self->quit();
    });
  };
  launch();
  report();
  answer(answer_kind::stop, 1);

  pass(1s);
  EXPECT_FALSE(is_gone(actor));
  pass(2s);

  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, exports_what_it_knows_at_the_end_of_its_trial) {
  work.exports = {"onnx", "text"};
  how->export_model = [](const training_export& x) -> caf::result<bool> {
    if (x.format == "text")
      std::ofstream{x.directory / "weights"} << 1;
    return x.format == "text";
  };
  launch();
  report();
  attempt_answer last;
  last.number = 1;
  last.kind = answer_kind::stop;
  last.exports = true;
  tell(uut, last);

  auto all = trial.take<attempt_exported>();
  EXPECT_EQ(all.formats, (std::vector<std::string>{"onnx", "text"}));
  EXPECT_EQ(all.paths, (std::vector<std::string>{"", "here/text"}));
  EXPECT_EQ(all.whys, (std::vector<std::string>{"it does not know this format", ""}));
  expect_end(end_class::stopped);
}

// -- Odd words.

TEST_F(own_trainable_test, may_report_what_is_no_number_and_nothing_at_all) {
  how->step = [](auto*, int n) {
    const auto odd = n == 1 ? std::nan("") : std::numeric_limits<double>::infinity();
    return n == 3 ? says({}) : says({{"loss", odd}});
  };
  launch();

  EXPECT_TRUE(std::isnan(metric("loss").number().value_or(0)));
  answer(answer_kind::go_on, 1);
  EXPECT_TRUE(std::isinf(metric("loss").number().value_or(0)));
  answer(answer_kind::go_on, 2);
  EXPECT_TRUE(report().metrics.content->empty());
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

TEST_F(own_trainable_test, fails_with_a_report_that_cannot_be_one) {
  how->step = [](auto*, int) { return says({{"training_iteration", -3}}); };

  launch();

  expect_end(end_class::user_error, "training_iteration must be a whole number");
}

TEST_F(own_trainable_test, is_believed_that_it_has_ended) {
  how->step = [](own::pointer self, int) -> caf::result<training_result> {
    auto whom = caf::actor_cast<caf::actor>(self->current_sender());
    caf::anon_send(whom, caf::down_msg{self->address(), trouble("as it says")});
    return self->make_response_promise<training_result>();
  };
  launch();

  expect_end(end_class::user_error, "its actor ended in its step: as it says");
  EXPECT_TRUE(is_gone(actor));
}

TEST_F(own_trainable_test, hears_no_foreign_words) {
  how->step = [](own::pointer self, int n) {
    auto whom = caf::actor_cast<caf::actor>(self->current_sender());
    caf::anon_send(whom, 17, std::string{"hello"});
    caf::anon_send(whom, training_result{{{"loss", -1}}});
    caf::anon_send(whom, caf::make_error(caf::sec::runtime_error));
    caf::anon_send(whom, caf::down_msg{{}, caf::exit_reason::kill});
    return says({{"loss", n}});
  };
  launch();

  EXPECT_EQ(metric("loss"), value{1});
  trial.heard->expect_silence();
  answer(answer_kind::go_on, 1);
  EXPECT_EQ(metric("loss"), value{2});
  halt(halt_mode::stop);
  expect_end(end_class::stopped);
}

/// A trainable whose actor does not have the trainable interface.
own_trainable stranger(std::function<caf::behavior(caf::event_based_actor*)> behaves) {
  own_trainable result;
  result.spawn = [behaves](caf::actor_system& sys, const trial_context&) {
    auto whom = sys.spawn([behaves](caf::event_based_actor* self) { return behaves(self); });
    return caf::actor_cast<own>(whom);
  };
  return result;
}

TEST_F(own_trainable_test, fails_where_it_answers_with_another_message) {
  launch(stranger([](caf::event_based_actor*) -> caf::behavior {
    return {[](const training_setup&) {}, [](training_step) { return std::string{"0.5"}; }};
  }));

  expect_end(end_class::user_error, "answered a step with another message");
}

TEST_F(own_trainable_test, fails_where_it_does_not_know_what_it_is_told) {
  launch(stranger([](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    return {[](int) {}};
  }));

  expect_end(end_class::user_error, "does not know what a set-up is");
}

// -- A whole run.

struct own_trainable_run : support::small_run {
  std::shared_ptr<manners> how = std::make_shared<manners>();

  own_trainable_run() {
    work.plan = run_as_actor{"mine"};
    how->step = [](auto*, int n) { return says({{"loss", 1.0 / n}, {"n", n}, {"done", n == 5}}); };
  }
  void runs(actor_thread where) { add_actor(trainables, "mine", counting(how, where)); }
};

TEST_F(own_trainable_run, goes_on_from_its_checkpoint_after_a_failure) {
  std::atomic<int> breaks = 1;
  how->step = [&breaks](auto*, int n) {
    if (n == 4 && breaks-- > 0)
      throw std::runtime_error{"broken"};
    return says({{"loss", 1.0 / n}, {"n", n}, {"done", n == 5}});
  };
  runs(actor_thread::own);
  settings.saves = save_ability::on_request;
  settings.checkpoints.frequency = 2;
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;

  auto end = run();

  EXPECT_EQ(end.view.succeeded, 1u);
  EXPECT_EQ(reported_iterations(), (std::vector<std::uint64_t>{1, 2, 3, 3, 4, 5}));
  ASSERT_GE(events<on::ended>().size(), 1u);
  EXPECT_EQ(events<on::ended>()[0].detail, "broken");
  for (const auto& x : events<on::reported>())
    EXPECT_EQ(*x.what->metrics->find("n"), value{static_cast<std::int64_t>(x.what->iteration)});
}

TEST_F(own_trainable_run, goes_on_from_what_it_was_paused_with) {
  runs(actor_thread::shared);
  settings.saves = save_ability::on_request;
  std::atomic<bool> asked = false;
  before_judging = [&] {
    if (!asked.exchange(true))
      post(on::pause_asked{trial_id{0}});
  };

  start();
  ASSERT_TRUE(wait_for_events<on::ended>(1));
  post(on::unpause_asked{trial_id{0}});
  finish();

  EXPECT_EQ(reported_iterations(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST_F(own_trainable_run, is_ended_where_it_says_nothing_for_too_long) {
  how->step = [](own::pointer self, int) -> caf::result<training_result> {
    return self->make_response_promise<training_result>();
  };
  runs(actor_thread::shared);
  settings.failures.progress_timeout = 50ms;

  run();

  ASSERT_EQ(events<on::ended>().size(), 1u);
  EXPECT_EQ(events<on::ended>()[0].how, end_class::killed);
  EXPECT_THAT(reasons.all(), testing::Contains("timeout"));
}

TEST_F(own_trainable_run, holds_up_nobody_while_it_blocks_and_is_left_to_itself_at_last) {
  // Shared, since the abandoned actor outlives the test's body.
  auto door = std::make_shared<support::latch>(false);
  auto begun = std::make_shared<std::atomic<int>>(0);
  how->step = [door, begun](auto*, int n) {
    if ((*begun)++ == 0)
      door->wait();
    return says({{"loss", 1.0 / n}, {"done", n == 5}});
  };
  configs = {{{"x", 1}}, {{"x", 2}}};
  node.capacity.cpu = amount::of(2);
  work.kill_grace = 50ms;
  settings.failures.progress_timeout = 100ms;
  runs(actor_thread::own);

  auto end = run();

  EXPECT_EQ(end.view.succeeded, 1u);
  auto ends = events<on::ended>();
  auto left = std::find_if(ends.begin(), ends.end(),
                           [](const on::ended& x) { return x.how == end_class::killed; });
  ASSERT_NE(left, ends.end());
  EXPECT_THAT(left->detail, HasSubstr("left to itself"));
  // Unblock the actor: the actor system waits for all actors before it ends.
  door->open();
}

} // namespace
} // namespace tune
