// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/content_store.hpp"

#include "../scratch_directory.hpp"

#include "tune/io/files/sha256.hpp"

#include <sys/stat.h>

#include <optional>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct content_store_test : samples::scratch_directory {
  content_store open() const {
    auto result = content_store::open(root / "deep" / "content");
    EXPECT_TRUE(result) << result.error().detail;
    return *result;
  }
  fs::path incoming() const { return root / "deep" / "content" / "incoming"; }

  static void put(const content_store& to, const std::string& text) {
    auto writer = to.begin(sha256_of(text), text.size());
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(0, text));
    auto done = writer->commit();
    ASSERT_TRUE(done) << done.error().detail;
  }
  static unsigned mode_of(const fs::path& file) {
    struct stat about = {};
    EXPECT_EQ(::stat(file.c_str(), &about), 0);
    return about.st_mode & 07777u;
  }
};

const std::string hello_hash = sha256_of("hello");

TEST_F(content_store_test, keeps_a_content_that_came_in_pieces) {
  auto uut = open();
  EXPECT_FALSE(uut.has(hello_hash, 5));

  auto writer = uut.begin(hello_hash, 5);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(0, "hel"));
  ASSERT_TRUE(writer->append(3, "lo"));
  EXPECT_EQ(writer->written(), 5u);
  EXPECT_FALSE(uut.has(hello_hash, 5));
  ASSERT_TRUE(writer->commit());

  EXPECT_TRUE(uut.has(hello_hash, 5));
  EXPECT_FALSE(uut.has(hello_hash, 6));
  EXPECT_EQ(content(uut.path_of(hello_hash)), "hello");
  EXPECT_EQ(uut.path_of(hello_hash),
            root / "deep" / "content" / hello_hash.substr(0, 2) / hello_hash);
  EXPECT_TRUE(fs::is_empty(incoming()));
}

TEST_F(content_store_test, is_its_owners_alone) {
  auto uut = open();
  put(uut, "hello");

  EXPECT_EQ(mode_of(root / "deep" / "content"), 0700u);
  EXPECT_EQ(mode_of(uut.path_of(hello_hash)), 0444u);
}

TEST_F(content_store_test, keeps_an_empty_content) {
  auto uut = open();

  put(uut, "");

  EXPECT_TRUE(uut.has(sha256_of(""), 0));
}

TEST_F(content_store_test, refuses_bytes_at_another_place) {
  auto writer = open().begin(hello_hash, 5);
  ASSERT_TRUE(writer->append(0, "hel"));

  EXPECT_EQ(writer->append(0, "hel").error().code, ec::protocol);
  EXPECT_EQ(writer->append(4, "o").error().code, ec::protocol);
  EXPECT_EQ(writer->append(3, "lo!").error().code, ec::protocol);
  EXPECT_TRUE(writer->append(3, "lo"));
  EXPECT_TRUE(writer->commit());
}

TEST_F(content_store_test, refuses_to_commit_what_was_not_announced) {
  auto uut = open();
  auto wrong = uut.begin(hello_hash, 5);
  ASSERT_TRUE(wrong->append(0, "hellO"));
  auto half = uut.begin(hello_hash, 5);
  ASSERT_TRUE(half->append(0, "hel"));

  EXPECT_EQ(wrong->commit().error().code, ec::protocol);
  EXPECT_EQ(half->commit().error().code, ec::protocol);

  EXPECT_FALSE(uut.has(hello_hash, 5));
}

TEST_F(content_store_test, removes_what_is_not_committed) {
  {
    auto writer = open().begin(hello_hash, 5);
    ASSERT_TRUE(writer->append(0, "hel"));
    EXPECT_FALSE(fs::is_empty(incoming()));
  }

  EXPECT_TRUE(fs::is_empty(incoming()));
}

TEST_F(content_store_test, refuses_names_that_are_no_hash) {
  auto uut = open();

  EXPECT_EQ(uut.begin("../../etc/passwd", 1).error().code, ec::protocol);
  EXPECT_FALSE(uut.has("", 0));
  EXPECT_EQ(uut.verify("../x").error().code, ec::protocol);
}

TEST_F(content_store_test, sweeps_what_a_crash_left) {
  open();
  fill(incoming() / "aB3xYz", "half");

  auto uut = open();

  EXPECT_TRUE(fs::is_empty(incoming()));
}

TEST_F(content_store_test, leaves_alone_what_another_writes) {
  auto first = open();
  auto writer = first.begin(hello_hash, 5);
  ASSERT_TRUE(writer->append(0, "hel"));

  auto second = open();
  put(second, "hello");
  ASSERT_TRUE(writer->append(3, "lo"));

  EXPECT_TRUE(writer->commit());
  EXPECT_TRUE(first.has(hello_hash, 5));
  EXPECT_TRUE(second.verify(hello_hash));
  EXPECT_TRUE(fs::is_empty(incoming()));
}

TEST_F(content_store_test, finds_spoilt_content_when_asked_to) {
  auto uut = open();
  put(uut, "hello");
  EXPECT_TRUE(uut.verify(hello_hash));
  fs::permissions(uut.path_of(hello_hash), fs::perms::owner_all);
  fill(uut.path_of(hello_hash), "hellO");
  EXPECT_TRUE(uut.has(hello_hash, 5)); // by size only

  EXPECT_EQ(uut.verify(hello_hash).error().code, ec::storage);

  EXPECT_FALSE(uut.has(hello_hash, 5));
  EXPECT_EQ(uut.verify(hello_hash).error().code, ec::unreadable);
}

TEST_F(content_store_test, removes_what_was_of_no_use_for_longest) {
  auto uut = open();
  const auto now = fs::file_time_type::clock::now();
  int age = 0;
  for (auto text : {"one", "two", "three", "four"}) {
    put(uut, text);
    fs::last_write_time(uut.path_of(sha256_of(text)), now - std::chrono::hours{age++});
  }
  fill(incoming() / "other", "not a content");

  EXPECT_EQ(uut.shrink(100), 0u);
  EXPECT_EQ(uut.shrink(8), 9u);

  EXPECT_TRUE(uut.has(sha256_of("one"), 3));
  EXPECT_TRUE(uut.has(sha256_of("two"), 3));
  EXPECT_FALSE(uut.has(sha256_of("three"), 5));
  EXPECT_FALSE(uut.has(sha256_of("four"), 4));
  EXPECT_EQ(uut.shrink(0), 6u);
  EXPECT_EQ(content(incoming() / "other"), "not a content");
}

TEST_F(content_store_test, takes_a_content_that_is_copied_for_used) {
  auto uut = open();
  const auto now = fs::file_time_type::clock::now();
  for (auto text : {"old", "new"})
    put(uut, text);
  fs::last_write_time(uut.path_of(sha256_of("old")), now - std::chrono::hours{48});
  fs::last_write_time(uut.path_of(sha256_of("new")), now - std::chrono::hours{24});

  ASSERT_TRUE(uut.link_tree({{{"x", 0, 3, sha256_of("old")}}}, root / "deep" / "tree"));
  uut.shrink(3);

  EXPECT_TRUE(uut.has(sha256_of("old"), 3));
  EXPECT_FALSE(uut.has(sha256_of("new"), 3));
}

TEST_F(content_store_test, fails_where_it_cannot_be_made) {
  fill(root / "file", "x");

  EXPECT_EQ(content_store::open(root / "file" / "content").error().code, ec::storage);
}

TEST_F(content_store_test, is_made_anew_where_somebody_removed_it) {
  auto uut = open();
  put(uut, "hello");
  fs::remove_all(root / "deep" / "content");

  EXPECT_FALSE(uut.has(hello_hash, 5));
  put(uut, "hello");

  EXPECT_EQ(content(uut.path_of(hello_hash)), "hello");
}

} // namespace
} // namespace tune
