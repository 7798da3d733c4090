// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/guarded_directory.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Something that a program can put in the place of a file.
struct oddity {
  const char* name;
  void (*put)(const fs::path& where);
  const char* called;
};

void put_socket(const fs::path& where) {
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, where.c_str(), sizeof address.sun_path - 1);
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(made, reinterpret_cast<const ::sockaddr*>(&address), sizeof address), 0);
  ::close(made);
}

void put_pipe(const fs::path& where) {
  ASSERT_EQ(::mkfifo(where.c_str(), 0666), 0);
}

void put_link_to_pipe(const fs::path& where) {
  auto pipe = where;
  pipe += ".pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  fs::create_symlink(pipe, where);
}

const oddity odd_things[] = {
    {"a_named_pipe", put_pipe, "a named pipe"},
    {"a_link_to_a_named_pipe", put_link_to_pipe, "a link"},
    {"a_link_to_a_file",
     [](const fs::path& where) { fs::create_symlink(where.parent_path() / "victim", where); },
     "a link"},
    {"a_link_to_nothing",
     [](const fs::path& where) { fs::create_symlink(where.parent_path() / "nothing", where); },
     "a link"},
    {"a_link_to_a_device", [](const fs::path& where) { fs::create_symlink("/dev/zero", where); },
     "a link"},
    {"a_socket", put_socket, "a socket"},
};

class guarded_directory_test : public samples::scratch_directory {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    fill(root / "own" / "victim", "precious");
    fs::create_directories(root / "elsewhere");
  }

  [[nodiscard]] guarded_directory uut() const {
    auto opened = guarded_directory::open(root, "own");
    EXPECT_TRUE(opened.has_value()) << opened.error().detail;
    return std::move(*opened);
  }
  [[nodiscard]] fs::path file() const { return root / "own" / "x"; }
  /// Appends to the file. @returns the name of what was replaced, or the error.
  [[nodiscard]] std::string append(const std::string& text) const {
    auto opened = uut().append("x");
    if (!opened)
      return opened.error().detail;
    EXPECT_EQ(::write(opened->file.number(), text.data(), text.size()),
              static_cast<::ssize_t>(text.size()));
    return opened->replaced;
  }
};

class odd_file_test : public guarded_directory_test, public testing::WithParamInterface<oddity> {
protected:
  void SetUp() override {
    guarded_directory_test::SetUp();
    GetParam().put(file());
  }
  void TearDown() override {
    EXPECT_EQ(content(root / "own" / "victim"), "precious");
    EXPECT_FALSE(fs::exists(root / "own" / "nothing"));
    guarded_directory_test::TearDown();
  }
};

TEST_P(odd_file_test, is_not_read) {
  auto read = uut().read("x");
  auto text = uut().text("x", 1000);

  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ec::refused);
  EXPECT_THAT(read.error().detail, HasSubstr(file().string()));
  EXPECT_THAT(read.error().detail, HasSubstr(GetParam().called));
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error(), read.error());
}

TEST_P(odd_file_test, is_replaced_by_a_file_that_is_written_on) {
  EXPECT_EQ(append("one "), GetParam().called);
  EXPECT_EQ(append("two"), "");

  EXPECT_EQ(content(file()), "one two");
}

TEST_P(odd_file_test, is_replaced_by_a_new_text) {
  GetParam().put(root / "own" / "beside");

  auto replaced = uut().replace("x", "text", "beside");

  ASSERT_TRUE(replaced.has_value()) << replaced.error().detail;
  EXPECT_EQ(*replaced, GetParam().called);
  EXPECT_EQ(content(file()), "text");
  EXPECT_FALSE(fs::exists(fs::symlink_status(root / "own" / "beside")));
}

TEST_P(odd_file_test, is_told_by_its_kind) {
  EXPECT_EQ(uut().oddity("x"), GetParam().called);
  EXPECT_FALSE(uut().has_file("x"));
}

INSTANTIATE_TEST_SUITE_P(each, odd_file_test, testing::ValuesIn(odd_things),
                         [](const auto& x) { return x.param.name; });

TEST_F(guarded_directory_test, writes_nothing_into_a_file_that_has_other_names) {
  fs::create_hard_link(root / "own" / "victim", file());

  EXPECT_THAT(append("text"), HasSubstr("hard links"));

  EXPECT_EQ(content(file()), "text");
  EXPECT_EQ(content(root / "own" / "victim"), "precious");
}

TEST_F(guarded_directory_test, leaves_a_directory_in_the_place_of_a_file_alone) {
  fill(file() / "inner", "precious");

  auto appended = append("text");
  auto replaced = uut().replace("x", "text", "beside");

  EXPECT_THAT(appended, HasSubstr(file().string() + " is a directory, not a file: remove it"));
  ASSERT_FALSE(replaced.has_value());
  EXPECT_EQ(replaced.error().code, ec::refused);
  EXPECT_EQ(content(file() / "inner"), "precious");
  EXPECT_FALSE(fs::exists(root / "own" / "beside"));
}

TEST_F(guarded_directory_test, is_not_entered_through_a_link) {
  fs::create_directory_symlink(root / "elsewhere", root / "own" / "way");
  fs::create_directories(root / "elsewhere" / "deep");

  auto opened = guarded_directory::open(root, "own/way");
  auto made = guarded_directory::make(root, "own/way/deep");

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ec::refused);
  EXPECT_EQ(opened.error().detail,
            (root / "own" / "way").string() + " is a link, not a directory: remove it");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error(), opened.error());
}

TEST_F(guarded_directory_test, follows_links_on_the_way_that_is_trusted) {
  fs::create_directory_symlink(root, root / "elsewhere" / "back");

  auto opened = guarded_directory::open(root / "elsewhere" / "back", "own");

  ASSERT_TRUE(opened.has_value()) << opened.error().detail;
  EXPECT_TRUE(opened->has_file("victim"));
}

TEST_F(guarded_directory_test, reads_no_file_through_a_link_on_the_way) {
  fill(root / "elsewhere" / "file", "text");
  fs::create_directory_symlink(root / "elsewhere", root / "own" / "way");

  auto read = uut().read("way/file");

  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().detail, HasSubstr("is a link, not a directory"));
}

TEST_F(guarded_directory_test, makes_the_directories_that_are_missing) {
  auto made = guarded_directory::make(root, "own/a/b");

  ASSERT_TRUE(made.has_value()) << made.error().detail;
  EXPECT_TRUE(made->replace("x", "text", "x.new").has_value());
  EXPECT_EQ(content(root / "own" / "a" / "b" / "x"), "text");
}

TEST_F(guarded_directory_test, finds_a_file_or_none_where_one_comes_and_goes) {
  constexpr int rounds = 100'000;
  fill(root / "file", "text");
  const auto uut = *guarded_directory::open(root);
  std::atomic<bool> is_over = false;
  std::thread other{[&] {
    while (!is_over) {
      static_cast<void>(uut.rename("file", "away"));
      static_cast<void>(uut.rename("away", "file"));
    }
  }};

  std::string fault;
  for (int i = 0; i < rounds && fault.empty(); ++i) {
    auto text = uut.text("file", 100);
    if (!text)
      fault = text.error().detail;
    else if (*text && **text != "text")
      fault = **text;
  }
  is_over = true;
  other.join();

  EXPECT_EQ(fault, "");
}

TEST_F(guarded_directory_test, reads_no_more_than_it_may) {
  EXPECT_EQ(**uut().text("victim", 8), "precious");
  EXPECT_FALSE(uut().text("victim", 7).has_value());
  EXPECT_EQ(*uut().text("nothing", 7), std::nullopt);
}

// -- Each way to look names up.

TEST_F(guarded_directory_test, refuses_what_is_mounted_and_does_not_wait_for_it) {
  fill(root / "own" / "file", "text");
  fs::create_directories(root / "own" / "dead");
  const auto status = samples::in_own_mounts([this] {
    const auto own = root / "own";
    if (!samples::bind(own / "victim", own / "file") || !samples::mount_dead(own / "dead"))
      return samples::cannot_mount;
    const auto told = [](const auto& x) {
      return !x && x.error().code == ec::refused
             && x.error().detail.find("is a mount point") != std::string::npos;
    };
    if (!told(guarded_directory::open(root, "own/dead"))
        || !told(guarded_directory::make(root, "own/dead/more")))
      return 1;
    if (!told(uut().read("dead/x")) || !told(uut().read("file")) || !told(uut().text("file", 10)))
      return 2;
    if (uut().has_file("file") || uut().oddity("dead") != "a mount point"
        || !told(uut().extend("file")))
      return 3;
    return !uut().append("file") && !uut().create("dead") && !uut().replace("dead", "x", "y") ? 0
                                                                                              : 4;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(root / "own" / "victim"), "precious");
}

TEST_F(guarded_directory_test, tells_what_has_content_without_asking_what_is_mounted) {
  fill(root / "own" / "full" / "x", "x");
  fill(root / "own" / "empty file", "");
  fs::create_directories(root / "own" / "empty");
  fs::create_directories(root / "own" / "dead");
  fs::create_directory_symlink("full", root / "own" / "link");
  fs::create_symlink("dead/x", root / "own" / "dead link");
  fs::create_symlink("nothing", root / "own" / "loose link");
  const auto status = samples::in_own_mounts([this] {
    if (!samples::mount_dead(root / "own" / "dead"))
      return samples::cannot_mount;
    for (const auto* name : {"full", "victim", "link"}) {
      if (!uut().has_content(name))
        return 1;
    }
    for (const auto* name : {"empty", "empty file", "dead", "dead link", "loose link", "nothing"}) {
      if (uut().has_content(name))
        return 2;
    }
    if (!uut().has_any("dead") || !uut().has_any("loose link") || uut().has_any("nothing"))
      return 3;
    return uut().has_mount_point("dead") && !uut().has_mount_point("full") ? 0 : 4;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

using opener = int (*)(int, const fs::path&, int, ::mode_t);

class beneath_test : public guarded_directory_test, public testing::WithParamInterface<opener> {
protected:
  /// Opens `way` below "own". @returns 0, or errno.
  [[nodiscard]] int open(const fs::path& way) const {
    store::descriptor opened{GetParam()(uut().number(), way, O_RDONLY | O_NONBLOCK, 0)};
    return opened.number() < 0 ? errno : 0;
  }
};

TEST_P(beneath_test, opens_what_is_below) {
  fill(root / "own" / "a" / "b", "text");

  EXPECT_EQ(open("victim"), 0);
  EXPECT_EQ(open("a/b"), 0);
  EXPECT_EQ(open("a"), 0);
  EXPECT_EQ(open(""), 0);
  EXPECT_EQ(open("none"), ENOENT);
  EXPECT_EQ(open("none/b"), ENOENT);
}

TEST_P(beneath_test, does_not_leave_the_directory) {
  fill(root / "elsewhere" / "file", "text");

  EXPECT_NE(open("../elsewhere/file"), 0);
  EXPECT_NE(open(root / "elsewhere" / "file"), 0);
}

TEST_P(beneath_test, follows_no_link) {
  fill(root / "elsewhere" / "file", "text");
  fs::create_directory_symlink(root / "elsewhere", root / "own" / "way");
  fs::create_symlink("victim", root / "own" / "link");

  EXPECT_NE(open("way/file"), 0);
  EXPECT_NE(open("link"), 0);
}

TEST_P(beneath_test, asks_nothing_of_what_is_mounted) {
  fill(root / "elsewhere" / "file", "text");
  fill(root / "own" / "file", "text");
  fs::create_directories(root / "own" / "bound");
  fs::create_directories(root / "own" / "dead");
  const auto status = samples::in_own_mounts([this] {
    const auto own = root / "own";
    if (!samples::bind(root / "elsewhere", own / "bound")
        || !samples::bind(root / "elsewhere" / "file", own / "file")
        || !samples::mount_dead(own / "dead"))
      return samples::cannot_mount;
    for (const auto* way : {"bound", "bound/file", "file", "dead", "dead/file"}) {
      if (open(way) != EXDEV)
        return 1;
    }
    // The guarded directory itself may be a mount point.
    auto inside = guarded_directory::open(own / "bound");
    return inside && inside->has_file("file") ? 0 : 2;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(each, beneath_test,
                         testing::Values(&beneath::open, &beneath::open_name_by_name),
                         [](const auto& x) {
                           return x.param == &beneath::open ? "at_once" : "name_by_name";
                         });

} // namespace
} // namespace tune
