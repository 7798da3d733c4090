/// Stands in for libnvidia-ml in tests. TUNE_FAKE_NVML in the environment sets its behaviour: the
/// number of GPUs, "broken" to fail at the start, or "uncountable" to fail at listing the GPUs. GPU
/// 2, if present, does not answer.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct memory_info {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

constexpr int driver_not_loaded = 9;
constexpr int gpu_is_lost = 15;
constexpr unsigned most = 8;

bool is_open = false;
int devices[most];

const char* behaviour() {
  const auto* text = std::getenv("TUNE_FAKE_NVML");
  return text == nullptr ? "2" : text;
}

unsigned index_of(const int* device) {
  return static_cast<unsigned>(device - devices);
}

} // namespace

extern "C" {

int nvmlInit_v2() {
  is_open = std::strcmp(behaviour(), "broken") != 0;
  return is_open ? 0 : driver_not_loaded;
}

int nvmlShutdown() {
  is_open = false;
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (!is_open || std::strcmp(behaviour(), "uncountable") == 0)
    return 1;
  *count = static_cast<unsigned>(std::atoi(behaviour()));
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device) {
  if (!is_open || index >= most)
    return 2;
  *device = &devices[index];
  return index == 2 ? gpu_is_lost : 0;
}

int nvmlDeviceGetName(int* device, char* to, unsigned size) {
  std::snprintf(to, size, "Fake %u", index_of(device));
  return 0;
}

int nvmlDeviceGetUUID(int* device, char* to, unsigned size) {
  std::snprintf(to, size, "GPU-%u0000000-fake", index_of(device) + 1);
  return 0;
}

int nvmlDeviceGetMemoryInfo(int* device, memory_info* to) {
  *to = {(index_of(device) + 1ull) << 30, 0, 0};
  return 0;
}
}
