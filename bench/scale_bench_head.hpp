/// The head of tune_scale_bench: `tune-node head` in a process of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tune::bench {

/// Processor time and memory of a process.
struct usage {
  double seconds = 0;
  /// Resident now. [bytes]
  double resident = 0;
};

/// A standing head, and the certificates that it and its workers share.
class scale_head {
public:
  /// @param tune_node The program. @param directory Its own, for everything.
  scale_head(std::filesystem::path tune_node, std::filesystem::path directory);
  ~scale_head();
  scale_head(const scale_head&) = delete;
  scale_head& operator=(const scale_head&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::filesystem::path certificates() const { return directory_ / "certs"; }
  [[nodiscard]] usage used() const;

  /// Submits an experiment of so many trials, and returns when the head has it.
  void submit(std::uint64_t trials, const std::string& searcher);

private:
  std::filesystem::path tune_node_;
  std::filesystem::path directory_;
  ::pid_t process_ = 0;
  std::uint16_t port_ = 0;

  void await_port();
  void stop();
  [[nodiscard]] std::string said() const;
};

} // namespace tune::bench
