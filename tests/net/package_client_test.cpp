// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/package_client.hpp"

#include "files_on_disk.hpp"
#include "support/deterministic_system.hpp"

#include "tune/io/files/content_store.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/net/package_server.hpp"
#include "tune/net/system.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Requests that a silent package server received, and their sender.
struct questions {
  std::deque<job_request> jobs;
  std::deque<chunk_request> chunks;
  job_taker_actor who;
};

package_server_actor::behavior_type listening_package_server(std::shared_ptr<questions> asked) {
  return {
      [asked](const job_request& x, const job_taker_actor& who) {
        asked->jobs.push_back(x);
        asked->who = who;
      },
      [asked](const chunk_request& x, const job_taker_actor& who) {
        asked->chunks.push_back(x);
        asked->who = who;
      },
  };
}

using answers = std::shared_ptr<std::vector<fetched_job>>;

struct asker_state {
  static inline const char* name = "tune.asker";
};

caf::behavior ask_for(caf::stateful_actor<asker_state>* self, package_client_actor whom,
                      std::string job, package_server_actor package_server, answers heard) {
  request(self, whom, caf::infinite, fetch_job{std::move(job)}, package_server)
      .then([heard](const fetched_job& x) { heard->push_back(x); },
            [](const caf::error&) { ADD_FAILURE() << "the package client did not answer"; });
  return {[](tick_atom) {}};
}

struct package_client_test : support::deterministic_system {
  support::files_on_disk disk;
  std::shared_ptr<questions> asked = std::make_shared<questions>();
  package_client_settings settings;
  package_client_actor uut;

  package_client_test() {
    init_net_types();
    settings.work = disk.worker();
    settings.chunk_bytes = 4;
    settings.own_thread = false;
  }
  void TearDown() override {
    asked->who = nullptr;
    support::deterministic_system::TearDown();
  }

  void start() {
    auto spawned = spawn_package_client(*system, settings);
    ASSERT_TRUE(spawned) << spawned.error().detail;
    uut = keep(*spawned);
  }
  package_server_local_actor real_package_server() {
    return keep(spawn_package_server(*system, false));
  }
  package_server_actor silent_package_server() {
    return keep(package_server_actor{system->spawn(listening_package_server, asked)});
  }

  /// Asks for a job; the answers arrive later.
  answers fetch(const std::string& job, const package_server_actor& package_server) {
    if (!uut)
      start();
    auto result = std::make_shared<std::vector<fetched_job>>();
    keep(system->spawn(ask_for, uut, job, package_server, result));
    run_now();
    return result;
  }
  static std::string why(const answers& heard) {
    EXPECT_EQ(heard->size(), 1u);
    return heard->empty() ? "no answer" : heard->front().why;
  }

  /// Texts that the silent package server can give out, by hash.
  std::map<std::string, std::string> contents;

  /// Answers for a job whose manifest lists these texts under their paths.
  std::string tell_job(std::uint64_t number, const std::map<std::string, std::string>& files) {
    file_manifest manifest;
    for (const auto& [path, text] : files) {
      manifest.files.push_back({path, 0, text.size(), sha256_of(text)});
      contents[sha256_of(text)] = text;
    }
    return tell_manifest(number, to_json(manifest));
  }
  std::string tell_manifest(std::uint64_t number, const std::string& text) {
    contents[sha256_of(text)] = text;
    tell(asked->who, job_found{number, "record", sha256_of(text), text.size()});
    return sha256_of(text);
  }
  chunk answer_to(const chunk_request& x) const {
    const auto& text = contents.at(x.hash);
    return {x.number, x.hash, x.offset, x.offset + x.size == text.size(),
            text.substr(x.offset, x.size)};
  }
  chunk_request next_chunk() {
    if (asked->chunks.empty()) {
      ADD_FAILURE() << "no chunk was asked for";
      return {};
    }
    auto result = asked->chunks.front();
    asked->chunks.pop_front();
    return result;
  }
  job_request next_job() {
    if (asked->jobs.empty()) {
      ADD_FAILURE() << "no job was asked for";
      return {};
    }
    auto result = asked->jobs.front();
    asked->jobs.pop_front();
    return result;
  }
  /// Answers all requests for one content, including those that follow. @returns their number.
  int give(const std::string& hash) {
    for (int result = 0;; ++result) {
      auto x = std::find_if(asked->chunks.begin(), asked->chunks.end(),
                            [&](const chunk_request& y) { return y.hash == hash; });
      if (x == asked->chunks.end())
        return result;
      auto answer = answer_to(*x);
      asked->chunks.erase(x);
      tell(asked->who, answer);
    }
  }
  /// Fetches one file whose manifest has arrived already.
  answers fetch_of(const std::string& text, const std::string& path = "train.py") {
    auto result = fetch("job", silent_package_server());
    give(tell_job(next_job().number, {{path, text}}));
    return result;
  }
  bool has(const std::string& text) const {
    return content_store::open(disk.worker() / "content")->has(sha256_of(text), text.size());
  }
};

TEST_F(package_client_test, brings_a_job_with_all_its_files) {
  disk.write("train.py", "print('hello')");
  disk.write("data/empty", "");
  disk.write("data/large", std::string(100'000, 'x'));
  std::filesystem::permissions(disk.head() / "train.py", std::filesystem::perms::owner_all);
  settings.chunk_bytes = 1000;
  auto package_server = real_package_server();
  EXPECT_EQ(ask_now<std::string>(package_server, disk.offer("job-1", {"*"})), "");

  auto heard = fetch("job-1", package_server);

  ASSERT_EQ(why(heard), "");
  EXPECT_EQ(heard->front().job, "job-1");
  EXPECT_EQ(heard->front().record, "record of job-1");
  EXPECT_EQ(heard->front().directory, disk.worker() / "jobs" / "job-1" / "files");
  EXPECT_EQ(disk.shipped("job-1", "train.py"), "print('hello')");
  EXPECT_EQ(disk.shipped("job-1", "data/large"), std::string(100'000, 'x'));
  EXPECT_TRUE(std::filesystem::is_empty(heard->front().directory / "data" / "empty"));
  auto mode = std::filesystem::status(heard->front().directory / "train.py").permissions();
  EXPECT_NE(mode & std::filesystem::perms::owner_exec, std::filesystem::perms::none);
}

TEST_F(package_client_test, brings_a_job_without_files) {
  auto package_server = real_package_server();
  EXPECT_EQ(ask_now<std::string>(package_server, disk.offer("job", {})), "");

  auto heard = fetch("job", package_server);

  EXPECT_EQ(why(heard), "");
  EXPECT_TRUE(std::filesystem::is_empty(heard->front().directory));
}

TEST_F(package_client_test, brings_many_small_files) {
  for (int i = 0; i < 300; ++i)
    disk.write("d/" + std::to_string(i), "text " + std::to_string(i % 100));
  auto package_server = real_package_server();
  EXPECT_EQ(ask_now<std::string>(package_server, disk.offer("job", {"d"})), "");

  EXPECT_EQ(why(fetch("job", package_server)), "");

  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(disk.shipped("job", "d/" + std::to_string(i)), "text " + std::to_string(i % 100));
}

TEST_F(package_client_test, asks_only_for_what_it_has_not) {
  auto first = fetch_of("content");
  give(sha256_of("content"));
  EXPECT_EQ(why(first), "");

  auto again = fetch("job", silent_package_server());
  tell_job(next_job().number, {{"train.py", "content"}});
  EXPECT_EQ(why(again), "");
  auto other = fetch("other", silent_package_server());
  give(tell_job(next_job().number, {{"copy.py", "content"}}));

  EXPECT_EQ(why(other), "");
  EXPECT_EQ(disk.shipped("other", "copy.py"), "content");
  EXPECT_TRUE(asked->chunks.empty());
}

TEST_F(package_client_test, brings_anew_what_was_spoilt_in_the_store) {
  auto first = fetch_of("content");
  give(sha256_of("content"));
  EXPECT_EQ(why(first), "");
  auto kept = content_store::open(disk.worker() / "content")->path_of(sha256_of("content"));
  std::filesystem::permissions(kept, std::filesystem::perms::owner_all);
  std::ofstream{kept} << "CONTENT";

  auto other = fetch("other", silent_package_server());
  give(tell_job(next_job().number, {{"copy.py", "content"}}));
  EXPECT_EQ(give(sha256_of("content")), 2);

  EXPECT_EQ(why(other), "");
  EXPECT_EQ(disk.shipped("other", "copy.py"), "content");
}

TEST_F(package_client_test, brings_a_file_once_that_two_jobs_want_at_a_time) {
  auto package_server = silent_package_server();
  auto one = fetch("one", package_server);
  auto two = fetch("two", package_server);
  give(tell_job(next_job().number, {{"a", "shared"}}));
  give(tell_job(next_job().number, {{"b", "shared"}, {"c", "own"}}));

  EXPECT_TRUE(one->empty());
  EXPECT_EQ(give(sha256_of("shared")), 2);
  EXPECT_EQ(why(one), "");
  EXPECT_TRUE(two->empty());
  EXPECT_EQ(give(sha256_of("own")), 1);

  EXPECT_EQ(why(two), "");
  EXPECT_EQ(disk.shipped("one", "a"), "shared");
  EXPECT_EQ(disk.shipped("two", "b"), "shared");
  EXPECT_TRUE(asked->chunks.empty());
}

TEST_F(package_client_test, fetches_a_job_once_for_all_who_ask) {
  auto package_server = silent_package_server();
  auto one = fetch("job", package_server);
  auto two = fetch("job", package_server);
  give(tell_job(next_job().number, {{"a", "text"}}));
  give(sha256_of("text"));

  EXPECT_EQ(why(one), "");
  EXPECT_EQ(why(two), "");
  EXPECT_TRUE(asked->jobs.empty());
  EXPECT_TRUE(asked->chunks.empty());
}

TEST_F(package_client_test, asks_for_no_more_than_its_credit) {
  auto heard = fetch_of("0123456789012345678901234567");
  ASSERT_EQ(asked->chunks.size(), 4u);
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(asked->chunks[i].offset, 4 * i);
    EXPECT_EQ(asked->chunks[i].size, 4u);
  }

  tell(asked->who, answer_to(next_chunk()));

  EXPECT_EQ(asked->chunks.size(), 4u);
  EXPECT_EQ(give(sha256_of("0123456789012345678901234567")), 6);
  EXPECT_EQ(why(heard), "");
}

TEST_F(package_client_test, gives_the_credit_that_one_file_leaves_to_the_next) {
  auto heard = fetch("job", silent_package_server());
  give(
      tell_job(next_job().number, {{"a", "1"}, {"b", "2"}, {"c", ""}, {"d", "4"}, {"e", "56789"}}));

  ASSERT_EQ(asked->chunks.size(), 4u);
  while (!asked->chunks.empty())
    tell(asked->who, answer_to(next_chunk()));

  EXPECT_EQ(why(heard), "");
  EXPECT_EQ(disk.shipped("job", "e"), "56789");
}

TEST_F(package_client_test, tells_which_file_changed_while_it_was_shipped) {
  auto heard = fetch_of("as it was");
  contents[sha256_of("as it was")] = "as it is!";

  give(sha256_of("as it was"));

  EXPECT_EQ(why(heard), "train.py changed while it was shipped");
  EXPECT_EQ(heard->front().kind, ec::unreadable);
  EXPECT_FALSE(has("as it was"));
  EXPECT_TRUE(asked->chunks.empty());
}

TEST_F(package_client_test, hears_from_the_package_server_that_a_file_changed) {
  disk.write("train.py", "as it was");
  auto package_server = real_package_server();
  EXPECT_EQ(ask_now<std::string>(package_server, disk.offer("longer", {"train.py"})), "");
  disk.write("train.py", "as it is now");

  EXPECT_EQ(why(fetch("longer", package_server)), "train.py changed while it was shipped");

  EXPECT_EQ(ask_now<std::string>(package_server, disk.offer("same-size", {"train.py"})), "");
  disk.write("train.py", "as it is NOW");
  EXPECT_EQ(why(fetch("same-size", package_server)), "train.py changed while it was shipped");
}

TEST_F(package_client_test, does_not_mind_a_package_server_that_answers_twice) {
  auto heard = fetch("job", silent_package_server());
  auto number = next_job().number;
  auto manifest = tell_job(number, {{"a", "0123456789"}});
  tell_job(number, {{"b", "other"}});
  tell(asked->who, job_failed{number, "no"});
  give(manifest);
  while (!asked->chunks.empty()) {
    auto x = next_chunk();
    tell(asked->who, answer_to(x));
    tell(asked->who, answer_to(x));
    tell(asked->who, chunk_failed{x.number, x.hash, "no"});
  }

  EXPECT_EQ(why(heard), "");
  EXPECT_EQ(disk.shipped("job", "a"), "0123456789");
}

TEST_F(package_client_test, does_not_mind_answers_to_what_it_never_asked) {
  auto heard = fetch_of("0123");
  auto x = next_chunk();

  tell(asked->who, chunk{x.number + 1000, x.hash, 0, true, "0123"});
  tell(asked->who, chunk{x.number, sha256_of("other"), 0, true, "0123"});
  tell(asked->who, chunk{0, "", 0, true, ""});
  tell(asked->who, job_found{0, "", "", 0});
  EXPECT_TRUE(heard->empty());
  tell(asked->who, answer_to(x));

  EXPECT_EQ(why(heard), "");
}

TEST_F(package_client_test, asks_again_for_a_file_of_which_nothing_comes) {
  auto heard = fetch_of("0123456789");
  tell(asked->who, answer_to(next_chunk()));
  auto late = next_chunk();
  asked->chunks.clear();

  pass(29s);
  EXPECT_TRUE(asked->chunks.empty());
  pass(12s);

  ASSERT_EQ(asked->chunks.size(), 3u);
  EXPECT_EQ(asked->chunks.front().offset, 0u);
  tell(asked->who, answer_to(late));
  EXPECT_EQ(give(sha256_of("0123456789")), 3);
  EXPECT_EQ(why(heard), "");
  EXPECT_EQ(disk.shipped("job", "train.py"), "0123456789");
}

TEST_F(package_client_test, gives_up_when_nothing_comes_at_the_third_time) {
  auto heard = fetch_of("0123");
  for (int i = 0; i < 2; ++i) {
    asked->chunks.clear();
    pass(36s);
    EXPECT_EQ(asked->chunks.size(), 1u);
    EXPECT_TRUE(heard->empty());
  }

  pass(36s);

  EXPECT_THAT(why(heard), HasSubstr("train.py: nothing of it came"));
  asked->chunks.clear();
  pass(60s);
  EXPECT_FALSE(has_timer());
}

TEST_F(package_client_test, has_patience_as_long_as_something_comes) {
  auto heard = fetch_of(std::string(40, 'x'));

  for (int i = 0; i < 10; ++i) {
    pass(25s);
    tell(asked->who, answer_to(next_chunk()));
  }

  EXPECT_EQ(why(heard), "");
}

TEST_F(package_client_test, gives_up_on_a_package_server_that_never_tells_of_the_job) {
  auto heard = fetch("job", silent_package_server());

  pass(36s);
  EXPECT_TRUE(heard->empty());
  pass(72s);

  EXPECT_THAT(why(heard), HasSubstr("did not answer"));
  EXPECT_EQ(asked->jobs.size(), 3u);
  EXPECT_FALSE(has_timer());
}

TEST_F(package_client_test, begins_a_file_again_of_which_a_chunk_was_lost) {
  auto heard = fetch_of("0123456789");
  next_chunk();

  tell(asked->who, answer_to(next_chunk())); // the answer to the second request
  next_chunk();                              // the third request becomes void

  EXPECT_EQ(asked->chunks.front().offset, 0u);
  give(sha256_of("0123456789"));
  EXPECT_EQ(why(heard), "");
}

TEST_F(package_client_test, gives_up_on_a_package_server_that_sends_other_bytes_than_it_asked_for) {
  auto heard = fetch_of("0123456789");

  for (int i = 0; i < 3; ++i) {
    auto wrong = answer_to(next_chunk());
    wrong.bytes += "more";
    asked->chunks.clear();
    tell(asked->who, wrong);
  }

  EXPECT_THAT(why(heard), HasSubstr("other bytes"));
}

TEST_F(package_client_test, fails_at_once_when_the_package_server_is_lost) {
  auto package_server = silent_package_server();
  auto one = fetch("one", package_server);
  auto two = fetch("two", package_server);
  give(tell_job(next_job().number, {{"a", "0123456789"}}));

  dismiss(package_server);

  EXPECT_THAT(why(one), HasSubstr("lost"));
  EXPECT_THAT(why(two), HasSubstr("lost"));
  EXPECT_TRUE(std::filesystem::is_empty(disk.worker() / "content" / "incoming"));
}

TEST_F(package_client_test, fetches_from_a_new_package_server_while_the_old_one_is_being_lost) {
  auto old = silent_package_server();
  auto lost = fetch("job", old);
  next_job();
  auto heard = fetch("job", silent_package_server());
  give(tell_job(next_job().number, {{"a", "0123456789"}}));

  dismiss(old);
  give(sha256_of("0123456789"));

  EXPECT_THAT(why(lost), HasSubstr("lost"));
  EXPECT_EQ(why(heard), "");
}

TEST_F(package_client_test, tells_why_a_chunk_cannot_be_had) {
  auto heard = fetch_of("0123456789");
  auto x = next_chunk();

  tell(asked->who, chunk_failed{x.number, x.hash, "the head cannot read train.py"});

  EXPECT_EQ(why(heard), "the head cannot read train.py");
}

TEST_F(package_client_test, goes_on_for_one_job_when_another_has_failed) {
  auto package_server = silent_package_server();
  auto one = fetch("one", package_server);
  auto two = fetch("two", package_server);
  give(tell_job(next_job().number, {{"a", "bad"}, {"b", "shared"}}));
  give(tell_job(next_job().number, {{"b", "shared"}}));
  auto bad = next_chunk();
  ASSERT_EQ(bad.hash, sha256_of("bad"));

  tell(asked->who, chunk_failed{bad.number, bad.hash, "no"});

  EXPECT_EQ(why(one), "no");
  EXPECT_TRUE(two->empty());
  EXPECT_EQ(give(sha256_of("shared")), 2);
  EXPECT_EQ(why(two), "");
}

TEST_F(package_client_test, drops_what_only_a_failed_job_wanted) {
  auto package_server = silent_package_server();
  auto one = fetch("one", package_server);
  auto two = fetch("two", package_server);
  give(tell_job(next_job().number, {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}}));
  auto first = next_chunk();
  give(tell_job(next_job().number, {{"e", "5"}}));

  tell(asked->who, chunk_failed{first.number, first.hash, "no"});

  EXPECT_EQ(why(one), "no");
  while (!asked->chunks.empty())
    tell(asked->who, answer_to(next_chunk()));
  EXPECT_EQ(why(two), "");
  EXPECT_FALSE(has("2"));
}

TEST_F(package_client_test, refuses_a_manifest_that_leads_out_of_the_tree) {
  auto heard = fetch("job", silent_package_server());
  auto text = to_json(file_manifest{{{"../../escape", 0, 1, sha256_of("x")}}});

  give(tell_manifest(next_job().number, text));

  EXPECT_THAT(why(heard), HasSubstr("bad manifest"));
  EXPECT_TRUE(asked->chunks.empty());
}

TEST_F(package_client_test, refuses_a_manifest_that_would_not_fit) {
  auto heard = fetch("job", silent_package_server());

  tell(asked->who, job_found{next_job().number, "", sha256_of("x"), max_manifest_bytes + 1});

  EXPECT_THAT(why(heard), HasSubstr("too long"));
}

TEST_F(package_client_test, tells_that_the_head_knows_no_such_job) {
  EXPECT_THAT(why(fetch("job", real_package_server())), HasSubstr("knows no job"));
}

TEST_F(package_client_test, refuses_a_job_that_cannot_name_a_directory) {
  auto package_server = silent_package_server();

  for (auto id : {"", "..", "a/b", "/etc"})
    EXPECT_THAT(why(fetch(id, package_server)), HasSubstr("no id of a job")) << id;
  EXPECT_TRUE(asked->jobs.empty());
}

TEST_F(package_client_test, removes_a_job_when_all_who_fetched_it_dropped_it) {
  auto first = fetch_of("content");
  give(sha256_of("content"));
  auto second = fetch("job", silent_package_server());
  tell_job(next_job().number, {{"train.py", "content"}});
  ASSERT_EQ(why(second), "");

  tell(uut, job_dropped{"job"});
  EXPECT_EQ(disk.shipped("job", "train.py"), "content");
  tell(uut, job_dropped{"job"});

  EXPECT_TRUE(std::filesystem::is_empty(disk.worker() / "jobs"));
  EXPECT_TRUE(has("content"));
}

TEST_F(package_client_test, removes_a_job_that_is_dropped_while_it_comes) {
  auto heard = fetch_of("content");
  tell(uut, job_dropped{"job"});

  give(sha256_of("content"));

  EXPECT_EQ(why(heard), "");
  EXPECT_TRUE(std::filesystem::is_empty(disk.worker() / "jobs"));
}

TEST_F(package_client_test, does_not_mind_that_a_job_is_dropped_which_it_never_fetched) {
  start();
  std::filesystem::create_directories(disk.worker() / "jobs" / "other");

  for (auto job : {"other", "..", "", "no such"})
    tell(uut, job_dropped{job});

  EXPECT_TRUE(std::filesystem::exists(disk.worker() / "jobs" / "other"));
}

TEST_F(package_client_test, keeps_its_store_within_bounds_once_nobody_needs_it) {
  settings.store_bytes = 10;
  auto heard = fetch_of("more than ten bytes");
  give(sha256_of("more than ten bytes"));
  ASSERT_EQ(why(heard), "");
  EXPECT_TRUE(has("more than ten bytes"));

  tell(uut, job_dropped{"job"});

  EXPECT_FALSE(has("more than ten bytes"));
}

TEST_F(package_client_test, sweeps_its_store_when_it_begins) {
  fetch_of("content");
  give(sha256_of("content"));
  ASSERT_TRUE(has("content"));
  settings.store_bytes = 6;

  start();

  EXPECT_FALSE(has("content"));
}

TEST_F(package_client_test, needs_a_place_for_its_store) {
  disk.write("file", "x");
  settings.work = disk.head() / "file";

  auto spawned = spawn_package_client(*system, settings);

  ASSERT_FALSE(spawned);
  EXPECT_EQ(spawned.error().code, ec::storage);
}

} // namespace
} // namespace tune
