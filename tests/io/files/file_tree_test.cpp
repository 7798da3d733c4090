// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/content_store.hpp"

#include "../scratch_directory.hpp"

#include "tune/io/files/sha256.hpp"

#include <sys/stat.h>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct file_tree_test : samples::scratch_directory {
  content_store open() {
    auto result = content_store::open(root / "content");
    EXPECT_TRUE(result);
    return *result;
  }
  /// Puts a text into the store. @returns its entry in a manifest.
  shipped_file put(const content_store& to, const std::string& path, const std::string& text,
                   std::uint32_t mode = 0) {
    shipped_file result{path, mode, text.size(), sha256_of(text)};
    auto writer = to.begin(result.hash, result.size);
    EXPECT_TRUE(writer && writer->append(0, text) && writer->commit());
    return result;
  }
  static bool is_executable(const fs::path& file) {
    return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
  }
  /// Simulates a restart of the machine.
  void forget_boot() const { fs::remove(root / "files.complete"); }

  fs::path files() const { return root / "files"; }
};

TEST_F(file_tree_test, holds_the_files_of_the_manifest) {
  auto store = open();
  const std::string large(3'000'000, 'x');
  file_manifest what{
      {put(store, "a/b/c", "one"), put(store, "a/d", "two", 0111), put(store, "e", large)}};

  auto done = store.link_tree(what, files());

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(content(files() / "a" / "b" / "c"), "one");
  EXPECT_EQ(content(files() / "a" / "d"), "two");
  EXPECT_EQ(content(files() / "e"), large);
  EXPECT_TRUE(is_executable(files() / "a" / "d"));
  EXPECT_FALSE(is_executable(files() / "e"));
  EXPECT_TRUE(fs::is_empty(root / "content" / "incoming"));
}

TEST_F(file_tree_test, may_be_empty) {
  auto store = open();

  ASSERT_TRUE(store.link_tree({}, files()));

  EXPECT_TRUE(fs::is_empty(files()));
}

TEST_F(file_tree_test, gives_one_content_to_many_paths) {
  auto store = open();
  auto one = put(store, "a", "same", 0111);
  file_manifest what{{one, {"b", 0, one.size, one.hash}}};

  ASSERT_TRUE(store.link_tree(what, files()));

  EXPECT_EQ(content(files() / "b"), "same");
  EXPECT_TRUE(is_executable(files() / "a"));
  EXPECT_FALSE(is_executable(files() / "b"));
}

TEST_F(file_tree_test, lets_no_program_spoil_the_store_or_another_job) {
  auto store = open();
  file_manifest what{
      {put(store, "small", "text"), put(store, "large", std::string(2'000'000, 'x'))}};
  ASSERT_TRUE(store.link_tree(what, files()));
  ASSERT_TRUE(store.link_tree(what, root / "other"));

  for (auto name : {"small", "large"})
    std::ofstream{files() / name, std::ios::binary | std::ios::in} << "!!";

  EXPECT_EQ(content(files() / "small"), "!!xt");
  EXPECT_EQ(content(root / "other" / "small"), "text");
  for (const auto& file : what.files)
    EXPECT_TRUE(store.verify(file.hash)) << file.path;
}

TEST_F(file_tree_test, completes_a_tree_and_leaves_the_rest_alone) {
  auto store = open();
  file_manifest what{{put(store, "a", "one"), put(store, "d/b", "two", 0111)}};
  ASSERT_TRUE(store.link_tree(what, files()));
  fill(files() / "cache", "beside");
  fs::remove(files() / "a");
  fill(files() / "d" / "b", "shorter or longer");

  ASSERT_TRUE(store.link_tree(what, files()));

  EXPECT_EQ(content(files() / "a"), "one");
  EXPECT_EQ(content(files() / "d" / "b"), "two");
  EXPECT_TRUE(is_executable(files() / "d" / "b"));
  EXPECT_EQ(content(files() / "cache"), "beside");
}

TEST_F(file_tree_test, keeps_what_is_right) {
  auto store = open();
  file_manifest what{{put(store, "a", "one")}};
  ASSERT_TRUE(store.link_tree(what, files()));
  struct stat before = {};
  ASSERT_EQ(::stat((files() / "a").c_str(), &before), 0);

  ASSERT_TRUE(store.link_tree(what, files()));
  forget_boot();
  ASSERT_TRUE(store.link_tree(what, files()));

  struct stat after = {};
  ASSERT_EQ(::stat((files() / "a").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(file_tree_test, compares_contents_after_a_start_of_the_machine) {
  auto store = open();
  file_manifest what{{put(store, "a", "one")}};
  ASSERT_TRUE(store.link_tree(what, files()));
  fill(files() / "a", std::string(3, '\0')); // as a power failure leaves it
  forget_boot();

  ASSERT_TRUE(store.link_tree(what, files()));

  EXPECT_EQ(content(files() / "a"), "one");
}

TEST_F(file_tree_test, does_not_write_through_links) {
  auto store = open();
  file_manifest what{{put(store, "a", "new"), put(store, "d/b", "two")}};
  fill(root / "victim", "old");
  fs::create_directories(files());
  fs::create_symlink("../victim", files() / "a");

  fs::create_directories(root / "elsewhere");
  fs::create_directory_symlink("../elsewhere", files() / "d");
  auto uut = store.link_tree(what, files());

  EXPECT_EQ(content(root / "victim"), "old");
  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_TRUE(fs::is_empty(root / "elsewhere"));
  fs::remove(files() / "d");
  ASSERT_TRUE(store.link_tree(what, files()));
  EXPECT_EQ(content(files() / "a"), "new");
  EXPECT_FALSE(fs::is_symlink(files() / "a"));
}

TEST_F(file_tree_test, fails_without_a_content) {
  auto store = open();
  auto there = put(store, "a", "one");

  auto missing = store.link_tree({{{"b", 0, 1, sha256_of("?")}}}, files());
  there.size = 4;
  auto shorter = store.link_tree({{there}}, files());

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ec::storage);
  ASSERT_FALSE(shorter);
  EXPECT_EQ(shorter.error().code, ec::storage);
  EXPECT_FALSE(fs::exists(files() / "a"));
}

} // namespace
} // namespace tune
