// SPDX-License-Identifier: BSD-3-Clause
#include "devices/gpu_driver.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace tune {

namespace {

constexpr double joules_per_unit = 1e-3;

bool is_mig(const std::string& name) {
  return name.starts_with("MIG-");
}

std::optional<unsigned> index_in(const std::string& name) {
  unsigned result = 0;
  const auto [end, why] = std::from_chars(name.data(), name.data() + name.size(), result);
  if (why != std::errc{} || end != name.data() + name.size())
    return std::nullopt;
  return result;
}

bool begins_with(std::string_view text, std::string_view beginning) {
  const auto in_small
      = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return text.size() >= beginning.size()
         && std::equal(beginning.begin(), beginning.end(), text.begin(),
                       [&](char a, char b) { return in_small(a) == in_small(b); });
}

/// Whether the driver has never told this, which is no failure.
bool is_unknown_to_driver(int code) {
  return code == nvml_library::not_supported || code == nvml_library::function_not_found;
}

} // namespace

expected<std::unique_ptr<gpu_driver>> gpu_driver::open(const std::string& library,
                                                       std::vector<std::string> names) {
  auto api = nvml_library::open(library);
  if (!api)
    return api.error();
  if (*api == nullptr)
    return std::unique_ptr<gpu_driver>{};
  if (auto code = (*api)->init(); code != 0)
    return nvml_failure("nvmlInit_v2", code);
  std::unique_ptr<gpu_driver> result{new gpu_driver{std::move(*api)}};
  for (auto& name : names) {
    gpu one{std::move(name)};
    // The energy of a GPU cannot be divided among its instances.
    one.tells_energy = !is_mig(one.name);
    result->find(one);
    result->gpus_.push_back(std::move(one));
  }
  return result;
}

gpu_driver::~gpu_driver() {
  api_->shutdown();
}

void gpu_driver::find(gpu& which) {
  int code = 0;
  if (const auto index = index_in(which.name)) {
    code = api_->by_index(*index, &which.handle);
  } else {
    code = api_->by_uuid != nullptr ? api_->by_uuid(which.name.c_str(), &which.handle)
                                    : nvml_library::function_not_found;
    if (code != 0) {
      which.handle = find_by_beginning(which.name);
      code = which.handle != nullptr ? 0 : code;
    }
  }
  if (code == 0)
    return;
  which.handle = nullptr;
  note(which, index_in(which.name) ? "nvmlDeviceGetHandleByIndex_v2" : "nvmlDeviceGetHandleByUUID",
       code, "memory and energy are not measured there");
}

nvml_library::device gpu_driver::find_by_beginning(const std::string& name) const {
  unsigned count = 0;
  if (api_->count(&count) != 0)
    return nullptr;
  for (unsigned i = 0; i < count; ++i) {
    nvml_library::device one = nullptr;
    if (api_->by_index(i, &one) == 0 && begins_with(api_->text(api_->uuid, one), name))
      return one;
  }
  return nullptr;
}

gpu_reading gpu_driver::read(std::size_t which) {
  gpu_reading result;
  if (which >= gpus_.size() || gpus_[which].handle == nullptr)
    return result;
  auto& one = gpus_[which];
  if (one.tells_energy) {
    unsigned long long told = 0;
    const auto code = api_->energy != nullptr ? api_->energy(one.handle, &told)
                                              : nvml_library::function_not_found;
    one.tells_energy = code == 0;
    if (code == 0)
      result.energy_j = static_cast<double>(told) * joules_per_unit;
    else
      note(one, "nvmlDeviceGetTotalEnergyConsumption", code,
           "energy is not measured there any more");
  }
  if (one.tells_processes) {
    const auto code = api_->processes(one.handle, result.processes);
    one.tells_processes = code == 0;
    if (code != 0)
      note(one, api_->processes_name(), code, "memory is not measured there any more");
  }
  return result;
}

std::vector<std::string> gpu_driver::take_troubles() {
  std::vector<std::string> result;
  for (const auto& [text, names] : std::exchange(troubles_, {}))
    result.push_back("GPU " + names + ": " + text);
  return result;
}

void gpu_driver::note(const gpu& which, const char* function, int code, const char* loss) {
  if (is_unknown_to_driver(code))
    return;
  auto& names = troubles_[nvml_failure(function, code).detail + "; " + loss];
  names += (names.empty() ? "" : ", ") + which.name;
}

} // namespace tune
