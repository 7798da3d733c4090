/// Stands in for libnvidia-ml in tests. TUNE_FAKE_NVML in the environment sets its behaviour: the
/// number of GPUs, "broken" to fail at the start, or "uncountable" to fail at listing the GPUs. GPU
/// 2, if present, does not answer.
///
/// TUNE_FAKE_NVML_STATE names a file that is read at each call, of lines
///   energy GPU MILLIJOULES
///   process GPU PID BYTES        BYTES -1: not told
///   fail FUNCTION CODE           from then on, as the file says
///   wait FUNCTION FILE           does not return before the file is there
///   entries LENGTH               bytes of an entry of the list of processes: 16, 24 or 32
/// When the library was closed, there is a file of the same name with ".closed" behind it.
/// A GPU without a line for its energy does not support that.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <time.h>
#include <unistd.h>

namespace {

struct memory_info {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

/// What one entry of a list of processes begins with, and how it goes on in the longer ones.
struct process_info {
  unsigned pid;
  unsigned long long bytes;
  unsigned instances[2];
  unsigned long long protected_bytes;
};

constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;
constexpr int driver_not_loaded = 9;
constexpr int gpu_is_lost = 15;
constexpr unsigned most = 8;
constexpr int line_length = 256;

int times_open = 0;
int devices[most];

const char* behaviour() {
  const auto* text = std::getenv("TUNE_FAKE_NVML");
  return text == nullptr ? "2" : text;
}

unsigned index_of(const int* device) {
  return static_cast<unsigned>(device - devices);
}

/// Calls `hear` with each line of the state.
template <class Hear>
void for_each_line(Hear hear) {
  const auto* name = std::getenv("TUNE_FAKE_NVML_STATE");
  auto* file = name == nullptr ? nullptr : std::fopen(name, "re");
  if (file == nullptr)
    return;
  char line[line_length];
  while (std::fgets(line, line_length, file) != nullptr)
    hear(static_cast<const char*>(line));
  std::fclose(file);
}

void wait_for(const char* file) {
  const timespec pause{0, 2'000'000};
  while (::access(file, F_OK) != 0)
    ::nanosleep(&pause, nullptr);
}

/// The code with which a function is to fail; 0: it works.
int fault_of(const char* function) {
  int result = 0;
  for_each_line([&](const char* line) {
    char name[line_length];
    char file[line_length];
    int code = 0;
    if (std::sscanf(line, "wait %255s %255s", name, file) == 2 && std::strcmp(name, function) == 0)
      wait_for(file);
    if (std::sscanf(line, "fail %255s %d", name, &code) == 2 && std::strcmp(name, function) == 0)
      result = code;
  });
  return result;
}

std::size_t entry_length() {
  unsigned result = 24;
  for_each_line([&](const char* line) { std::sscanf(line, "entries %u", &result); });
  return result;
}

int list_processes(const char* function, const int* device, unsigned* count, void* to) {
  if (const auto code = fault_of(function); code != 0)
    return code;
  const auto length = entry_length();
  unsigned known = 0;
  for_each_line([&](const char* line) {
    unsigned gpu = 0;
    unsigned pid = 0;
    long long bytes = 0;
    if (std::sscanf(line, "process %u %u %lld", &gpu, &pid, &bytes) != 3 || gpu != index_of(device))
      return;
    const process_info one{pid, static_cast<unsigned long long>(bytes), {~0U, ~0U}, 0};
    if (known < *count)
      std::memcpy(static_cast<char*>(to) + known * length, &one, length);
    ++known;
  });
  const auto room = *count;
  *count = known;
  return known > room ? insufficient_size : 0;
}

} // namespace

extern "C" {

int nvmlInit_v2() {
  if (std::strcmp(behaviour(), "broken") == 0)
    return driver_not_loaded;
  if (const auto code = fault_of("nvmlInit_v2"); code != 0)
    return code;
  ++times_open;
  return 0;
}

int nvmlShutdown() {
  --times_open;
  if (const auto* state = std::getenv("TUNE_FAKE_NVML_STATE"); state != nullptr) {
    if (auto* file = std::fopen((std::string{state} + ".closed").c_str(), "we"); file != nullptr)
      std::fclose(file);
  }
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (times_open <= 0 || std::strcmp(behaviour(), "uncountable") == 0)
    return 1;
  *count = static_cast<unsigned>(std::atoi(behaviour()));
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device) {
  if (times_open <= 0 || index >= most)
    return 2;
  if (const auto code = fault_of("nvmlDeviceGetHandleByIndex_v2"); code != 0)
    return code;
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

/// Whole names only, as the real one; "MIG-fake" is an instance of GPU 0.
int nvmlDeviceGetHandleByUUID(const char* name, int** device) {
  if (const auto code = fault_of("nvmlDeviceGetHandleByUUID"); code != 0)
    return code;
  unsigned number = 0;
  if (std::strcmp(name, "MIG-fake") == 0)
    number = 1;
  else if (std::strlen(name) != std::strlen("GPU-10000000-fake")
           || std::sscanf(name, "GPU-%1u0000000-fake", &number) != 1)
    return not_found;
  if (number == 0 || number > most)
    return not_found;
  *device = &devices[number - 1];
  return 0;
}

int nvmlDeviceGetMemoryInfo(int* device, memory_info* to) {
  *to = {(index_of(device) + 1ull) << 30, 0, 0};
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(int* device, unsigned long long* to) {
  if (const auto code = fault_of("nvmlDeviceGetTotalEnergyConsumption"); code != 0)
    return code;
  int result = not_supported;
  for_each_line([&](const char* line) {
    unsigned gpu = 0;
    unsigned long long told = 0;
    if (std::sscanf(line, "energy %u %llu", &gpu, &told) != 2 || gpu != index_of(device))
      return;
    *to = told;
    result = 0;
  });
  return result;
}

int nvmlDeviceGetComputeRunningProcesses_v2(int* device, unsigned* count, void* to) {
  return list_processes("nvmlDeviceGetComputeRunningProcesses_v2", device, count, to);
}

#ifndef TUNE_FAKE_NVML_IS_OLD
int nvmlDeviceGetComputeRunningProcesses_v3(int* device, unsigned* count, void* to) {
  return list_processes("nvmlDeviceGetComputeRunningProcesses_v3", device, count, to);
}
#endif
}
