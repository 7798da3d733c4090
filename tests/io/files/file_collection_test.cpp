// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/file_collection.hpp"

#include "../scratch_directory.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct file_collection_test : samples::scratch_directory {
  using strings = std::vector<std::string>;

  void SetUp() override {
    samples::scratch_directory::SetUp();
    for (auto name : {"lab/config/x.ini", "lab/config/own.py", "lab/config/deep/er.py",
                      "lab/data/a.csv", "lab/data/b.csv", "lab/python/help.py", "other/secret"})
      fill(root / name, name);
  }

  fs::path config() const { return root / "lab" / "config"; }
  static expected<file_collection> collect(const fs::path& base, const strings& patterns) {
    std::vector<declared_file> declared;
    for (const auto& x : patterns)
      declared.push_back({"files", x});
    return collect_files(base, declared);
  }
  static strings paths(const file_collection& x) {
    strings result;
    for (const auto& file : x.manifest.files)
      result.push_back(file.path);
    return result;
  }
  /// Expects a refusal that names the pattern as it was written.
  std::string refusal(const std::string& pattern) const {
    auto uut = collect(config(), {"own.py", pattern});
    EXPECT_FALSE(uut) << pattern;
    if (uut)
      return {};
    EXPECT_EQ(uut.error().code, ec::bad_option);
    EXPECT_THAT(uut.error().detail, HasSubstr("files: \"" + pattern + "\": "));
    return uut.error().detail;
  }
};

TEST_F(file_collection_test, stays_below_its_base_where_that_is_enough) {
  auto uut = collect(config(), {"own.py", "./deep"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->root, fs::canonical(config()));
  EXPECT_EQ(uut->base, "");
  EXPECT_THAT(paths(*uut), ElementsAre("deep/er.py", "own.py"));
}

TEST_F(file_collection_test, begins_at_the_nearest_parent_of_all_files) {
  auto uut = collect(config(), {"../data/a.csv", "own.py", "./../python"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->root, fs::canonical(root / "lab"));
  EXPECT_EQ(uut->base, "config");
  EXPECT_THAT(paths(*uut), ElementsAre("config/own.py", "data/a.csv", "python/help.py"));
}

TEST_F(file_collection_test, climbs_as_often_as_one_pattern_wants) {
  auto uut = collect(config() / "deep", {"er.py", "../own.py", "../../data/*.csv"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "config/deep");
  EXPECT_THAT(paths(*uut),
              ElementsAre("config/deep/er.py", "config/own.py", "data/a.csv", "data/b.csv"));
}

TEST_F(file_collection_test, keeps_its_base_even_if_nothing_lies_there) {
  auto uut = collect(config(), {"../data/a.csv"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "config");
  EXPECT_THAT(paths(*uut), ElementsAre("data/a.csv"));
}

TEST_F(file_collection_test, takes_a_parent_as_a_directory) {
  auto uut = collect(config(), {".."});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "config");
  EXPECT_EQ(paths(*uut).size(), 6u);
}

TEST_F(file_collection_test, lets_a_way_down_again_stand_where_it_leads) {
  auto uut = collect(config(), {"../config/own.py"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "config");
  EXPECT_THAT(paths(*uut), ElementsAre("config/own.py"));
}

TEST_F(file_collection_test, takes_names_of_directories_literally) {
  auto odd = root / "lab" / "a[1]*\\";
  fill(odd / "own.py", "x");
  fill(root / "lab" / "a1" / "own.py", "y");

  auto uut = collect(odd, {"own.py", "../data/a.csv"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "a[1]*\\");
  EXPECT_THAT(paths(*uut), ElementsAre("a[1]*\\/own.py", "data/a.csv"));
}

TEST_F(file_collection_test, goes_up_from_where_a_link_leads) {
  fs::create_directory_symlink("lab/config", root / "shortcut");

  auto uut = collect(root / "shortcut", {"../data/a.csv"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "config");
  EXPECT_THAT(paths(*uut), ElementsAre("data/a.csv"));
}

TEST_F(file_collection_test, is_content_with_nothing) {
  auto uut = collect(config(), {});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->base, "");
  EXPECT_THAT(paths(*uut), IsEmpty());
}

TEST_F(file_collection_test, tells_how_an_absolute_path_is_written) {
  auto file = (fs::canonical(root) / "lab/data/a.csv").string();

  EXPECT_THAT(refusal(file), AllOf(HasSubstr("absolute"), HasSubstr("it is \"../data/a.csv\"")));
}

TEST_F(file_collection_test, refuses_to_ship_from_the_root_of_the_file_system) {
  std::string up;
  for (const auto& part : fs::canonical(config()).relative_path())
    up += part.empty() ? "" : "../";

  EXPECT_THAT(refusal(up + "etc/hostname"), HasSubstr("root of the file system"));
  EXPECT_THAT(refusal(up + "../../x"), HasSubstr("root of the file system"));
}

TEST_F(file_collection_test, refuses_to_climb_behind_a_name) {
  EXPECT_THAT(refusal("deep/../own.py"), HasSubstr("behind a name"));
  EXPECT_THAT(refusal("../*/../own.py"), HasSubstr("behind a name"));
}

TEST_F(file_collection_test, refuses_links_that_lead_out_of_what_is_shipped) {
  fs::create_symlink(root / "other" / "secret", root / "lab" / "data" / "link");

  EXPECT_THAT(refusal("../data/link"),
              AllOf(HasSubstr("leads out of"), HasSubstr("secret"), HasSubstr("copy")));
}

TEST_F(file_collection_test, ships_links_to_what_lies_beside) {
  fs::create_symlink("../data/a.csv", config() / "link");

  refusal("link");
  auto uut = collect(config(), {"link", "../data/b.csv"});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_THAT(paths(*uut), ElementsAre("config/link", "data/b.csv"));
}

TEST_F(file_collection_test, names_the_key_and_the_pattern_that_matches_nothing) {
  auto uut = collect_files(config(), std::vector<declared_file>{{"path", "../nowhere/x.csv"}});

  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail,
              AllOf(HasSubstr("path: \"../nowhere/x.csv\": "), HasSubstr("matches no file")));
  EXPECT_THAT(refusal(""), Not(IsEmpty()));
}

} // namespace
} // namespace tune
