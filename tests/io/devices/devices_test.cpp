// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/devices.hpp"

#include "tune/io/devices/cgroup_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace tune {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A fixture with a directory that stands for "/", removed after the test.
class devices_test : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tune-devices-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root = name;
  }

  void TearDown() override {
    ::unsetenv("TUNE_FAKE_NVML");
    fs::remove_all(root);
  }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream{root / path} << text;
  }

  discovery here() const {
    discovery result;
    result.root = root;
    result.gpu_library = TUNE_FAKE_NVML;
    return result;
  }

  fs::path root;
};

std::vector<std::string> names_of(const std::vector<gpu_device>& devices) {
  std::vector<std::string> result;
  for (const auto& x : devices)
    result.push_back(x.visible);
  return result;
}

TEST_F(devices_test, knows_no_limits_without_control_groups) {
  auto limits = read_cgroup_limits(root);

  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory);
}

TEST_F(devices_test, reads_limits_of_version_2) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/job/step/memory.max", "1073741824\n");

  auto limits = read_cgroup_limits(root);

  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_EQ(limits.memory, 1073741824u);
}

TEST_F(devices_test, takes_the_tightest_limit_of_all_groups_above) {
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/job/memory.max", "5000\n");
  write("sys/fs/cgroup/job/step/memory.max", "7000\n");

  auto limits = read_cgroup_limits(root);

  EXPECT_EQ(limits.cpus, 2.0);
  EXPECT_EQ(limits.memory, 5000u);
}

TEST_F(devices_test, reads_limits_of_version_1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n1:name=systemd:/\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096\n");

  auto limits = read_cgroup_limits(root);

  EXPECT_EQ(limits.cpus, 3.0);
  EXPECT_EQ(limits.memory, 4096u);
}

TEST_F(devices_test, takes_unlimited_groups_of_version_1_for_what_they_are) {
  write("proc/self/cgroup", "5:cpu:/\n4:memory:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");

  auto limits = read_cgroup_limits(root);

  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory);
}

TEST_F(devices_test, reads_the_mount_where_the_path_is_the_hosts) {
  write("proc/self/cgroup", "0::/../../docker/4711\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");

  EXPECT_EQ(read_cgroup_limits(root).cpus, 0.5);
}

TEST_F(devices_test, is_not_put_off_by_nonsense) {
  write("proc/self/cgroup", "nonsense\n0::/\n");
  write("sys/fs/cgroup/cpu.max", "much more\n");
  write("sys/fs/cgroup/memory.max", "");

  auto limits = read_cgroup_limits(root);

  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory);
}

TEST_F(devices_test, offers_what_is_left_of_cpus_and_memory) {
  auto unlimited = discover(here());
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  write("sys/fs/cgroup/memory.max", "1048576\n");

  auto limited = discover(here());

  EXPECT_GE(unlimited.cpus, 1);
  EXPECT_GT(unlimited.memory, 1048576u);
  EXPECT_EQ(limited.cpus, 0.5);
  EXPECT_EQ(limited.memory, 1048576u);
  EXPECT_EQ(to_text(limited.capacity()), "0.5 CPU, 2 GPU, 1 MiB memory");
}

TEST_F(devices_test, counts_no_more_cpus_than_its_mask_allows) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  auto first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);

  auto found = discover(here()).cpus;

  EXPECT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(found, 1);
}

TEST_F(devices_test, lists_gpus_as_the_library_tells) {
  auto found = discover(here());

  EXPECT_THAT(found.warnings, IsEmpty());
  EXPECT_THAT(found.gpus, ElementsAre(gpu_device{"Fake 0", "GPU-10000000-fake", 1ull << 30, "0"},
                                      gpu_device{"Fake 1", "GPU-20000000-fake", 2ull << 30, "1"}));
}

TEST_F(devices_test, leaves_out_a_gpu_that_does_not_answer_and_keeps_the_others_names) {
  ::setenv("TUNE_FAKE_NVML", "4", 1);

  EXPECT_THAT(names_of(discover(here()).gpus), ElementsAre("0", "1", "3"));
}

TEST_F(devices_test, has_no_gpus_without_the_library) {
  auto where = here();
  where.gpu_library = (root / "libnothing.so").string();

  auto found = discover(where);

  EXPECT_THAT(found.gpus, IsEmpty());
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST_F(devices_test, warns_of_a_library_that_does_not_work) {
  for (const auto* how : {"broken", "uncountable"}) {
    ::setenv("TUNE_FAKE_NVML", how, 1);

    auto found = discover(here());

    EXPECT_THAT(found.gpus, IsEmpty());
    ASSERT_THAT(found.warnings, SizeIs(1));
    EXPECT_THAT(found.warnings[0], HasSubstr("nvml"));
  }
}

TEST_F(devices_test, warns_of_a_library_that_is_something_else) {
  auto where = here();
  where.gpu_library = "libm.so.6";

  EXPECT_THAT(discover(where).warnings, ElementsAre(HasSubstr("has no function nvml")));
}

TEST_F(devices_test, respects_what_the_user_made_visible) {
  ::setenv("TUNE_FAKE_NVML", "5", 1);
  auto visible = [&](const char* text) {
    auto where = here();
    where.visible_devices = text;
    return names_of(discover(where).gpus);
  };

  EXPECT_THAT(visible("3,0"), ElementsAre("3", "0"));
  EXPECT_THAT(visible(" 1 , 4"), ElementsAre("1", "4"));
  EXPECT_THAT(visible(""), IsEmpty());
  EXPECT_THAT(visible("-1"), IsEmpty());
  EXPECT_THAT(visible("0,9,1"), ElementsAre("0"));
  EXPECT_THAT(visible("0,0,1"), IsEmpty());
  EXPECT_THAT(visible("1,GPU-20000000-fake"), IsEmpty());
  for (const auto* one : {"01", "+1", "0x1", "GPU-20000000-FAKE", "gpu-2"})
    EXPECT_THAT(visible(one), ElementsAre(one));
  for (const auto* none : {"0x", "+", "1a", "99999999999", "+-1"})
    EXPECT_THAT(visible(none), IsEmpty()) << none;
  EXPECT_THAT(visible("GPU-2,GPU-10000000-fake"), ElementsAre("GPU-2", "GPU-10000000-fake"));
  EXPECT_THAT(visible("GPU-,0"), IsEmpty());
  EXPECT_THAT(visible("MIG-77,1"), ElementsAre("MIG-77", "1"));
}

TEST_F(devices_test, knows_why_there_are_fewer_gpus) {
  ::setenv("TUNE_FAKE_NVML", "5", 1);
  auto where = here();
  EXPECT_EQ(discover(where).why_fewer_gpus, "");
  where.visible_devices = "3,0";
  EXPECT_EQ(discover(where).why_fewer_gpus,
            "CUDA_VISIBLE_DEVICES = \"3,0\" leaves 2 of the 4 that the driver lists");
  ::setenv("TUNE_FAKE_NVML", "broken", 1);
  EXPECT_THAT(discover(where).why_fewer_gpus, HasSubstr("nvmlInit_v2 gave 9"));
}

TEST_F(devices_test, lacks_gpus_only_where_it_has_some) {
  auto two = discover(here());
  EXPECT_EQ(lack_of_gpus(two, 2), "");
  EXPECT_EQ(lack_of_gpus(two, 0), "");
  EXPECT_THAT(lack_of_gpus(two, 2.5), HasSubstr("this machine has 2 GPUs, and a trial that got"));
  EXPECT_EQ(lack_of_gpus({}, 8), "");

  auto where = here();
  where.visible_devices = "1";
  EXPECT_THAT(lack_of_gpus(discover(where), 2),
              HasSubstr("has 1 GPU (CUDA_VISIBLE_DEVICES = \"1\" leaves 1 of the 2 "));
}

TEST_F(devices_test, finds_something_on_this_very_machine) {
  auto found = discover();

  EXPECT_GT(found.cpus, 0);
  EXPECT_LE(found.cpus, static_cast<double>(::sysconf(_SC_NPROCESSORS_CONF)));
  EXPECT_GT(found.memory, 1u << 20);
}

TEST_F(devices_test, reads_the_environment_by_default) {
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_EQ(discovery::from_environment().visible_devices, "1");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(discovery::from_environment().visible_devices, std::nullopt);
}

TEST(visible_devices_text, names_the_devices_of_the_shares) {
  std::vector<gpu_device> devices{{"", "", 0, "0"}, {"", "", 0, "3"}, {"", "", 0, "GPU-7"}};
  std::vector<gpu_share> shares{{0, amount::of(1)}, {1, amount::of(1)}};
  std::vector<gpu_share> fraction{{2, amount::of(0.5)}};
  std::vector<gpu_share> lost{{9, amount::of(1)}};

  EXPECT_EQ(visible_devices_text(shares, devices), "0,3");
  EXPECT_EQ(visible_devices_text(fraction, devices), "GPU-7");
  EXPECT_EQ(visible_devices_text(lost, devices), "");
  EXPECT_EQ(visible_devices_text({}, devices), "");
}

} // namespace
} // namespace tune
