// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_stream.hpp"

#include "../scratch_directory.hpp"

#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/files/sha256.hpp"

#include <sys/stat.h>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct checkpoint_stream_test : samples::scratch_directory {
  fs::path source() const {
    auto draft = root / "from" / "checkpoint_000001.tmp";
    fill(draft / "a_first_empty", "");
    fill(draft / "big", std::string(1000, 'x'));
    fill(draft / "deep" / "er" / "run", "#!/bin/sh\n");
    fs::permissions(draft / "deep" / "er" / "run", fs::perms::owner_all);
    for (int i = 0; i < 20; ++i)
      fill(draft / "many" / std::to_string(i), std::to_string(i));
    fill(draft / "z_last_empty", "");
    fs::create_symlink("deep/er/run", draft / "newest");
    fs::create_directories(draft / "hollow");
    auto kept = commit_checkpoint({root / "from", draft, 4});
    EXPECT_TRUE(kept);
    return root / "from" / kept->location;
  }
  fs::path target() const { return root / "to" / "checkpoint_000001"; }

  /// Copies a checkpoint over in pieces. @returns the error, or nothing.
  std::string bring(const fs::path& from, std::size_t piece) const {
    auto reader = checkpoint_reader::open(from);
    if (!reader)
      return to_text(reader.error());
    auto writer = checkpoint_writer::begin(target(), reader->outline());
    if (!writer)
      return to_text(writer.error());
    while (writer->written() < reader->outline().bytes) {
      auto rest = reader->outline().bytes - writer->written();
      auto bytes = reader->read(writer->written(), std::min<std::uint64_t>(piece, rest));
      if (!bytes)
        return to_text(bytes.error());
      if (auto done = writer->append(*bytes); !done)
        return to_text(done.error());
    }
    EXPECT_TRUE(writer->is_complete());
    writer->release();
    return {};
  }
};

TEST_F(checkpoint_stream_test, brings_a_checkpoint_over_in_pieces_of_any_size) {
  auto from = source();

  for (std::size_t piece : {1, 7, 100, 1000, 1000000}) {
    ASSERT_EQ(bring(from, piece), "") << piece;

    auto listed = verify_checkpoint(target());
    ASSERT_TRUE(listed) << to_text(listed.error());
    EXPECT_EQ(**listed, **verify_checkpoint(from));
    EXPECT_EQ(content(target() / "deep" / "er" / "run"), "#!/bin/sh\n");
    EXPECT_NE(fs::status(target() / "newest").permissions() & fs::perms::owner_exec,
              fs::perms::none);
    EXPECT_TRUE(fs::is_directory(target() / "hollow"));
    fs::remove_all(target());
  }
}

TEST_F(checkpoint_stream_test, brings_one_over_that_is_older_than_manifests) {
  fill(root / "old" / "state", "123");

  EXPECT_EQ(bring(root / "old", 2), "");

  EXPECT_EQ(content(target() / "state"), "123");
  EXPECT_TRUE(*verify_checkpoint(target()));
}

TEST_F(checkpoint_stream_test, brings_an_empty_one_over) {
  fs::create_directories(root / "none" / "checkpoint_000001.tmp");
  ASSERT_TRUE(commit_checkpoint({root / "none", root / "none" / "checkpoint_000001.tmp", 1}));

  EXPECT_EQ(bring(root / "none" / "checkpoint_000001", 5), "");

  EXPECT_TRUE(*verify_checkpoint(target()));
}

TEST_F(checkpoint_stream_test, reads_nothing_that_is_not_there) {
  auto uut = checkpoint_reader::open(source());
  auto all = uut->outline().bytes;

  EXPECT_TRUE(uut->read(all - 1, 1));
  EXPECT_FALSE(uut->read(all, 1));
  EXPECT_FALSE(uut->read(all - 1, 2));
  EXPECT_FALSE(uut->read(0, 0));
  EXPECT_FALSE(uut->read(~std::uint64_t{0}, 2));
}

TEST_F(checkpoint_stream_test, reads_no_file_that_is_not_as_it_was_saved) {
  auto from = source();
  auto uut = checkpoint_reader::open(from);
  fill(from / "big", "short");

  auto bytes = uut->read(uut->outline().manifest_size, 10);

  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().detail.find("big is not as it was saved"), std::string::npos);
}

TEST_F(checkpoint_stream_test, notices_what_was_changed_at_its_source) {
  auto from = source();
  fill(from / "big", std::string(999, 'x') + "y");

  EXPECT_NE(bring(from, 100).find("the checksum of big does not fit"), std::string::npos);

  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(checkpoint_stream_test, leaves_nothing_behind_unless_it_is_released) {
  auto reader = checkpoint_reader::open(source());
  {
    auto uut = checkpoint_writer::begin(target(), reader->outline());
    ASSERT_TRUE(uut->append(*reader->read(0, reader->outline().bytes - 1)));
    EXPECT_FALSE(uut->is_complete());
    EXPECT_TRUE(fs::exists(target() / "big"));
  }

  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(checkpoint_stream_test, finds_every_flipped_byte_on_the_way) {
  fill(root / "old" / "state", "12345");
  fill(root / "old" / "deep" / "more", "678");
  auto reader = checkpoint_reader::open(root / "old");
  const auto stream = *reader->read(0, reader->outline().bytes);

  for (std::size_t at = 0; at < stream.size(); ++at) {
    auto wrong = stream;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    auto uut = checkpoint_writer::begin(target(), reader->outline());
    auto done = uut->append(wrong);
    ASSERT_FALSE(done) << at;
    EXPECT_EQ(done.error().code, ec::protocol) << at;
  }
  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(checkpoint_stream_test, takes_no_more_than_was_announced) {
  auto reader = checkpoint_reader::open(source());
  auto uut = checkpoint_writer::begin(target(), reader->outline());

  auto done = uut->append(*reader->read(0, reader->outline().bytes) + "x");

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::protocol);
}

TEST_F(checkpoint_stream_test, takes_no_list_whose_files_have_another_size) {
  fill(root / "old" / "state", "12345");
  auto reader = checkpoint_reader::open(root / "old");
  auto outline = reader->outline();
  outline.bytes += 3;
  auto uut = checkpoint_writer::begin(target(), outline);

  auto done = uut->append(*reader->read(0, outline.manifest_size));

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::protocol);
}

TEST_F(checkpoint_stream_test, begins_nothing_that_makes_no_sense) {
  const std::string hash(64, 'a');
  for (const auto& x : std::vector<stream_outline>{{"", 1, 1},
                                                   {hash, 0, 0},
                                                   {hash, 2, 1},
                                                   {hash, max_travelling_manifest + 1, 1u << 30},
                                                   {hash, 1, max_file_bytes + 1},
                                                   {hash, 1, ~std::uint64_t{0}}}) {
    auto uut = checkpoint_writer::begin(target(), x);
    ASSERT_FALSE(uut);
    EXPECT_EQ(uut.error().code, ec::refused);
  }
}

TEST_F(checkpoint_stream_test, begins_nothing_for_which_there_is_no_room) {
  auto uut = checkpoint_writer::begin(target(), {std::string(64, 'a'), 1, max_file_bytes});

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::storage);
  EXPECT_NE(uut.error().detail.find("no room for"), std::string::npos) << uut.error().detail;
  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(checkpoint_stream_test, replaces_nothing) {
  fill(target() / "state", "old");

  EXPECT_FALSE(checkpoint_writer::begin(target(), {std::string(64, 'a'), 1, 1}));

  EXPECT_EQ(content(target() / "state"), "old");
}

} // namespace
} // namespace tune
