// SPDX-License-Identifier: BSD-3-Clause
#include "devices/gpu_usage.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

gpu_readings readings(double joules, std::vector<nvml_library::process> processes) {
  return {{0, {joules, std::move(processes)}}};
}

TEST(gpu_usage, keeps_the_most_that_its_processes_had_together) {
  gpu_usage uut{{{0, 1}, {1, 1}}};

  uut.take({{0, {{}, {{7, 100}, {8, 50}, {9, 5000}}}}, {1, {{}, {{7, 30}}}}}, {7, 8});
  EXPECT_EQ(uut.so_far().peak_bytes, 180);
  uut.take(readings(0, {{7, 90}}), {7, 8});

  EXPECT_EQ(uut.so_far().peak_bytes, 180);
}

TEST(gpu_usage, knows_no_memory_where_none_of_its_processes_is_shown) {
  gpu_usage uut{{{0, 1}}};

  uut.take(readings(0, {{9, 5000}}), {7, 8});

  EXPECT_FALSE(uut.so_far().peak_bytes);
}

TEST(gpu_usage, counts_energy_from_the_first_reading_by_its_share) {
  gpu_usage uut{{{0, 0.25}}};

  uut.take(readings(1000, {}), {});
  EXPECT_FALSE(uut.so_far().energy_j);
  uut.take(readings(1080, {}), {});

  EXPECT_EQ(uut.so_far().energy_j, 20);
}

TEST(gpu_usage, leaves_out_gpus_that_it_only_sees) {
  gpu_usage uut{{{0, 0}}};

  uut.take(readings(1000, {{7, 64}}), {7});
  uut.take(readings(1080, {{7, 64}}), {7});

  EXPECT_FALSE(uut.so_far().energy_j);
  EXPECT_EQ(uut.so_far().peak_bytes, 64);
}

TEST(gpu_usage, goes_on_after_a_driver_was_loaded_again) {
  gpu_usage uut{{{0, 1}}};
  uut.take(readings(1000, {}), {});
  uut.take(readings(1010, {}), {});
  uut.take(readings(3, {}), {});
  uut.take(readings(5, {}), {});

  EXPECT_EQ(uut.so_far().energy_j, 12);
}

TEST(gpu_numbers, count_only_where_all_of_them_are_of_processes_here) {
  const auto exists = [](std::int64_t pid) { return pid < 100; };
  gpu_readings told{{0, {1, {{7, 64}, {8, 64}}}}, {1, {1, {{7, 64}, {40000, 64}}}}};

  drop_foreign_numbers(told, exists);

  EXPECT_EQ(told[0].processes.size(), 2u);
  EXPECT_TRUE(told[1].processes.empty());
  EXPECT_EQ(told[1].energy_j, 1);
}

/// A list of processes with entries of this length.
std::vector<unsigned char> listed(std::size_t length, unsigned count) {
  std::vector<unsigned char> result(8 * nvml_longest_entry, nvml_unwritten);
  for (unsigned i = 0; i < count; ++i) {
    unsigned char entry[nvml_longest_entry] = {};
    entry[0] = static_cast<unsigned char>(i + 1);
    entry[9] = 1;
    entry[16] = entry[20] = 0xFF;
    std::copy(entry, entry + length, result.begin() + static_cast<std::ptrdiff_t>(i * length));
  }
  return result;
}

TEST(gpu_processes, are_read_whatever_the_length_of_their_entries) {
  for (std::size_t length : {16, 24, 32}) {
    for (unsigned count : {1u, 2u, 3u}) {
      const auto found = nvml_processes_in(listed(length, count), count);
      ASSERT_EQ(found.size(), count) << length;
      for (unsigned i = 0; i < count; ++i) {
        EXPECT_EQ(found[i].pid, i + 1) << length;
        EXPECT_EQ(found[i].bytes, 256u) << length;
      }
    }
  }
  EXPECT_TRUE(nvml_processes_in(listed(24, 0), 0).empty());
}

} // namespace
} // namespace tune
