// The log of a standing process: lines of JSON without secrets.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/service_log.hpp"

#include "io/scratch_directory.hpp"
#include "tune/core/value.hpp"
#include "tune/io/json.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace tune {
namespace {

class service_log_test : public samples::scratch_directory {
protected:
  std::vector<std::string> lines(const std::string& name) const {
    std::vector<std::string> result;
    std::ifstream from{root / name};
    for (std::string line; std::getline(from, line);)
      result.push_back(line);
    return result;
  }
};

TEST_F(service_log_test, writes_one_object_in_each_line) {
  {
    auto uut = service_log::open({root / "logs/head.jsonl", "head"});
    ASSERT_TRUE(uut) << uut.error().detail;
    (*uut)->write("worker w1\njoined", std::chrono::system_clock::time_point{
                                           std::chrono::milliseconds{1'769'860'800'123}});
    (*uut)->write("\x1b[31mred");
  }
  const auto found = lines("logs/head.jsonl");
  ASSERT_EQ(found.size(), 2u);
  const auto first = object_from_json(found[0]);
  ASSERT_TRUE(first) << found[0];
  EXPECT_EQ(to_text(*first->find("time")), "2026-01-31T12:00:00.123Z");
  EXPECT_EQ(to_text(*first->find("who")), "head");
  EXPECT_EQ(to_text(*first->find("level")), "info");
  EXPECT_EQ(found[1].find('\x1b'), std::string::npos);
  EXPECT_TRUE(object_from_json(found[1]));
}

TEST_F(service_log_test, keeps_a_few_files_only) {
  {
    auto uut = service_log::open({root / "w.jsonl", "worker", {}, 2000, 2});
    ASSERT_TRUE(uut);
    for (auto i = 0; i < 100; ++i)
      (*uut)->write(std::string(100, 'x'));
  }
  EXPECT_TRUE(std::filesystem::exists(root / "w.1.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(root / "w.2.jsonl"));
  EXPECT_LE(std::filesystem::file_size(root / "w.jsonl"), 2000u);
}

TEST_F(service_log_test, names_the_option_where_there_can_be_no_file) {
  std::filesystem::create_directories(root / "taken");
  auto uut = service_log::open({root / "taken", "head"});
  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_NE(uut.error().detail.find("--log-file"), std::string::npos);
}

TEST(fit_for_log, shows_no_secrets) {
  const std::string token(64, 'a');
  EXPECT_EQ(fit_for_log("its page: http://localhost:7780/#token=" + token),
            "its page: http://localhost:7780/#token=(not shown)");
  EXPECT_EQ(fit_for_log("Authorization: Bearer abc.def, and more"),
            "Authorization: Bearer (not shown), and more");
  EXPECT_EQ(fit_for_log("API_KEY=hunter2 started"), "API_KEY=(not shown) started");
  EXPECT_EQ(fit_for_log("{\"aws-secret\": \"hunter2\"}"), "{\"aws-secret\": \"(not shown)\"}");
  EXPECT_EQ(fit_for_log("Db_Password: hunter2"), "Db_Password: (not shown)");
  EXPECT_EQ(fit_for_log("hash " + token), "hash (not shown)");
}

TEST(fit_for_log, leaves_everything_else) {
  for (const auto* text : {"experiment digits ended: done, 20 trials", "lr=0.01 momentum=0.9",
                           "a token of thanks", "max_tokens=512", "http://localhost:7780/", ""})
    EXPECT_EQ(fit_for_log(text), text);
  EXPECT_EQ(fit_for_log(std::string(5000, 'x')).size(), 4003u);
}

} // namespace
} // namespace tune
