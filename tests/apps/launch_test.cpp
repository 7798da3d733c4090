// Machines that ssh reaches: their names, the scripts that run there, and what follows from
// answers. SPDX-License-Identifier: BSD-3-Clause
#include "launch/host_launch.hpp"
#include "launch/host_scripts.hpp"
#include "launch/program_bundle.hpp"
#include "launch/ssh_target.hpp"

#include "io/scratch_directory.hpp"

#include "tune/io/process/piped_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <fstream>

namespace tune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ssh_target target(std::string text, std::string user, std::string host, std::uint16_t port) {
  return {std::move(text), std::move(user), std::move(host), port};
}

std::string fault(const std::string& text) {
  auto read = ssh_targets_from(text);
  return read ? std::string{} : read.error().detail;
}

TEST(ssh_target, is_read_as_ssh_knows_it) {
  auto read = ssh_targets_from("a, b:2222,user@c,[::1]:22,u@[fe80::1]");

  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_THAT(*read,
              ElementsAre(target("a", "", "a", 0), target("b:2222", "", "b", 2222),
                          target("user@c", "user", "c", 0), target("[::1]:22", "", "::1", 22),
                          target("u@[fe80::1]", "u", "fe80::1", 0)));
}

TEST(ssh_target, is_never_an_option_of_ssh) {
  for (const auto* text : {"-oProxyCommand=x", "-l@a", "a b", "a,,b", "", "@a", "a@", "a:0",
                           "a:65536", "a:b", "a:", "::1", "[::1", "[::1]x", "a\nb", "x/y"})
    EXPECT_FALSE(fault(text).empty()) << text;
  EXPECT_THAT(fault("a,b,a"), HasSubstr("named twice"));
  EXPECT_THAT(fault("a:70000"), HasSubstr("\"a:70000\" has no port from 1 to 65535"));
}

TEST(ssh_target, makes_names_of_nodes_that_are_each_there_once) {
  EXPECT_THAT(node_names_of({{"", "", "a", 1}, {"", "", "a", 2}, {"", "", "::1", 0}}),
              ElementsAre("a", "a-2", "--1"));
}

TEST(ssh_words, keep_the_host_apart_from_the_options) {
  const auto words = ssh_words({"ssh", "-F", "x"}, target("", "u", "a", 22), {"-R", "y"}, "cmd");

  EXPECT_EQ(words[0], "ssh");
  EXPECT_THAT(words, testing::IsSupersetOf({"BatchMode=yes", "-R", "-p", "22", "-l", "u"}));
  EXPECT_THAT(std::vector(words.end() - 3, words.end()), ElementsAre("--", "a", "cmd"));
}

TEST(host_verdict, names_what_is_in_the_way) {
  launch_plan plan;
  plan.version = "tune-node 2 (CAF 1)";
  auto judge = [&](std::vector<std::string> lines) {
    return judge_host(host_report_from(lines), plan, "Linux x86_64");
  };

  EXPECT_TRUE(judge({"system Linux x86_64", "end"}).needs_copy);
  EXPECT_FALSE(judge({"system Linux x86_64", "here tune-node 2 (CAF 1)", "end"}).needs_copy);
  EXPECT_THAT(judge({"system Linux aarch64", "end"}).fault, HasSubstr("it is Linux aarch64"));
  EXPECT_THAT(judge({"system Linux x86_64"}).fault, HasSubstr("its shell"));
  EXPECT_TRUE(judge({"system Linux x86_64", "here no such library", "end"}).needs_copy);
  EXPECT_THAT(judge({"system Linux x86_64", "own tune-node 1", "end"}).note,
              HasSubstr("its own tune-node is tune-node 1"));
  plan.program = "/opt/t";
  EXPECT_THAT(judge({"system Linux x86_64", "end"}).fault, HasSubstr("no program /opt/t"));
  EXPECT_THAT(judge({"system x", "named tune-node 1", "end"}).fault,
              HasSubstr("its /opt/t is tune-node 1, and this is tune-node 2 (CAF 1)"));
  EXPECT_THAT(judge({"system x", "named tune-node 2 (CAF 1)", "end"}).fault, IsEmpty());
}

TEST(host_launch, reads_the_port_that_ssh_forwards) {
  EXPECT_EQ(allocated_port("Allocated port 4711 for remote forward to 127.0.0.1:7700"), 4711);
  for (const auto* line : {"Allocated port x", "Allocated port 70000 for", "Permission denied", ""})
    EXPECT_EQ(allocated_port(line), 0) << line;
}

TEST(program_bundle, has_the_program_and_no_c_library) {
  EXPECT_TRUE(is_of_c_library("libc.so.6"));
  EXPECT_TRUE(is_of_c_library("ld-linux-x86-64.so.2"));
  EXPECT_FALSE(is_of_c_library("libcrypto.so.3"));
  auto bundle = program_bundle::of_this_program();

  ASSERT_TRUE(bundle);
  EXPECT_EQ(bundle->hash().size(), 64u);
  EXPECT_GT(bundle->bytes(), 1u << 20u);
}

/// Runs scripts as ssh does: a shell is given the whole text.
struct host_scripts : samples::scratch_directory {
  std::vector<std::string> environment() const {
    return {"XDG_CACHE_HOME=" + (root / "cache").string(), "TMPDIR=" + root.string(),
            "SSH_CONNECTION=fe80::7 1 fe80::8 22"};
  }

  piped_program start(const std::string& script, const program_input& input = {}) const {
    auto started = piped_program::start("/bin/sh", {"sh", "-c", script}, environment(), input);
    EXPECT_TRUE(started);
    return std::move(*started);
  }

  static piped_program::piece whole(piped_program& from) {
    piped_program::piece result;
    while (!result.status) {
      auto next = from.read(1 << 20, std::chrono::milliseconds{1000});
      result.out += next.out;
      result.err += next.err;
      result.status = next.status;
    }
    return result;
  }

  /// A program that says what it is called with, and how its certificates look.
  std::filesystem::path pretender(const std::filesystem::path& where) const {
    std::filesystem::create_directories(where.parent_path());
    std::ofstream{where}
        << "#!/bin/sh\n"
           "[ \"$1\" = --version ] && echo pretender 1 && exit\n"
           "echo \"words: $*\"\n"
           "while [ $# -gt 0 ]; do [ \"$1\" = --certs ] && cat \"$2\"/*; shift; done\n"
           "[ -e "
        << (root / "wait").string()
        << " ] || exit 7\n"
           "trap 'echo told; exit 5' TERM\n"
           "echo ready\n"
           "while :; do sleep 0.05; done\n";
    std::filesystem::permissions(where, std::filesystem::perms::owner_all);
    return where;
  }

  /// As they are written where a program is put.
  static void write_sums(const std::filesystem::path& copy) {
    auto made = piped_program::start(
        "/bin/sh", {"sh", "-c", "cd \"$0\" && sha256sum bin/tune-node >sums", copy.string()}, {});
    ASSERT_EQ(whole(*made).status, 0);
  }
};

TEST_F(host_scripts, have_nothing_that_shells_quote_differently) {
  host_worker worker;
  worker.hash = "abc";
  for (const auto& script : {probing_script("abc", "", ""), placing_script("abc"),
                             working_script(worker), cleaning_script("abc-", "")}) {
    const auto inner
        = script.substr(script.find('\'') + 1, script.rfind('\'') - script.find('\'') - 1);
    EXPECT_EQ(inner.find_first_of("'\\\n"), std::string::npos) << script;
  }
}

TEST_F(host_scripts, tell_what_is_there) {
  auto nothing = start(probing_script("abc", "/not/there", root.string()));
  const auto told = whole(nothing);
  EXPECT_THAT(told.out, HasSubstr("tune-launch: system Linux"));
  EXPECT_THAT(told.out, HasSubstr("tune-launch: end\n"));
  EXPECT_THAT(told.out, Not(HasSubstr("here")));
  EXPECT_THAT(told.out, Not(HasSubstr("named")));

  const auto odd = pretender(root / "it's a \"name\" $x" / "tune node");
  pretender(root / "cache/tune-node/programs/abc/bin/tune-node");
  write_sums(root / "cache/tune-node/programs/abc");
  auto both = start(probing_script("abc", odd.string(), ""));
  const auto found = whole(both);
  EXPECT_THAT(found.out, HasSubstr("tune-launch: here pretender 1\n"));
  EXPECT_THAT(found.out, HasSubstr("tune-launch: named pretender 1\n"));
}

TEST_F(host_scripts, tell_where_no_worker_could_make_its_directory) {
  const auto below = root / "it's not there";
  auto probing = start(probing_script("abc", "", below.string()));
  const auto told = whole(probing);
  EXPECT_EQ(told.status, 1);
  EXPECT_THAT(told.out,
              HasSubstr("tune-launch: fault cannot make a directory in " + below.string() + "\n"));
  EXPECT_THAT(told.out, Not(HasSubstr("tune-launch: end")));

  std::filesystem::create_directory(below);
  auto again = start(probing_script("abc", "", below.string()));
  EXPECT_EQ(whole(again).status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(below)) << "it leaves nothing there";
}

TEST_F(host_scripts, place_a_program_once_and_leave_nothing_half) {
  pretender(root / "from/bin/tune-node");
  auto packed = piped_program::start(
      "/usr/bin/env",
      {"env", "tar", "-C", (root / "from").string(), "-cf", (root / "p.tar").string(), "bin"}, {});
  ASSERT_EQ(whole(*packed).status, 0);
  for (auto again = 0; again < 2; ++again) {
    auto placing = start(placing_script("abc"), {root / "p.tar", false});
    const auto done = whole(placing);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("tune-launch: here pretender 1\n"));
  }
  // Spoilt by whatever: it is not found, and replaced.
  const auto copy = root / "cache/tune-node/programs/abc/bin/tune-node";
  std::ofstream{copy, std::ios::app} << "# other bytes\n";
  auto probing = start(probing_script("abc", "", ""));
  EXPECT_THAT(whole(probing).out, Not(HasSubstr("here")));
  auto mending = start(placing_script("abc"), {root / "p.tar", false});
  EXPECT_THAT(whole(mending).out, HasSubstr("tune-launch: here pretender 1\n"));
  auto after = start(probing_script("abc", "", ""));
  EXPECT_THAT(whole(after).out, HasSubstr("tune-launch: here pretender 1\n"));
  std::filesystem::remove(copy);
  auto once_more = start(placing_script("abc"), {root / "p.tar", false});
  EXPECT_EQ(whole(once_more).status, 0);

  std::ofstream{root / "broken.tar"} << "no archive";
  auto placing = start(placing_script("def"), {root / "broken.tar", false});
  const auto done = whole(placing);
  EXPECT_NE(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("tune-launch: fault cannot unpack"));
  std::vector<std::string> left;
  for (const auto& x : std::filesystem::directory_iterator{root / "cache/tune-node/programs"})
    left.push_back(x.path().filename().string());
  EXPECT_THAT(left, ElementsAre("abc"));
}

TEST_F(host_scripts, run_a_worker_with_certificates_and_remove_its_directory) {
  host_worker how;
  how.program = pretender(root / "tune node").string();
  how.below = (root / "be low").string();
  how.options = {"--name", "it's"};
  std::filesystem::create_directory(how.below);
  auto worker = start(working_script(how), {{}, true});
  ASSERT_TRUE(worker.write(worker_input(4711, {"CA\n", "CERT", "KEY\n"})));
  const auto done = whole(worker);

  EXPECT_EQ(done.status, 7);
  EXPECT_THAT(done.out, HasSubstr("words: worker --join 127.0.0.1:4711 --certs " + how.below));
  EXPECT_THAT(done.out, HasSubstr("--once --name it's\nCA\nKEY\nCERT\n"));
  EXPECT_TRUE(std::filesystem::is_empty(how.below));
}

TEST_F(host_scripts, clean_what_workers_with_their_tag_left) {
  for (const auto* name : {"tune-launch-ab-1", "tune-launch-ab-2", "tune-launch-cd-1"})
    std::filesystem::create_directories(root / name / "certs");
  // A worker that nothing holds any more, and a number that is another's by now.
  std::ofstream{root / "tune-launch-ab-2" / "pid"} << ::getpid();
  auto beginning
      = start("sh -c 'while :; do sleep 1; done' x \"" + (root / "tune-launch-ab-1/work").string()
              + "\" </dev/null >/dev/null 2>&1 & echo $!");
  std::ofstream{root / "tune-launch-ab-1" / "pid"} << whole(beginning).out;

  auto cleaning = start(cleaning_script("ab-", root.string()));
  const auto done = whole(cleaning);

  EXPECT_THAT(done.out, HasSubstr("tune-launch: removed " + (root / "tune-launch-ab-1").string()));
  EXPECT_THAT(done.out, HasSubstr("tune-launch: removed " + (root / "tune-launch-ab-2").string()));
  EXPECT_THAT(done.out, HasSubstr("tune-launch: end\n"));
  EXPECT_FALSE(std::filesystem::exists(root / "tune-launch-ab-1"));
  EXPECT_TRUE(std::filesystem::exists(root / "tune-launch-cd-1"));
}

TEST_F(host_scripts, end_the_worker_when_nobody_is_there_any_more) {
  std::ofstream{root / "wait"};
  host_worker how;
  how.program = pretender(root / "program").string();
  how.direct_port = 7700;
  auto worker = start(working_script(how), {{}, true});
  ASSERT_TRUE(worker.write(worker_input(0, {"CA", "CERT", "KEY"})));
  std::string said;
  while (said.find("ready") == said.npos)
    said += worker.read(1 << 20, std::chrono::milliseconds{1000}).out;
  EXPECT_THAT(said, HasSubstr("--join [fe80::7]:7700 "));
  worker.close_input();
  const auto done = whole(worker);

  EXPECT_THAT(said + done.out, HasSubstr("told\n"));
  EXPECT_EQ(done.status, 5);
  for (const auto& x : std::filesystem::directory_iterator{root})
    EXPECT_FALSE(x.path().filename().string().starts_with("tune-launch-")) << x.path();
}

} // namespace
} // namespace tune::cli
