/// A head's directory and a worker's, for tests of shipping.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/wire.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <vector>

namespace tune::support {

/// Two directories, removed at the end of the object's life.
class files_on_disk {
public:
  files_on_disk() {
    auto name = (std::filesystem::temp_directory_path() / "tune_net_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    std::filesystem::create_directories(head());
  }
  files_on_disk(const files_on_disk&) = delete;
  files_on_disk& operator=(const files_on_disk&) = delete;
  ~files_on_disk() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::filesystem::path head() const { return root_ / "head"; }
  std::filesystem::path worker() const { return root_ / "worker"; }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((head() / path).parent_path());
    std::ofstream{head() / path, std::ios::binary} << text;
  }
  static std::string content(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  std::string shipped(const std::string& job, const std::string& path) const {
    return content(worker() / "jobs" / job / "files" / path);
  }
  /// An offer of a job with the head's files that match `patterns`.
  job_offer offer(const std::string& job, const std::vector<std::string>& patterns) const {
    auto manifest = make_manifest(head(), patterns);
    EXPECT_TRUE(manifest) << manifest.error().detail;
    return {job, "record of " + job, manifest ? *manifest : file_manifest{}, head()};
  }

private:
  std::filesystem::path root_;
};

} // namespace tune::support
