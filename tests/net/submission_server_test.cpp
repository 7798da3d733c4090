// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/submission_server.hpp"

#include "support/deterministic_system.hpp"
#include "tune/net/node_registry.hpp"
#include "tune/net/package_server.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What a fake job supervisor was told, and how it answers.
struct fake_job_supervisor {
  job_spec task;
  job_supervisor_actor actor;
  std::shared_ptr<std::vector<client_request>> asked
      = std::make_shared<std::vector<client_request>>();
  std::shared_ptr<int> leaves = std::make_shared<int>(0);
};

class submission_server_test : public support::deterministic_system {
protected:
  /// A fetch that waits goes on at a tick.
  using package_client_mock = extend<package_client_actor, caf::result<void>(tick_atom)>;

  std::vector<fake_job_supervisor> job_supervisors;
  /// What the next job supervisor says to its beginning.
  start_result first_word{to_json(submission_taken{1, "/srv/digits", {}}), true};
  /// What the package client answers; empty: all is there.
  std::string fetch_trouble;
  ec fetch_kind = ec::unreachable;
  /// Fetches that wait, where they are to wait.
  bool slow_package_client = false;
  /// Whether no actor with a thread of its own can be spawned.
  bool lacks_threads = false;
  std::vector<std::string> said;
  /// Jobs whose files nobody needs any more.
  std::vector<std::string> dropped;

  package_client_mock package_client = keep(spawn_package_client_mock());
  /// Whose certificate whoever speaks shows.
  std::string identity = "CN=me";
  /// Runners that were spawned, with what they were to carry out and for whom.
  std::vector<command_runner_actor> runners;
  std::vector<std::pair<remote_command, std::string>> commands;
  /// How many pieces of output a command has before its end.
  int pieces = 1;
  submission_server_local_actor uut = keep(spawn_submission_server(
      *system,
      {[this](job_spec x) { return hire(std::move(x)); }, package_client,
       [this](const std::string& text) { said.push_back(text); },
       [this](const caf::node_id&) { return identity; },
       [this](remote_command x, std::string who) { return run(std::move(x), std::move(who)); }}));
  package_server_actor package_server = keep(spawn_package_server(*system, false));

  std::vector<client_answer> answers;
  std::vector<remote_output> outputs;
  std::vector<experiment_ended> ends;
  follower_actor me = keep(follower());

  follower_actor follower() {
    return system->spawn([this]() -> follower_actor::behavior_type {
      return {
          [this](const client_answer& x) { answers.push_back(x); },
          [this](const experiment_ended& x) { ends.push_back(x); },
          [this](const remote_output& x) { outputs.push_back(x); },
      };
    });
  }

  package_client_mock spawn_package_client_mock() {
    return system->spawn([this](package_client_mock::pointer self)
                             -> package_client_mock::behavior_type {
      auto waiting = std::make_shared<std::optional<caf::typed_response_promise<fetched_job>>>();
      return {
          [this, self, waiting](const fetch_job& what, const package_server_actor&) {
            auto result = self->make_response_promise<fetched_job>();
            if (slow_package_client)
              *waiting = result;
            else
              result.deliver(fetched_job{what.job, "record", "/work", fetch_trouble, fetch_kind});
            return result;
          },
          [this](const job_dropped& what) { dropped.push_back(what.job); },
          [waiting](tick_atom) {
            (*waiting)->deliver(fetched_job{"x", "record", "/work", {}});
          },
      };
    });
  }

  expected<job_supervisor_actor> hire(job_spec task) {
    if (lacks_threads)
      return error{ec::shortage, "no room for threads"};
    fake_job_supervisor made;
    made.task = std::move(task);
    made.actor = system->spawn(
        [this, asked = made.asked, leaves = made.leaves]() -> job_supervisor_actor::behavior_type {
          return {
              [this](run_atom) { return first_word; },
              [asked](const client_request& x) {
                asked->push_back(x);
                return x.what == client_request::kind::rows ? to_json(rows_piece{"a,b\n", true})
                                                            : std::string{"state"};
              },
              [leaves](leave_atom) { ++*leaves; },
          };
        });
    job_supervisors.push_back(made);
    return made.actor;
  }

  expected<command_runner_actor> run(remote_command what, std::string who) {
    if (lacks_threads)
      return error{ec::shortage, "no room for threads"};
    commands.emplace_back(std::move(what), std::move(who));
    auto left = std::make_shared<int>(pieces);
    runners.push_back(system->spawn([left]() -> command_runner_actor::behavior_type {
      return {[left](tick_atom) {
        remote_output result;
        result.out = "piece " + std::to_string(*left);
        result.has_ended = --*left == 0;
        result.status = 3;
        return result;
      }};
    }));
    return runners.back();
  }

  void command(std::uint64_t number, const follower_actor& who, const char* name = "status") {
    remote_command what;
    what.command = name;
    what.experiments = {"x"};
    tell(uut, command_wanted{number, to_json(what)}, who);
  }

  void submit(const std::string& experiment, std::uint64_t number = 1) {
    submission_message words{experiment, experiment + "-0", "me@here", std::nullopt, {}, {}};
    tell(uut, submission{number, to_json(words)}, package_server, me);
  }
  void ask(client_request::kind what, std::uint64_t key, std::uint64_t number) {
    tell(uut, client_question{number, to_json(client_request{what, key, 0})}, me);
  }
  /// Somebody comes back, with an ear of its own.
  void attach(const std::string& experiment, const follower_actor& who, std::uint64_t number,
              const std::string& rows = {}) {
    submission_message words{experiment, {}, "you@there", std::nullopt, {}, rows};
    words.attaches = true;
    tell(uut, submission{number, to_json(words)}, package_server, who);
  }
  void end(const fake_job_supervisor& who, bool has_rows = false) {
    tell(uut, experiment_ended{who.task.key, "how", has_rows});
  }
};

TEST_F(submission_server_test, has_an_experiment_run_once_its_files_are_there) {
  submit("digits", 7);

  ASSERT_EQ(job_supervisors.size(), 1u);
  EXPECT_EQ(job_supervisors[0].task.words.experiment, "digits");
  EXPECT_EQ(job_supervisors[0].task.found.directory, "/work");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].number, 7u);
  EXPECT_TRUE(submission_taken_from_json(answers[0].text));
  EXPECT_THAT(dropped, IsEmpty());

  end(job_supervisors[0]);

  EXPECT_THAT(dropped, ElementsAre("digits-0"));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].text, "how");
  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
}

TEST_F(submission_server_test, carries_out_commands_piece_by_piece) {
  pieces = 2;
  command(5, me);

  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].first.command, "status");
  EXPECT_EQ(commands[0].second, "CN=me");
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].number, 5u);
  EXPECT_EQ(outputs[0].out, "piece 2");
  EXPECT_FALSE(outputs[0].has_ended);

  tell(uut, output_wanted{5}, me);

  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].out, "piece 1");
  EXPECT_TRUE(outputs[1].has_ended);
  EXPECT_EQ(outputs[1].status, 3);
  EXPECT_TRUE(is_gone(runners[0]));
}

TEST_F(submission_server_test, refuses_commands_that_make_no_sense) {
  tell(uut, command_wanted{1, "nonsense"}, me);
  tell(uut, output_wanted{2}, me);
  pieces = 2;
  command(3, me);
  command(3, me);

  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_EQ(outputs[0].refused, static_cast<int>(ec::bad_syntax));
  EXPECT_TRUE(outputs[0].has_ended);
  EXPECT_EQ(outputs[1].refused, static_cast<int>(ec::protocol));
  EXPECT_EQ(outputs[2].refused, 0);
  EXPECT_EQ(outputs[3].refused, static_cast<int>(ec::protocol));
  EXPECT_EQ(commands.size(), 1u);
}

TEST_F(submission_server_test, bounds_the_commands_of_a_client) {
  pieces = 2;
  for (std::uint64_t number = 1; number <= 5; ++number)
    command(number, me);

  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(outputs[3].refused, 0);
  EXPECT_EQ(outputs[4].refused, static_cast<int>(ec::unreachable));
  EXPECT_THAT(outputs[4].err, HasSubstr("carries out 4 commands"));

  tell(uut, output_wanted{1}, me);
  command(6, me);

  EXPECT_EQ(outputs.back().refused, 0);
}

TEST(remote_commands, keep_places_for_those_that_are_short) {
  const auto of = [](const char* command, std::vector<std::string> options = {}) {
    remote_command result;
    result.command = command;
    result.options = std::move(options);
    return is_lasting(result);
  };

  EXPECT_TRUE(of("wait"));
  EXPECT_TRUE(of("logs", {"--stderr", "--follow"}));
  EXPECT_FALSE(of("logs", {"--stderr"}));
  EXPECT_FALSE(of("stop"));
  EXPECT_FALSE(of("fetch", {"--follow"}));
}

TEST_F(submission_server_test, goes_on_where_no_thread_can_be_started) {
  lacks_threads = true;

  submit("digits", 1);
  command(2, me);

  EXPECT_THAT(answers.at(0).text, HasSubstr("no room for threads"));
  EXPECT_EQ(outputs.at(0).refused, static_cast<int>(ec::unreachable));
  EXPECT_THAT(outputs.at(0).err, HasSubstr("no room for threads"));
  lacks_threads = false;
  submit("digits", 3);
  EXPECT_EQ(job_supervisors.size(), 1u);
}

TEST_F(submission_server_test, ends_the_commands_of_a_client_that_is_gone) {
  pieces = 2;
  auto other = keep(follower());
  command(1, other);
  command(1, me);

  dismiss(other);

  EXPECT_TRUE(is_gone(runners[0]));
  EXPECT_FALSE(is_gone(runners[1]));
}

TEST_F(submission_server_test, tells_a_job_supervisor_who_submitted_its_experiment) {
  submit("digits");

  EXPECT_EQ(job_supervisors.at(0).task.identity, "CN=me");
}

TEST_F(submission_server_test, lets_whoever_submitted_an_experiment_attach_to_it_again) {
  submit("digits", 1);
  auto second = keep(follower());
  attach("digits", second, 8, "csv");

  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].number, 8u);
  EXPECT_EQ(answers[1].text, answers[0].text);
  EXPECT_EQ(job_supervisors.size(), 1u);

  end(job_supervisors[0]);

  ASSERT_EQ(ends.size(), 2u);
  EXPECT_FALSE(ends[0].has_rows);
  EXPECT_TRUE(ends[1].has_rows);
  EXPECT_FALSE(is_gone(job_supervisors[0].actor));
  tell(uut, client_question{9, to_json(client_request{client_request::kind::rows, 1, 0, "csv"})},
       second);
  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
}

TEST_F(submission_server_test, lets_nobody_else_attach) {
  submit("digits", 1);
  identity = "CN=other";
  attach("digits", me, 2);

  ASSERT_EQ(answers.size(), 2u);
  auto refused = submission_taken_from_json(answers[1].text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::refused);
  EXPECT_THAT(refused.error().detail,
              HasSubstr("submitted by me@here (CN=me) with another certificate"));
  EXPECT_THAT(said,
              testing::Contains(HasSubstr("you@there (CN=other) may not attach to digits, which is "
                                          "of me@here (CN=me)")));
}

TEST_F(submission_server_test, answers_nobody_who_only_guessed_the_key) {
  submit("digits", 1);
  auto stranger = keep(follower());
  tell(uut, client_question{5, to_json(client_request{client_request::kind::interrupt, 1, 0, {}})},
       stranger);

  EXPECT_THAT(*job_supervisors[0].asked, IsEmpty());
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_THAT(answers[1].text, HasSubstr("no such experiment"));
}

TEST_F(submission_server_test, says_that_there_is_nothing_to_attach_to) {
  submit("digits", 1);
  end(job_supervisors[0]);
  attach("digits", me, 2);

  auto refused = submission_taken_from_json(answers.back().text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::unknown_name);
}

TEST_F(submission_server_test, calls_an_experiment_as_its_job_supervisor_does) {
  first_word.experiment = "digits-2";
  submit("digits", 1);
  attach("digits-2", me, 2);

  EXPECT_TRUE(submission_taken_from_json(answers.back().text));
}

TEST_F(submission_server_test, calls_users_as_their_certificates_do) {
  identity = "CN=alice,O=tune-node";
  submit("digits", 1);
  submit("digits", 2);
  identity.clear();
  submit("digits", 3);

  EXPECT_THAT(said, ElementsAre(HasSubstr("experiment digits of alice was refused: "),
                                HasSubstr("experiment digits of me@here was refused: ")));
}

TEST_F(submission_server_test, takes_one_of_a_name_at_a_time) {
  submit("digits", 1);
  submit("digits", 2);
  submit("other", 3);

  ASSERT_EQ(answers.size(), 3u);
  auto second = submission_taken_from_json(answers[1].text);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ec::refused);
  EXPECT_THAT(second.error().detail, HasSubstr("me@here"));
  EXPECT_EQ(job_supervisors.size(), 2u);

  end(job_supervisors[0]);
  submit("digits", 4);

  EXPECT_EQ(job_supervisors.size(), 3u);
  EXPECT_TRUE(submission_taken_from_json(answers.back().text));
}

TEST_F(submission_server_test, passes_a_refusal_on_and_keeps_nothing) {
  first_word = {to_json(error{ec::refused, "no such trainable"}), false};
  submit("digits", 1);

  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(submission_taken_from_json(answers[0].text).error().detail, "no such trainable");
  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
  EXPECT_THAT(dropped, ElementsAre("digits-0"));

  first_word = {to_json(submission_taken{}), true};
  submit("digits", 2);

  EXPECT_TRUE(submission_taken_from_json(answers[1].text));
}

TEST_F(submission_server_test, gives_up_what_cannot_be_fetched) {
  fetch_trouble = "the connection was lost";
  submit("digits");

  EXPECT_TRUE(job_supervisors.empty());
  EXPECT_THAT(dropped, ElementsAre("digits-0"));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_THAT(submission_taken_from_json(answers[0].text).error().detail,
              HasSubstr("the connection was lost"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("digits"));
}

TEST_F(submission_server_test, tells_whose_fault_it_is_that_files_did_not_come) {
  fetch_trouble = "train.py changed while it was shipped";
  fetch_kind = ec::unreadable;

  submit("digits");

  ASSERT_EQ(answers.size(), 1u);
  auto why = submission_taken_from_json(answers[0].text).error();
  EXPECT_EQ(why.code, ec::unreadable);
  EXPECT_EQ(why.detail, fetch_trouble);
}

TEST_F(submission_server_test, has_questions_answered_by_the_experiment_that_they_are_about) {
  submit("one", 1);
  submit("two", 2);

  ask(client_request::kind::state, job_supervisors[1].task.key, 3);
  ask(client_request::kind::state, 99, 4);

  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[2].number, 3u);
  EXPECT_EQ(answers[2].text, "state");
  EXPECT_TRUE(job_supervisors[0].asked->empty());
  EXPECT_EQ(job_supervisors[1].asked->size(), 1u);
  EXPECT_THAT(answers[3].text, HasSubstr("knows no such experiment"));
}

TEST_F(submission_server_test, keeps_rows_until_they_were_read) {
  submit("digits", 1);
  end(job_supervisors[0], true);

  EXPECT_FALSE(is_gone(job_supervisors[0].actor));
  ask(client_request::kind::rows, job_supervisors[0].task.key, 2);

  EXPECT_EQ(rows_piece_from_json(answers.back().text)->text, "a,b\n");
  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
}

TEST_F(submission_server_test, keeps_no_rows_for_a_client_that_went) {
  submit("digits", 1);
  end(job_supervisors[0], true);

  dismiss(me);

  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
}

TEST_F(submission_server_test, lets_an_experiment_run_on_whose_client_goes) {
  submit("digits", 1);

  dismiss(me);

  EXPECT_FALSE(is_gone(job_supervisors[0].actor));
  EXPECT_EQ(*job_supervisors[0].leaves, 0);
  end(job_supervisors[0]);
  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
}

TEST_F(submission_server_test, has_all_leave_off_before_the_head_goes) {
  submit("one", 1);
  submit("two", 2);
  slow_package_client = true;
  submit("three", 3);
  auto drained = false;
  caf::scoped_actor self{*system, true};
  auto waits = request(self.operator->(), uut, caf::infinite, drain_atom_v);
  run_now();

  // What has not begun is given up.
  EXPECT_FALSE(submission_taken_from_json(answers.back().text));
  EXPECT_EQ(*job_supervisors[0].leaves, 1);
  EXPECT_EQ(*job_supervisors[1].leaves, 1);
  submit("four", 4);
  EXPECT_THAT(submission_taken_from_json(answers.back().text).error().detail,
              HasSubstr("about to end"));
  tell(package_client, tick_atom_v);
  EXPECT_EQ(job_supervisors.size(), 2u);

  end(job_supervisors[0]);
  end(job_supervisors[1]);
  waits.receive([&](std::uint64_t) { drained = true; }, [](const caf::error&) {});

  EXPECT_TRUE(drained);
  EXPECT_THAT(dropped, ElementsAre("three-0", "one-0", "two-0"));
}

TEST_F(submission_server_test, lets_those_who_wait_hear_the_end_before_the_head_goes) {
  submit("one", 1);
  pieces = 2;
  command(7, me, "wait");
  auto drained = false;
  caf::scoped_actor self{*system, true};
  auto waits = request(self.operator->(), uut, caf::infinite, drain_atom_v);
  run_now();
  end(job_supervisors[0]);
  EXPECT_FALSE(self->has_next_message());

  tell(uut, output_wanted{7}, me);
  waits.receive([&](std::uint64_t) { drained = true; }, [](const caf::error&) {});

  EXPECT_TRUE(outputs.back().has_ended);
  EXPECT_TRUE(drained);
}

TEST_F(submission_server_test, goes_although_somebody_waits_who_hears_nothing) {
  pieces = 2;
  command(7, me, "wait");
  auto drained = false;
  caf::scoped_actor self{*system, true};
  auto waits = request(self.operator->(), uut, caf::infinite, drain_atom_v);
  run_now();
  EXPECT_FALSE(self->has_next_message());

  pass(std::chrono::seconds{5});
  waits.receive([&](std::uint64_t) { drained = true; }, [](const caf::error&) {});

  EXPECT_TRUE(drained);
}

/// A head that takes the place of one under which "digits" ran.
class resumed_experiment_test : public submission_server_test {
protected:
  const start_result locked{to_json(error{ec::storage, "database is locked"}), false};

  submission_server_local_actor next = keep(spawn_submission_server(
      *system, {[this](job_spec x) { return hire(std::move(x)); },
                package_client,
                [this](const std::string& text) { said.push_back(text); },
                [this](const caf::node_id&) { return identity; },
                {},
                {running_submission{{"digits", "digits-0", "me@here", std::nullopt, {}, {}},
                                    {"digits-0", "record", "/work", {}},
                                    "CN=me",
                                    {8, true}}}}));
  const submission_server_local_actor old = std::exchange(uut, next);

  /// @returns once the server has said that each of them runs or cannot now.
  void go_on() { EXPECT_EQ(ask_now<std::uint64_t>(uut, run_atom_v), 0u); }
};

TEST_F(resumed_experiment_test, goes_on_at_once_where_nothing_is_in_the_way) {
  go_on();

  ASSERT_EQ(job_supervisors.size(), 1u);
  EXPECT_TRUE(job_supervisors[0].task.goes_on);
  EXPECT_EQ(job_supervisors[0].task.identity, "CN=me");
  EXPECT_EQ(job_supervisors[0].task.claim.arrival, 8u);
  EXPECT_TRUE(job_supervisors[0].task.claim.was_served);
  EXPECT_THAT(said, IsEmpty());
  submit("other");
  EXPECT_FALSE(job_supervisors[1].task.goes_on);
  // It comes behind those that were there before.
  EXPECT_EQ(job_supervisors[1].task.claim.arrival, 9u);
  EXPECT_FALSE(job_supervisors[1].task.claim.was_served);
}

TEST_F(resumed_experiment_test, is_tried_again_with_longer_and_longer_waits_while_it_is_locked) {
  first_word = locked;
  go_on();
  ASSERT_EQ(job_supervisors.size(), 1u);
  EXPECT_TRUE(is_gone(job_supervisors[0].actor));
  EXPECT_THAT(said, ElementsAre(HasSubstr("digits cannot go on yet: database is locked; this head "
                                          "tries again")));
  // Its name is not free.
  submit("digits", 3);
  EXPECT_FALSE(submission_taken_from_json(answers.back().text));
  said.clear();

  pass(std::chrono::seconds{1});
  EXPECT_EQ(job_supervisors.size(), 2u);
  pass(std::chrono::seconds{1});
  EXPECT_EQ(job_supervisors.size(), 2u);
  pass(std::chrono::seconds{1});
  EXPECT_EQ(job_supervisors.size(), 3u);
  pass(std::chrono::minutes{10});
  const auto tries = job_supervisors.size();
  EXPECT_GT(tries, 20u);
  EXPECT_LT(tries, 30u);
  EXPECT_THAT(said, IsEmpty()); // it is told once
  EXPECT_THAT(dropped, IsEmpty());

  first_word = {to_json(submission_taken{}), true};
  attach("digits", me, 4);
  pass(std::chrono::seconds{30});

  EXPECT_EQ(job_supervisors.size(), tries + 1);
  EXPECT_EQ(job_supervisors.back().task.found.record, "record");
  EXPECT_EQ(answers.back().number, 4u);
  EXPECT_TRUE(submission_taken_from_json(answers.back().text));
  pass(std::chrono::minutes{1});
  EXPECT_EQ(job_supervisors.size(), tries + 1);
}

TEST_F(resumed_experiment_test, is_given_up_for_what_does_not_pass) {
  first_word = {to_json(error{ec::bad_option, "no such trainable"}), false};
  go_on();

  EXPECT_THAT(said, ElementsAre("experiment digits, which ran when the head died, cannot go on by "
                                "itself: no such trainable"));
  EXPECT_THAT(dropped, ElementsAre("digits-0"));
  pass(std::chrono::minutes{1});
  EXPECT_EQ(job_supervisors.size(), 1u);
  submit("digits");
  EXPECT_EQ(job_supervisors.size(), 2u);
}

TEST_F(resumed_experiment_test, keeps_its_files_for_the_head_after_this_one) {
  first_word = locked;
  go_on();

  EXPECT_EQ(ask_now<std::uint64_t>(uut, drain_atom_v), 0u);

  EXPECT_THAT(dropped, IsEmpty());
  pass(std::chrono::minutes{1});
  EXPECT_EQ(job_supervisors.size(), 1u);
}

TEST_F(resumed_experiment_test, is_tried_again_where_no_thread_can_be_started) {
  lacks_threads = true;
  go_on();
  EXPECT_THAT(said, ElementsAre(HasSubstr("cannot go on yet: ")));

  lacks_threads = false;
  pass(std::chrono::seconds{1});

  EXPECT_EQ(job_supervisors.size(), 1u);
}

TEST_F(submission_server_test, answers_nonsense_with_what_is_wrong) {
  tell(uut, submission{1, "nonsense"}, package_server, me);
  tell(uut, client_question{2, "{}"}, me);

  ASSERT_EQ(answers.size(), 2u);
  EXPECT_FALSE(submission_taken_from_json(answers[0].text));
  EXPECT_THAT(answers[1].text, HasSubstr("ask is missing"));
}

/// A head's node registry, where clients knock.
class submission_registry_test : public submission_server_test {
protected:
  cluster_actor cluster = mock_cluster().actor;

  entrance_actor node_registry(std::optional<submission_server_actor> submission_server) {
    node_registry_settings settings;
    settings.cluster = "lab";
    settings.submission_server = std::move(submission_server);
    return caf::actor_cast<entrance_actor>(
        keep(spawn_node_registry(*system, std::move(settings), cluster, {})));
  }
  hello_answer knock(const entrance_actor& at, const client_hello& who) {
    return *hello_answer_from_json(ask_now<std::string>(at, hello_atom_v, to_json(who)));
  }
};

TEST_F(submission_registry_test, leads_a_client_in_once) {
  auto at = node_registry(submission_server_actor{uut});
  auto answer = knock(at, {this_build(), "lab", "me@here"});
  auto ticket = std::get<welcome>(answer).ticket;

  EXPECT_EQ(ask_now<submission_server_actor>(at, submission_wanted{ticket}),
            submission_server_actor{uut});

  caf::scoped_actor self{*system, true};
  auto again = request(self.operator->(), at, caf::infinite, submission_wanted{ticket});
  run_now();
  auto refused = false;
  again.receive([](const submission_server_actor&) {}, [&](const caf::error&) { refused = true; });
  EXPECT_TRUE(refused);
}

TEST_F(submission_registry_test, sends_clients_away_with_the_cause) {
  auto why = [](const hello_answer& x) { return std::get<rejection>(x).why; };

  EXPECT_THAT(
      why(knock(node_registry(submission_server_actor{uut}), {this_build(), "other", "me@here"})),
      HasSubstr("other cluster"));
  EXPECT_THAT(why(knock(node_registry(submission_server_actor{uut}),
                        {{1, "0.0.9", "0.17.6"}, "lab", "me@here"})),
              HasSubstr("other version"));
  EXPECT_THAT(why(knock(node_registry({}), {this_build(), "lab", "me@here"})),
              HasSubstr("tune-node head"));
}

} // namespace
} // namespace tune
