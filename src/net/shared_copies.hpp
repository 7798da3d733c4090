/// Copies of checkpoints of all jobs of a worker, shared by the packers of these jobs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "checkpoint_copies.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// All copies share one limit. Each job's packer removes the copies of its job, so that a disk that
/// stands still blocks no other. For any thread.
class shared_copies {
public:
  /// @param room As in `checkpoint_copies`.
  explicit shared_copies(std::uint64_t room) : all_{room} {}

  void add(checkpoint_copy what) {
    const std::lock_guard guard{mutex_};
    all_.add(std::move(what));
  }
  void use(const std::filesystem::path& where) {
    const std::lock_guard guard{mutex_};
    all_.use(where);
  }
  void release(const std::filesystem::path& where) {
    const std::lock_guard guard{mutex_};
    all_.release(where);
  }
  void forget(const std::string& job) {
    const std::lock_guard guard{mutex_};
    all_.forget(job);
    due_.erase(job);
  }

  /// Takes out the copies that the job has to remove now.
  [[nodiscard]] std::vector<std::filesystem::path> surplus_of(const std::string& job) {
    const std::lock_guard guard{mutex_};
    for (auto& x : all_.surplus())
      due_[x.job].push_back(std::move(x.where));
    auto mine = due_.extract(job);
    return mine.empty() ? std::vector<std::filesystem::path>{} : std::move(mine.mapped());
  }
  /// Jobs that have copies to remove.
  [[nodiscard]] std::vector<std::string> due() {
    const std::lock_guard guard{mutex_};
    std::vector<std::string> result;
    for (const auto& [job, paths] : due_)
      result.push_back(job);
    return result;
  }

private:
  std::mutex mutex_;
  checkpoint_copies all_;
  std::map<std::string, std::vector<std::filesystem::path>> due_;
};

} // namespace tune
