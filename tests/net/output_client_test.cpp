// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/output_client.hpp"

#include "files_on_disk.hpp"
#include "support/deterministic_system.hpp"

#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <deque>
#include <fstream>
#include <map>

namespace tune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Messages that an output server received and has not answered yet.
struct letters {
  std::deque<output_piece> pieces;
  output_sender_actor who;
};

output_server_actor::behavior_type listening_output_server(std::shared_ptr<letters> heard) {
  return {
      [heard](const output_piece& x, const output_sender_actor& who) {
        heard->pieces.push_back(x);
        heard->who = who;
      },
  };
}

using settled = std::shared_ptr<std::vector<std::string>>;

struct closer_state {
  static inline const char* name = "test.closer";
};

caf::behavior close_output(caf::stateful_actor<closer_state>* self, output_client_actor whom,
                           output_key which, settled heard) {
  request(self, whom, caf::infinite, output_closed{which})
      .then([heard](const output_settled& x) { heard->push_back(x.why); },
            [](const caf::error&) { ADD_FAILURE() << "the output client did not answer"; });
  return {[](tick_atom) {}};
}

struct output_client_test : support::deterministic_system {
  support::files_on_disk disk;
  std::shared_ptr<letters> heard = std::make_shared<letters>();
  output_server_actor output_server;
  output_client_actor uut;
  const output_key first{"job", attempt_id{1, 1}};

  output_client_test() {
    init_net_types();
    output_server = keep(output_server_actor{system->spawn(listening_output_server, heard)});
    uut = keep(spawn_output_client(*system, output_server, false, 10s));
  }
  void TearDown() override {
    heard->who = nullptr;
    support::deterministic_system::TearDown();
  }

  fs::path file(const std::string& name) const { return disk.head() / name; }
  void print(const std::string& name, const std::string& text) const {
    std::ofstream{file(name), std::ios::binary | std::ios::app} << text;
  }
  void open(const output_key& which, const std::string& prefix = {}) {
    tell(uut, output_opened{which, 7, file(prefix + "out"), file(prefix + "err")});
  }
  void grew() { tell(uut, output_grew{first}); }
  settled close(const output_key& which) {
    auto result = std::make_shared<std::vector<std::string>>();
    keep(system->spawn(close_output, uut, which, result));
    run_now();
    return result;
  }
  /// Position in the head's file that the tests name.
  static constexpr std::uint64_t begin = 100;
  /// The next piece, after an answer to all who ask where they begin.
  output_piece next() {
    while (!heard->pieces.empty()) {
      auto result = heard->pieces.front();
      heard->pieces.pop_front();
      if (!result.is_question)
        return result;
      EXPECT_EQ(result.bytes, "");
      EXPECT_EQ(result.offset, 0u);
      take(result);
    }
    ADD_FAILURE() << "no piece came";
    return {};
  }
  void take(const output_piece& x, const std::string& why = {}) {
    tell(heard->who, piece_taken{x.number, why, begin});
  }
  /// Takes all pieces that come. @returns the bytes of each stream.
  std::pair<std::string, std::string> take_all() {
    std::pair<std::string, std::string> result;
    while (!heard->pieces.empty()) {
      auto piece = next();
      // A stream in which nothing was printed has no place in the head's file.
      EXPECT_EQ(piece.begin, piece.offset + piece.bytes.size() == 0 ? 0 : begin);
      auto& to = piece.stream == output_stream::out ? result.first : result.second;
      EXPECT_EQ(piece.offset, to.size());
      to += piece.bytes;
      take(piece);
    }
    return result;
  }
};

TEST_F(output_client_test, carries_what_was_printed) {
  open(first);
  print("out", "hello");

  grew();

  auto piece = next();
  EXPECT_EQ(piece.job, "job");
  EXPECT_EQ(piece.trial, 7u);
  EXPECT_EQ(piece.stream, output_stream::out);
  EXPECT_EQ(piece.offset, 0u);
  EXPECT_EQ(piece.bytes, "hello");
  EXPECT_TRUE(heard->pieces.empty());
}

TEST_F(output_client_test, has_one_piece_of_a_stream_on_its_way) {
  open(first);
  print("out", "one ");
  grew();
  auto one = next();
  print("out", "two ");
  grew();
  grew();
  EXPECT_TRUE(heard->pieces.empty());

  take(one);

  auto two = next();
  EXPECT_EQ(two.offset, 4u);
  EXPECT_EQ(two.bytes, "two ");
}

TEST_F(output_client_test, asks_first_where_the_attempt_begins) {
  open(first);
  print("out", "hello");
  grew();

  ASSERT_EQ(heard->pieces.size(), 1u);
  EXPECT_TRUE(heard->pieces.front().is_question);
  EXPECT_EQ(heard->pieces.front().bytes, "");
  auto piece = next();

  EXPECT_EQ(piece.begin, begin);
  EXPECT_EQ(piece.bytes, "hello");
}

TEST_F(output_client_test, tells_the_next_head_where_the_attempt_begins) {
  open(first);
  print("out", "one ");
  grew();
  static_cast<void>(next());
  print("out", "two");

  reconnect(uut, output_server);
  run_now();

  ASSERT_EQ(heard->pieces.size(), 1u);
  auto again = next();
  EXPECT_EQ(again.begin, begin);
  EXPECT_EQ(again.offset, 0u);
  EXPECT_EQ(again.bytes, "one two");
}

TEST_F(output_client_test, asks_the_next_head_if_the_one_before_has_not_answered) {
  open(first);
  print("out", "one ");
  grew();
  heard->pieces.clear();

  reconnect(uut, output_server);
  run_now();

  ASSERT_EQ(heard->pieces.size(), 1u);
  EXPECT_TRUE(heard->pieces.front().is_question);
  EXPECT_EQ(next().bytes, "one ");
}

TEST_F(output_client_test, cuts_long_output_into_pieces) {
  open(first);
  print("out", std::string(2 * output_piece_bytes + 1, 'x'));

  auto end = close(first);

  // It comes first, since nobody asks where a stream without a byte begins.
  auto err = next();
  EXPECT_EQ(err.stream, output_stream::err);
  EXPECT_EQ(err.bytes, "");
  auto one = next();
  EXPECT_EQ(one.bytes.size(), output_piece_bytes);
  take(one);
  EXPECT_EQ(heard->pieces.front().offset, output_piece_bytes);
  take(err);
  EXPECT_TRUE(end->empty());
  auto two = next();
  take(two);
  auto three = next();
  EXPECT_EQ(three.bytes, "x");
  take(three);
  EXPECT_EQ(next().bytes, "");
}

TEST_F(output_client_test, tells_when_all_is_there_and_removes_the_files) {
  open(first);
  print("out", "hello");
  print("err", "world");
  grew();

  auto end = close(first);
  EXPECT_TRUE(end->empty());
  auto all = take_all();

  EXPECT_EQ(all.first, "hello");
  EXPECT_EQ(all.second, "world");
  EXPECT_EQ(*end, std::vector<std::string>{""});
  EXPECT_FALSE(fs::exists(file("out")));
  EXPECT_FALSE(fs::exists(file("err")));
}

TEST_F(output_client_test, carries_what_was_printed_while_the_last_piece_was_under_way) {
  open(first);
  print("out", "one ");
  grew();
  print("out", "two");

  auto end = close(first);
  auto all = take_all();

  EXPECT_EQ(all.first, "one two");
  EXPECT_EQ(*end, std::vector<std::string>{""});
}

TEST_F(output_client_test, gives_a_stream_up_that_the_head_does_not_take) {
  open(first);
  print("out", "hello");
  print("err", "world");
  auto end = close(first);

  auto out = next();
  auto err = next();
  take(out, "the disk is full");
  EXPECT_TRUE(end->empty());
  take(err);
  take(next());

  EXPECT_EQ(*end, std::vector<std::string>{"the disk is full"});
  EXPECT_TRUE(fs::exists(file("out")));
  EXPECT_FALSE(fs::exists(file("err")));
}

TEST_F(output_client_test, does_not_mind_answers_to_what_it_never_sent) {
  open(first);
  print("out", "hello");
  grew();
  auto piece = next();

  tell(heard->who, piece_taken{piece.number + 100, "no"});
  take(piece);
  take(piece);
  auto end = close(first);
  while (!heard->pieces.empty()) {
    auto last = next();
    EXPECT_EQ(last.bytes, "");
    take(last);
  }

  EXPECT_EQ(*end, std::vector<std::string>{""});
}

TEST_F(output_client_test, waits_for_no_pipe_and_says_so) {
  ASSERT_EQ(::mkfifo(file("out").c_str(), 0666), 0);
  fs::create_symlink(disk.head() / "elsewhere", file("err"));
  open(first);
  grew();

  auto why = close(first);

  ASSERT_EQ(why->size(), 1u);
  EXPECT_THAT(why->front(), HasSubstr(file("out").string() + " is a named pipe, not a file"));
  EXPECT_TRUE(heard->pieces.empty());
}

TEST_F(output_client_test, keeps_two_jobs_apart_whose_attempts_have_the_same_number) {
  const output_key second{"other", first.attempt};
  open(first);
  open(second, "other ");
  print("out", "of the first");
  print("other out", "of the second");
  auto end = close(first);
  auto other_end = close(second);

  std::map<std::string, std::string> printed;
  while (!heard->pieces.empty()) {
    auto piece = next();
    printed[piece.job] += piece.bytes;
    take(piece);
  }

  EXPECT_EQ(printed["job"], "of the first");
  EXPECT_EQ(printed["other"], "of the second");
  EXPECT_EQ(*end, std::vector<std::string>{""});
  EXPECT_EQ(*other_end, std::vector<std::string>{""});
}

TEST_F(output_client_test, answers_when_the_head_takes_nothing_any_more) {
  open(first);
  print("out", "one ");
  print("err", "two");
  auto end = close(first);
  pass(9s);
  auto out = next();
  take(out);
  pass(9s);
  ASSERT_TRUE(end->empty());

  pass(3s);

  ASSERT_EQ(end->size(), 1u);
  EXPECT_THAT(end->front(), HasSubstr("the head took nothing of it for 10 s"));
  // These answers come too late, and do no harm.
  while (!heard->pieces.empty()) {
    take(heard->pieces.front());
    heard->pieces.pop_front();
  }
  EXPECT_EQ(end->size(), 1u);
}

TEST_F(output_client_test, answers_when_the_head_is_lost) {
  open(first);
  print("out", "hello");
  auto end = close(first);

  dismiss(output_server);

  ASSERT_EQ(end->size(), 1u);
  EXPECT_THAT(end->front(), HasSubstr("out of reach"));
  auto late = close({"job", attempt_id{1, 2}});
  ASSERT_EQ(late->size(), 1u);
  EXPECT_THAT(late->front(), HasSubstr("out of reach"));
}

TEST_F(output_client_test, answers_for_what_began_after_the_head_was_lost) {
  dismiss(output_server);
  open(first);
  print("out", "hello");

  auto end = close(first);

  ASSERT_EQ(end->size(), 1u);
  EXPECT_THAT(end->front(), HasSubstr("out of reach"));
}

} // namespace
} // namespace tune
