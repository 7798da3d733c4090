/// Where the storages of jobs are, as a worker learns it from its head. Private to the checkpoint
/// client.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tune {

/// Asks once per job, however many attempts wait for the answer. `Waiting` is an attempt that
/// cannot be made ready before.
template <class Waiting>
class shared_storages {
public:
  /// The head's directory, if it is reachable on this machine, too; otherwise, or as long as it is
  /// not known, empty.
  [[nodiscard]] const std::filesystem::path& of(const std::string& job) { return all_[job].shared; }
  [[nodiscard]] bool is_known(const std::string& job) { return all_[job].is_known; }

  /// Lets an attempt wait. Returns whether the head is to be asked, under the number that is given
  /// to `asked`.
  bool wait(const std::string& job, Waiting what) {
    auto& waiting = all_[job].waiting;
    waiting.push_back(std::move(what));
    return waiting.size() == 1;
  }
  /// Notes that question `number` asks for a job.
  void asked(std::uint64_t number, const std::string& job) { questions_[number] = job; }
  /// The attempt for which a job's storage was asked about first. Requires that one waits.
  [[nodiscard]] const Waiting& asker(const std::string& job) { return all_[job].waiting.front(); }

  /// Takes an open question; the job is empty if there is none of this number.
  [[nodiscard]] std::string answered(std::uint64_t number) {
    auto found = questions_.extract(number);
    return found ? found.mapped() : std::string{};
  }
  /// Returns the attempts that waited for this, in the order of their coming.
  std::vector<Waiting> know(const std::string& job, std::filesystem::path shared) {
    auto& where = all_[job];
    where.is_known = true;
    where.shared = std::move(shared);
    return std::exchange(where.waiting, {});
  }

  /// The job is over: nobody waits for its storage any more.
  void erase(const std::string& job) {
    all_.erase(job);
    std::erase_if(questions_, [&](const auto& x) { return x.second == job; });
  }

  /// Questions without an answer, by number.
  [[nodiscard]] const std::map<std::uint64_t, std::string>& questions() const { return questions_; }
  /// Takes all of them.
  [[nodiscard]] std::map<std::uint64_t, std::string> take_questions() {
    return std::exchange(questions_, {});
  }

private:
  struct storage {
    bool is_known = false;
    std::filesystem::path shared;
    std::vector<Waiting> waiting;
  };

  std::map<std::string, storage> all_;
  std::map<std::uint64_t, std::string> questions_;
};

} // namespace tune
