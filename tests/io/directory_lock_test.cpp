// SPDX-License-Identifier: BSD-3-Clause
#include "scratch_directory.hpp"

#include "tune/io/control/control_place.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

namespace tune {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class directory_lock_test : public samples::scratch_directory {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
  }

  [[nodiscard]] std::filesystem::path file() const { return root / "lock"; }
  [[nodiscard]] unsigned mode() const {
    struct ::stat found {};
    EXPECT_EQ(::lstat(file().c_str(), &found), 0);
    return found.st_mode & 0777;
  }

  /// Makes the file as an older version did, and opens it as a process that may read it.
  int left_by(long pid, const std::string& host) {
    fill(file(), "pid " + std::to_string(pid) + " on " + host + "\n");
    EXPECT_EQ(::chmod(file().c_str(), 0644), 0);
    return opened_ = ::open(file().c_str(), O_RDONLY | O_CLOEXEC);
  }
  void TearDown() override {
    if (opened_ >= 0)
      ::close(opened_);
    samples::scratch_directory::TearDown();
  }

  static std::string host() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
  }
  static std::string us() { return "pid " + std::to_string(::getpid()) + " on " + host(); }

  /// No process has so high a number.
  static constexpr long dead = 999'999'999;
  int opened_ = -1;
};

TEST_F(directory_lock_test, tells_others_who_has_it_and_since_when) {
  auto uut = directory_lock::take(root);
  ASSERT_TRUE(uut) << uut.error().detail;

  auto second = directory_lock::take(root);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ec::refused);
  EXPECT_THAT(second.error().detail, AllOf(HasSubstr(root.string() + ": " + us() + ", since 20"),
                                           EndsWith("works on it: wait for its end")));
  EXPECT_TRUE(is_held(root));
}

TEST_F(directory_lock_test, tells_how_to_ask_one_that_listens_for_its_end) {
  auto uut = directory_lock::take(root);
  std::filesystem::create_directory(control_directory(root));

  auto second = directory_lock::take(root);

  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().detail,
              HasSubstr("works on it: wait for its end, or ask for it by tune-node stop "));
}

TEST_F(directory_lock_test, cannot_be_taken_by_those_who_may_only_read) {
  auto uut = directory_lock::take(root);

  EXPECT_EQ(mode(), 0600U);
}

TEST_F(directory_lock_test, is_not_written_through_what_others_put_there) {
  namespace fs = std::filesystem;
  const auto victim = root / "victim";
  std::ofstream{victim} << "precious";

  fs::create_symlink(victim, root / "lock");
  auto through_link = directory_lock::take(root);
  fs::remove(root / "lock");
  fs::create_hard_link(victim, root / "lock");
  auto through_name = directory_lock::take(root);

  ASSERT_FALSE(through_link);
  EXPECT_EQ(through_link.error().code, ec::refused);
  EXPECT_THAT(through_link.error().detail, HasSubstr("lock is a link: somebody else put it there"));
  ASSERT_FALSE(through_name);
  EXPECT_THAT(through_name.error().detail, HasSubstr("lock is a file with other names"));
  std::string text;
  std::getline(std::ifstream{victim}, text);
  EXPECT_EQ(text, "precious");
}

TEST_F(directory_lock_test, can_be_taken_by_a_group_that_may_write_the_directory) {
  ASSERT_EQ(::chmod(root.c_str(), 0775), 0);

  auto uut = directory_lock::take(root);

  EXPECT_EQ(mode(), 0660U);
}

TEST_F(directory_lock_test, shuts_the_file_of_an_older_version_to_readers) {
  left_by(dead, host());

  auto uut = directory_lock::take(root);

  ASSERT_TRUE(uut);
  EXPECT_EQ(mode(), 0600U);
}

TEST_F(directory_lock_test, is_not_kept_out_by_a_lock_of_a_reader) {
  for (int how : {LOCK_EX, LOCK_SH}) {
    ::flock(left_by(dead, host()), how);
    EXPECT_FALSE(is_held(root));

    auto uut = directory_lock::take(root);

    ASSERT_TRUE(uut) << uut.error().detail;
    EXPECT_EQ(mode(), 0600U);
    EXPECT_THAT(content(file()), HasSubstr(us()));
    EXPECT_FALSE(directory_lock::take(root));
    ::close(std::exchange(opened_, -1));
  }
}

TEST_F(directory_lock_test, is_not_kept_out_by_a_read_lock_of_a_file_description) {
  struct ::flock reading {};
  reading.l_type = F_RDLCK;
  ASSERT_EQ(::fcntl(left_by(dead, host()), F_OFD_SETLK, &reading), 0);

  auto uut = directory_lock::take(root);

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_FALSE(directory_lock::take(root));
}

TEST_F(directory_lock_test, is_kept_out_by_a_head_of_an_older_version) {
  ::flock(left_by(::getpid(), host()), LOCK_EX);

  auto uut = directory_lock::take(root);

  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail, HasSubstr(us() + " works on it: wait for its end"));
  EXPECT_TRUE(is_held(root));
}

TEST_F(directory_lock_test, keeps_out_heads_of_older_versions) {
  auto uut = directory_lock::take(root);
  opened_ = ::open(file().c_str(), O_RDWR | O_CLOEXEC);

  EXPECT_EQ(::flock(opened_, LOCK_EX | LOCK_NB), -1);
}

TEST_F(directory_lock_test, is_refused_where_nobody_can_tell_whose_lock_it_is) {
  ::flock(left_by(7, "another-machine"), LOCK_EX);

  auto uut = directory_lock::take(root);

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::refused);
  EXPECT_THAT(uut.error().detail, AllOf(HasSubstr("pid 7 on another-machine works on it"),
                                        HasSubstr("if that one is dead, remove the file")));
  EXPECT_TRUE(is_held(root));
}

TEST_F(directory_lock_test, is_taken_anew_where_its_file_was_removed) {
  auto uut = directory_lock::take(root);
  ASSERT_TRUE(uut);
  std::filesystem::remove(file());

  auto kept = uut->keep();

  ASSERT_TRUE(kept) << kept.error().detail;
  EXPECT_EQ(mode(), 0600U);
  EXPECT_FALSE(directory_lock::take(root));
  EXPECT_TRUE(uut->keep());
}

TEST_F(directory_lock_test, is_lost_to_whoever_took_the_file_that_came_after_it) {
  auto uut = directory_lock::take(root);
  ASSERT_TRUE(uut);
  std::filesystem::remove(file());
  auto other = directory_lock::take(root);
  ASSERT_TRUE(other);

  auto lost = uut->keep();

  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ec::refused);
  EXPECT_THAT(lost.error().detail, HasSubstr("lock: was replaced while it was in use"));
  EXPECT_TRUE(other->keep());
}

TEST_F(directory_lock_test, takes_no_link_and_no_pipe_for_its_file) {
  fill(root / "precious", "text");
  std::filesystem::create_symlink(root / "precious", file());

  EXPECT_FALSE(directory_lock::take(root));
  EXPECT_EQ(content(root / "precious"), "text");
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  auto piped = directory_lock::take(root);
  ASSERT_FALSE(piped);
  EXPECT_THAT(piped.error().detail, HasSubstr("lock: is no regular file"));
}

} // namespace
} // namespace tune
