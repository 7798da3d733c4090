// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/access_token.hpp"
#include "tune/http/token_file.hpp"

#include "io/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace tune::http {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

const std::string secret(64, 'a');
const std::string other(64, 'b');

header_list headers_of(std::initializer_list<header_field> fields) {
  header_list result;
  for (const auto& x : fields)
    result.add(x.name, x.value);
  return result;
}

credential shown(std::initializer_list<header_field> fields, seconds now = seconds{1'000'000}) {
  return credential_of(headers_of(fields), "c", secret, now);
}

TEST(access_token, opens_by_itself_alone) {
  EXPECT_EQ(shown({}), credential::none);
  EXPECT_EQ(shown({{"Authorization", "Bearer " + secret}}), credential::full);
  EXPECT_EQ(shown({{"authorization", "bearer " + secret}}), credential::full);
  for (const auto& text :
       {"Bearer " + other, "Bearer " + secret.substr(1), "Bearer " + secret + "a",
        "Basic " + secret, std::string{"Bearer "}, std::string{"Bearer"}, secret, std::string{}})
    EXPECT_EQ(shown({{"Authorization", text}}), credential::wrong) << text;
  EXPECT_EQ(shown({{"Authorization", "Bearer " + secret}, {"Authorization", "Bearer " + other}}),
            credential::wrong);
}

TEST(access_token, never_opens_a_server_without_one) {
  EXPECT_EQ(credential_of(headers_of({{"Authorization", "Bearer "}}), "c", "", seconds{1}),
            credential::wrong);
  EXPECT_FALSE(is_cookie_for(cookie_for("", seconds{1}), "", seconds{1}));
}

TEST(access_token, has_a_cookie_that_does_not_tell_it) {
  const seconds now{1'000'000};
  const auto cookie = cookie_for(secret, now);

  EXPECT_EQ(cookie.find(secret), cookie.npos);
  EXPECT_EQ(shown({{"Cookie", "c=" + cookie}}), credential::cookie);
  EXPECT_EQ(shown({{"Cookie", "a=1; c=" + cookie + "; b=2"}}), credential::cookie);
  EXPECT_EQ(shown({{"Cookie", "c=" + cookie}, {"X-Tune-Node", "1"}}), credential::full);
  EXPECT_EQ(shown({{"Cookie", "c=" + cookie_for(other, now)}}), credential::wrong);
  EXPECT_EQ(shown({{"Cookie", "c=" + cookie + "; c=" + cookie}}), credential::none);
  EXPECT_EQ(shown({{"Cookie", "d=" + cookie}}), credential::none);
}

TEST(access_token, has_a_cookie_that_ends) {
  const seconds now{1'000'000};
  const auto cookie = cookie_for(secret, now);

  EXPECT_TRUE(is_cookie_for(cookie, secret, now + cookie_lifetime));
  EXPECT_FALSE(is_cookie_for(cookie, secret, now + cookie_lifetime + seconds{1}));
  EXPECT_FALSE(is_cookie_for(cookie, secret, now - seconds{3600}));
  EXPECT_FALSE(is_cookie_for("9999999" + cookie.substr(7), secret, now));
}

TEST(failed_tries, are_slowed_down) {
  failed_tries uut;
  failed_tries::time_point now{};
  for (int i = 0; i < failed_tries::burst; ++i)
    EXPECT_FALSE(uut.note(now));
  EXPECT_TRUE(uut.note(now));
  EXPECT_FALSE(uut.note(now + seconds{1}));
  EXPECT_TRUE(uut.note(now + seconds{1}));
}

class token_file_test : public samples::scratch_directory {
protected:
  fs::path file;

  void SetUp() override {
    scratch_directory::SetUp();
    file = root / "state/tune-node/http-token";
  }

  static ::mode_t mode_of(const fs::path& path) {
    struct ::stat about {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0);
    return about.st_mode & 07777;
  }
};

TEST_F(token_file_test, is_made_for_its_owner_alone) {
  auto uut = token_file::open(file);
  ASSERT_TRUE(uut);

  EXPECT_TRUE(is_token((*uut)->token()));
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_EQ(mode_of(file.parent_path()), 0700U);
  EXPECT_EQ(std::distance(fs::directory_iterator{file.parent_path()}, {}), 1);
}

TEST_F(token_file_test, keeps_a_token_that_is_there) {
  const auto first = (*token_file::open(file))->token();
  EXPECT_EQ((*token_file::open(file))->token(), first);
  EXPECT_NE((*token_file::open(file, true))->token(), first);
}

TEST_F(token_file_test, takes_a_new_token_while_it_is_used) {
  auto uut = *token_file::open(file);
  const auto first = uut->token();
  const auto second = (*token_file::open(file, true))->token();

  EXPECT_EQ(uut->token(), first);
  uut->refresh();
  EXPECT_EQ(uut->token(), second);
  fs::remove(file);
  uut->refresh();
  EXPECT_EQ(uut->token(), second) << "what cannot be read changes nothing";
}

TEST_F(token_file_test, refuses_what_others_may_read_or_made) {
  static_cast<void>(token_file::open(file));
  ::chmod(file.c_str(), 0640);
  EXPECT_EQ(token_file::open(file).error().code, ec::refused);
  fs::remove(file);
  std::ofstream{file} << "short\n";
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(token_file::open(file).error().code, ec::refused);
  fs::remove(file);
  fs::create_symlink("/etc/hostname", file);
  EXPECT_EQ(token_file::open(file).error().code, ec::refused);
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(token_file::open(file).error().code, ec::refused);
}

TEST_F(token_file_test, differs_each_time) {
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i)
    seen.insert((*token_file::open(file, true))->token());
  EXPECT_EQ(seen.size(), 20U);
}

} // namespace
} // namespace tune::http
