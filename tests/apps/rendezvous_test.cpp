// SPDX-License-Identifier: BSD-3-Clause
#include "up/rendezvous.hpp"

#include "../io/scratch_directory.hpp"
#include "tune/io/certificates/certificate_directory.hpp"

#include <gmock/gmock.h>

#include <future>
#include <optional>
#include <system_error>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::chrono::milliseconds at_once{0};

class rendezvous_test : public samples::scratch_directory {
protected:
  fs::path place;

  void SetUp() override {
    samples::scratch_directory::SetUp();
    place = root / "storage" / ".up-x";
  }

  led_rendezvous made(std::uint64_t size = 3) {
    auto result = led_rendezvous::make(place, size);
    EXPECT_TRUE(result) << result.error().detail;
    return std::move(*result);
  }
};

TEST_F(rendezvous_test, closes_its_directory_to_others) {
  const auto uut = made();

  EXPECT_EQ(fs::status(place).permissions(), fs::perms::owner_all);
}

TEST_F(rendezvous_test, gives_each_rank_a_certificate_of_one_authority) {
  const auto uut = made();

  auto of_head = find_certificates(uut.certificates());
  ASSERT_TRUE(of_head) << of_head.error().detail;
  for (std::uint64_t rank : {1, 2}) {
    const joined_rendezvous other{place, rank};
    for (const auto* name : {"ca.pem", "node.pem", "node.key"})
      EXPECT_TRUE(fs::exists(other.certificates() / name)) << name;
  }
}

TEST_F(rendezvous_test, keeps_no_key_by_which_more_could_be_issued) {
  const auto uut = made();

  for (const auto& x : fs::recursive_directory_iterator{place})
    EXPECT_NE(x.path().filename(), "ca.key");
}

TEST_F(rendezvous_test, tells_the_head_once_it_listens) {
  const joined_rendezvous other{place, 1};
  EXPECT_EQ(*other.head(), std::nullopt) << "no directory";
  const auto uut = made();
  EXPECT_EQ(*other.head(), std::nullopt) << "no port yet";

  ASSERT_TRUE(uut.tell(4242));

  auto head = other.head();
  ASSERT_TRUE(head && *head);
  ASSERT_FALSE((*head)->addresses.empty());
  EXPECT_EQ((*head)->addresses.back().port, 4242);
}

TEST_F(rendezvous_test, hands_the_exit_code_on_and_goes) {
  auto uut = made(2);
  const joined_rendezvous other{place, 1};

  auto ended = std::async(std::launch::async, [&] { uut.end(5, std::chrono::minutes{1}); });
  std::optional<launch_end> end;
  while (!(end = other.end())) {}
  EXPECT_EQ(end->code, 5);
  other.leave(end->token);
  ended.get();

  EXPECT_FALSE(fs::exists(place));
}

TEST_F(rendezvous_test, goes_without_ranks_that_never_come) {
  auto uut = made();

  uut.end(0, at_once);

  EXPECT_FALSE(fs::exists(place));
}

TEST_F(rendezvous_test, removes_nothing_but_its_own) {
  auto uut = made();
  fill(place / "thesis.txt", "x");

  uut.end(0, at_once);

  EXPECT_TRUE(fs::exists(place / "thesis.txt"));
  EXPECT_FALSE(fs::exists(place / "certs"));
}

TEST_F(rendezvous_test, begins_anew_after_a_launch_that_was_killed) {
  {
    const auto killed = made();
    ASSERT_TRUE(killed.tell(1));
  }
  const joined_rendezvous other{place, 1};
  const auto before = **other.head();

  const auto uut = made();
  EXPECT_EQ(*other.head(), std::nullopt);
  ASSERT_TRUE(uut.tell(1));

  EXPECT_NE((**other.head()).token, before.token);
}

TEST_F(rendezvous_test, ends_by_the_token_by_which_it_began) {
  auto uut = made(2);
  ASSERT_TRUE(uut.tell(1));
  const joined_rendezvous other{place, 1};
  const auto token = (**other.head()).token;
  EXPECT_TRUE(other.is_of(token));
  EXPECT_EQ(other.end(), std::nullopt);

  auto ended = std::async(std::launch::async, [&] { uut.end(0, std::chrono::minutes{1}); });
  while (!other.end()) {}

  EXPECT_EQ(other.end()->token, token);
  EXPECT_TRUE(other.is_of(token));
  other.leave(token);
  ended.get();
  EXPECT_EQ(*other.head(), std::nullopt);
  EXPECT_FALSE(other.is_of(token));
}

TEST_F(rendezvous_test, keeps_what_a_later_launch_made_from_ranks_of_the_one_before) {
  std::string token;
  {
    const auto killed = made();
    ASSERT_TRUE(killed.tell(1));
    token = (**joined_rendezvous{place, 1}.head()).token;
  }
  const auto uut = made();
  const joined_rendezvous other{place, 1};

  other.leave(token);
  EXPECT_TRUE(fs::exists(place / "rank-1")) << "no port yet";
  ASSERT_TRUE(uut.tell(1));
  other.leave(token);
  EXPECT_TRUE(fs::exists(place / "rank-1"));

  other.leave({});
  EXPECT_FALSE(fs::exists(place / "rank-1"));
}

TEST_F(rendezvous_test, tells_whether_a_rank_0_is_there) {
  const joined_rendezvous other{place, 1};
  EXPECT_FALSE(other.is_led()) << "no directory";
  {
    const auto killed = made();
    EXPECT_TRUE(other.is_led());
  }
  EXPECT_FALSE(other.is_led());
  const auto uut = made();
  EXPECT_TRUE(other.is_led());
}

/// How often this process has the file open.
int openings_of(const fs::path& file) {
  int result = 0;
  for (const auto& x : fs::directory_iterator{"/proc/self/fd"}) {
    std::error_code gone;
    result += fs::read_symlink(x.path(), gone) == file ? 1 : 0;
  }
  return result;
}

TEST_F(rendezvous_test, makes_anew_what_the_launch_before_removes_meanwhile) {
  auto before = std::optional{made()};
  auto next = std::async(std::launch::async, [&] { return led_rendezvous::make(place, 3); });
  while (openings_of(place / "lock") < 2 && next.wait_for(at_once) != std::future_status::ready) {}

  before->end(0, at_once);
  before.reset();

  auto uut = next.get();
  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(fs::status(place).permissions(), fs::perms::owner_all);
  EXPECT_TRUE((joined_rendezvous{place, 1}.is_led()));
  EXPECT_TRUE(uut->tell(1));
}

TEST_F(rendezvous_test, is_led_by_one_process) {
  const auto uut = made();

  auto second = led_rendezvous::make(place, 3);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ec::refused);
  EXPECT_TRUE(fs::exists(place / "rank-1"));
}

TEST_F(rendezvous_test, is_refused_where_others_may_enter) {
  fs::create_directories(place);
  fs::permissions(place, fs::perms::owner_all | fs::perms::group_exec);

  auto led = led_rendezvous::make(place, 3);
  ASSERT_FALSE(led);
  EXPECT_EQ(led.error().code, ec::refused);
  EXPECT_THAT(led.error().detail, HasSubstr("chmod 700"));
  EXPECT_EQ((joined_rendezvous{place, 1}.head().error().code), ec::refused);
}

TEST_F(rendezvous_test, names_what_is_wrong_in_a_spoilt_file) {
  const auto uut = made();
  const joined_rendezvous other{place, 1};
  for (const auto* text :
       {"", "{", "{}", R"({"token":"x","addresses":[]})", R"({"token":"x","addresses":["y"]})",
        R"({"token":1,"addresses":["y:1"]})", R"({"token":"x","addresses":[1]})"}) {
    fill(place / "head.json", text);
    auto head = other.head();
    ASSERT_FALSE(head) << text;
    EXPECT_THAT(head.error().detail, HasSubstr(place.string())) << text;
  }
}

TEST(head_place, comes_back_from_its_text) {
  const head_place x{"abc", {{"n1", 1}, {"::1", 65535}}};

  auto back = head_place_from_json(to_json(x));

  ASSERT_TRUE(back) << back.error().detail;
  EXPECT_EQ(*back, x);
}

} // namespace
} // namespace tune::cli
