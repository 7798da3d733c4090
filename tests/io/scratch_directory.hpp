/// A fixture with a directory for each test, removed afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdlib.h>
#include <string>

namespace tune::samples {

class scratch_directory : public testing::Test {
protected:
  void SetUp() override {
    auto name = (std::filesystem::temp_directory_path() / "tune_io_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  static std::string content(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  static void fill(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
  }

  std::filesystem::path root;
};

} // namespace tune::samples
