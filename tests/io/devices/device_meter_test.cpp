// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/device_meter.hpp"

#include "../scratch_directory.hpp"
#include "support/processes.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <mutex>

namespace tune {
namespace {

using support::eventually;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A meter over a library that behaves as the file `state` says. This process stands for that of an
/// attempt.
struct device_meter_test : samples::scratch_directory {
  void SetUp() override {
    scratch_directory::SetUp();
    ::setenv("TUNE_FAKE_NVML", "2", 1);
    ::setenv("TUNE_FAKE_NVML_STATE", (root / "state").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TUNE_FAKE_NVML");
    ::unsetenv("TUNE_FAKE_NVML_STATE");
    scratch_directory::TearDown();
  }

  /// Replaced at once: the library never sees a half.
  void state(const std::string& text) const {
    fill(root / "next", text);
    std::filesystem::rename(root / "next", root / "state");
  }
  static std::string own(unsigned gpu, long long bytes) {
    return "process " + std::to_string(gpu) + " " + std::to_string(::getpid()) + " "
           + std::to_string(bytes) + "\n";
  }

  device_meter::options with(std::vector<std::string> gpus) {
    device_meter::options result;
    result.gpus = std::move(gpus);
    result.gpu_library = TUNE_FAKE_NVML;
    result.zones = root / "zones";
    result.tell = [this](const std::string& text) {
      std::lock_guard guard{mutex};
      told.push_back(text);
    };
    return result;
  }
  std::vector<std::string> all_told() {
    std::lock_guard guard{mutex};
    return told;
  }

  std::mutex mutex;
  std::vector<std::string> told;
};

TEST_F(device_meter_test, measures_memory_and_energy_of_an_attempt) {
  state("energy 0 1000\nenergy 1 5000\n" + own(0, 4096) + own(1, 1024));
  device_meter uut{with({"0", "1"})};

  const auto watch = uut.watch(::getpid(), {{0, 1}, {1, 1}});

  ASSERT_NE(watch, nullptr);
  EXPECT_TRUE(eventually([&] { return watch->use().peak_bytes == 5120; }));
  state("energy 0 2000\nenergy 1 5500\n" + own(0, 1));
  EXPECT_TRUE(eventually([&] { return watch->use().energy_j == 1.5; }));
  EXPECT_EQ(watch->use().peak_bytes, 5120);
  EXPECT_THAT(all_told(), IsEmpty());
}

TEST_F(device_meter_test, finds_gpus_by_uuids_also_short_ones_and_mig_instances) {
  state("energy 0 1000\nenergy 1 1000\n" + own(0, 10) + own(1, 3000));
  device_meter uut{with({"gpu-2", "MIG-fake", "GPU-20000000-fake"})};

  const auto second = uut.watch(::getpid(), {{0, 0.5}});
  const auto instance = uut.watch(::getpid(), {{1, 1}});
  const auto again = uut.watch(::getpid(), {{2, 1}});

  EXPECT_TRUE(eventually([&] {
    return second->use().peak_bytes == 3000 && instance->use().peak_bytes == 10
           && again->use().peak_bytes == 3000;
  }));
  state("energy 0 3000\nenergy 1 3000\n");
  EXPECT_TRUE(eventually([&] { return second->use().energy_j == 1; }));
  EXPECT_TRUE(eventually([&] { return again->use().energy_j == 2; }));
  EXPECT_FALSE(instance->use().energy_j);
}

TEST_F(device_meter_test, reads_lists_of_older_and_other_drivers) {
  for (const auto* length : {"16", "24", "32"}) {
    for (const auto* library : {TUNE_FAKE_NVML, TUNE_FAKE_OLD_NVML}) {
      state("entries " + std::string{length} + "\n" + own(0, 100) + own(0, 200));
      auto how = with({"0"});
      how.gpu_library = library;
      device_meter uut{how};

      const auto watch = uut.watch(::getpid(), {{0, 1}});

      EXPECT_TRUE(eventually([&] { return watch->use().peak_bytes == 300; })) << length << library;
    }
  }
}

TEST_F(device_meter_test, reads_lists_that_are_longer_than_expected) {
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += own(0, 10);
  state(all);
  device_meter uut{with({"0"})};

  const auto watch = uut.watch(::getpid(), {{0, 1}});

  EXPECT_TRUE(eventually([&] { return watch->use().peak_bytes == 2000; }));
}

TEST_F(device_meter_test, knows_nothing_of_memory_that_the_driver_does_not_tell) {
  state("energy 0 1000\n" + own(0, -1));
  device_meter uut{with({"0"})};
  const auto watch = uut.watch(::getpid(), {{0, 1}});

  // The second measurement tells energy.
  EXPECT_TRUE(eventually([&] { return watch->use().energy_j.has_value(); }));

  EXPECT_FALSE(watch->use().peak_bytes);
}

TEST_F(device_meter_test, tells_of_each_failure_once_and_measures_what_is_left) {
  state("energy 0 1000\n" + own(0, 4096));
  device_meter uut{with({"0"})};
  const auto watch = uut.watch(::getpid(), {{0, 1}});
  EXPECT_TRUE(eventually([&] { return watch->use().peak_bytes == 4096; }));

  state("energy 0 2000\nfail nvmlDeviceGetTotalEnergyConsumption 15\n" + own(0, 8192));

  EXPECT_TRUE(eventually([&] { return watch->use().peak_bytes == 8192; }));
  EXPECT_THAT(all_told(),
              ElementsAre(HasSubstr(
                  "GPU 0: the GPU library failed: "
                  "nvmlDeviceGetTotalEnergyConsumption gave 15; energy is not measured")));
  state("energy 0 9000\nfail nvmlDeviceGetComputeRunningProcesses_v3 999\n");
  EXPECT_TRUE(eventually([&] { return all_told().size() == 2; }));
  EXPECT_THAT(
      all_told().back(),
      HasSubstr("nvmlDeviceGetComputeRunningProcesses_v3 gave 999; memory is not measured"));
  state("energy 0 9000\n" + own(0, 16384));
  const auto later = uut.watch(::getpid(), {{0, 1}});
  EXPECT_FALSE(later->use().peak_bytes);
  EXPECT_EQ(watch->use().peak_bytes, 8192);
  EXPECT_EQ(all_told().size(), 2u);
}

TEST_F(device_meter_test, lets_nobody_wait_for_a_driver_that_does_not_answer) {
  const auto gate = root / "gate";
  state("energy 0 1000\nwait nvmlDeviceGetTotalEnergyConsumption " + gate.string() + "\n"
        + own(0, 4096));
  device_meter uut{with({"0"})};
  const auto first = uut.watch(::getpid(), {{0, 1}});

  // The meter's thread is stuck by the second of these, or will be soon.
  const auto second = uut.watch(::getpid(), {{0, 1}});
  EXPECT_FALSE(first->use().peak_bytes);
  EXPECT_FALSE(uut.processors());

  fill(gate, "");
  EXPECT_TRUE(eventually([&] { return second->use().peak_bytes == 4096; }));
}

TEST_F(device_meter_test, ends_although_the_driver_does_not_answer) {
  const auto gate = root / "gate";
  state("wait nvmlDeviceGetComputeRunningProcesses_v3 " + gate.string() + "\n");
  auto uut = std::make_unique<device_meter>(with({"0"}));
  const auto watch = uut->watch(::getpid(), {{0, 1}});

  uut.reset();

  EXPECT_FALSE(watch->use().peak_bytes);
  fill(gate, "");
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(root / "state.closed"); }));
}

TEST_F(device_meter_test, is_silent_of_what_a_gpu_never_tells) {
  // No line for its energy: not supported.
  state(own(0, 4096));
  device_meter uut{with({"0"})};

  const auto watch = uut.watch(::getpid(), {{0, 1}});

  EXPECT_TRUE(eventually([&] { return watch->use().peak_bytes == 4096; }));
  EXPECT_FALSE(watch->use().energy_j);
  EXPECT_THAT(all_told(), IsEmpty());
}

TEST_F(device_meter_test, tells_of_a_driver_that_does_not_work) {
  ::setenv("TUNE_FAKE_NVML", "broken", 1);
  device_meter uut{with({"0"})};

  EXPECT_TRUE(eventually([&] { return all_told().size() == 1; }));

  EXPECT_THAT(all_told().front(), HasSubstr("the GPU library failed: nvmlInit_v2 gave 9; memory"));
}

TEST_F(device_meter_test, names_all_gpus_that_fail_together_at_once) {
  state("energy 0 1000\nenergy 1 1000\nfail nvmlDeviceGetTotalEnergyConsumption 15\n");
  device_meter uut{with({"0", "GPU-20000000-fake"})};

  const auto watch = uut.watch(::getpid(), {{0, 1}, {1, 1}});

  EXPECT_TRUE(eventually([&] { return !all_told().empty(); }));
  EXPECT_THAT(all_told(), ElementsAre(HasSubstr("GPU 0, GPU-20000000-fake: the GPU library")));
}

TEST_F(device_meter_test, tells_of_a_gpu_that_cannot_be_found) {
  for (const auto& [name, what] : {std::pair{"2", "nvmlDeviceGetHandleByIndex_v2 gave 15"},
                                   std::pair{"GPU-9", "nvmlDeviceGetHandleByUUID gave 6"}}) {
    told.clear();
    device_meter uut{with({name})};
    EXPECT_TRUE(eventually([&] { return all_told().size() == 1; }));
    EXPECT_THAT(all_told().front(), HasSubstr(what));
  }
}

TEST_F(device_meter_test, needs_no_library_and_no_gpus) {
  auto how = with({"0"});
  how.gpu_library = "libtune-no-such-library.so";
  device_meter without_library{how};
  device_meter without_gpus{with({})};

  const auto watch = without_library.watch(::getpid(), {{0, 1}});

  EXPECT_EQ(without_gpus.watch(::getpid(), {{0, 1}}), nullptr);
  EXPECT_TRUE(watch == nullptr || !watch->use().peak_bytes);
  EXPECT_FALSE(without_gpus.processors());
  EXPECT_THAT(all_told(), IsEmpty());
}

TEST_F(device_meter_test, tells_what_the_processors_used) {
  fill(root / "zones/intel-rapl:0/name", "package-0\n");
  fill(root / "zones/intel-rapl:0/energy_uj", "5\n");
  fill(root / "zones/intel-rapl:0/max_energy_range_uj", "1000000\n");
  device_meter uut{with({})};

  const auto first = uut.processors();

  ASSERT_TRUE(first);
  EXPECT_GT(first->cpu_s, 0);
  fill(root / "zones/intel-rapl:0/energy_uj", "500005\n");
  EXPECT_TRUE(eventually([&] {
    const auto now = uut.processors();
    return now && now->energy_j == 0.5;
  }));
}

} // namespace
} // namespace tune
