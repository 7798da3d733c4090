// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/directory_step.hpp"
#include "doctor/doctor_command.hpp"

#include "tune/core/program_name.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/certificates/own_certificate.hpp"
#include "tune/io/devices/devices.hpp"
#include "tune/io/files/job_directories.hpp"
#include "tune/io/process/memory_limit.hpp"
#include "tune/io/process/thread_room.hpp"
#include "tune/net/hello.hpp"
#include "worker/work_directory.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t little_room = std::uint64_t{1} << 30;
constexpr rlim_t few_descriptors = 4096;
/// Threads of a head with one experiment.
constexpr std::size_t threads_of_run = 32;

checkup_step machine_step() {
  auto machine = discover();
  checkup_step result{"machine", step_state::fine, to_text(machine.capacity())};
  if (!machine.warnings.empty()) {
    result.state = step_state::warned;
    result.remedy = machine.warnings.front();
  }
  return result;
}

checkup_step memory_step() {
  if (can_limit_memory())
    return {"cgroups", step_state::fine, "memory limits of trials are enforced by control groups"};
  return {"cgroups", step_state::warned, "this user cannot make control groups with a memory limit",
          "the memory of trials is not limited; in a service of systemd, Delegate=yes allows "
          "control groups"};
}

checkup_step descriptors_step() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto text = std::to_string(limit.rlim_max);
  if (limit.rlim_max >= few_descriptors)
    return {"descriptors", step_state::fine, text + " open files and connections at most"};
  return {"descriptors", step_state::warned, "only " + text + " open files and connections",
          "raise the hard limit (ulimit -Hn, LimitNOFILE= of a unit): a trial takes about 8"};
}

checkup_step threads_step() {
  auto can = can_start_threads(threads_of_run);
  if (can)
    return {"processes", step_state::fine,
            "at least " + std::to_string(threads_of_run) + " more threads can start"};
  return {
      "processes", step_state::failed, to_text(can.error()), {}, exit_code_for(can.error().code)};
}

checkup_step shared_memory_step() {
  constexpr const char* where = "/dev/shm";
  struct statvfs about {};
  if (::access(where, W_OK | X_OK) != 0 || ::statvfs(where, &about) != 0)
    return {"memory files", step_state::warned,
            std::string{where} + " cannot be written to: " + std::strerror(errno),
            "trials that pause in memory use the disk instead"};
  return {"memory files", step_state::fine,
          std::string{where} + ", " + bytes_text(std::uint64_t{about.f_bavail} * about.f_frsize)
              + " free"};
}

/// The first program of that name in $PATH; empty: none.
std::string in_path(const std::string& name) {
  const auto* list = std::getenv("PATH");
  std::string text = list == nullptr ? "" : list;
  while (!text.empty()) {
    const auto end = std::min(text.find(':'), text.size());
    auto candidate = fs::path{text.substr(0, end)} / name;
    text.erase(0, end + 1);
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
  }
  return {};
}

checkup_step python_step() {
  auto found = in_path("python3");
  if (!found.empty())
    return {"Python", step_state::fine, found};
  return {"Python", step_state::warned, "there is no python3 in $PATH",
          "programs that need it would fail here"};
}

checkup_step certificates_step(const doctor_request& what) {
  const auto directory
      = what.certs.empty() ? default_certificate_directory() : fs::path{what.certs};
  std::error_code ignored;
  if (what.certs.empty() && !fs::exists(directory, ignored))
    return {"certificates", step_state::fine,
            "none: this machine belongs to no cluster; " + program_call("certs init")
                + " makes them"};
  auto mine = load_own_certificate(directory);
  if (!mine)
    return {"certificates", step_state::failed, to_text(mine.error()), {}, exit_code::refused};
  const auto soon_over = expiry_warning(*mine, calendar_now());
  return {"certificates", soon_over.empty() ? step_state::fine : step_state::warned,
          mine->files.certificate.string() + ": " + mine->certificate.subject + ", until "
              + date_text(mine->certificate.valid.until),
          soon_over};
}

/// The nearest directory at or above `path` that is there.
fs::path nearest_there(fs::path path) {
  std::error_code ignored;
  while (path.has_relative_path() && !fs::exists(path, ignored))
    path = path.parent_path();
  return path;
}

} // namespace

checkup_step directory_step(const std::string& name, const fs::path& wanted,
                            const std::string& whose) {
  const auto path
      = fs::absolute(wanted.empty() ? default_work_directory(whose) : wanted).lexically_normal();
  const auto there = nearest_there(path);
  struct statvfs about {};
  if (!fs::is_directory(there) || ::access(there.c_str(), W_OK | X_OK) != 0
      || ::statvfs(there.c_str(), &about) != 0) {
    const auto why = fs::is_directory(there) ? std::strerror(errno) : "it is not a directory";
    return {name, step_state::failed,
            path.string() + " cannot be used: " + there.string() + ": " + why,
            "name another directory, or give this user write permission there", exit_code::storage};
  }
  // File systems of the kernel's own, as /proc, hold no files of others.
  if (about.f_blocks == 0)
    return {name, step_state::failed,
            path.string() + " cannot be used: the file system at " + there.string()
                + " cannot store files",
            "name another directory", exit_code::storage};
  const auto room = std::uint64_t{about.f_bavail} * about.f_frsize;
  checkup_step result{name, step_state::fine, path.string() + ", " + bytes_text(room) + " free"};
  if (room < little_room) {
    result.state = step_state::warned;
    result.remedy
        = "checkpoints and files of trials may not fit: make room, or name another directory";
  }
  return result;
}

checkup_step work_step(const fs::path& wanted) {
  auto result = directory_step("work", wanted, "worker");
  if (result.state == step_state::failed)
    return result;
  auto usable = check_work_directory(
      fs::absolute(wanted.empty() ? default_work_directory("worker") : wanted).lexically_normal());
  if (!usable)
    return {"work", step_state::failed, usable.error().detail, {}, exit_code::storage};
  return result;
}

std::vector<checkup_step> check_machine(const doctor_request& what) {
  return {{"program", step_state::fine, to_text(this_build())},
          machine_step(),
          memory_step(),
          descriptors_step(),
          threads_step(),
          shared_memory_step(),
          directory_step("storage", "results", "head"),
          work_step(what.work),
          certificates_step(what),
          python_step()};
}

} // namespace tune::cli
