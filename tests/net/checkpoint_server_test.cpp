// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/checkpoint_server.hpp"

#include "files_on_disk.hpp"
#include "support/deterministic_system.hpp"
#include "support/process_limit.hpp"

#include "tune/actors/launch_token.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_stream.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/checkpoint/shared_storage.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <fstream>
#include <map>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Messages that a worker received.
struct heard_words {
  std::deque<storage_answer> storages;
  std::deque<piece_wanted> wanted;
  std::deque<checkpoint_settled> settled;
  std::deque<checkpoint_found> found;
  std::deque<checkpoint_piece> pieces;
};

checkpoint_peer_actor::behavior_type peer(std::shared_ptr<heard_words> heard) {
  return {
      [heard](const storage_answer& x) { heard->storages.push_back(x); },
      [heard](const piece_wanted& x) { heard->wanted.push_back(x); },
      [heard](const checkpoint_settled& x) { heard->settled.push_back(x); },
      [heard](const checkpoint_found& x) { heard->found.push_back(x); },
      [heard](const checkpoint_piece& x) { heard->pieces.push_back(x); },
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

struct checkpoint_server_test : support::deterministic_system {
  static constexpr const char* secret = "known to the head";
  support::files_on_disk disk;
  std::shared_ptr<heard_words> heard = std::make_shared<heard_words>();
  checkpoint_peer_actor worker;
  checkpoint_server_local_actor uut;
  /// The checkpoint that the worker has.
  std::optional<checkpoint_reader> reader;

  checkpoint_server_test() {
    init_net_types();
    worker = keep(checkpoint_peer_actor{system->spawn(peer, heard)});
    checkpoint_server_settings how;
    how.secret = secret;
    how.piece_bytes = 100;
    how.credit = 3;
    how.patience = 60s;
    how.own_thread = false;
    uut = keep(spawn_checkpoint_server(*system, how));
    fs::create_directories(experiment() / "trials");
    tell(uut, job_place{"job", experiment()});
  }

  fs::path experiment() const { return disk.head() / "results"; }
  fs::path attempt() const { return experiment() / "trials" / "00007" / "attempt_1_5"; }
  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
  }

  static attempt_claim claim(const std::string& restore_from = {}) {
    attempt_claim result;
    result.job = "job";
    result.trial = 7;
    result.attempt = attempt_id{1, 5};
    result.restore_from = restore_from;
    result.launch_token = launch_token_of(secret, result);
    return result;
  }

  /// Writes a checkpoint of the worker with one file of `bytes` bytes, and offers it.
  checkpoint_offer offer(std::uint64_t number, std::size_t bytes) {
    const auto root = disk.head() / "worker";
    auto place = root / "trials" / "00007" / "attempt_1_5" / checkpoint_name(number);
    fs::remove_all(place);
    auto draft = place;
    draft += ".tmp";
    write(draft / "state", std::string(bytes, 'x'));
    auto kept = commit_checkpoint({root, draft, 1});
    EXPECT_TRUE(kept);
    reader = *checkpoint_reader::open(root / kept->location);
    const auto& all = reader->outline();
    return {number, claim(), number, {all.manifest_hash, all.manifest_size, all.bytes}};
  }
  void give(const piece_wanted& x) {
    tell(uut, checkpoint_piece{x.number, x.offset, *reader->read(x.offset, x.size), {}}, worker);
  }
  void give_all() {
    while (!heard->wanted.empty())
      give(next(heard->wanted));
  }
  std::string settled() { return next(heard->settled).why; }
  bool has_drafts() const {
    for (const auto& x : fs::recursive_directory_iterator{experiment()}) {
      if (x.path().extension() == ".tmp")
        return true;
    }
    return false;
  }
};

TEST_F(checkpoint_server_test, takes_a_checkpoint_in_and_says_when_it_is_safe) {
  auto what = offer(3, 1000);

  tell(uut, what, worker);
  EXPECT_EQ(heard->wanted.size(), 3u) << "no more than its credit";
  give_all();

  EXPECT_EQ(settled(), "");
  auto there = verify_checkpoint(attempt() / "checkpoint_000003");
  ASSERT_TRUE(there) << to_text(there.error());
  EXPECT_EQ(disk.content(attempt() / "checkpoint_000003" / "state"), std::string(1000, 'x'));
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, says_again_that_a_checkpoint_is_safe_that_is_offered_again) {
  auto what = offer(3, 1000);
  tell(uut, what, worker);
  give_all();
  EXPECT_EQ(settled(), "");

  what.number = 9; // the worker is back over another connection and never heard the answer
  tell(uut, what, worker);

  auto again = next(heard->settled);
  EXPECT_EQ(again.number, 9u);
  EXPECT_EQ(again.why, "");
  EXPECT_TRUE(heard->wanted.empty());
}

TEST_F(checkpoint_server_test, takes_the_checkpoints_of_one_worker_one_after_the_other) {
  auto second = offer(2, 10);
  auto first = offer(1, 10);

  tell(uut, first, worker);
  tell(uut, second, worker);

  for (const auto& x : heard->wanted)
    EXPECT_EQ(x.number, 1u);
  give_all();
  EXPECT_EQ(next(heard->settled).number, 1u);
}

/// A worker with a large checkpoint of one trial and a small one of another.
struct two_trials : checkpoint_server_test {
  std::map<std::uint64_t, checkpoint_reader> has;

  void offer_of(std::uint64_t trial, std::size_t bytes) {
    const auto root = disk.head() / "worker";
    auto who = claim();
    who.trial = trial;
    who.launch_token = launch_token_of(secret, who);
    auto place = root / checkpoint_folder(trial_id{trial}, attempt_id{1, 5}) / checkpoint_name(1);
    auto draft = place;
    draft += ".tmp";
    write(draft / "state", std::string(bytes, 'x'));
    auto kept = commit_checkpoint({root, draft, 1});
    ASSERT_TRUE(kept);
    auto from = checkpoint_reader::open(root / kept->location);
    const auto all = from->outline();
    has.emplace(trial, std::move(*from));
    tell(uut, checkpoint_offer{trial, who, 1, {all.manifest_hash, all.manifest_size, all.bytes}},
         worker);
  }
  void give_next() {
    const auto x = next(heard->wanted);
    tell(uut, checkpoint_piece{x.number, x.offset, *has.at(x.number).read(x.offset, x.size), {}},
         worker);
  }
};

TEST_F(two_trials, take_turns_so_that_a_large_checkpoint_keeps_nobody_waiting) {
  offer_of(1, 1'000'000);
  offer_of(2, 10);
  EXPECT_EQ(heard->wanted.size(), 3u) << "of one worker no more than its credit";

  for (auto pieces = 0; pieces < 30 && heard->settled.empty(); ++pieces)
    give_next();

  ASSERT_EQ(heard->settled.size(), 1u);
  EXPECT_EQ(heard->settled.front().number, 2u);
  EXPECT_EQ(heard->settled.front().why, "");
  EXPECT_LE(heard->wanted.size(), 3u);
}

TEST_F(two_trials, lose_only_what_is_dropped) {
  offer_of(1, 1'000'000);
  offer_of(2, 1'000);

  tell(uut, checkpoint_dropped{1}, worker);
  EXPECT_EQ(next(heard->settled).number, 1u);
  while (heard->settled.empty())
    give_next();

  EXPECT_EQ(next(heard->settled).number, 2u);
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, refuses_what_its_head_would_not_keep) {
  tell(uut, job_place{"job", experiment(), {1000}});

  tell(uut, offer(1, 1001), worker);

  EXPECT_THAT(settled(), HasSubstr("[checkpoint] max_size"));
  EXPECT_TRUE(heard->wanted.empty());
  EXPECT_FALSE(has_drafts());
  tell(uut, offer(2, 1000), worker);
  give_all();
  EXPECT_EQ(settled(), "");
}

TEST_F(checkpoint_server_test, refuses_more_files_than_its_head_would_keep) {
  tell(uut, job_place{"job", experiment(), {0, 1}});
  const auto root = disk.head() / "worker";
  const auto draft = root / "trials" / "00007" / "attempt_1_5" / "checkpoint_000001.tmp";
  write(draft / "a", "1");
  write(draft / "b", "2");
  auto kept = commit_checkpoint({root, draft, 1});
  ASSERT_TRUE(kept);
  reader = *checkpoint_reader::open(root / kept->location);
  const auto& all = reader->outline();

  tell(uut, checkpoint_offer{1, claim(), 1, {all.manifest_hash, all.manifest_size, all.bytes}},
       worker);
  give_all();

  EXPECT_THAT(settled(), HasSubstr("[checkpoint] max_files"));
  EXPECT_FALSE(has_drafts());
}

// -- What attempts write beside.

struct artifacts_checkpoint_server_test : checkpoint_server_test {
  fs::path trial() const { return experiment() / "trials" / "00007"; }
  /// Writes these files into the trial's directory of the worker, and offers them.
  checkpoint_offer wrote(const std::vector<std::pair<std::string, std::string>>& all) {
    const auto root = disk.head() / "worker";
    checkpoint_manifest content;
    for (const auto& [name, text] : all) {
      write(root / name, text);
      content.files.push_back({name, 0, text.size(), sha256_of(text)});
    }
    reader = *checkpoint_reader::of(root, content);
    const auto& of = reader->outline();
    return {1, claim(), 0, {of.manifest_hash, of.manifest_size, of.bytes}};
  }
  void take(std::uint64_t most_bytes = 0, std::uint64_t most_files = 10) {
    tell(uut, job_place{"job", experiment(), {}, {{"."}, most_bytes, most_files}});
  }
  std::string bring(const checkpoint_offer& what) {
    tell(uut, what, worker);
    give_all();
    return settled();
  }
};

TEST_F(artifacts_checkpoint_server_test, go_where_a_local_trial_leaves_them) {
  take();
  write(trial() / "a", "old");

  EXPECT_EQ(bring(wrote({{"a", "new"}, {"b", std::string(1000, 'b')}})), "");

  EXPECT_EQ(disk.content(trial() / "a"), "new");
  EXPECT_EQ(disk.content(trial() / "b"), std::string(1000, 'b'));
  EXPECT_FALSE(has_drafts());
}

TEST_F(artifacts_checkpoint_server_test, may_come_again) {
  take();
  const auto what = wrote({{"a", "new"}});

  EXPECT_EQ(bring(what), "");
  EXPECT_EQ(bring(what), "");

  EXPECT_EQ(disk.content(trial() / "a"), "new");
}

TEST_F(artifacts_checkpoint_server_test, come_of_several_ranks_from_several_workers_at_a_time) {
  take();
  auto heard_elsewhere = std::make_shared<heard_words>();
  auto elsewhere = keep(checkpoint_peer_actor{system->spawn(peer, heard_elsewhere)});
  auto first = wrote({{"of_rank_1", std::string(1000, '1')}});
  auto has_first = std::move(*reader);
  auto second = wrote({{"of_rank_2", std::string(1000, '2')}});
  first.who.rank = 1;
  second.who.rank = 2;

  tell(uut, first, worker);
  tell(uut, second, elsewhere);
  while (!heard->wanted.empty() || !heard_elsewhere->wanted.empty()) {
    for (const auto& x : std::exchange(heard->wanted, {}))
      tell(uut, checkpoint_piece{x.number, x.offset, *has_first.read(x.offset, x.size), {}},
           worker);
    for (const auto& x : std::exchange(heard_elsewhere->wanted, {}))
      tell(uut, checkpoint_piece{x.number, x.offset, *reader->read(x.offset, x.size), {}},
           elsewhere);
  }

  EXPECT_EQ(settled(), "");
  EXPECT_EQ(next(heard_elsewhere->settled).why, "");
  EXPECT_EQ(disk.content(trial() / "of_rank_1"), std::string(1000, '1'));
  EXPECT_EQ(disk.content(trial() / "of_rank_2"), std::string(1000, '2'));
  EXPECT_FALSE(has_drafts());
}

TEST_F(artifacts_checkpoint_server_test, of_all_ranks_go_with_an_attempt_that_is_given_up) {
  take();
  auto heard_elsewhere = std::make_shared<heard_words>();
  auto elsewhere = keep(checkpoint_peer_actor{system->spawn(peer, heard_elsewhere)});
  auto first = wrote({{"a", std::string(1000, 'a')}});
  auto second = first;
  second.who.rank = 1;
  tell(uut, first, worker);
  tell(uut, second, elsewhere);

  give_up(uut, "job", trial_id{7}, {1, 5}, [] {});
  run_now();

  EXPECT_THAT(settled(), HasSubstr("given the attempt up"));
  EXPECT_THAT(next(heard_elsewhere->settled).why, HasSubstr("given the attempt up"));
  EXPECT_FALSE(has_drafts());
}

TEST_F(artifacts_checkpoint_server_test, are_refused_where_none_are_wanted) {
  EXPECT_THAT(bring(wrote({{"a", "new"}})), HasSubstr("[trainable] artifacts is none"));
  EXPECT_FALSE(fs::exists(trial() / "a"));
}

TEST_F(artifacts_checkpoint_server_test, are_refused_where_they_are_too_much) {
  take(10, 2);

  EXPECT_THAT(bring(wrote({{"a", std::string(11, 'a')}})), HasSubstr("artifacts_max_size"));
  EXPECT_THAT(bring(wrote({{"a", ""}, {"b", ""}, {"c", ""}})), HasSubstr("artifacts_max_files"));
  EXPECT_FALSE(fs::exists(trial() / "a"));
  EXPECT_FALSE(has_drafts());
}

TEST_F(artifacts_checkpoint_server_test, never_take_a_name_of_the_runtime) {
  take();
  write(trial() / "params.json", "{}");

  EXPECT_THAT(bring(wrote({{"params.json", "spoilt"}})), HasSubstr("a name of the runtime"));

  EXPECT_EQ(disk.content(trial() / "params.json"), "{}");
}

TEST_F(artifacts_checkpoint_server_test, come_of_no_attempt_that_was_given_up) {
  take();
  give_up(uut, "job", trial_id{7}, {1, 5}, [] {});
  run_now();

  EXPECT_THAT(bring(wrote({{"a", "new"}})), HasSubstr("given the attempt up"));
  EXPECT_FALSE(fs::exists(trial() / "a"));
}

TEST_F(artifacts_checkpoint_server_test, never_replace_those_of_a_later_attempt) {
  take();
  auto later = wrote({{"a", "later"}});
  later.who.attempt = attempt_id{1, 6};
  later.who.launch_token = launch_token_of(secret, later.who);
  EXPECT_EQ(bring(later), "");

  EXPECT_THAT(bring(wrote({{"a", "earlier"}})), HasSubstr("a later attempt of the trial"));

  EXPECT_EQ(disk.content(trial() / "a"), "later");
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, lets_nobody_write_who_was_not_launched_for_it) {
  const auto good = offer(1, 10);
  std::vector<checkpoint_offer> bad(7, good);
  bad[0].who.launch_token = "";
  bad[1].who.launch_token = launch_token_of("guessed", good.who);
  bad[2].who.trial = 8;
  bad[3].who.attempt = attempt_id{1, 6};
  bad[4].who.job = "other";
  bad[5].who.restore_from = "trials/00001/attempt_1_1/checkpoint_000001";
  bad[6].who.launch_token.back() = bad[6].who.launch_token.back() == 'a' ? 'b' : 'a';

  for (const auto& x : bad) {
    tell(uut, x, worker);
    EXPECT_NE(settled(), "");
  }

  EXPECT_TRUE(heard->wanted.empty());
  EXPECT_TRUE(fs::is_empty(experiment() / "trials"));
}

TEST_F(checkpoint_server_test, begins_nothing_that_makes_no_sense) {
  const auto good = offer(1, 10);
  std::vector<outline_message> bad(4, good.stream);
  bad[0].bytes = ~std::uint64_t{0};
  bad[1].manifest_size = ~std::uint64_t{0};
  bad[2].manifest_hash = "../../x";
  bad[3].bytes = bad[3].manifest_size - 1;

  for (const auto& x : bad) {
    auto what = good;
    what.stream = x;
    tell(uut, what, worker);
    EXPECT_NE(settled(), "");
  }

  EXPECT_TRUE(heard->wanted.empty());
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, takes_no_piece_that_it_did_not_ask_for) {
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {100, 100}, {0, 99}, {0, 101}, {~std::uint64_t{0}, 100}}) {
    auto what = offer(1, 1000);
    tell(uut, what, worker);

    tell(uut, checkpoint_piece{1, offset, std::string(size, 'x'), {}}, worker);

    EXPECT_THAT(settled(), HasSubstr("not asked for"));
    EXPECT_FALSE(has_drafts());
    heard->wanted.clear();
  }
}

TEST_F(checkpoint_server_test, notices_what_is_not_as_it_was_announced) {
  auto what = offer(1, 1000);
  tell(uut, what, worker);

  for (;;) {
    auto x = next(heard->wanted);
    auto bytes = *reader->read(x.offset, x.size);
    const auto last = x.offset + x.size == what.stream.bytes;
    if (last)
      bytes.back() = 'y';
    tell(uut, checkpoint_piece{1, x.offset, bytes, {}}, worker);
    if (last)
      break;
  }

  EXPECT_THAT(settled(), HasSubstr("the checksum of state does not fit"));
  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000001"));
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, replaces_no_checkpoint) {
  write(attempt() / "checkpoint_000001" / "state", "old");

  tell(uut, offer(1, 10), worker);

  EXPECT_THAT(settled(), HasSubstr("already"));
  EXPECT_EQ(disk.content(attempt() / "checkpoint_000001" / "state"), "old");
}

TEST_F(checkpoint_server_test, goes_on_with_the_next_after_one_that_failed) {
  auto second = offer(2, 10);
  auto first = offer(1, 10);
  tell(uut, first, worker);
  tell(uut, second, worker);
  auto x = next(heard->wanted);
  heard->wanted.clear();

  tell(uut, checkpoint_piece{1, x.offset, {}, "the disk is on fire"}, worker);

  EXPECT_THAT(settled(), HasSubstr("on fire"));
  ASSERT_FALSE(heard->wanted.empty());
  EXPECT_EQ(heard->wanted.front().number, 2u);
}

TEST_F(checkpoint_server_test, gives_up_what_the_worker_drops_or_leaves_behind) {
  tell(uut, offer(1, 1000), worker);
  give(next(heard->wanted));
  EXPECT_TRUE(has_drafts());
  tell(uut, checkpoint_dropped{1}, worker);
  EXPECT_FALSE(has_drafts());
  EXPECT_EQ(settled(), "nobody waits for it");

  heard->wanted.clear();
  tell(uut, offer(2, 1000), worker);
  give(next(heard->wanted));
  EXPECT_TRUE(has_drafts());
  dismiss(worker);

  EXPECT_FALSE(has_drafts());
  EXPECT_TRUE(heard->settled.empty());
}

TEST_F(checkpoint_server_test, answers_once_for_what_is_dropped_after_it_was_stored) {
  tell(uut, offer(1, 1000), worker);
  give_all();

  tell(uut, checkpoint_dropped{1}, worker);

  EXPECT_EQ(settled(), "");
  EXPECT_TRUE(heard->settled.empty());
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000001"));
}

TEST_F(checkpoint_server_test, answers_for_dropped_checkpoints_that_wait_for_their_turn) {
  tell(uut, offer(1, 1000), worker);
  tell(uut, offer(2, 1000), worker);

  tell(uut, checkpoint_dropped{2}, worker);

  EXPECT_EQ(next(heard->settled).number, 2u);
  EXPECT_TRUE(heard->settled.empty());
}

TEST_F(checkpoint_server_test,
       takes_a_checkpoint_over_another_connection_before_it_knows_that_the_first_broke) {
  auto what = offer(3, 1000);
  tell(uut, what, worker);
  give(next(heard->wanted));
  heard->wanted.clear();
  auto back = keep(checkpoint_peer_actor{system->spawn(peer, heard)});

  what.number = 9;
  tell(uut, what, back);
  while (!heard->wanted.empty()) {
    auto x = next(heard->wanted);
    tell(uut, checkpoint_piece{x.number, x.offset, *reader->read(x.offset, x.size), {}}, back);
  }

  auto told = next(heard->settled);
  EXPECT_EQ(told.number, 9u);
  EXPECT_EQ(told.why, "");
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, loses_patience_where_nothing_comes) {
  tell(uut, offer(1, 1000), worker);
  pass(50s);
  give(next(heard->wanted));
  pass(60s);
  EXPECT_TRUE(heard->settled.empty());

  pass(20s);

  EXPECT_THAT(settled(), HasSubstr("nothing of the checkpoint came for 60 s"));
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, takes_nothing_more_of_a_job_that_is_over) {
  auto later = offer(2, 10);
  tell(uut, offer(1, 1000), worker);

  tell(uut, job_withdrawn{"job"});
  tell(uut, later, worker);

  EXPECT_THAT(settled(), HasSubstr("over"));
  EXPECT_THAT(settled(), HasSubstr("knows no job"));
  EXPECT_FALSE(has_drafts());
}

TEST_F(checkpoint_server_test, takes_nothing_of_an_attempt_that_was_given_up) {
  auto what = offer(1, 1000);
  tell(uut, what, worker);
  give(next(heard->wanted));
  EXPECT_TRUE(has_drafts());
  const auto late = next(heard->wanted);

  auto is_done = false;
  give_up(uut, "job", trial_id{7}, attempt_id{1, 5}, [&] { is_done = true; });
  run_now();

  EXPECT_TRUE(is_done);
  EXPECT_FALSE(has_drafts());
  EXPECT_THAT(settled(), HasSubstr("given the attempt up"));
  give(late);
  tell(uut, what, worker);
  give_all();
  EXPECT_THAT(settled(), HasSubstr("given the attempt up"));
  EXPECT_FALSE(fs::exists(attempt() / "checkpoint_000001"));
}

TEST_F(checkpoint_server_test, gives_one_attempt_up_and_no_other) {
  give_up(uut, "job", trial_id{7}, attempt_id{1, 4}, [] {});
  give_up(uut, "another", trial_id{7}, attempt_id{1, 5}, [] {});
  give_up(uut, "job", trial_id{8}, attempt_id{1, 5}, [] {});
  run_now();

  tell(uut, offer(1, 1000), worker);
  give_all();

  EXPECT_EQ(settled(), "");
  EXPECT_TRUE(fs::exists(attempt() / "checkpoint_000001"));
}

// -- Giving out.

TEST_F(checkpoint_server_test, gives_a_checkpoint_out) {
  write(attempt() / "checkpoint_000001.tmp" / "state", "12345");
  auto kept = commit_checkpoint({experiment(), attempt() / "checkpoint_000001.tmp", 1});

  tell(uut, checkpoint_wanted{4, claim(kept->location)}, worker);

  auto found = next(heard->found);
  EXPECT_EQ(found.number, 4u);
  EXPECT_EQ(found.why, "");
  tell(uut, piece_wanted{4, found.stream.manifest_size, 5}, worker);
  EXPECT_EQ(next(heard->pieces).bytes, "12345");
  tell(uut, checkpoint_dropped{4}, worker);
  tell(uut, piece_wanted{4, 0, 1}, worker);
  EXPECT_NE(next(heard->pieces).why, "");
}

TEST_F(checkpoint_server_test, gives_nothing_to_whom_it_was_not_promised) {
  write(attempt() / "checkpoint_000001" / "state", "12345");
  auto who = claim("trials/00007/attempt_1_5/checkpoint_000002");
  who.restore_from = "trials/00007/attempt_1_5/checkpoint_000001";

  tell(uut, checkpoint_wanted{4, who}, worker);
  auto refused = next(heard->found);
  EXPECT_NE(refused.why, "");
  EXPECT_FALSE(refused.is_bad);
  tell(uut, checkpoint_wanted{5, claim()}, worker);
  EXPECT_NE(next(heard->found).why, "");
  tell(uut, piece_wanted{4, 0, 1}, worker);
  EXPECT_NE(next(heard->pieces).why, "");
}

TEST_F(checkpoint_server_test, says_whether_the_checkpoint_is_at_fault) {
  write(attempt() / "checkpoint_000001" / "state", "12345");
  write(attempt() / "checkpoint_000001" / checkpoint_manifest_name, "{}");

  tell(uut, checkpoint_wanted{1, claim("trials/00007/attempt_1_5/checkpoint_000001")}, worker);
  auto broken = next(heard->found);
  tell(uut, checkpoint_wanted{2, claim("trials/00007/attempt_1_5/checkpoint_000009")}, worker);
  auto gone = next(heard->found);

  EXPECT_TRUE(broken.is_bad);
  EXPECT_THAT(broken.why, HasSubstr("bad manifest"));
  EXPECT_TRUE(gone.is_bad);
}

TEST_F(checkpoint_server_test, blames_no_checkpoint_that_it_has_no_descriptors_for) {
  write(attempt() / "checkpoint_000001" / "state", "12345");
  const auto wanted = claim("trials/00007/attempt_1_5/checkpoint_000001");
  {
    support::descriptor_limit none{3};
    tell(uut, checkpoint_wanted{1, wanted}, worker);
  }
  auto closed = next(heard->found);
  tell(uut, checkpoint_wanted{2, wanted}, worker);
  const auto all = next(heard->found).stream.bytes;
  {
    support::descriptor_limit none{3};
    tell(uut, piece_wanted{2, 0, static_cast<std::uint32_t>(all)}, worker);
  }
  auto piece = next(heard->pieces);

  EXPECT_THAT(closed.why, HasSubstr("Too many open files"));
  EXPECT_FALSE(closed.is_bad);
  EXPECT_TRUE(closed.is_passing);
  EXPECT_THAT(piece.why, HasSubstr("Too many open files"));
  EXPECT_TRUE(piece.is_passing);
}

TEST_F(checkpoint_server_test, gives_no_bytes_that_are_not_there) {
  write(attempt() / "checkpoint_000001" / "state", "12345");
  tell(uut, checkpoint_wanted{1, claim("trials/00007/attempt_1_5/checkpoint_000001")}, worker);
  const auto all = next(heard->found).stream.bytes;

  for (const auto& x : std::vector<piece_wanted>{
           {1, all, 1}, {1, 0, 0}, {1, 0, max_chunk_bytes + 1}, {1, ~std::uint64_t{0}, 10}}) {
    tell(uut, x, worker);
    EXPECT_NE(next(heard->pieces).why, "");
  }
}

// -- Shared storage.

TEST_F(checkpoint_server_test, leaves_a_token_for_who_may_ask) {
  tell(uut, storage_question{1, claim()}, worker);
  auto answer = next(heard->storages);
  EXPECT_EQ(answer.why, "");
  EXPECT_TRUE(shares_storage(answer.directory, answer.token));

  auto stranger = claim();
  stranger.trial = 9;
  tell(uut, storage_question{2, stranger}, worker);
  auto refused = next(heard->storages);
  EXPECT_NE(refused.why, "");
  EXPECT_EQ(refused.token, "");

  tell(uut, job_withdrawn{"job"});
  EXPECT_FALSE(shares_storage(answer.directory, answer.token));
}

} // namespace
} // namespace tune
