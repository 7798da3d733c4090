// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/piped_program.hpp"

#include <gtest/gtest.h>

#include <signal.h>

#include <cerrno>
#include <cstdlib>

namespace tune {
namespace {

using std::chrono::milliseconds;

/// As long as it takes on a loaded machine.
constexpr std::chrono::minutes patience{1};

piped_program shell(const std::string& script, const std::vector<std::string>& environment = {}) {
  auto started = piped_program::start("/bin/sh", {"sh", "-c", script}, environment);
  EXPECT_TRUE(started);
  return std::move(*started);
}

/// Everything that it writes, read in pieces of at most `most` bytes, and its exit status.
piped_program::piece whole(piped_program& from, std::size_t most = 64 * 1024) {
  piped_program::piece result;
  while (!result.status) {
    auto next = from.read(most, patience);
    EXPECT_LE(next.out.size(), most);
    result.out += next.out;
    result.err += next.err;
    result.status = next.status;
  }
  return result;
}

TEST(piped_program, gives_what_is_written_and_the_exit_status) {
  auto uut = shell("echo to stdout; echo to stderr >&2; exit 7");

  auto all = whole(uut);

  EXPECT_EQ(all.out, "to stdout\n");
  EXPECT_EQ(all.err, "to stderr\n");
  EXPECT_EQ(all.status, 7);
}

TEST(piped_program, gives_more_than_a_pipe_holds_in_pieces) {
  auto uut = shell("head -c 1000000 /dev/zero");

  auto all = whole(uut, 1000);

  EXPECT_EQ(all.out, std::string(1'000'000, '\0'));
  EXPECT_EQ(all.status, 0);
}

TEST(piped_program, tells_of_a_signal_as_shells_do) {
  auto uut = shell("kill -TERM $$");

  EXPECT_EQ(whole(uut).status, 128 + SIGTERM);
}

TEST(piped_program, returns_without_output_when_patience_ends) {
  auto uut = shell("sleep 600");

  auto nothing = uut.read(1000, milliseconds{1});

  EXPECT_TRUE(nothing.out.empty());
  EXPECT_FALSE(nothing.status);
}

TEST(piped_program, reads_nothing_from_stdin_and_has_further_variables) {
  auto uut = shell("cat; echo \"$TUNE_TEST_WORD\"", {"TUNE_TEST_WORD=a b"});

  EXPECT_EQ(whole(uut).out, "a b\n");

  ::setenv("TUNE_TEST_WORD", "of the parent", 1);
  auto second = shell("echo \"$TUNE_TEST_WORD\"", {"TUNE_TEST_WORD=its own"});
  ::unsetenv("TUNE_TEST_WORD");
  EXPECT_EQ(whole(second).out, "its own\n");
}

TEST(piped_program, kills_the_program_and_its_children_when_it_goes) {
  std::string child;
  {
    auto uut = shell("sleep 600 & echo $!; wait");
    while (child.find('\n') == child.npos)
      child += uut.read(1000, patience).out;
  }

  // A killed process stays a zombie until its new parent looks: it answers no signal but 0 then.
  const auto pid = static_cast<pid_t>(std::stol(child));
  const auto stat = "/proc/" + std::to_string(pid) + "/stat";
  auto is_running = [&] {
    auto* file = std::fopen(stat.c_str(), "r");
    if (file == nullptr)
      return false;
    char state = '?';
    const auto read = std::fscanf(file, "%*d %*s %c", &state);
    std::fclose(file);
    return read == 1 && state != 'Z';
  };
  const auto until = std::chrono::steady_clock::now() + patience;
  while (is_running() && std::chrono::steady_clock::now() < until) {}
  EXPECT_FALSE(is_running());
}

TEST(piped_program, names_a_program_that_cannot_be_started) {
  auto started = piped_program::start("/nowhere/to-be-found", {"x"}, {});

  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ec::process);
  EXPECT_EQ(started.error().detail, "cannot start /nowhere/to-be-found: No such file or directory");
}

} // namespace
} // namespace tune
