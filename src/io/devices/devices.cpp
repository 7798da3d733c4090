// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/devices.hpp"

#include "tune/io/devices/cgroup_limits.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>

namespace tune {

namespace {

/// Number of CPUs in this process's affinity mask.
double usable_cpus() {
  // The mask must be as large as the kernel's, whose size can only be found by trying.
  for (int most = 1024; most <= 1024 * 1024; most *= 4) {
    auto free_mask = [](cpu_set_t* mask) { CPU_FREE(mask); };
    std::unique_ptr<cpu_set_t, decltype(free_mask)> mask{CPU_ALLOC(most), free_mask};
    auto bytes = CPU_ALLOC_SIZE(most);
    if (mask != nullptr && ::sched_getaffinity(0, bytes, mask.get()) == 0)
      return std::max(1, CPU_COUNT_S(bytes, mask.get()));
  }
  return static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::uint64_t physical_memory() {
  auto pages = ::sysconf(_SC_PHYS_PAGES);
  auto bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes)
             : 0;
}

/// The entries between commas, without surrounding spaces.
std::vector<std::string> entries_of(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t start = 0; start <= text.size();) {
    auto end = std::min(text.find(',', start), text.size());
    auto entry = text.substr(start, end - start);
    while (!entry.empty() && entry.front() == ' ')
      entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ')
      entry.remove_suffix(1);
    result.emplace_back(entry);
    start = end + 1;
  }
  return result;
}

std::string lower(std::string text) {
  for (auto& c : text) {
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// "3" of "3", "+3", "03" and "0x3"; what is no index stays as it is.
std::string plain_index(const std::string& entry) {
  std::string_view digits{entry};
  if (digits.starts_with('+'))
    digits.remove_prefix(1);
  const auto base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
  if (base == 16)
    digits.remove_prefix(2);
  unsigned index = 0;
  const auto [end, why]
      = std::from_chars(digits.data(), digits.data() + digits.size(), index, base);
  const auto is_index = why == std::errc{} && end == digits.data() + digits.size();
  return is_index ? std::to_string(index) : entry;
}

std::optional<gpu_device> named(const std::vector<gpu_device>& all, const std::string& entry) {
  if (entry.starts_with("MIG-"))
    return gpu_device{"MIG instance", entry, 0, entry};
  auto fits = [&](const gpu_device& x) {
    return lower(entry).starts_with("gpu-") ? lower(x.uuid).starts_with(lower(entry))
                                            : x.visible == plain_index(entry);
  };
  auto found = std::find_if(all.begin(), all.end(), fits);
  if (found == all.end() || std::count_if(all.begin(), all.end(), fits) != 1)
    return std::nullopt;
  auto result = *found;
  result.visible = entry;
  return result;
}

} // namespace

resources host_resources::capacity() const {
  return {amount::of(cpus), amount::of(static_cast<double>(gpus.size())), memory, {}};
}

discovery discovery::from_environment() {
  discovery result;
  if (const auto* text = std::getenv("CUDA_VISIBLE_DEVICES"))
    result.visible_devices = text;
  return result;
}

host_resources discover(const discovery& where) {
  host_resources result;
  auto limits = read_cgroup_limits(where.root);
  result.cpus = usable_cpus();
  if (limits.cpus)
    result.cpus = std::min(result.cpus, *limits.cpus);
  result.memory = physical_memory();
  if (limits.memory)
    result.memory = std::min(result.memory, *limits.memory);
  auto gpus = nvml_devices(where.gpu_library);
  if (!gpus) {
    result.why_fewer_gpus = gpus.error().detail;
    result.warnings.push_back(gpus.error().detail + "; no GPU will be used");
    return result;
  }
  result.gpus = where.visible_devices ? only_visible(*gpus, *where.visible_devices) : *gpus;
  if (result.gpus.size() < gpus->size())
    result.why_fewer_gpus = "CUDA_VISIBLE_DEVICES = \"" + *where.visible_devices + "\" leaves "
                            + std::to_string(result.gpus.size()) + " of the "
                            + std::to_string(gpus->size()) + " that the driver lists";
  return result;
}

std::vector<gpu_device> only_visible(const std::vector<gpu_device>& all, std::string_view text) {
  std::vector<gpu_device> result;
  for (const auto& entry : entries_of(text)) {
    auto device = named(all, entry);
    if (!device)
      break;
    auto same = [&](const gpu_device& x) { return x.uuid == device->uuid; };
    if (std::any_of(result.begin(), result.end(), same))
      return {};
    result.push_back(std::move(*device));
  }
  return result;
}

std::string lack_of_gpus(const host_resources& machine, double offered) {
  const auto has = machine.gpus.size();
  if (has == 0 || offered <= static_cast<double>(has))
    return {};
  return "this machine has " + std::to_string(has) + (has == 1 ? " GPU" : " GPUs")
         + (machine.why_fewer_gpus.empty() ? "" : " (" + machine.why_fewer_gpus + ")")
         + ", and a trial that got another would find none; a fraction of [resources] gpu shares "
           "one";
}

std::string visible_devices_text(std::span<const gpu_share> shares,
                                 std::span<const gpu_device> devices) {
  std::string result;
  for (const auto& x : shares) {
    if (x.device < devices.size())
      result += (result.empty() ? "" : ",") + devices[x.device].visible;
  }
  return result;
}

} // namespace tune
