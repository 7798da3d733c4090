// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/output_server.hpp"

#include "files_on_disk.hpp"
#include "support/deterministic_system.hpp"

#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <map>
#include <tuple>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

output_sender_actor::behavior_type sender(std::shared_ptr<std::vector<piece_taken>> heard) {
  return {[heard](const piece_taken& x) { heard->push_back(x); }};
}

struct output_server_test : support::deterministic_system {
  support::files_on_disk disk;
  std::shared_ptr<std::vector<piece_taken>> heard = std::make_shared<std::vector<piece_taken>>();
  output_sender_actor worker;
  output_server_local_actor uut;
  std::uint64_t number = 0;

  output_server_test() {
    init_net_types();
    worker = keep(output_sender_actor{system->spawn(sender, heard)});
    uut = keep(spawn_output_server(*system, false));
    tell(uut, job_place{"job", disk.head()});
  }

  output_piece piece(std::uint64_t attempt, std::uint64_t offset, std::string bytes) {
    output_piece result;
    result.number = ++number;
    result.job = "job";
    result.trial = 7;
    result.attempt = attempt_id{1, attempt};
    result.offset = offset;
    result.bytes = std::move(bytes);
    return result;
  }
  /// Where streams begin, as the server said.
  std::map<std::tuple<std::uint64_t, output_stream, std::uint32_t>, std::uint64_t> begins;

  piece_taken ask(const output_piece& what) {
    tell(uut, output_piece{what}, worker);
    if (heard->empty() || heard->back().number != what.number)
      return {what.number, "no answer"};
    return heard->back();
  }
  /// Asks where an attempt begins, unless that is known or nothing was printed; then puts the
  /// piece.
  /// @returns the reason if it was not taken.
  std::string put(output_piece what) {
    const auto key = std::tuple{what.attempt.counter, what.stream, what.rank};
    if (!begins.contains(key) && what.offset == 0 && !what.bytes.empty()) {
      auto question = what;
      question.number = ++number;
      question.is_question = true;
      question.bytes.clear();
      auto answer = ask(question);
      if (!answer.why.empty())
        return answer.why;
      begins[key] = answer.begin;
    }
    what.number = ++number;
    what.begin = begins.contains(key) ? begins[key] : 0;
    auto answer = ask(what);
    if (answer.why.empty() && !what.bytes.empty())
      begins[key] = answer.begin;
    return answer.why;
  }
  /// Another head serves the same directory.
  void begin_next_head() {
    uut = keep(spawn_output_server(*system, false, true));
    tell(uut, job_place{"job", disk.head()});
  }
  /// Puts all that an attempt printed, and its end.
  void put_whole(std::uint64_t attempt, const std::string& bytes) {
    EXPECT_EQ(put(piece(attempt, 0, bytes)), "");
    EXPECT_EQ(put(piece(attempt, bytes.size(), "")), "");
  }
  fs::path file(const std::string& name) const { return disk.head() / "trials" / "00007" / name; }
  std::string text(const std::string& name) const { return disk.content(file(name)); }
  std::string replaced(const std::string& what) const {
    return file("stdout").string() + " was " + what + " and is replaced by a new file";
  }
};

TEST_F(output_server_test, puts_each_piece_where_it_belongs) {
  EXPECT_EQ(put(piece(1, 0, "one ")), "");
  EXPECT_EQ(put(piece(1, 4, "two ")), "");
  EXPECT_EQ(put(piece(1, 8, std::string{"\0\xff", 2})), "");

  EXPECT_EQ(text("stdout"), std::string("one two \0\xff", 10));
  EXPECT_FALSE(fs::exists(file("stderr")));
}

TEST_F(output_server_test, keeps_the_two_streams_apart) {
  auto err = piece(1, 0, "err");
  err.stream = output_stream::err;

  EXPECT_EQ(put(piece(1, 0, "out")), "");
  EXPECT_EQ(put(err), "");

  EXPECT_EQ(text("stdout"), "out");
  EXPECT_EQ(text("stderr"), "err");
}

TEST_F(output_server_test, writes_a_doubled_piece_once) {
  auto first = piece(1, 0, "one ");

  EXPECT_EQ(put(first), "");
  EXPECT_EQ(put(piece(1, 4, "two")), "");
  EXPECT_EQ(put(first), "");

  EXPECT_EQ(text("stdout"), "one two");
}

TEST_F(output_server_test, appends_one_attempt_after_the_other) {
  EXPECT_EQ(put(piece(1, 0, "first ")), "");
  EXPECT_EQ(put(piece(1, 6, "attempt ")), "");
  EXPECT_EQ(put(piece(2, 0, "second ")), "");
  EXPECT_EQ(put(piece(2, 7, "attempt")), "");

  EXPECT_EQ(text("stdout"), "first attempt second attempt");
}

TEST_F(output_server_test, takes_nothing_of_an_attempt_that_was_given_up) {
  EXPECT_EQ(put(piece(1, 0, "lost ")), "");
  give_up(uut, "job", trial_id{7}, attempt_id{1, 1});

  EXPECT_EQ(put(piece(1, 5, "woken ")), "the head has given the attempt up");
  EXPECT_EQ(put(piece(1, 5, "")), "the head has given the attempt up");
  EXPECT_EQ(put(piece(2, 0, "next")), "");

  EXPECT_EQ(text("stdout"), "lost next");
}

TEST_F(output_server_test, takes_nothing_of_an_attempt_after_which_a_later_one_has_printed) {
  EXPECT_EQ(put(piece(1, 0, "lost ")), "");
  EXPECT_EQ(put(piece(2, 0, "next ")), "");

  EXPECT_EQ(put(piece(1, 5, "woken, and longer than what came between")),
            "a later attempt of the trial has written since");
  EXPECT_EQ(put(piece(2, 5, "attempt")), "");

  EXPECT_EQ(text("stdout"), "lost next attempt");
}

TEST_F(output_server_test, takes_output_of_all_ranks_of_an_attempt) {
  auto second = piece(1, 0, "rank 1");
  second.rank = 1;

  EXPECT_EQ(put(piece(1, 0, "rank ")), "");
  EXPECT_EQ(put(second), "");
  EXPECT_EQ(put(piece(1, 5, "0")), "");

  EXPECT_EQ(text("stdout"), "rank 0");
  EXPECT_EQ(text("stdout.rank1"), "rank 1");
}

TEST_F(output_server_test, takes_the_rest_of_a_rank_while_another_of_the_next_attempt_prints) {
  const auto of_second_rank = [this](std::uint64_t attempt, const char* text) {
    auto result = piece(attempt, 0, text);
    result.rank = 1;
    return result;
  };
  EXPECT_EQ(put(piece(2, 0, "next")), "");

  EXPECT_EQ(put(of_second_rank(1, "last words, ")), "");
  EXPECT_EQ(put(of_second_rank(2, "first words")), "");
  EXPECT_EQ(put(of_second_rank(1, "woken")), "a later attempt of the trial has written since");

  EXPECT_EQ(text("stdout"), "next");
  EXPECT_EQ(text("stdout.rank1"), "last words, first words");
}

TEST_F(output_server_test, appends_to_what_was_there) {
  disk.write("trials/00007/stdout", "before the restart, ");

  EXPECT_EQ(put(piece(1, 0, "after ")), "");
  EXPECT_EQ(put(piece(1, 6, "it")), "");

  EXPECT_EQ(text("stdout"), "before the restart, after it");
}

TEST_F(output_server_test, goes_on_under_the_next_head) {
  disk.write("trials/00007/stdout", "before, ");
  EXPECT_EQ(put(piece(1, 0, "one ")), "");
  begin_next_head();

  EXPECT_EQ(put(piece(1, 4, "two ")), "");
  EXPECT_EQ(put(piece(1, 8, "three")), "");

  EXPECT_EQ(text("stdout"), "before, one two three");
}

TEST_F(output_server_test, writes_once_what_the_head_before_took_without_an_answer) {
  disk.write("trials/00007/stdout", "before, ");
  EXPECT_EQ(put(piece(1, 0, "one ")), "");
  EXPECT_EQ(put(piece(1, 4, "one ")), "");
  begin_next_head();

  // More was printed meanwhile.
  EXPECT_EQ(put(piece(1, 4, "one one one ")), "");
  EXPECT_EQ(put(piece(1, 16, "end")), "");

  EXPECT_EQ(text("stdout"), "before, one one one one end");
}

TEST_F(output_server_test, writes_once_what_the_head_before_took_first) {
  EXPECT_EQ(put(piece(1, 0, "one ")), "");
  begin_next_head();

  EXPECT_EQ(put(piece(1, 0, "one two")), "");

  EXPECT_EQ(text("stdout"), "one two");
}

TEST_F(output_server_test, a_question_that_comes_again_has_the_same_answer) {
  disk.write("trials/00007/stdout", "before, ");
  auto question = piece(1, 0, "never written");
  question.is_question = true;

  EXPECT_EQ(ask(question).begin, 8u);
  EXPECT_EQ(ask(question).begin, 8u);
  begin_next_head();
  EXPECT_EQ(ask(question).begin, 8u);
  EXPECT_EQ(text("stdout"), "before, ");
}

TEST_F(output_server_test, appends_where_the_file_lacks_what_the_head_before_took) {
  EXPECT_EQ(put(piece(1, 0, "lost ")), "");
  disk.write("trials/00007/stdout", "");
  begin_next_head();

  EXPECT_EQ(put(piece(1, 5, "kept ")), "");
  begin_next_head();
  EXPECT_EQ(put(piece(1, 5, "kept once")), "");

  EXPECT_EQ(text("stdout"), "kept once");
}

TEST_F(output_server_test, overwrites_nothing_for_an_attempt_that_names_a_place_far_back) {
  const auto old = std::string(2 * output_piece_bytes, 'x');
  disk.write("trials/00007/stdout", old);
  begin_next_head();

  std::uint64_t attempt = 0;
  for (auto begin : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    auto odd = piece(++attempt, 0, "odd");
    odd.begin = begin;
    EXPECT_EQ(ask(odd).why, "");
  }

  EXPECT_EQ(text("stdout"), old + "oddoddodd");
}

TEST_F(output_server_test, takes_no_piece_that_does_not_follow_on_what_came) {
  EXPECT_EQ(put(piece(1, 0, "one ")), "");

  for (auto offset : {std::uint64_t{5}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_THAT(put(piece(1, offset, "far")), HasSubstr("does not follow"));
  EXPECT_THAT(put(piece(2, 1, "far")), HasSubstr("does not follow"));

  EXPECT_EQ(put(piece(1, 4, "two")), "");
  EXPECT_EQ(text("stdout"), "one two");
}

TEST_F(output_server_test, takes_the_end_of_a_stream) {
  EXPECT_EQ(put(piece(1, 0, "all")), "");
  EXPECT_EQ(put(piece(1, 3, "")), "");
  EXPECT_EQ(put(piece(2, 0, "")), "");

  EXPECT_EQ(text("stdout"), "all");
}

TEST_F(output_server_test, keeps_all_attempts_of_a_trial_within_the_cap) {
  tell(uut, job_place{"job", disk.head(), {}, {}, 100});
  const auto capped = [](char what, std::uint64_t left_out) {
    return std::string(75, what) + "\n[" + std::to_string(left_out) + " bytes left out here]\n"
           + std::string(25, what);
  };
  put_whole(1, capped('a', 900));
  EXPECT_EQ(text("stdout"), capped('a', 900));

  // Each printed 1000 bytes, and 100 of all of them are kept.
  for (std::uint64_t attempt = 2; attempt < 5; ++attempt) {
    put_whole(attempt, capped('b', 900));
    EXPECT_EQ(text("stdout"), std::string(75, 'a') + "\n[" + std::to_string(1000 * attempt - 100)
                                  + " bytes left out here]\n" + std::string(25, 'b'));
  }
}

TEST_F(output_server_test, cuts_what_only_exceeds_the_cap_together) {
  tell(uut, job_place{"job", disk.head(), {}, {}, 100});
  put_whole(1, std::string(60, 'a'));
  put_whole(2, std::string(60, 'b'));
  EXPECT_EQ(text("stdout"), std::string(60, 'a') + std::string(15, 'b')
                                + "\n[20 bytes left out here]\n" + std::string(25, 'b'));

  put_whole(3, "newest");
  EXPECT_EQ(text("stdout"), std::string(60, 'a') + std::string(15, 'b')
                                + "\n[26 bytes left out here]\n" + std::string(19, 'b') + "newest");
}

TEST_F(output_server_test, cuts_what_an_attempt_left_that_never_ended) {
  tell(uut, job_place{"job", disk.head(), {}, {}, 100});
  put_whole(1, std::string(80, 'a'));
  EXPECT_EQ(put(piece(2, 0, std::string(75, 'b'))), "");

  EXPECT_EQ(put(piece(3, 0, "next")), "");
  EXPECT_EQ(put(piece(3, 4, " one")), "");

  EXPECT_EQ(text("stdout"), std::string(75, 'a') + "\n[55 bytes left out here]\n"
                                + std::string(25, 'b') + "next one");
}

TEST_F(output_server_test, knows_no_job_but_those_it_was_told_of) {
  auto stranger = piece(1, 0, "text");
  stranger.job = "other";

  EXPECT_THAT(put(stranger), HasSubstr("no job other"));
  EXPECT_FALSE(fs::exists(file("stdout")));
}

TEST_F(output_server_test, tells_which_file_it_cannot_write) {
  fs::create_directories(file("stdout"));

  auto why = put(piece(1, 0, "text"));

  EXPECT_THAT(why, HasSubstr(file("stdout").string() + " is a directory, not a file"));
  auto err = piece(1, 0, "err");
  err.stream = output_stream::err;
  EXPECT_EQ(put(err), "");
}

TEST_F(output_server_test, follows_no_link) {
  disk.write("victim", "safe");
  fs::create_directories(file("stdout").parent_path());
  fs::create_symlink(disk.head() / "victim", file("stdout"));

  EXPECT_EQ(put(piece(1, 0, "text")), "");

  EXPECT_EQ(disk.content(disk.head() / "victim"), "safe");
  EXPECT_EQ(text("stdout"), "[" + replaced("a link") + "]\ntext");
}

TEST_F(output_server_test, goes_on_in_a_new_file_in_the_place_of_a_pipe) {
  EXPECT_EQ(put(piece(1, 0, "one ")), "");
  fs::remove(file("stdout"));
  ASSERT_EQ(::mkfifo(file("stdout").c_str(), 0666), 0);

  EXPECT_EQ(put(piece(1, 4, "two ")), "");
  EXPECT_EQ(put(piece(1, 8, "three")), "");

  EXPECT_EQ(text("stdout"), "[" + replaced("a named pipe") + "]\ntwo three");
}

TEST_F(output_server_test, enters_no_link_in_the_place_of_a_directory) {
  disk.write("elsewhere/kept", "safe");
  fs::create_directories(disk.head() / "trials");
  fs::create_directory_symlink(disk.head() / "elsewhere", disk.head() / "trials" / "00007");

  EXPECT_THAT(put(piece(1, 0, "text")), HasSubstr("00007 is a link, not a directory"));

  EXPECT_FALSE(fs::exists(disk.head() / "elsewhere" / "stdout"));
}

} // namespace
} // namespace tune
