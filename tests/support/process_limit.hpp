/// Limits on processes and descriptors, as on a machine where other programs have used them up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace tune::support {

/// A control group in which a process can create no further processes or threads. Needs permission
/// to create such groups: see `holds`.
class process_limit {
public:
  /// @param pid Moved into the group, and back at the end.
  explicit process_limit(pid_t pid = ::getpid()) : pid_{pid} {
    for (const auto* root : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
      const auto path = std::filesystem::path{root}
                        / ("tune-test-" + std::to_string(::getpid()) + "-" + std::to_string(pid));
      std::error_code why;
      if (!std::filesystem::create_directory(path, why))
        continue;
      if (std::filesystem::exists(path / "pids.max") && put(path / "cgroup.procs", pid)) {
        root_ = root;
        path_ = path;
        put(path_ / "pids.max", number_in(path_ / "pids.current"));
        return;
      }
      std::filesystem::remove(path, why);
    }
  }
  ~process_limit() {
    if (!holds())
      return;
    lift();
    // A process that has ended has left the group already.
    put(root_ / "cgroup.procs", pid_);
    ::rmdir(path_.c_str());
  }
  process_limit(const process_limit&) = delete;
  process_limit& operator=(const process_limit&) = delete;

  /// Whether the group could be created.
  [[nodiscard]] bool holds() const { return !path_.empty(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Removes the limit.
  void lift() { put(path_ / "pids.max", "max"); }

private:
  pid_t pid_;
  std::filesystem::path root_;
  std::filesystem::path path_;

  template <class T>
  static bool put(const std::filesystem::path& file, const T& what) {
    std::ofstream out{file};
    out << what << std::flush;
    return out.good();
  }
  static long number_in(const std::filesystem::path& file) {
    std::ifstream in{file};
    long result = 0;
    in >> result;
    return result;
  }
};

/// Limits a process to descriptors below `limit`; restores the old limit at the end.
class descriptor_limit {
public:
  explicit descriptor_limit(::rlim_t limit, pid_t pid = ::getpid()) : pid_{pid} {
    ::prlimit(pid_, RLIMIT_NOFILE, nullptr, &before_);
    const ::rlimit now{limit, before_.rlim_max};
    ::prlimit(pid_, RLIMIT_NOFILE, &now, nullptr);
  }
  ~descriptor_limit() { lift(); }
  descriptor_limit(const descriptor_limit&) = delete;
  descriptor_limit& operator=(const descriptor_limit&) = delete;

  void lift() { ::prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr); }

private:
  pid_t pid_;
  ::rlimit before_{};
};

/// The highest descriptor that the process has open.
[[nodiscard]] inline ::rlim_t highest_descriptor_of(pid_t pid) {
  ::rlim_t result = 0;
  const auto all = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& x : std::filesystem::directory_iterator{all})
    result = std::max<::rlim_t>(result, std::stoul(x.path().filename().string()));
  return result;
}

/// Writes a program that starts `program` with a limit of `count` descriptors, which may be raised
/// later. For guards: a guard treats a limit that is lowered later as an attack and raises it.
/// @returns the path of the new program, below `directory`.
inline std::filesystem::path program_with_descriptors(::rlim_t count,
                                                      const std::filesystem::path& program,
                                                      const std::filesystem::path& directory) {
  auto result = directory / "with few descriptors";
  std::ofstream{result} << "#!/bin/sh\nulimit -S -n " << count << "\nexec '" << program.string()
                        << "' \"$@\"\n";
  std::filesystem::permissions(result, std::filesystem::perms::owner_all);
  return result;
}

inline void raise_descriptor_limit_of(pid_t pid) {
  ::rlimit limit{};
  ::prlimit(pid, RLIMIT_NOFILE, nullptr, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::prlimit(pid, RLIMIT_NOFILE, &limit, nullptr);
}

} // namespace tune::support
