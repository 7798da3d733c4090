/// Energy of the processor packages, from the kernel's power capping directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/trial/energy_share.hpp"

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Reads RAPL's counters of the packages, as far as this process may: mostly root alone. Memory,
/// cores and graphics that have counters of their own are not added: most of that is in the
/// packages. For any thread; reading takes microseconds, as these are no files of a disk.
class package_energy {
public:
  /// Least time between two readings; what is asked for sooner is that of the last.
  static constexpr std::chrono::milliseconds least_pause{100};
  /// A counter may come to its end and begin anew once in this time: there must be a reading.
  static constexpr std::chrono::seconds most_pause{10};

  /// @param zones Where the kernel shows its counters. @param stat Processor time of the machine.
  explicit package_energy(const std::filesystem::path& zones = "/sys/class/powercap",
                          std::filesystem::path stat = "/proc/stat");

  /// Whether there is anything to read.
  [[nodiscard]] bool is_told() const { return !counters_.empty(); }
  /// @returns nothing if the kernel does not tell.
  [[nodiscard]] std::optional<machine_use> read(instant now);

private:
  std::filesystem::path stat_;
  /// The files of the counters. [uJ]
  std::vector<std::pair<std::filesystem::path, wrapping_counter>> counters_;
  std::mutex mutex_;
  std::optional<instant> read_at_;
  std::optional<machine_use> last_;

  [[nodiscard]] std::optional<machine_use> read_now();
};

} // namespace tune
