/// The standing head that this process is, for clients that submit experiments by HTTP.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// What a client sends.
struct upload {
  /// A tar archive of the INI file and of all that it names.
  std::string archive;
  /// Which of its files is the INI file, such as "exp.ini"; empty: the only one at its top.
  std::string file;
  /// How to go on with an experiment that the head has already; nothing: a new one begins.
  std::optional<resume_mode> resume;
};

/// What becomes of it.
struct upload_taken {
  std::string experiment;
  /// Trials there will be; 0: unknown.
  std::uint64_t planned = 0;
  /// One line each.
  std::vector<std::string> warnings;
};

/// The machines of a head, for its numbers.
struct cluster_numbers {
  /// Workers where something runs, or may, and all others.
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;
  /// Bundles of resources that wait for a node.
  std::uint64_t pending = 0;
  /// What a `scale_command` is about; nothing: there is none.
  struct scaling {
    std::uint64_t wanted = 0;
    std::uint64_t asked = 0;
    std::uint64_t given_back = 0;
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
    std::uint64_t missed = 0;
  };
  std::optional<scaling> scales = {};
};

/// For any thread. Implemented by `head --http`.
class hosted_head {
public:
  hosted_head() = default;
  hosted_head(const hosted_head&) = delete;
  hosted_head& operator=(const hosted_head&) = delete;
  virtual ~hosted_head() = default;

  /// Begins the experiment, as `run --head` does; returns once it runs.
  /// @errors `ec::bad_option`, `ec::bad_syntax`, `ec::unknown_name` where the client is at fault,
  ///         with file, key, value and range; `ec::refused` where it cannot be done now, such as
  ///         while an experiment of this name runs; `ec::shortage` while another upload is at work;
  ///         `ec::unreachable` while the head ends; `ec::storage`.
  [[nodiscard]] virtual expected<upload_taken> submit(const upload& what) = 0;
  /// Nothing if the head does not answer soon.
  [[nodiscard]] virtual std::optional<cluster_numbers> machines() const { return std::nullopt; }
};

} // namespace tune::cli
