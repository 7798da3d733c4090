// Archives that clients upload: what is taken, and what never is.
// SPDX-License-Identifier: BSD-3-Clause
#include "head/uploaded_files.hpp"

#include "io/scratch_directory.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;

/// Makes tar archives, nonsense included.
class tar {
public:
  tar() {
    ::archive_write_set_format_pax_restricted(to_);
    ::archive_write_open_memory(to_, buffer_.data(), buffer_.size(), &used_);
  }
  tar(const tar&) = delete;
  tar& operator=(const tar&) = delete;
  ~tar() { ::archive_write_free(to_); }

  tar& add(const std::string& name, const std::string& text, unsigned type = AE_IFREG,
           const std::function<void(::archive_entry*)>& more = {}) {
    auto* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, name.c_str());
    ::archive_entry_set_filetype(entry, type);
    ::archive_entry_set_perm(entry, 0755);
    ::archive_entry_set_size(entry, static_cast<::la_int64_t>(text.size()));
    if (more)
      more(entry);
    ::archive_write_header(to_, entry);
    ::archive_write_data(to_, text.data(), text.size());
    ::archive_entry_free(entry);
    return *this;
  }
  tar& link(const std::string& name, const std::string& target, bool is_hard) {
    return add(name, "", is_hard ? AE_IFREG : AE_IFLNK, [&](::archive_entry* x) {
      if (is_hard)
        ::archive_entry_set_hardlink(x, target.c_str());
      else
        ::archive_entry_set_symlink(x, target.c_str());
    });
  }
  std::string bytes() {
    ::archive_write_close(to_);
    return {buffer_.data(), used_};
  }

private:
  std::vector<char> buffer_ = std::vector<char>(1 << 20);
  std::size_t used_ = 0;
  ::archive* to_ = ::archive_write_new();
};

std::string fault_of_archive(const std::string& bytes, const upload_limits& limits = {}) {
  auto read = files_in_archive(bytes, limits);
  return read ? std::string{} : read.error().detail;
}

TEST(uploaded_files, are_those_of_the_archive) {
  tar made;
  made.add("./exp.ini", "[experiment]\n").add("./lib/", "", AE_IFDIR).add("./lib/a.py", "x=1");

  auto read = files_in_archive(made.bytes());

  ASSERT_TRUE(read) << read.error().detail;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].path, "exp.ini");
  EXPECT_EQ((*read)[1].path, "lib/a.py");
  EXPECT_EQ((*read)[1].bytes, "x=1");
  EXPECT_TRUE((*read)[1].executable);
}

TEST(uploaded_files, never_lead_out) {
  EXPECT_THAT(fault_of_archive(tar{}.add("../x", "1").bytes()), HasSubstr("lead out by .."));
  EXPECT_THAT(fault_of_archive(tar{}.add("a/../../x", "1").bytes()), HasSubstr(".."));
  EXPECT_THAT(fault_of_archive(tar{}.add("/etc/x", "1").bytes()), HasSubstr("relative"));
  EXPECT_THAT(fault_of_archive(tar{}.link("x", "/etc/passwd", false).bytes()),
              HasSubstr("links are not taken"));
  EXPECT_THAT(fault_of_archive(tar{}.add("a", "1").link("x", "a", true).bytes()),
              HasSubstr("links are not taken"));
  EXPECT_THAT(fault_of_archive(tar{}.add("pipe", "", AE_IFIFO).bytes()),
              HasSubstr("neither a file nor a directory"));
  EXPECT_THAT(fault_of_archive(tar{}.add("a\nb", "1").bytes()), HasSubstr("control characters"));
}

TEST(uploaded_files, are_limited) {
  EXPECT_THAT(fault_of_archive(tar{}.add("a", "1").add("b", "2").bytes(), {1, 100, 4, 100}),
              HasSubstr("more than 1 files"));
  EXPECT_THAT(fault_of_archive(tar{}.add("a", "12345").bytes(), {9, 4, 4, 100}),
              HasSubstr("more than 4 bytes together"));
  EXPECT_THAT(fault_of_archive(tar{}.add("a/b/c/x", "1").bytes(), {9, 100, 2, 100}),
              HasSubstr("at most 2 directories"));
  EXPECT_THAT(fault_of_archive(tar{}.add(std::string(9, 'n'), "1").bytes(), {9, 100, 2, 8}),
              HasSubstr("at most 8 bytes"));
  EXPECT_THAT(fault_of_archive(tar{}.add("a", "1").add("./a", "2").bytes()),
              HasSubstr("is there twice"));
  EXPECT_THAT(fault_of_archive(tar{}.add("a", "1").add("a/b", "2").bytes()),
              HasSubstr("a file and a directory"));
}

TEST(uploaded_files, are_no_nonsense) {
  EXPECT_NE(fault_of_archive(""), "");
  EXPECT_NE(fault_of_archive(std::string(10'000, '\0')), "");
  EXPECT_NE(fault_of_archive("PK\x03\x04 no tar at all"), "");
  auto whole = tar{}.add("exp.ini", std::string(4000, 'x')).bytes();
  EXPECT_NE(fault_of_archive(whole.substr(0, 1500)), "");
}

TEST(uploaded_files, have_one_ini_file) {
  const std::vector<uploaded_file> two{{"a.ini", "", false}, {"b.ini", "", false}};
  EXPECT_EQ(*ini_file_in({{"a.ini", "", false}, {"lib/b.ini", "", false}}, ""), "a.ini");
  EXPECT_EQ(*ini_file_in({{"lib/b.ini", "", false}}, "lib/b.ini"), "lib/b.ini");
  EXPECT_THAT(ini_file_in(two, "").error().detail, HasSubstr("a.ini, b.ini"));
  EXPECT_THAT(ini_file_in(two, "c.ini").error().detail, HasSubstr("has no \"c.ini\""));
  EXPECT_FALSE(ini_file_in({{"train.py", "", false}}, ""));
}

class uploaded_files_test : public samples::scratch_directory {};

TEST_F(uploaded_files_test, are_written_for_their_owner_alone) {
  ASSERT_TRUE(write_files({{"exp.ini", "text", false}, {"lib/run.sh", "x", true}}, root));
  std::ifstream from{root / "exp.ini"};
  std::ostringstream text;
  text << from.rdbuf();
  EXPECT_EQ(text.str(), "text");
  struct ::stat info {};
  ASSERT_EQ(::stat((root / "lib/run.sh").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_FALSE(write_files({{"exp.ini", "again", false}}, root));
}

} // namespace
} // namespace tune::cli
