// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/package_index.hpp"

#include "files_on_disk.hpp"

#include "tune/io/files/sha256.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace tune {
namespace {

using testing::HasSubstr;

struct package_index_test : testing::Test {
  support::files_on_disk disk;
  package_index uut;

  void offer(const std::string& job, const std::vector<std::string>& patterns) {
    auto done = uut.add(disk.offer(job, patterns));
    ASSERT_TRUE(done) << done.error().detail;
  }
  expected<package_index::piece> read(const std::string& hash, std::uint64_t offset,
                                      std::uint32_t size) {
    return uut.read({1, hash, offset, size});
  }
};

TEST_F(package_index_test, gives_out_the_files_of_a_job_in_pieces) {
  disk.write("a", "0123456789");
  offer("job", {"a"});
  const auto hash = sha256_of("0123456789");

  auto first = read(hash, 0, 4);
  auto last = read(hash, 8, 4);

  ASSERT_TRUE(first && last);
  EXPECT_EQ(first->bytes, "0123");
  EXPECT_FALSE(first->last);
  EXPECT_EQ(last->bytes, "89");
  EXPECT_TRUE(last->last);
}

TEST_F(package_index_test, gives_out_the_manifest_like_a_file) {
  disk.write("a", "text");
  offer("job", {"a"});
  const auto* job = uut.find("job");
  ASSERT_NE(job, nullptr);

  auto piece = read(job->manifest_hash, 0, max_chunk_bytes);

  ASSERT_TRUE(piece);
  EXPECT_TRUE(piece->last);
  EXPECT_EQ(sha256_of(piece->bytes), job->manifest_hash);
  EXPECT_EQ(manifest_from_json(piece->bytes)->files, job->what.manifest.files);
}

TEST_F(package_index_test, refuses_what_no_job_needs) {
  disk.write("a", "text");
  disk.write("secret", "secret");
  offer("job", {"a"});

  EXPECT_EQ(read(sha256_of("secret"), 0, 6).error().code, ec::refused);
  EXPECT_EQ(read("../secret", 0, 6).error().code, ec::refused);
}

TEST_F(package_index_test, refuses_ranges_that_are_not_there) {
  disk.write("a", "text");
  offer("job", {"a"});
  const auto hash = sha256_of("text");

  for (auto offset : {std::uint64_t{4}, std::uint64_t{5}, ~std::uint64_t{0}})
    EXPECT_EQ(read(hash, offset, 1).error().code, ec::refused) << offset;
  EXPECT_EQ(read(hash, 0, 0).error().code, ec::refused);
  EXPECT_EQ(read(hash, 0, max_chunk_bytes + 1).error().code, ec::refused);
}

TEST_F(package_index_test, tells_of_a_file_that_changed_in_size_or_kind) {
  for (auto name : {"longer", "gone", "pipe", "dir"})
    disk.write(name, name);
  offer("job", {"*"});
  disk.write("longer", "longer than before");
  for (auto name : {"gone", "pipe", "dir"})
    std::filesystem::remove(disk.head() / name);
  ASSERT_EQ(::mkfifo((disk.head() / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(disk.head() / "dir");

  EXPECT_THAT(read(sha256_of("longer"), 0, 6).error().detail, HasSubstr("longer changed"));
  EXPECT_THAT(read(sha256_of("pipe"), 0, 4).error().detail, HasSubstr("pipe changed"));
  EXPECT_THAT(read(sha256_of("dir"), 0, 3).error().detail, HasSubstr("dir changed"));
  EXPECT_THAT(read(sha256_of("gone"), 0, 4).error().detail, HasSubstr("cannot read gone"));
}

TEST_F(package_index_test, finds_a_content_in_another_place) {
  disk.write("a", "same");
  disk.write("b", "same");
  offer("one", {"a"});
  offer("two", {"b"});
  std::filesystem::remove(disk.head() / "a");

  auto piece = read(sha256_of("same"), 0, 4);

  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->bytes, "same");
}

TEST_F(package_index_test, forgets_a_job_but_not_what_others_share) {
  disk.write("a", "shared");
  disk.write("b", "own");
  offer("one", {"a", "b"});
  offer("two", {"a"});

  uut.remove("one");
  uut.remove("one");

  EXPECT_EQ(uut.find("one"), nullptr);
  EXPECT_TRUE(read(sha256_of("shared"), 0, 6));
  EXPECT_FALSE(read(sha256_of("own"), 0, 3));
}

TEST_F(package_index_test, replaces_a_job_of_the_same_id) {
  disk.write("a", "old");
  offer("job", {"a"});
  disk.write("a", "new");
  offer("job", {"a"});

  EXPECT_FALSE(read(sha256_of("old"), 0, 3));
  EXPECT_TRUE(read(sha256_of("new"), 0, 3));
}

TEST_F(package_index_test, refuses_jobs_that_cannot_travel) {
  for (auto id : {"", "..", "a/b", "a b"})
    EXPECT_EQ(uut.add({id, "", {}, disk.head()}).error().code, ec::bad_option) << id;
  EXPECT_FALSE(uut.add({std::string(129, 'a'), "", {}, disk.head()}));
  EXPECT_FALSE(uut.add({"job", std::string(max_record_bytes + 1, 'x'), {}, disk.head()}));
}

} // namespace
} // namespace tune
