// SPDX-License-Identifier: BSD-3-Clause
#include "launch/kept_cluster.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;

wanted_cluster some_wanted() {
  wanted_cluster result;
  result.tag = "0a1b";
  result.round = 3;
  result.hosts = {"a", "user@b:2222"};
  result.ssh = {"ssh", "-F", "it's mine"};
  result.program = "/opt/tune-node";
  result.work = "/scratch";
  result.is_direct = true;
  result.worker_options = {"--cpus", "4"};
  result.local = false;
  return result;
}

struct kept_cluster_test : testing::Test {
  std::filesystem::path root;

  kept_cluster_test() {
    auto pattern = (std::filesystem::temp_directory_path() / "tune-kept-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  ~kept_cluster_test() override { std::filesystem::remove_all(root); }
};

TEST_F(kept_cluster_test, what_is_wanted_and_seen_comes_back_as_it_was) {
  auto wanted = wanted_cluster_from(to_json(some_wanted()));
  ASSERT_TRUE(wanted) << wanted.error().detail;
  EXPECT_EQ(*wanted, some_wanted());

  for (auto code : {std::optional<int>{}, std::optional{8}}) {
    const seen_cluster seen{3, 40123, {{"a", host_state::joined}, {"b", host_state::gone}}, code};
    auto back = seen_cluster_from(to_json(seen));
    ASSERT_TRUE(back) << back.error().detail;
    EXPECT_EQ(*back, seen);
  }
}

TEST_F(kept_cluster_test, spoilt_files_are_errors) {
  auto odd = some_wanted();
  odd.tag = "x; rm -rf /";
  EXPECT_THAT(wanted_cluster_from(to_json(odd)).error().detail, HasSubstr("tag"));
  odd = some_wanted();
  odd.ssh.clear();
  EXPECT_THAT(wanted_cluster_from(to_json(odd)).error().detail, HasSubstr("ssh is empty"));
  for (const auto* text : {"", "3", "{}", R"({"round":1,"port":70000,"hosts":{}})",
                           R"({"round":1,"port":7,"hosts":{"a":"well"}})"}) {
    EXPECT_FALSE(wanted_cluster_from(text)) << text;
    EXPECT_FALSE(seen_cluster_from(text)) << text;
  }
}

TEST_F(kept_cluster_test, is_its_owners_alone) {
  const kept_cluster uut{root / "results"};
  EXPECT_FALSE(uut.wanted()->has_value());
  {
    auto changing = uut.begin_change(true);
    ASSERT_TRUE(changing);
    EXPECT_FALSE(uut.begin_change(true)) << "one changes it at a time";
    ASSERT_TRUE(uut.want(some_wanted()));
  }
  EXPECT_EQ(**uut.wanted(), some_wanted());
  struct stat about = {};
  ASSERT_EQ(::stat((uut.directory() / "wanted.json").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  ::chmod(uut.directory().c_str(), 0755);

  EXPECT_FALSE(uut.wanted());
  EXPECT_FALSE(uut.begin_change(true));
}

TEST_F(kept_cluster_test, has_one_keeper) {
  const kept_cluster uut{root / "results"};
  ASSERT_TRUE(uut.begin_change(true));
  EXPECT_FALSE(uut.keeper());
  {
    auto lock = uut.keep();
    ASSERT_TRUE(lock);
    EXPECT_EQ(uut.keeper(), ::getpid());
    EXPECT_FALSE(uut.keep());
  }
  EXPECT_FALSE(uut.keeper());
  ASSERT_TRUE(uut.remove());
  EXPECT_FALSE(std::filesystem::exists(uut.directory()));
}

} // namespace
} // namespace tune::cli
