// SPDX-License-Identifier: BSD-3-Clause
#include "client/archive_packer.hpp"
#include "client/archive_unpacker.hpp"

#include "../io/scratch_directory.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;
using store::descriptor;
using testing::HasSubstr;
using testing::IsEmpty;
using end = packing_result::end;

class archive_test : public samples::scratch_directory {
protected:
  void SetUp() override {
    scratch_directory::SetUp();
    from = root / "from";
    into = root / "into";
    fs::create_directory(from);
    fs::create_directory(into);
  }

  expected<packing_result> packed(const packing_rules& rules = {}, const byte_taker& also = {}) {
    archive.clear();
    auto held = guarded_directory::open(from);
    return pack(*held, rules, [&](std::string_view bytes) {
      archive.append(bytes);
      return !also || also(bytes);
    });
  }

  expected<void> unpacked() {
    fill(root / "archive", archive);
    const descriptor file{::open((root / "archive").c_str(), O_RDONLY | O_CLOEXEC)};
    const descriptor to{::open(into.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    std::mutex steps;
    return unpack(file, to, into, steps);
  }

  static struct ::stat status(const fs::path& path) {
    struct ::stat result {};
    EXPECT_EQ(::lstat(path.c_str(), &result), 0) << path;
    return result;
  }

  /// Adds an entry in the format of 1988 (ustar).
  void add(const std::string& name, char type, const std::string& content = {},
           const std::string& target = {}, unsigned mode = 0644) {
    std::array<char, 512> head{};
    std::snprintf(&head[0], 100, "%s", name.c_str());
    std::snprintf(&head[100], 8, "%07o", mode);
    std::snprintf(&head[108], 8, "%07o", 0U);
    std::snprintf(&head[116], 8, "%07o", 0U);
    std::snprintf(&head[124], 12, "%011zo", content.size());
    std::snprintf(&head[136], 12, "%011o", 0U);
    head[156] = type;
    std::snprintf(&head[157], 100, "%s", target.c_str());
    std::memcpy(&head[257], "ustar\00000", 8);
    std::snprintf(&head[329], 8, "%07o", 1U);
    std::snprintf(&head[337], 8, "%07o", 1U);
    std::fill_n(&head[148], 8, ' ');
    unsigned sum = 0;
    for (const char x : head)
      sum += static_cast<unsigned char>(x);
    std::snprintf(&head[148], 8, "%06o", sum);
    archive.append(head.data(), head.size());
    archive += content;
    archive.append((512 - content.size() % 512) % 512, '\0');
  }
  void add_end() { archive.append(1024, '\0'); }

  fs::path from;
  fs::path into;
  std::string archive;
};

TEST_F(archive_test, keeps_files_directories_and_links) {
  const auto deep = from / std::string(90, 'd') / std::string(120, 'e');
  fill(deep / "file", std::string(1'000'000, 'x') + "end");
  fill(from / "tool", "#!/bin/sh\n");
  ::chmod((from / "tool").c_str(), 0750);
  const std::array<::timespec, 2> then{{{1'000'000'000, 0}, {1'000'000'000, 0}}};
  ::utimensat(AT_FDCWD, (from / "tool").c_str(), then.data(), 0);
  fs::create_directory(from / "empty");
  fs::create_symlink("tool", from / "relative");
  fs::create_symlink("/etc", from / "outside");
  fill(from / "\xff\xfe", "not UTF-8");
  fill(from / "- \n\x1b[31m\xc3\xa4", "odd");
  fs::create_symlink("\xff", from / "link of bytes");
  fs::create_hard_link(from / "tool", from / "same");

  auto result = packed();

  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_EQ(result->how, end::whole);
  EXPECT_EQ(result->left_out, 0U);
  auto done = unpacked();
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(content(into / deep.lexically_relative(from) / "file"), content(deep / "file"));
  EXPECT_EQ(status(into / "tool").st_mode & 07777U, 0750U & ~022U);
  EXPECT_EQ(status(into / "tool").st_mtim.tv_sec, 1'000'000'000);
  EXPECT_TRUE(fs::is_empty(into / "empty"));
  EXPECT_EQ(fs::read_symlink(into / "relative"), "tool");
  EXPECT_EQ(fs::read_symlink(into / "outside"), "/etc");
  EXPECT_EQ(content(into / "\xff\xfe"), "not UTF-8");
  EXPECT_EQ(content(into / "- \n\x1b[31m\xc3\xa4"), "odd");
  EXPECT_EQ(fs::read_symlink(into / "link of bytes"), "\xff");
  EXPECT_EQ(content(into / "same"), "#!/bin/sh\n");
}

TEST_F(archive_test, keeps_holes) {
  constexpr ::off_t huge = ::off_t{1} << 40;
  fill(from / "begun", "begin");
  fill(from / "hole", "");
  fill(from / "middle", std::string(1 << 20, '\0'));
  ::truncate((from / "begun").c_str(), huge);
  ::truncate((from / "hole").c_str(), huge);
  {
    const descriptor file{::open((from / "middle").c_str(), O_WRONLY | O_CLOEXEC)};
    ::ftruncate(file.number(), 0);
    ::ftruncate(file.number(), huge);
    ASSERT_EQ(::pwrite(file.number(), "middle", 6, huge / 2), 6);
  }

  ASSERT_TRUE(packed());

  EXPECT_LT(archive.size(), 4U << 20U);
  auto done = unpacked();
  ASSERT_TRUE(done) << done.error().detail;
  for (const auto* name : {"begun", "hole", "middle"}) {
    EXPECT_EQ(status(into / name).st_size, huge) << name;
    EXPECT_LT(status(into / name).st_blocks, 4096) << name;
  }
  const descriptor file{::open((into / "middle").c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 6> middle{};
  ASSERT_EQ(::pread(file.number(), middle.data(), middle.size(), huge / 2), 6);
  EXPECT_EQ(std::string(middle.data(), middle.size()), "middle");
}

TEST_F(archive_test, leaves_out_what_is_no_file_and_counts_it) {
  fill(from / "sub" / "file", "x");
  ASSERT_EQ(::mkfifo((from / "sub" / "fifo").c_str(), 0600), 0);
  const descriptor named{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", (from / "z").c_str());
  ASSERT_EQ(::bind(named.number(), reinterpret_cast<const ::sockaddr*>(&address), sizeof address),
            0);

  auto result = packed();

  ASSERT_TRUE(result);
  EXPECT_EQ(result->how, end::whole);
  EXPECT_EQ(result->left_out, 2U);
  EXPECT_EQ(result->first_left_out, "z");
  ASSERT_TRUE(unpacked());
  EXPECT_EQ(content(into / "sub" / "file"), "x");
  EXPECT_FALSE(fs::exists(into / "sub" / "fifo"));
  EXPECT_FALSE(fs::exists(into / "z"));
}

TEST_F(archive_test, leaves_out_names_and_follows_those_that_it_should) {
  fill(root / "elsewhere" / "sub" / "file", "x");
  fs::create_directory_symlink(root / "elsewhere", from / "trials");
  fs::create_directory_symlink(root / "elsewhere", from / "other");
  fill(from / "lock", "pid 1");
  fill(from / "sub" / "lock", "kept");

  ASSERT_TRUE(packed({{}, {"lock"}, {"trials"}}));

  ASSERT_TRUE(unpacked());
  EXPECT_FALSE(fs::exists(into / "lock"));
  EXPECT_EQ(content(into / "sub" / "lock"), "kept");
  EXPECT_FALSE(fs::is_symlink(into / "trials"));
  EXPECT_EQ(content(into / "trials" / "sub" / "file"), "x");
  EXPECT_TRUE(fs::is_symlink(into / "other"));
}

TEST_F(archive_test, notices_a_file_that_goes) {
  fill(from / "a", std::string(1'000'000, 'a'));
  fill(from / "b", "b");
  const auto remove = [&](std::string_view) { return fs::remove(from / "b") || true; };

  auto result = packed({}, remove);

  ASSERT_TRUE(result);
  EXPECT_EQ(result->how, end::changed);
  fill(from / "b", "b");
  result = packed({[](const std::string&) { return true; }}, remove);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->how, end::whole);
  ASSERT_TRUE(unpacked());
  EXPECT_TRUE(fs::exists(into / "a"));
  EXPECT_FALSE(fs::exists(into / "b"));
}

TEST_F(archive_test, notices_a_file_that_goes_before_its_directory_is_listed) {
  fill(from / "sub" / "b", "b");
  fill(from / "z", std::string(1'000'000, 'z'));
  const std::array<::timespec, 2> then{{{1'000'000'000, 0}, {1'000'000'000, 0}}};
  ::utimensat(AT_FDCWD, (from / "sub").c_str(), then.data(), 0);

  auto result
      = packed({}, [&](std::string_view) { return fs::remove(from / "sub" / "b") || true; });

  ASSERT_TRUE(result);
  EXPECT_EQ(result->how, end::changed);
}

TEST_F(archive_test, notices_a_file_that_grows_or_shrinks) {
  for (const std::size_t size : {10U, 2'000'000U}) {
    fill(from / "a", std::string(1'000'000, 'a'));
    const auto resize = [&](std::string_view) {
      fs::resize_file(from / "a", size);
      return true;
    };

    auto result = packed({}, resize);

    ASSERT_TRUE(result);
    EXPECT_EQ(result->how, end::changed);
    fill(from / "a", std::string(1'000'000, 'a'));
    result = packed({[](const std::string& path) { return path == "a"; }}, resize);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->how, end::whole);
    fs::remove_all(into);
    fs::create_directory(into);
    ASSERT_TRUE(unpacked());
    EXPECT_EQ(fs::file_size(into / "a"), 1'000'000U);
  }
}

TEST_F(archive_test, ends_where_no_more_is_wanted) {
  fill(from / "a", std::string(50'000'000, 'a'));

  auto result = packed({}, [&](std::string_view) { return archive.size() < 1'000'000; });

  ASSERT_TRUE(result);
  EXPECT_EQ(result->how, end::unwanted);
  EXPECT_LT(archive.size(), 3'000'000U);
}

TEST_F(archive_test, names_what_may_not_be_read) {
  fill(from / "secret", "x");
  ::chmod((from / "secret").c_str(), 0);
  ::chmod(root.c_str(), 0755);
  const auto was = ::geteuid();
  constexpr ::uid_t nobody = 65534;
  // Root may read everything.
  ASSERT_EQ(was == 0 ? ::seteuid(nobody) : 0, 0);

  auto result = packed();
  ASSERT_EQ(::seteuid(was), 0);

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ec::refused);
  EXPECT_THAT(result.error().detail, HasSubstr("secret: cannot be read"));
}

TEST_F(archive_test, unpacks_nothing_outside_its_directory) {
  fs::create_directory(root / "outside");
  for (const std::string name :
       {"../out", "/tmp/tune_archive_test_out", "a/../../out", "./x", "", ".."}) {
    archive.clear();
    add("a/", '5', {}, {}, 0755);
    add(name, '0', "x");
    add_end();
    fs::remove_all(into);
    fs::create_directory(into);

    auto done = unpacked();

    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().code, ec::protocol) << name << done.error().detail;
    EXPECT_FALSE(fs::exists(root / "out"));
  }
}

TEST_F(archive_test, unpacks_nothing_through_a_link) {
  fs::create_directory(root / "outside");
  add("link", '2', {}, (root / "outside").string());
  add("link/file", '0', "x");
  add_end();

  EXPECT_FALSE(unpacked());
  EXPECT_TRUE(fs::is_empty(root / "outside"));

  archive.clear();
  fs::remove(into / "link");
  add("link", '2', {}, (root / "outside" / "file").string());
  add("link", '0', "x");
  add_end();

  EXPECT_FALSE(unpacked());
  EXPECT_TRUE(fs::is_empty(root / "outside"));
}

TEST_F(archive_test, makes_only_files_directories_and_links) {
  // Hard link, character and block device, named pipe.
  for (const char type : {'1', '3', '4', '6'}) {
    archive.clear();
    add("thing", type, {}, "target", 0666);
    add_end();

    auto done = unpacked();

    ASSERT_FALSE(done) << type;
    EXPECT_EQ(done.error().code, ec::protocol);
    EXPECT_THAT(done.error().detail, HasSubstr("thing"));
    EXPECT_TRUE(fs::is_empty(into));
  }
}

TEST_F(archive_test, drops_special_bits_and_keeps_everything_accessible_to_its_owner) {
  add("tool", '0', "x", {}, 06755);
  add("hidden/", '5', {}, {}, 01000);
  add("hidden/file", '0', "x", {}, 0);
  add_end();

  auto done = unpacked();

  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(status(into / "tool").st_mode & 07777U, 0755U);
  EXPECT_EQ(status(into / "hidden").st_mode & 07777U, 0700U);
  EXPECT_EQ(status(into / "hidden" / "file").st_mode & 07777U, 0600U);
}

TEST_F(archive_test, is_to_be_whole_and_alone) {
  fill(from / "a", std::string(100'000, 'a'));
  ASSERT_TRUE(packed());
  const auto whole = archive;

  archive = whole.substr(0, whole.size() / 2);
  EXPECT_EQ(unpacked().error().code, ec::protocol);
  fs::remove(into / "a");

  archive = whole + std::string(2U << 20U, '\0');
  auto more = unpacked();
  EXPECT_FALSE(more);
  fs::remove(into / "a");

  archive = "this is no archive at all" + std::string(2000, 'x');
  EXPECT_EQ(unpacked().error().code, ec::protocol);
}

} // namespace
} // namespace tune::cli
