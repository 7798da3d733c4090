// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/gather_exports.hpp"

#include "../scratch_directory.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct gather_exports_test : samples::scratch_directory {
  exported_files what{{},
                      "trials/00007/attempt_2_5/checkpoint_export.tmp",
                      "trials/00007/attempt_2_5/checkpoint_000003.tmp",
                      {"onnx", "text"}};

  void SetUp() override {
    scratch_directory::SetUp();
    what.experiment = root;
  }

  void write(const fs::path& name) const {
    const auto file = root / what.from / name;
    fs::create_directories(file.parent_path());
    std::ofstream{file} << name.string();
  }
  [[nodiscard]] bool has_draft() const { return fs::exists(root / what.draft); }
  [[nodiscard]] bool has_exported() const { return fs::exists(root / what.from); }
};

TEST_F(gather_exports_test, makes_a_draft_of_files_and_directories) {
  write("onnx");
  write("text/weights");

  auto all = gather_exports(what);

  EXPECT_TRUE(all.is_draft);
  EXPECT_THAT(all.failed, IsEmpty());
  EXPECT_TRUE(fs::is_regular_file(root / what.draft / "onnx"));
  EXPECT_TRUE(fs::is_regular_file(root / what.draft / "text" / "weights"));
  EXPECT_FALSE(has_exported());
}

TEST_F(gather_exports_test, tells_what_was_not_written_and_keeps_the_rest) {
  write("text/weights");
  fs::create_directories(root / what.from / "onnx");

  auto all = gather_exports(what);

  EXPECT_TRUE(all.is_draft);
  EXPECT_THAT(all.failed, ElementsAre(Pair("onnx", "nothing was written")));
}

TEST_F(gather_exports_test, keeps_nothing_of_what_counts_as_failed) {
  write("onnx");
  write("text/weights");
  what.failed = {{"onnx", "it was cut short"}, {"unasked", "the program says so"}};

  auto all = gather_exports(what);

  EXPECT_TRUE(all.is_draft);
  EXPECT_EQ(all.failed, what.failed);
  EXPECT_FALSE(fs::exists(root / what.draft / "onnx"));
  EXPECT_TRUE(fs::exists(root / what.draft / "text" / "weights"));
}

TEST_F(gather_exports_test, makes_no_draft_of_nothing) {
  write("left over");

  auto all = gather_exports(what);

  EXPECT_FALSE(all.is_draft);
  EXPECT_THAT(all.failed, ElementsAre(Pair("onnx", "nothing was written"),
                                      Pair("text", "nothing was written")));
  EXPECT_FALSE(has_draft());
  EXPECT_FALSE(has_exported());
}

TEST_F(gather_exports_test, says_of_all_that_a_link_is_in_the_way) {
  fs::create_directories(root / "elsewhere" / "onnx");
  fs::create_directories((root / what.from).parent_path());
  fs::create_directory_symlink(root / "elsewhere", root / what.from);

  auto all = gather_exports(what);

  EXPECT_FALSE(all.is_draft);
  ASSERT_EQ(all.failed.size(), 2u);
  EXPECT_THAT(all.failed["onnx"], HasSubstr("link"));
  EXPECT_TRUE(fs::exists(root / "elsewhere" / "onnx"));
}

} // namespace
} // namespace tune
