// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/package_energy.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

namespace tune {

namespace {

namespace fs = std::filesystem;

constexpr double joules_per_count = 1e-6;

std::optional<double> number_in(const fs::path& file) {
  std::ifstream in{file};
  double result = 0;
  return in >> result ? std::optional{result} : std::nullopt;
}

std::string word_in(const fs::path& file) {
  std::ifstream in{file};
  std::string result;
  in >> result;
  return result;
}

/// The directories of the packages. Where a package has two, as with a second way to its counter,
/// one is taken.
std::vector<fs::path> packages_in(const fs::path& zones) {
  std::vector<fs::path> all;
  std::error_code why;
  for (fs::directory_iterator i{zones, why}, end; !why && i != end; i.increment(why))
    all.push_back(i->path());
  // The counter that the processor itself has comes after that of its memory-mapped registers.
  std::sort(all.rbegin(), all.rend());
  std::set<std::string> names;
  std::vector<fs::path> result;
  for (const auto& zone : all) {
    const auto name = word_in(zone / "name");
    if (name.starts_with("package") && number_in(zone / "energy_uj") && names.insert(name).second)
      result.push_back(zone);
  }
  return result;
}

/// Time for which processors worked since boot. [s]
std::optional<double> busy_time(const fs::path& stat) {
  std::ifstream in{stat};
  std::string line;
  if (!std::getline(in, line))
    return std::nullopt;
  std::istringstream words{line};
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0;
  if (!(words >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft)
      || name != "cpu")
    return std::nullopt;
  static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return (user + nice + system + interrupts + soft) / ticks;
}

} // namespace

package_energy::package_energy(const fs::path& zones, fs::path stat) : stat_{std::move(stat)} {
  for (const auto& zone : packages_in(zones)) {
    const auto most = number_in(zone / "max_energy_range_uj");
    if (most && *most > 0)
      counters_.emplace_back(zone / "energy_uj", wrapping_counter{*most + 1});
  }
}

std::optional<machine_use> package_energy::read(instant now) {
  if (counters_.empty())
    return std::nullopt;
  std::lock_guard guard{mutex_};
  if (!read_at_ || now - *read_at_ >= least_pause) {
    read_at_ = now;
    last_ = read_now();
  }
  return last_;
}

std::optional<machine_use> package_energy::read_now() {
  const auto busy = busy_time(stat_);
  machine_use result{0, busy.value_or(0)};
  bool is_whole = busy.has_value();
  for (auto& [file, counter] : counters_) {
    if (const auto told = number_in(file))
      result.energy_j += counter.take(*told) * joules_per_count;
    else
      is_whole = false;
  }
  return is_whole ? std::optional{result} : std::nullopt;
}

} // namespace tune
