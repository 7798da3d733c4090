// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/file_manifest.hpp"
#include "tune/io/files/sha256.hpp"

#include <gmock/gmock.h>

#include <random>

namespace tune {
namespace {

using testing::HasSubstr;

const std::string a_hash(64, 'a');

std::string entry(const std::string& path, const std::string& mode = "0",
                  const std::string& size = "1", const std::string& hash = a_hash) {
  return "{\"path\":\"" + path + "\",\"mode\":" + mode + ",\"size\":" + size + ",\"sha256\":\""
         + hash + "\"}";
}

std::string manifest(const std::string& entries) {
  return "{\"version\":1,\"files\":[" + entries + "]}";
}

std::string refusal(const std::string& text) {
  auto read = manifest_from_json(text);
  EXPECT_FALSE(read) << text.substr(0, 200);
  if (read)
    return {};
  EXPECT_EQ(read.error().code, ec::protocol);
  return read.error().detail;
}

TEST(manifest_codec, gives_back_what_was_written) {
  file_manifest what{{{"a \"b\"\n.csv", 0111, 0, sha256_of("")},
                      {"data/\u00e9/x", 0, max_file_bytes, sha256_of("x")},
                      {"data/\u00e9/z", 0100, 7, sha256_of("y")}}};

  auto uut = manifest_from_json(to_json(what));

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(*uut, what);
  EXPECT_EQ(to_json(*uut), to_json(what));
}

TEST(manifest_codec, takes_an_empty_list) {
  auto uut = manifest_from_json(to_json(file_manifest{}));

  ASSERT_TRUE(uut);
  EXPECT_TRUE(uut->files.empty());
}

TEST(manifest_codec, sorts_what_comes_in_disorder) {
  auto uut = manifest_from_json(manifest(entry("b") + "," + entry("a-b") + "," + entry("a/b")));

  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->files[0].path, "a/b");
  EXPECT_EQ(uut->files[1].path, "a-b");
  EXPECT_EQ(uut->files[2].path, "b");
}

TEST(manifest_codec, refuses_paths_that_lead_out) {
  for (auto path : {"/etc/passwd", "..", "../x", "a/../../x", "a/..", ".", "./a", "a//b", "a/", "",
                    "a\\u0000b"})
    EXPECT_THAT(refusal(manifest(entry(path))), HasSubstr("path")) << path;
  refusal(manifest(entry(std::string(max_path_bytes + 1, 'x'))));
}

TEST(manifest_codec, refuses_a_path_twice) {
  EXPECT_THAT(refusal(manifest(entry("a") + "," + entry("b") + "," + entry("a"))),
              HasSubstr("twice"));
}

TEST(manifest_codec, refuses_a_file_that_is_a_directory_too) {
  // "a-b" sorts between "a" and "a/b" by bytes.
  for (auto below : {"a/b", "a/b/c/d"})
    EXPECT_THAT(refusal(manifest(entry(below) + "," + entry("a-b") + "," + entry("a"))),
                HasSubstr("directory"))
        << below;
  EXPECT_TRUE(manifest_from_json(manifest(entry("a/b") + "," + entry("a-b") + "," + entry("ab"))));
}

TEST(manifest_codec, refuses_fields_out_of_their_range) {
  for (auto mode : {"1024", "511", "-1", "\"1\"", "1.0", "null"})
    refusal(manifest(entry("a", mode)));
  for (auto size : {"-1", "70368744177665", "99999999999999999999", "\"1\"", "1.5"})
    refusal(manifest(entry("a", "0", size)));
  for (const auto& hash : {std::string(63, 'a'), std::string(64, 'A'), std::string(64, '/')})
    refusal(manifest(entry("a", "0", "1", hash)));
}

TEST(manifest_codec, refuses_other_shapes) {
  for (auto text : {"", "[]", "{}", "{\"version\":2,\"files\":[]}", "{\"version\":1}",
                    "{\"version\":1,\"files\":{}}", "{\"version\":1,\"files\":[1]}",
                    "{\"version\":1,\"files\":[{}]}", "{\"version\":1,\"files\":[[[[[[]]]]]]}"})
    refusal(text);
}

TEST(manifest_codec, refuses_too_many_files) {
  std::string entries;
  for (std::size_t i = 0; i <= max_shipped_files; ++i)
    entries += (i == 0 ? "" : ",") + entry(std::to_string(i));

  EXPECT_THAT(refusal(manifest(entries)), HasSubstr("more than"));
}

TEST(manifest_codec, survives_texts_that_were_damaged_anywhere) {
  const auto good = to_json(file_manifest{{{"a/b", 0111, 1, a_hash}, {"c", 0, 2, a_hash}}});
  constexpr unsigned seed = 4;
  std::mt19937 random{seed};
  for (int i = 0; i < 5000; ++i) {
    auto text = good;
    text[random() % text.size()] = static_cast<char>(random());

    auto uut = manifest_from_json(text);

    // An accepted manifest must survive being written and read again.
    EXPECT_TRUE(!uut || manifest_from_json(to_json(*uut))) << text << " seed " << seed;
  }
}

} // namespace
} // namespace tune
