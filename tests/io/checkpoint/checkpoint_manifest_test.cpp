// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include "../scratch_directory.hpp"
#include "support/process_limit.hpp"

#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/files/sha256.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <functional>

namespace tune {
namespace {

namespace fs = std::filesystem;

struct checkpoint_manifest_test : samples::scratch_directory {
  /// Makes a small checkpoint with every kind of content.
  fs::path made() const {
    auto draft = root / "trials" / "00007" / "attempt_1_1" / "checkpoint_000001.tmp";
    fill(draft / "state", "12345");
    fill(draft / "deep" / "er" / "more", "678");
    fill(draft / "empty", "");
    fs::create_directories(draft / "hollow");
    fs::create_symlink("state", draft / "newest");
    auto kept = commit_checkpoint({root, draft, 4});
    EXPECT_TRUE(kept);
    return root / kept->location;
  }

  /// A manifest text with a matching checksum.
  static std::string sealed(const std::string& body) {
    return body + ",\"sha256\":\"" + sha256_of(body) + "\"}\n";
  }
  static std::string why_not(const std::string& body) {
    auto read = checkpoint_manifest_from_text(sealed(body));
    if (read)
      return {};
    EXPECT_EQ(read.error().code, ec::protocol);
    return read.error().detail;
  }
};

const std::string some_hash(64, 'a');

std::string listing(const std::string& directories, const std::string& files,
                    const std::string& links = {}) {
  return R"({"tune_checkpoint":1,"iteration":2,"directories":[)" + directories + R"(],"files":[)"
         + files + R"(],"links":[)" + links + "]";
}
std::string file_entry(const std::string& path) {
  return R"({"path":")" + path + R"(","mode":0,"size":1,"sha256":")" + some_hash + "\"}";
}

TEST_F(checkpoint_manifest_test, comes_back_from_its_text) {
  checkpoint_manifest uut;
  uut.iteration = 12;
  uut.directories = {"a", "a/b \"c\""};
  uut.files = {{"a/b \"c\"/ü", 0111, 7, some_hash}, {"z", 0, 0, sha256_of("")}};
  uut.links = {{"a/l", "../z"}};

  auto read = checkpoint_manifest_from_text(to_text(uut));

  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(*read, uut);
  EXPECT_EQ(read->bytes(), 7u);
}

TEST_F(checkpoint_manifest_test, lists_what_is_there) {
  auto found = verify_checkpoint(made());

  ASSERT_TRUE(found) << to_text(found.error());
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->directories, (std::vector<std::string>{"deep", "deep/er", "hollow"}));
  ASSERT_EQ((*found)->files.size(), 3u);
  EXPECT_EQ((*found)->files[0].path, "deep/er/more");
  EXPECT_EQ((*found)->files[1], (shipped_file{"empty", 0, 0, sha256_of("")}));
  EXPECT_EQ((*found)->files[2].hash, sha256_of("12345"));
}

TEST_F(checkpoint_manifest_test, is_found_out_wherever_it_is_cut) {
  auto where = made();
  auto text = content(where / checkpoint_manifest_name);

  for (std::size_t size = 0; size < text.size(); ++size) {
    fill(where / checkpoint_manifest_name, text.substr(0, size));
    EXPECT_FALSE(verify_checkpoint(where)) << size;
  }

  fill(where / checkpoint_manifest_name, text);
  EXPECT_TRUE(verify_checkpoint(where));
}

TEST_F(checkpoint_manifest_test, is_found_out_whichever_bit_is_flipped) {
  auto where = made();
  auto text = content(where / checkpoint_manifest_name);

  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto wrong = text;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      EXPECT_FALSE(checkpoint_manifest_from_text(wrong)) << at << ", bit " << bit;
    }
  }
}

TEST_F(checkpoint_manifest_test, finds_every_cut_and_every_flipped_bit_in_files) {
  auto where = made();
  for (const auto* name : {"state", "deep/er/more"}) {
    auto text = content(where / name);
    for (std::size_t at = 0; at < text.size(); ++at) {
      fill(where / name, text.substr(0, at));
      EXPECT_FALSE(verify_checkpoint(where)) << name << " cut at " << at;
      for (int bit = 0; bit < 8; ++bit) {
        auto wrong = text;
        wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
        fill(where / name, wrong);
        EXPECT_FALSE(verify_checkpoint(where)) << name << " byte " << at << ", bit " << bit;
      }
    }
    fill(where / name, text + "x");
    EXPECT_FALSE(verify_checkpoint(where)) << name;
    fill(where / name, text);
    EXPECT_TRUE(verify_checkpoint(where)) << name;
  }
}

TEST_F(checkpoint_manifest_test, misses_whatever_is_gone_or_something_else) {
  const std::vector<std::function<void(const fs::path&)>> faults{
      [](const fs::path& x) { fs::remove(x / "state"); },
      [](const fs::path& x) { fs::remove(x / "empty"); },
      [](const fs::path& x) { fs::remove(x / "hollow"); },
      [](const fs::path& x) { fs::remove(x / "newest"); },
      [](const fs::path& x) {
        fs::remove(x / "newest");
        fs::create_symlink("empty", x / "newest");
      },
      [](const fs::path& x) {
        fs::rename(x / "state", x / "other");
        fs::create_symlink("other", x / "state");
      },
      [](const fs::path& x) {
        fs::remove(x / "empty");
        ASSERT_EQ(::mkfifo((x / "empty").c_str(), 0600), 0);
      },
      [](const fs::path& x) {
        fs::remove(x / checkpoint_manifest_name);
        fs::create_directory(x / checkpoint_manifest_name);
      },
      [](const fs::path& x) { fs::remove_all(x); },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    auto where = made();
    faults[i](where);

    EXPECT_FALSE(verify_checkpoint(where)) << i;

    fs::remove_all(root / "trials");
  }
}

TEST_F(checkpoint_manifest_test, says_what_is_wrong_with_which_file) {
  auto where = made();
  fill(where / "state", "1234");

  auto found = verify_checkpoint(where);

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().detail,
            (where / "state").string() + " is not as it was saved: it has 4 bytes, and had 5");
}

TEST_F(checkpoint_manifest_test, condemns_nothing_that_it_has_no_descriptor_to_look_at) {
  auto where = made();
  support::descriptor_limit none{3};

  auto found = verify_checkpoint(where);
  none.lift();

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ec::shortage);
  EXPECT_TRUE(verify_checkpoint(where));
}

TEST_F(checkpoint_manifest_test, does_not_mind_what_lies_there_besides) {
  auto where = made();
  fill(where / "notes" / "more", "1");

  EXPECT_TRUE(verify_checkpoint(where));
}

TEST_F(checkpoint_manifest_test, is_not_wanted_of_checkpoints_that_are_older) {
  fill(root / "old" / "state", "1");

  auto found = verify_checkpoint(root / "old");

  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(checkpoint_manifest_test, takes_no_path_that_leads_elsewhere) {
  for (const auto* path : {"", "/etc/passwd", "../x", "a/../b", "./a", "a//b", "a/",
                           ".tune_checkpoint.json", "\\u0000"}) {
    EXPECT_NE(why_not(listing("\"a\"", file_entry(path))), "") << path;
    EXPECT_NE(
        why_not(listing("\"a\"", "", R"({"path":")" + std::string{path} + R"(","target":"x"})")),
        "")
        << path;
    EXPECT_NE(why_not(listing("\"" + std::string{path} + "\"", "")), "") << path;
  }
}

TEST_F(checkpoint_manifest_test, takes_nothing_that_lies_in_no_listed_directory) {
  EXPECT_EQ(why_not(listing(R"("a","a/b")", file_entry("a/b/c"))), "");
  EXPECT_NE(why_not(listing("", file_entry("a/b"))), "");
  EXPECT_NE(why_not(listing(R"("a/b","a")", "")), "");
  // A link does not count as a directory, whatever it leads to.
  EXPECT_NE(why_not(listing("", file_entry("l/x"), R"({"path":"l","target":"/etc"})")), "");
}

TEST_F(checkpoint_manifest_test, takes_nothing_twice) {
  EXPECT_NE(why_not(listing("", file_entry("a") + "," + file_entry("a"))), "");
  EXPECT_NE(why_not(listing(R"("a")", file_entry("a"))), "");
  EXPECT_NE(why_not(listing("", file_entry("a"), R"({"path":"a","target":"x"})")), "");
}

TEST_F(checkpoint_manifest_test, takes_no_other_nonsense) {
  EXPECT_EQ(why_not(listing("", file_entry("a"))), "");
  for (const auto& body : std::vector<std::string>{
           "{", "[", R"({"tune_checkpoint":2,"iteration":2,"directories":[],"files":[],"links":[])",
           R"({"tune_checkpoint":1,"iteration":-2,"directories":[],"files":[],"links":[])",
           R"({"tune_checkpoint":1,"iteration":2,"files":[],"links":[])", listing("1", ""),
           listing("", "1"), listing("", R"({"path":"a"})"),
           listing("", R"({"path":"a","mode":2,"size":1,"sha256":")" + some_hash + "\"}"),
           listing("", R"({"path":"a","mode":0,"size":-1,"sha256":")" + some_hash + "\"}"),
           listing("", R"({"path":"a","mode":0,"size":99999999999999999,"sha256":")" + some_hash
                           + "\"}"),
           listing("", R"({"path":"a","mode":0,"size":1,"sha256":"b"})"),
           listing("", "", R"({"path":"a","target":""})"), listing("", "", R"({"path":"a"})")})
    EXPECT_NE(why_not(body), "") << body;
}

} // namespace
} // namespace tune
