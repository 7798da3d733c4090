// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/package_energy.hpp"

#include "../scratch_directory.hpp"

#include <unistd.h>

namespace tune {
namespace {

using namespace std::chrono_literals;

/// A made /sys/class/powercap and /proc/stat.
struct package_energy_test : samples::scratch_directory {
  void zone(const std::string& directory, const std::string& name, const std::string& counter,
            const std::string& most = "262143328850") const {
    fill(root / directory / "name", name + "\n");
    fill(root / directory / "energy_uj", counter + "\n");
    fill(root / directory / "max_energy_range_uj", most + "\n");
  }
  /// Seconds of user, system and idle time.
  void work(long user, long system, long idle) const {
    const auto ticks = ::sysconf(_SC_CLK_TCK);
    fill(root / "stat", "cpu  " + std::to_string(user * ticks) + " 0 "
                            + std::to_string(system * ticks) + " " + std::to_string(idle * ticks)
                            + " 12345 0 0 99 0 0\ncpu0 1 2 3\n");
  }
  [[nodiscard]] package_energy here() const { return package_energy{root, root / "stat"}; }
};

TEST_F(package_energy_test, sums_up_packages_and_no_parts_of_them) {
  work(10, 5, 1000);
  zone("intel-rapl:0", "package-0", "1000000");
  zone("intel-rapl:0:0", "core", "500000");
  zone("intel-rapl:0:1", "dram", "500000");
  zone("intel-rapl:1", "package-1", "7000000");
  zone("intel-rapl:2", "psys", "9000000");
  // The same package by another way.
  zone("intel-rapl-mmio:0", "package-0", "1000000");
  auto uut = here();
  ASSERT_TRUE(uut.is_told());
  EXPECT_EQ(uut.read(instant{0}), (machine_use{0, 15}));

  zone("intel-rapl:0", "package-0", "3000000");
  zone("intel-rapl:0:0", "core", "2500000");
  zone("intel-rapl:1", "package-1", "7500000");
  zone("intel-rapl-mmio:0", "package-0", "3000000");
  work(11, 6, 1000);

  EXPECT_EQ(uut.read(instant{1s}), (machine_use{2.5, 17}));
}

TEST_F(package_energy_test, goes_on_after_the_end_of_a_counter) {
  work(1, 1, 1);
  zone("intel-rapl:0", "package-0", "999000000", "999999999");
  auto uut = here();
  static_cast<void>(uut.read(instant{0}));

  zone("intel-rapl:0", "package-0", "2000000", "999999999");

  EXPECT_DOUBLE_EQ(uut.read(instant{1s})->energy_j, 3);
}

TEST_F(package_energy_test, reads_again_only_after_a_while) {
  work(1, 1, 1);
  zone("intel-rapl:0", "package-0", "0");
  auto uut = here();
  const auto first = uut.read(instant{0});
  zone("intel-rapl:0", "package-0", "5000000");

  EXPECT_EQ(uut.read(instant{package_energy::least_pause} - 1ns), first);
  EXPECT_EQ(uut.read(instant{package_energy::least_pause})->energy_j, 5);
}

TEST_F(package_energy_test, tells_nothing_where_there_are_no_counters) {
  work(1, 1, 1);
  EXPECT_FALSE(here().is_told());
  EXPECT_FALSE(here().read(instant{0}));
  EXPECT_FALSE(package_energy{root / "missing"}.is_told());
}

TEST_F(package_energy_test, tells_nothing_where_files_are_nonsense_or_closed) {
  work(1, 1, 1);
  zone("intel-rapl:0", "package-0", "much");
  zone("intel-rapl:1", "package-1", "5", "none");
  std::filesystem::create_directories(root / "intel-rapl:2");

  EXPECT_FALSE(here().is_told());
}

TEST_F(package_energy_test, tells_nothing_while_a_counter_or_the_time_is_missing) {
  work(1, 1, 1);
  zone("intel-rapl:0", "package-0", "1");
  auto uut = here();
  ASSERT_TRUE(uut.read(instant{0}));

  fill(root / "stat", "nonsense\n");
  EXPECT_FALSE(uut.read(instant{1s}));
  work(1, 1, 1);
  std::filesystem::remove(root / "intel-rapl:0/energy_uj");
  EXPECT_FALSE(uut.read(instant{2s}));
  zone("intel-rapl:0", "package-0", "4000001");
  EXPECT_EQ(uut.read(instant{3s})->energy_j, 4);
}

} // namespace
} // namespace tune
