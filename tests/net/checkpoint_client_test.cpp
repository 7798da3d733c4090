// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/checkpoint_client.hpp"

#include "files_on_disk.hpp"
#include "support/deterministic_system.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/checkpoint/shared_storage.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <deque>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Messages that a checkpoint server received.
struct heard_words {
  std::deque<storage_question> storages;
  std::deque<checkpoint_offer> offers;
  std::deque<checkpoint_wanted> wanted;
  std::deque<std::uint64_t> dropped;
  std::deque<piece_wanted> asked;
  std::deque<checkpoint_piece> pieces;
  checkpoint_peer_actor who;
};

checkpoint_server_actor::behavior_type
listening_checkpoint_server(std::shared_ptr<heard_words> heard) {
  return {
      [heard](const storage_question& x, const checkpoint_peer_actor& who) {
        heard->storages.push_back(x);
        heard->who = who;
      },
      [heard](const checkpoint_offer& x, const checkpoint_peer_actor& who) {
        heard->offers.push_back(x);
        heard->who = who;
      },
      [heard](const checkpoint_wanted& x, const checkpoint_peer_actor& who) {
        heard->wanted.push_back(x);
        heard->who = who;
      },
      [heard](const checkpoint_dropped& x, const checkpoint_peer_actor&) {
        heard->dropped.push_back(x.number);
      },
      [heard](const piece_wanted& x, const checkpoint_peer_actor&) { heard->asked.push_back(x); },
      [heard](const checkpoint_piece& x, const checkpoint_peer_actor&) {
        heard->pieces.push_back(x);
      },
  };
}

template <class T>
T next(std::deque<T>& from) {
  if (from.empty()) {
    ADD_FAILURE() << "nothing came";
    return {};
  }
  auto result = std::move(from.front());
  from.pop_front();
  return result;
}

struct asker_state {
  static inline const char* name = "test.asker";
};

/// Sends a question and records the answer.
template <class Answer, class Question>
caf::behavior ask_checkpoint_service(caf::stateful_actor<asker_state>* self,
                                     checkpoint_service_actor whom, Question what,
                                     std::shared_ptr<std::vector<Answer>> heard) {
  request(self, whom, caf::infinite, std::move(what))
      .then([heard](const Answer& x) { heard->push_back(x); },
            [](const caf::error&) { ADD_FAILURE() << "the checkpoint client did not answer"; });
  return {[](tick_atom) {}};
}

struct checkpoint_client_test : support::deterministic_system {
  support::files_on_disk disk;
  std::shared_ptr<heard_words> heard = std::make_shared<heard_words>();
  checkpoint_server_actor checkpoint_server;
  checkpoint_service_actor uut;

  checkpoint_client_test() {
    init_net_types();
    checkpoint_server
        = keep(checkpoint_server_actor{system->spawn(listening_checkpoint_server, heard)});
    begin({});
    fs::create_directories(disk.head() / "trials");
  }
  void begin(checkpoint_client_settings how) {
    how.piece_bytes = 100;
    how.credit = 3;
    how.patience = 60s;
    how.own_thread = false;
    uut = keep(spawn_checkpoint_client(*system, checkpoint_server, how));
  }
  void TearDown() override {
    heard->who = nullptr;
    support::deterministic_system::TearDown();
  }

  fs::path job() const { return disk.worker() / "jobs" / "job"; }
  static attempt_claim claim(std::uint64_t attempt, const std::string& restore_from = {}) {
    attempt_claim result;
    result.job = "job";
    result.trial = 7;
    result.attempt = attempt_id{1, attempt};
    result.restore_from = restore_from;
    result.launch_token = "sealed";
    return result;
  }
  template <class Answer, class Question>
  std::shared_ptr<std::vector<Answer>> ask(Question what) {
    auto result = std::make_shared<std::vector<Answer>>();
    keep(system->spawn(ask_checkpoint_service<Answer, Question>, uut, std::move(what), result));
    run_now();
    return result;
  }
  auto prepare(const attempt_claim& who) {
    return ask<attempt_prepared>(prepare_attempt{who, job()});
  }
  /// Answers the question about storage; the head's directory is not visible from here.
  void know_storage() {
    tell(heard->who, storage_answer{next(heard->storages).number, "/nowhere", "token", {}});
  }
  void know_job() {
    auto ready = prepare(claim(1));
    know_storage();
    ASSERT_EQ(ready->size(), 1u);
  }

  /// Writes a draft of `bytes` bytes, as an attempt does.
  keep_draft written(std::uint64_t attempt, std::uint64_t number, std::size_t bytes,
                     const fs::path& root) const {
    auto draft = root / checkpoint_folder(trial_id{7}, attempt_id{1, attempt})
                 / (checkpoint_name(number) + draft_suffix);
    fs::create_directories(draft);
    std::ofstream{draft / "state"} << std::string(bytes, 'x');
    return {claim(attempt), {root, draft, 4}};
  }
  auto save(std::uint64_t attempt, std::uint64_t number, std::size_t bytes = 10) {
    return ask<draft_kept>(written(attempt, number, bytes, job()));
  }
  void settle(const checkpoint_offer& x, const std::string& why = {}) {
    tell(heard->who, checkpoint_settled{x.number, why});
  }
  static std::string location(std::uint64_t attempt, std::uint64_t number) {
    return (checkpoint_folder(trial_id{7}, attempt_id{1, attempt}) / checkpoint_name(number))
        .string();
  }

  /// Writes a checkpoint at the head. @returns its reader.
  checkpoint_reader at_head(const std::string& where, std::size_t bytes) const {
    auto draft = disk.head() / (where + draft_suffix);
    fs::create_directories(draft);
    std::ofstream{draft / "state"} << std::string(bytes, 'x');
    EXPECT_TRUE(commit_checkpoint({disk.head(), draft, 4}));
    return *checkpoint_reader::open(disk.head() / where);
  }
  checkpoint_found found(std::uint64_t number, const checkpoint_reader& from) const {
    const auto& all = from.outline();
    return {number, {all.manifest_hash, all.manifest_size, all.bytes}, {}, false};
  }
  void give_all(checkpoint_reader& from) {
    while (!heard->asked.empty()) {
      auto x = next(heard->asked);
      tell(heard->who, checkpoint_piece{x.number, x.offset, *from.read(x.offset, x.size), {}});
    }
  }
};

// -- Saving.

TEST_F(checkpoint_client_test, offers_a_checkpoint_and_answers_when_the_head_has_it) {
  know_job();

  auto kept = save(1, 3, 500);

  auto offer = next(heard->offers);
  EXPECT_EQ(offer.sequence, 3u);
  EXPECT_EQ(offer.who.launch_token, "sealed");
  EXPECT_TRUE(kept->empty());
  tell(heard->who, piece_wanted{offer.number, offer.stream.manifest_size, 100});
  EXPECT_EQ(next(heard->pieces).bytes, std::string(100, 'x'));
  settle(offer);
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
  EXPECT_EQ(kept->front().what.location, location(1, 3));
  EXPECT_EQ(kept->front().what.bytes, 500u);
  EXPECT_TRUE(fs::exists(job() / location(1, 3)));
}

TEST_F(checkpoint_client_test, leaves_nothing_of_what_the_head_did_not_take) {
  know_job();
  auto kept = save(1, 1);

  settle(next(heard->offers), "its disk is full");

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "its disk is full");
  EXPECT_FALSE(fs::exists(job() / location(1, 1)));
}

TEST_F(checkpoint_client_test, drops_what_an_attempt_has_on_its_way_that_was_ended_by_force) {
  know_job();
  auto lost = save(1, 1);
  auto kept = save(2, 1);
  auto first = next(heard->offers);
  auto second = next(heard->offers);

  tell(uut, saves_dropped{claim(1)});

  EXPECT_EQ(next(heard->dropped), first.number);
  settle(first, "nobody waits for it");
  ASSERT_EQ(lost->size(), 1u);
  EXPECT_EQ(lost->front().why, saves_dropped::why);
  EXPECT_FALSE(fs::exists(job() / location(1, 1)));
  EXPECT_TRUE(kept->empty());
  settle(second);
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
}

TEST_F(checkpoint_client_test, keeps_what_the_head_had_stored_before_it_heard_of_the_drop) {
  know_job();
  auto kept = save(1, 1);
  const auto offer = next(heard->offers);

  tell(uut, saves_dropped{claim(1)});
  EXPECT_TRUE(kept->empty());
  settle(offer);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
  EXPECT_EQ(kept->front().what.location, location(1, 1));
}

TEST_F(checkpoint_client_test, asks_the_next_checkpoint_server_about_what_was_dropped) {
  know_job();
  auto lost = save(1, 1);
  const auto offer = next(heard->offers);
  tell(uut, saves_dropped{claim(1)});
  EXPECT_EQ(next(heard->dropped), offer.number);

  reconnect(uut, checkpoint_server);
  run_now();

  EXPECT_EQ(next(heard->offers).number, offer.number);
  EXPECT_EQ(next(heard->dropped), offer.number);
  settle(offer, "nobody waits for it");
  ASSERT_EQ(lost->size(), 1u);
  EXPECT_EQ(lost->front().why, saves_dropped::why);
}

// -- What attempts write beside.

struct artifacts_client_test : checkpoint_client_test {
  keep_artifacts wrote(std::uint64_t attempt, std::uint64_t most = 0) const {
    const auto trial = job() / "trials" / "00007";
    fs::create_directories(trial / "plots");
    std::ofstream{trial / "plots" / "a"} << std::string(300, 'x');
    std::ofstream{trial / "notes"} << "notes";
    std::ofstream{trial / "params.json"} << "{}";
    return {claim(attempt), trial, {{"."}, most, 10}, {}};
  }
  auto bring(const keep_artifacts& what) { return ask<artifacts_kept>(what); }
};

TEST_F(artifacts_client_test, offers_them_and_answers_when_the_head_has_them) {
  know_job();

  auto kept = bring(wrote(1));

  auto offer = next(heard->offers);
  EXPECT_EQ(offer.sequence, 0u);
  EXPECT_EQ(offer.who.launch_token, "sealed");
  EXPECT_EQ(offer.stream.bytes - offer.stream.manifest_size, 305u);
  EXPECT_TRUE(kept->empty());
  tell(heard->who, piece_wanted{offer.number, offer.stream.manifest_size, 5});
  EXPECT_EQ(next(heard->pieces).bytes, "notes");
  settle(offer);
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
  EXPECT_TRUE(fs::exists(job() / "trials" / "00007" / "notes"))
      << "the next attempt may look at it";
}

TEST_F(artifacts_client_test, say_what_stayed_behind) {
  know_job();

  auto kept = bring(wrote(1, 100));
  settle(next(heard->offers));

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("plots/a with 300"));
  EXPECT_THAT(kept->front().why, HasSubstr("artifacts_max_size is 100"));
}

TEST_F(artifacts_client_test, come_once_until_they_are_written_again) {
  know_job();
  bring(wrote(1));
  settle(next(heard->offers), "its disk is full");
  bring(wrote(2));
  settle(next(heard->offers));

  auto unchanged = bring(wrote(3));
  EXPECT_TRUE(heard->offers.empty());
  ASSERT_EQ(unchanged->size(), 1u);
  EXPECT_EQ(unchanged->front().why, "");

  auto again = wrote(4);
  std::ofstream{job() / "trials" / "00007" / "notes"} << "other notes";
  bring(again);
  auto offer = next(heard->offers);
  EXPECT_EQ(offer.stream.bytes - offer.stream.manifest_size, 11u);
}

TEST_F(artifacts_client_test, bother_nobody_where_there_are_none) {
  know_job();
  auto what = wrote(1);
  what.rules.patterns = {"*.png"};

  auto kept = bring(what);

  EXPECT_TRUE(heard->offers.empty());
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
}

TEST_F(artifacts_client_test, say_why_the_head_did_not_take_them) {
  know_job();
  auto kept = bring(wrote(1));

  settle(next(heard->offers), "its disk is full");

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "its disk is full");
  EXPECT_TRUE(fs::exists(job() / "trials" / "00007" / "notes"));
}

TEST_F(artifacts_client_test, end_with_an_attempt_that_was_ended_by_force) {
  know_job();
  auto kept = bring(wrote(1));
  auto other = bring(wrote(2));
  auto offer = next(heard->offers);

  tell(uut, saves_dropped{claim(1)});

  EXPECT_EQ(next(heard->dropped), offer.number);
  settle(offer, "nobody waits for it");
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("had to end before all of it was there"));
  EXPECT_TRUE(other->empty());
}

TEST_F(artifacts_client_test, begin_anew_with_the_next_checkpoint_server) {
  know_job();
  auto kept = bring(wrote(1));
  const auto first = next(heard->offers);

  reconnect(uut, checkpoint_server);
  run_now();

  const auto again = next(heard->offers);
  EXPECT_EQ(again.stream.manifest_hash, first.stream.manifest_hash);
  settle(again);
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
}

TEST_F(artifacts_client_test, fail_when_its_node_leaves) {
  know_job();
  auto kept = bring(wrote(1));

  tell(uut, leave_atom_v);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("leaves"));
  auto late = bring(wrote(2));
  ASSERT_EQ(late->size(), 1u);
  EXPECT_THAT(late->front().why, HasSubstr("leaves"));
}

TEST_F(artifacts_client_test, leave_to_the_head_what_it_takes_where_storage_is_shared) {
  ASSERT_TRUE(leave_storage_token(disk.head(), "token"));
  auto ready = prepare(claim(1));
  tell(heard->who, storage_answer{next(heard->storages).number, disk.head(), "token", {}});
  // Of the attempt that runs since the head gave this one up.
  disk.write("trials/00007/notes", "newer");

  auto kept = bring(wrote(1));
  settle(next(heard->offers), "the head has given the attempt up");

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "the head has given the attempt up");
  EXPECT_EQ(disk.content(disk.head() / "trials" / "00007" / "notes"), "newer");
}

TEST_F(checkpoint_client_test, refuses_what_is_too_much_before_the_head_hears_of_it) {
  know_job();
  auto what = written(1, 1, 10, job());
  what.what.limits.max_bytes = 9;

  auto kept = ask<draft_kept>(what);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_TRUE(kept->front().is_too_much);
  EXPECT_THAT(kept->front().why, HasSubstr("[checkpoint] max_size"));
  EXPECT_TRUE(heard->offers.empty());
  EXPECT_FALSE(fs::exists(what.what.directory));
}

TEST_F(checkpoint_client_test, says_why_a_checkpoint_cannot_be_packed) {
  know_job();
  auto what = written(1, 1, 10, job());
  fs::remove_all(what.what.directory);

  auto kept = ask<draft_kept>(what);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("checkpoint_000001"));
  EXPECT_TRUE(heard->offers.empty());
}

TEST_F(checkpoint_client_test, keeps_the_newest_copy_of_a_trial) {
  know_job();
  save(1, 1);
  settle(next(heard->offers));
  save(1, 2);
  EXPECT_TRUE(fs::exists(job() / location(1, 1)));

  settle(next(heard->offers));

  EXPECT_FALSE(fs::exists(job() / location(1, 1)));
  EXPECT_TRUE(fs::exists(job() / location(1, 2)));
}

TEST_F(checkpoint_client_test, fails_what_is_on_its_way_when_the_head_is_lost) {
  know_job();
  auto kept = save(1, 1);
  auto ready = prepare(claim(2, location(1, 9)));

  dismiss(checkpoint_server);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("connection to the head was lost"));
  ASSERT_EQ(ready->size(), 1u);
  EXPECT_THAT(ready->front().why, HasSubstr("lost"));
  EXPECT_FALSE(ready->front().is_bad);
  auto late = save(1, 2);
  ASSERT_EQ(late->size(), 1u);
  EXPECT_THAT(late->front().why, HasSubstr("lost"));
  EXPECT_FALSE(fs::exists(job() / location(1, 2)));
}

TEST_F(checkpoint_client_test, fails_what_is_on_its_way_when_its_node_leaves) {
  know_job();
  auto kept = save(1, 1);
  auto offer = next(heard->offers);

  tell(uut, leave_atom_v);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("leaves"));
  EXPECT_EQ(next(heard->dropped), offer.number);
}

TEST_F(checkpoint_client_test, loses_patience_with_a_head_that_says_nothing) {
  know_job();
  auto kept = save(1, 1);
  auto offer = next(heard->offers);
  pass(50s);
  tell(heard->who, piece_wanted{offer.number, 0, 1});
  pass(55s);
  EXPECT_TRUE(kept->empty());

  pass(20s);

  ASSERT_EQ(kept->size(), 1u);
  EXPECT_THAT(kept->front().why, HasSubstr("said nothing of it for 60 s"));
  EXPECT_EQ(next(heard->dropped), offer.number);
}

// -- Restoring.

TEST_F(checkpoint_client_test, lets_an_attempt_begin_from_scratch_at_once) {
  know_job();

  auto ready = prepare(claim(2));

  ASSERT_EQ(ready->size(), 1u);
  EXPECT_EQ(ready->front().checkpoints, job());
  EXPECT_EQ(ready->front().restore, "");
  EXPECT_EQ(ready->front().why, "");
}

TEST_F(checkpoint_client_test, brings_what_an_attempt_is_restored_from) {
  know_job();
  auto there = at_head(location(1, 1), 1000);
  auto ready = prepare(claim(2, location(1, 1)));
  auto wanted = next(heard->wanted);
  EXPECT_EQ(wanted.who.restore_from, location(1, 1));

  tell(heard->who, found(wanted.number, there));
  EXPECT_EQ(heard->asked.size(), 3u) << "no more than its credit";
  give_all(there);

  ASSERT_EQ(ready->size(), 1u);
  EXPECT_EQ(ready->front().why, "");
  EXPECT_EQ(ready->front().restore, job() / location(1, 1));
  EXPECT_EQ(disk.content(job() / location(1, 1) / "state"), std::string(1000, 'x'));
  EXPECT_EQ(next(heard->dropped), wanted.number);
}

TEST_F(checkpoint_client_test, brings_nothing_that_is_here) {
  know_job();
  save(1, 1, 500);
  settle(next(heard->offers));
  auto here = *checkpoint_reader::open(job() / location(1, 1));
  auto ready = prepare(claim(2, location(1, 1)));

  tell(heard->who, found(next(heard->wanted).number, here));

  EXPECT_TRUE(heard->asked.empty());
  ASSERT_EQ(ready->size(), 1u);
  EXPECT_EQ(ready->front().restore, job() / location(1, 1));
}

TEST_F(checkpoint_client_test, brings_anew_what_is_spoilt_here) {
  know_job();
  save(1, 1, 500);
  settle(next(heard->offers));
  auto there = at_head(location(1, 1), 500);
  std::ofstream{job() / location(1, 1) / "state"} << "spoilt";
  auto ready = prepare(claim(2, location(1, 1)));

  tell(heard->who, found(next(heard->wanted).number, there));
  give_all(there);

  ASSERT_EQ(ready->size(), 1u);
  EXPECT_EQ(disk.content(job() / location(1, 1) / "state"), std::string(500, 'x'));
}

TEST_F(checkpoint_client_test, brings_a_checkpoint_once_for_all_who_want_it) {
  know_job();
  auto there = at_head(location(1, 1), 50);
  auto first = prepare(claim(2, location(1, 1)));
  auto second = prepare(claim(3, location(1, 1)));
  auto one = next(heard->wanted).number;
  auto two = next(heard->wanted).number;

  tell(heard->who, found(one, there));
  tell(heard->who, found(two, there));
  for (const auto& x : heard->asked)
    EXPECT_EQ(x.number, one);
  give_all(there);

  EXPECT_EQ(first->size(), 1u);
  EXPECT_EQ(second->size(), 1u);
  EXPECT_TRUE(heard->asked.empty());
}

TEST_F(checkpoint_client_test, tells_a_bad_checkpoint_from_one_that_did_not_come) {
  know_job();
  auto there = at_head(location(1, 1), 500);
  std::ofstream{disk.head() / location(1, 1) / "state"} << std::string(500, 'y');

  auto bad = prepare(claim(2, location(1, 1)));
  tell(heard->who, checkpoint_found{next(heard->wanted).number, {}, "broken", true});
  auto refused = prepare(claim(3, location(1, 1)));
  tell(heard->who, checkpoint_found{next(heard->wanted).number, {}, "not yours", false});
  auto changed = prepare(claim(4, location(1, 1)));
  tell(heard->who, found(next(heard->wanted).number, there));
  give_all(there);

  ASSERT_EQ(bad->size(), 1u);
  EXPECT_TRUE(bad->front().is_bad);
  ASSERT_EQ(refused->size(), 1u);
  EXPECT_EQ(refused->front().why, "not yours");
  EXPECT_FALSE(refused->front().is_bad);
  ASSERT_EQ(changed->size(), 1u);
  EXPECT_TRUE(changed->front().is_bad);
  EXPECT_THAT(changed->front().why, HasSubstr("the checksum of state does not fit"));
  EXPECT_FALSE(fs::exists(job() / location(1, 1)));
}

TEST_F(checkpoint_client_test, tells_that_the_head_lacks_something_for_now) {
  know_job();
  auto there = at_head(location(1, 1), 500);

  auto closed = prepare(claim(2, location(1, 1)));
  tell(heard->who, checkpoint_found{next(heard->wanted).number, {}, "no descriptors", false, true});
  auto halfway = prepare(claim(3, location(1, 1)));
  tell(heard->who, found(next(heard->wanted).number, there));
  const auto piece = next(heard->asked);
  tell(heard->who, checkpoint_piece{piece.number, piece.offset, {}, "no descriptors", true});

  for (const auto& x : {closed, halfway}) {
    ASSERT_EQ(x->size(), 1u);
    EXPECT_THAT(x->front().why, HasSubstr("no descriptors"));
    EXPECT_FALSE(x->front().is_bad);
    EXPECT_TRUE(x->front().is_passing);
  }
}

TEST_F(checkpoint_client_test, goes_nowhere_but_to_checkpoints) {
  know_job();
  auto there = at_head(location(1, 1), 5);
  fs::create_directories(job());
  std::ofstream{disk.worker() / "precious"} << "1";

  auto ready = prepare(claim(2, "../../precious"));
  tell(heard->who, found(next(heard->wanted).number, there));

  ASSERT_EQ(ready->size(), 1u);
  EXPECT_THAT(ready->front().why, HasSubstr("is no checkpoint"));
  EXPECT_TRUE(fs::exists(disk.worker() / "precious"));
}

TEST_F(checkpoint_client_test, keeps_what_an_attempt_was_restored_from_until_it_is_over) {
  know_job();
  auto there = at_head(location(1, 1), 5);
  prepare(claim(2, location(1, 1)));
  tell(heard->who, found(next(heard->wanted).number, there));
  give_all(there);
  save(2, 1);
  settle(next(heard->offers));
  EXPECT_TRUE(fs::exists(job() / location(1, 1)));
  fs::create_directories(job() / (location(2, 2) + draft_suffix));

  tell(uut, attempt_left{claim(2), job()});

  EXPECT_FALSE(fs::exists(job() / location(1, 1)));
  EXPECT_TRUE(fs::exists(job() / location(2, 1)));
  EXPECT_FALSE(fs::exists(job() / (location(2, 2) + draft_suffix)));
}

TEST_F(checkpoint_client_test, removes_drafts_that_an_attempt_ended_by_force_left) {
  know_job();
  const auto draft = location(2, 2) + draft_suffix;
  fs::create_directories(job() / draft / "deep");

  tell(uut, drop_directory{claim(2), {draft, job()}});
  tell(uut, saves_dropped{claim(2)});

  EXPECT_FALSE(fs::exists(job() / draft));
}

TEST_F(checkpoint_client_test, removes_drafts_also_where_its_node_leaves) {
  know_job();
  const auto draft = location(2, 2) + draft_suffix;
  fs::create_directories(job() / draft / "deep");
  tell(uut, leave_atom_v);

  tell(uut, attempt_left{claim(2), job()});

  EXPECT_FALSE(fs::exists(job() / draft));
}

// -- Several jobs.

TEST_F(checkpoint_client_test, serves_each_job_by_a_packer_of_its_own) {
  know_job();
  auto other = written(1, 1, 10, disk.worker() / "jobs" / "other");
  other.who.job = "other";
  auto kept = ask<draft_kept>(other);
  const auto offer = next(heard->offers);
  EXPECT_EQ(offer.who.job, "other");

  // The end of one job leaves the other one alone.
  tell(uut, job_over{"job"});
  tell(heard->who, piece_wanted{offer.number, offer.stream.manifest_size, 10});
  EXPECT_EQ(next(heard->pieces).bytes, std::string(10, 'x'));
  settle(offer);
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().why, "");
  EXPECT_EQ(save(1, 3)->size(), 0u);
  EXPECT_EQ(next(heard->offers).who.job, "job");
}

TEST_F(checkpoint_client_test, answers_for_pieces_of_nothing_that_it_offered) {
  know_job();

  tell(heard->who, piece_wanted{4711, 0, 10});

  EXPECT_EQ(next(heard->pieces).why, "there is no such piece");
}

TEST_F(checkpoint_client_test, removes_copies_of_one_job_for_want_of_room_for_anothers) {
  dismiss(uut);
  checkpoint_client_settings how;
  how.copy_bytes = 15;
  begin(how);
  know_job();
  save(1, 1);
  settle(next(heard->offers));
  EXPECT_TRUE(fs::exists(job() / location(1, 1)));

  auto other = written(1, 1, 10, disk.worker() / "jobs" / "other");
  other.who.job = "other";
  ask<draft_kept>(other);
  settle(next(heard->offers));

  EXPECT_FALSE(fs::exists(job() / location(1, 1)));
  EXPECT_TRUE(fs::exists(disk.worker() / "jobs" / "other" / location(1, 1)));
}

// -- Shared storage.

TEST_F(checkpoint_client_test, writes_into_storage_that_it_shares_with_the_head) {
  ASSERT_TRUE(leave_storage_token(disk.head(), "token"));
  auto ready = prepare(claim(1));
  tell(heard->who, storage_answer{next(heard->storages).number, disk.head(), "token", {}});
  ASSERT_EQ(ready->size(), 1u);
  EXPECT_EQ(ready->front().checkpoints, disk.head());

  auto kept = ask<draft_kept>(written(1, 1, 5, disk.head()));

  EXPECT_TRUE(heard->offers.empty());
  ASSERT_EQ(kept->size(), 1u);
  EXPECT_EQ(kept->front().what.location, location(1, 1));
  EXPECT_TRUE(verify_checkpoint(disk.head() / location(1, 1)));
}

TEST_F(checkpoint_client_test, restores_from_storage_that_it_shares_with_the_head) {
  ASSERT_TRUE(leave_storage_token(disk.head(), "token"));
  at_head(location(1, 1), 5);
  at_head(location(1, 2), 5);
  std::ofstream{disk.head() / location(1, 2) / "state"} << "spoilt";
  auto good = prepare(claim(1, location(1, 1)));
  tell(heard->who, storage_answer{next(heard->storages).number, disk.head(), "token", {}});
  auto bad = prepare(claim(2, location(1, 2)));

  ASSERT_EQ(good->size(), 1u);
  EXPECT_EQ(good->front().restore, disk.head() / location(1, 1));
  EXPECT_EQ(good->front().why, "");
  ASSERT_EQ(bad->size(), 1u);
  EXPECT_TRUE(bad->front().is_bad);
  EXPECT_TRUE(heard->wanted.empty());
}

TEST_F(checkpoint_client_test, does_not_even_ask_where_storage_shall_be_its_own) {
  dismiss(uut);
  checkpoint_client_settings how;
  how.share = false;
  begin(how);

  auto ready = prepare(claim(1));

  ASSERT_EQ(ready->size(), 1u);
  EXPECT_TRUE(heard->storages.empty());
}

TEST_F(checkpoint_client_test, copies_what_is_handed_over) {
  disk.write("own/state", "123");
  const attempt_directory to{"trials/00000/to", disk.worker()};

  auto good = ask<draft_copied>(copy_draft{{}, disk.head() / "own", to});
  auto bad = ask<draft_copied>(copy_draft{{}, disk.head() / "none", to});

  ASSERT_EQ(good->size(), 1u);
  EXPECT_EQ(good->front().why, "");
  EXPECT_EQ(disk.content(disk.worker() / to.name / "state"), "123");
  ASSERT_EQ(bad->size(), 1u);
  EXPECT_THAT(bad->front().why, HasSubstr("none"));
}

} // namespace
} // namespace tune
