// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/sha256.hpp"

#include "../scratch_directory.hpp"

#include <sys/stat.h>

namespace tune {
namespace {

// Examples of FIPS 180-2, appendix B.
constexpr auto of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr auto of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr auto of_million_a = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(sha256, gives_the_hashes_of_the_standard) {
  EXPECT_EQ(sha256_of(""), of_nothing);
  EXPECT_EQ(sha256_of("abc"), of_abc);
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')), of_million_a);
}

TEST(sha256, takes_bytes_piece_by_piece) {
  sha256 uut;

  for (int i = 0; i < 1000; ++i)
    uut.update(std::string(1000, 'a'));

  EXPECT_EQ(uut.finish(), of_million_a);
}

TEST(sha256, begins_afresh_after_a_hash) {
  sha256 uut;
  uut.update("something else");
  static_cast<void>(uut.finish());

  uut.update("abc");

  EXPECT_EQ(uut.finish(), of_abc);
}

TEST(sha256, knows_a_hash_from_other_texts) {
  EXPECT_TRUE(is_sha256(of_abc));
  EXPECT_FALSE(is_sha256(""));
  EXPECT_FALSE(is_sha256(std::string(63, 'a')));
  EXPECT_FALSE(is_sha256(std::string(65, 'a')));
  EXPECT_FALSE(is_sha256(std::string(64, 'A')));
  EXPECT_FALSE(is_sha256(std::string(64, 'g')));
  EXPECT_FALSE(is_sha256("../" + std::string(61, 'a')));
}

struct digest_file_test : samples::scratch_directory {};

TEST_F(digest_file_test, tells_size_and_hash) {
  fill(root / "a", std::string(1'000'000, 'a'));

  auto uut = digest_file(root / "a");

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->size, 1'000'000u);
  EXPECT_EQ(uut->hash, of_million_a);
}

TEST_F(digest_file_test, refuses_what_is_no_file_and_does_not_wait_for_a_pipe) {
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);

  EXPECT_EQ(digest_file(root / "pipe").error().code, ec::unreadable);
  EXPECT_EQ(digest_file(root / "missing").error().code, ec::unreadable);
  EXPECT_EQ(digest_file(root).error().code, ec::unreadable);
}

} // namespace
} // namespace tune
