/// A process service for the tests' fake trainable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/processes.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace tune {

struct process_fixture : testing::Test {
  std::unique_ptr<process_service> uut;
  support::scratch_directory scratch;
  std::shared_ptr<support::recorder> heard = std::make_shared<support::recorder>();
  std::string tag
      = support::unique_tag(testing::UnitTest::GetInstance()->current_test_info()->name());

  void SetUp() override {
    auto started = process_service::start(with_fake_guard());
    ASSERT_TRUE(started) << started.error().detail;
    uut = std::move(*started);
  }

  void TearDown() override {
    uut.reset();
    EXPECT_EQ(support::count_tagged(tag), 0u) << "left behind";
  }

  static process_service_options with_fake_guard() {
    process_service_options result;
    result.guard_program = TUNE_FAKE_TRAINABLE;
    return result;
  }

  process_order order(std::vector<std::string> script) const {
    process_order result;
    result.argv = {TUNE_FAKE_TRAINABLE};
    result.argv.insert(result.argv.end(), script.begin(), script.end());
    result.env = environment_with({});
    result.directory = scratch.path();
    result.stdout_file = scratch.path() / "stdout";
    result.stderr_file = scratch.path() / "stderr";
    result.stdout_lines = true;
    result.tag = tag;
    return result;
  }

  exit_info run(std::vector<std::string> script) { return run(order(std::move(script))); }
  exit_info run(process_order what) {
    uut->launch(std::move(what), heard);
    return heard->wait_exit();
  }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file{scratch.path() / name, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
};

} // namespace tune
