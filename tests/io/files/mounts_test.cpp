// SPDX-License-Identifier: BSD-3-Clause
#include "files/mounts.hpp"

#include "../own_mounts.hpp"
#include "../scratch_directory.hpp"

#include <fcntl.h>

#include <cerrno>
#include <sstream>

namespace tune::files {
namespace {

namespace fs = std::filesystem;

TEST(mounts, are_read_as_the_kernel_writes_them) {
  std::istringstream text{
      "22 28 0:21 / /proc rw,nosuid shared:13 - proc proc rw\n"
      "36 35 98:0 /mnt1 /mnt/a\\040b rw,noatime master:1 propagate_from:2 - fuse.sshfs me@x rw\n"
      "37 35 98:0 / /mnt\\134x rw - ext4 /dev/root rw\n"
      "half a line\n"};

  auto read = parse_mounts(text);

  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].id, 22);
  EXPECT_EQ(read[1].where, "/mnt/a b");
  EXPECT_EQ(read[1].type, "fuse.sshfs");
  EXPECT_EQ(read[2].where, "/mnt\\x");
  EXPECT_EQ(read[2].type, "ext4");
}

struct mounts_test : samples::scratch_directory {};

TEST_F(mounts_test, that_may_not_answer_are_found_through_links_without_asking_them) {
  fill(root / "plain" / "x", "x");
  fs::create_directories(root / "plain" / "dead");
  fs::create_directory_symlink(root / "plain", root / "way");
  fs::create_symlink("way/dead/deep/x", root / "link");
  fs::create_symlink("round", root / "round");
  const auto status = samples::in_own_mounts([this] {
    if (!samples::mount_dead(root / "plain" / "dead"))
      return samples::cannot_mount;
    const store::descriptor home{::open(root.c_str(), O_PATH | O_DIRECTORY)};
    answering_mounts uut{home.number()};
    if (uut.open(root / "way" / "x").number() < 0 || uut.open(root / "way").number() < 0)
      return 1;
    if (uut.open(root / "nothing").number() >= 0 || errno != ENOENT
        || uut.open(root / "round").number() >= 0 || errno != ELOOP)
      return 2;
    for (const auto* name : {"plain/dead", "plain/dead/x", "way/dead", "link"}) {
      if (uut.open(root / name).number() >= 0 || errno != EXDEV)
        return 3;
    }
    const auto found = mounts_in(fs::canonical(root));
    return found.size() == 1 && found.front().type == "fuse" ? 0 : 4;
  });
  if (samples::may_not_mount(status))
    GTEST_SKIP() << "only root with /dev/fuse can mount that";

  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace tune::files
