// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/file_manifest.hpp"

#include "../scratch_directory.hpp"

#include "tune/io/files/reading_rules.hpp"
#include "tune/io/files/sha256.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct file_manifest_test : samples::scratch_directory {
  using strings = std::vector<std::string>;

  expected<file_manifest> find(const strings& patterns) const {
    return make_manifest(root, patterns);
  }
  strings paths(const strings& patterns) const {
    auto found = find(patterns);
    EXPECT_TRUE(found) << found.error().detail;
    strings result;
    if (found)
      for (const auto& x : found->files)
        result.push_back(x.path);
    return result;
  }
  /// Expects a refusal that names the pattern.
  std::string refusal(const std::string& pattern, ec code = ec::bad_option) const {
    auto found = find({pattern});
    EXPECT_FALSE(found) << pattern;
    if (found)
      return {};
    EXPECT_EQ(found.error().code, code);
    EXPECT_THAT(found.error().detail, HasSubstr("\"" + pattern + "\""));
    return found.error().detail;
  }
};

TEST_F(file_manifest_test, lists_a_file_with_size_and_hash) {
  fill(root / "train.py", "print(1)");

  auto uut = find({"train.py"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_THAT(uut->files, ElementsAre(shipped_file{"train.py", 0, 8, sha256_of("print(1)")}));
  EXPECT_EQ(uut->bytes(), 8u);
}

TEST_F(file_manifest_test, keeps_of_the_mode_what_makes_a_program) {
  fill(root / "run.sh", "#!/bin/sh");
  fill(root / "secret", "x");
  ASSERT_EQ(::chmod((root / "run.sh").c_str(), 04750), 0);
  ASSERT_EQ(::chmod((root / "secret").c_str(), 0600), 0);

  auto uut = find({"run.sh", "secret"});

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->files[0].mode, 0110u);
  EXPECT_EQ(uut->files[1].mode, 0u);
}

TEST_F(file_manifest_test, expands_patterns_in_any_part_of_a_path) {
  for (auto name : {"data/a/x.csv", "data/b/x.csv", "data/b/y.txt", "data/c9/x.csv", "other/x.csv"})
    fill(root / name, name);

  EXPECT_THAT(paths({"data/*/x.csv"}),
              ElementsAre("data/a/x.csv", "data/b/x.csv", "data/c9/x.csv"));
  EXPECT_THAT(paths({"data/?/*"}), ElementsAre("data/a/x.csv", "data/b/x.csv", "data/b/y.txt"));
  EXPECT_THAT(paths({"*/[b-c]*/x.csv"}), ElementsAre("data/b/x.csv", "data/c9/x.csv"));
  EXPECT_THAT(paths({"./other//x.csv"}), ElementsAre("other/x.csv"));
}

TEST_F(file_manifest_test, takes_a_character_literally_after_a_backslash) {
  fill(root / "a[1].csv", "1");
  fill(root / "a1.csv", "2");

  EXPECT_THAT(paths({"a\\[1].csv"}), ElementsAre("a[1].csv"));
  EXPECT_THAT(paths({"a[1].csv"}), ElementsAre("a1.csv"));
}

TEST_F(file_manifest_test, takes_all_below_a_directory) {
  for (auto name : {"pack/a.py", "pack/deep/er/b.py", "pack/z.py", "beside.py"})
    fill(root / name, name);
  fs::create_directories(root / "pack" / "empty");

  EXPECT_THAT(paths({"pack"}), ElementsAre("pack/a.py", "pack/deep/er/b.py", "pack/z.py"));
  EXPECT_THAT(paths({"pack/"}), ElementsAre("pack/a.py", "pack/deep/er/b.py", "pack/z.py"));
  EXPECT_THAT(paths({"."}),
              ElementsAre("beside.py", "pack/a.py", "pack/deep/er/b.py", "pack/z.py"));
}

TEST_F(file_manifest_test, takes_hidden_files_only_if_they_are_named) {
  for (auto name : {"p/.env", "p/.git/config", "p/a", ".top"})
    fill(root / name, name);

  EXPECT_THAT(paths({"p"}), ElementsAre("p/a"));
  EXPECT_THAT(paths({"p/*"}), ElementsAre("p/a"));
  EXPECT_THAT(paths({"p/.env"}), ElementsAre("p/.env"));
  EXPECT_THAT(paths({"p/.git"}), ElementsAre("p/.git/config"));
  EXPECT_THAT(paths({".t*"}), ElementsAre(".top"));
}

TEST_F(file_manifest_test, is_the_same_for_any_order_of_patterns) {
  for (auto name : {"a", "a-b", "b/c", "b.d"})
    fill(root / name, name);

  auto one = find({"*", "b/c", "a"});
  auto two = find({"a", "b/*", "*"});

  ASSERT_TRUE(one && two);
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->files.size(), 4u);
}

TEST_F(file_manifest_test, ships_links_within_as_their_content) {
  fill(root / "real" / "x", "content");
  fs::create_symlink("real/x", root / "link");

  auto uut = find({"link"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_THAT(uut->files, ElementsAre(shipped_file{"link", 0, 7, sha256_of("content")}));
}

TEST_F(file_manifest_test, refuses_links_that_lead_elsewhere) {
  fill(root / "in" / "x", "x");
  fill(root / "out" / "secret", "s");
  fs::create_symlink("../out/secret", root / "in" / "escape");
  fs::create_symlink("nowhere", root / "in" / "dangling");
  fs::create_directory_symlink("../out", root / "in" / "dir");
  root /= "in";

  EXPECT_THAT(refusal("escape"), HasSubstr("leads out of"));
  EXPECT_THAT(refusal("dangling"), HasSubstr("nothing"));
  EXPECT_THAT(refusal("dir"), HasSubstr("link"));
  EXPECT_THAT(refusal("dir/secret"), HasSubstr("link to a directory"));
  EXPECT_THAT(refusal("*/secret"), HasSubstr("link to a directory"));
  refusal(".");
  root = root.parent_path();
}

TEST_F(file_manifest_test, finds_its_root_through_a_link) {
  fill(root / "real" / "x", "x");
  fill(root / "real" / "y", "y");
  fs::create_symlink("y", root / "real" / "z");
  fs::create_directory_symlink("real", root / "project");

  auto uut = make_manifest(root / "project", std::vector<std::string>{"x", "z"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->files.size(), 2u);
}

TEST_F(file_manifest_test, refuses_paths_that_lead_out) {
  fill(root / "x", "x");

  EXPECT_THAT(refusal("/etc/passwd"), HasSubstr("absolute"));
  refusal("../x");
  refusal("x/..");
  refusal("");
}

TEST_F(file_manifest_test, names_the_pattern_that_matches_nothing) {
  fill(root / "x", "x");
  fs::create_directories(root / "empty");

  EXPECT_THAT(refusal("y"), HasSubstr("matches no file"));
  refusal("*.csv");
  refusal("x/y");
  refusal("empty");
  EXPECT_THAT(find({"x", "*.csv", "y"}).error().detail, HasSubstr("\"*.csv\""));
}

TEST_F(file_manifest_test, is_content_with_a_pattern_that_finds_what_another_found) {
  fill(root / "x", "x");

  EXPECT_THAT(paths({"x", "*", "?"}), ElementsAre("x"));
  EXPECT_TRUE(paths({}).empty());
}

TEST_F(file_manifest_test, refuses_what_is_no_file) {
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);

  EXPECT_THAT(refusal("pipe"), HasSubstr("neither a file nor a directory"));
  refusal("*");
}

TEST_F(file_manifest_test, refuses_names_that_json_cannot_carry) {
  fill(root / "bad\xFFname", "x");

  EXPECT_THAT(refusal("bad*"), HasSubstr("UTF-8"));
}

TEST_F(file_manifest_test, tells_what_cannot_be_read) {
  fill(root / "closed" / "x", "x");
  ASSERT_EQ(::chmod((root / "closed" / "x").c_str(), 0), 0);
  // Root reads everything, so the test becomes another user for a moment.
  auto is_root = ::geteuid() == 0;
  constexpr uid_t nobody = 65534;
  if (is_root) {
    ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
    ASSERT_EQ(::seteuid(nobody), 0);
  }

  refusal("closed/x", ec::unreadable);

  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

TEST_F(file_manifest_test, refuses_a_path_beyond_its_limit) {
  auto directory = root;
  auto before = fs::current_path();
  // The path is longer than one call accepts.
  fs::current_path(root);
  for (int i = 0; i < 21; ++i) {
    fs::create_directory(std::string(200, 'd'));
    fs::current_path(std::string(200, 'd'));
  }
  std::ofstream{"x"} << "x";
  fs::current_path(before);

  auto uut = find({"ddd*"});

  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail, HasSubstr("\"ddd*\""));
}

TEST_F(file_manifest_test, fails_without_its_root) {
  auto uut = make_manifest(root / "missing", std::vector<std::string>{"x"});

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::unreadable);
}

// -- Very large files.

struct large_files_test : file_manifest_test {
  expected<file_manifest> find(const strings& patterns, const reading_rules& how) const {
    std::vector<named_pattern> named;
    for (const auto& x : patterns)
      named.push_back({x, "files: \"" + x + '"'});
    return make_manifest(root, named, how);
  }
};

TEST_F(large_files_test, are_refused_beyond_the_limit_unread_and_the_largest_is_named) {
  fill(root / "a", std::string(600, 'a'));
  fill(root / "data/b", std::string(1500, 'b'));
  // The progress callback would be called if anything were read.
  auto asked = 0;
  reading_rules how{2048, "max_files_size", [&](const reading_progress&) {
                      ++asked;
                      return true;
                    }};

  auto uut = find({"a", "data"}, how);

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::bad_option);
  EXPECT_EQ(uut.error().detail,
            "files: \"data\": " + (root / "data/b").string()
                + " has 1.5 KiB, and all 2 files together 2.1 KiB, more than 2 KiB, which is "
                  "max_files_size: raise it (0 = no limit), or keep large data where all machines "
                  "find it");
  EXPECT_EQ(asked, 0);
}

TEST_F(large_files_test, are_taken_up_to_the_limit_and_all_where_there_is_none) {
  fill(root / "a", std::string(600, 'a'));
  fill(root / "b", std::string(1500, 'b'));

  EXPECT_TRUE(find({"a", "b"}, {2100, "max_files_size", {}}));
  EXPECT_TRUE(find({"a", "b"}, {0, "max_files_size", {}}));
  EXPECT_FALSE(find({"a", "b"}, {2099, "max_files_size", {}}));
}

TEST_F(large_files_test, are_given_up_between_two_pieces_and_tell_how_far_they_were) {
  constexpr auto size = std::uint64_t{1} << 40;
  fill(root / "a", "small");
  fill(root / "huge", "");
  fs::resize_file(root / "huge", size);
  fs::path file;
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  reading_rules how{0, "", [&](const reading_progress& x) {
                      file = x.file;
                      done = x.done;
                      all = x.all;
                      return false;
                    }};

  auto uut = find({"a", "huge"}, how);

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::refused);
  EXPECT_THAT(uut.error().detail, HasSubstr("huge"));
  EXPECT_EQ(file, fs::canonical(root / "huge"));
  EXPECT_EQ(all, size + 5);
  EXPECT_GT(done, 5u);
  EXPECT_LT(done, size);
}

TEST_F(large_files_test, are_not_read_on_where_they_grow_beyond_the_limit) {
  fill(root / "log", "");
  fs::resize_file(root / "log", std::uint64_t{1} << 30);
  // The file is measured, and then grows.
  reading_rules how{(std::uint64_t{1} << 30) + 10, "max_files_size", [&](const reading_progress&) {
                      fs::resize_file(root / "log", std::uint64_t{1} << 40);
                      return true;
                    }};

  auto uut = find({"log"}, how);

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::bad_option);
  EXPECT_THAT(uut.error().detail, HasSubstr("log grows while it is read"));
  EXPECT_THAT(uut.error().detail, HasSubstr("max_files_size"));
}

} // namespace
} // namespace tune
