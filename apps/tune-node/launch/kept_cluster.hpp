/// The directory by which a cluster that `launch --keep` left is found again.
///
/// `.cluster` in the storage; it belongs to one user and is closed to others:
///
///     wanted.json   what there should be; written by `launch --keep`
///     seen.json     what there is; written by the keeper
///     certs/        the head's certificate directory, with the CA's key
///     lock          held by the keeper as long as it lives, with its pid
///     edit          held by whoever changes `wanted.json` or removes all
///     log           what the keeper said
///     work/         the head's files of submitted experiments
///     program.tar   what was copied to machines
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// What there should be.
struct wanted_cluster {
  /// Part of the names of all directories of its workers. [letters, digits]
  std::string tag;
  /// Counts changes from 1: the keeper tells which one it has seen to.
  std::uint64_t round = 0;
  /// As `ssh_targets_from` reads them.
  std::vector<std::string> hosts;
  /// The rest as in `launch_request`.
  std::vector<std::string> ssh;
  std::string program;
  std::string work;
  bool is_direct = false;
  std::vector<std::string> worker_options;
  bool local = true;

  friend bool operator==(const wanted_cluster&, const wanted_cluster&) = default;
};

/// What a host's worker is doing.
enum class host_state : std::uint8_t { starting, joined, failed, gone };

/// What there is.
struct seen_cluster {
  /// Of `wanted_cluster`.
  std::uint64_t round = 0;
  /// 0: the head does not listen yet.
  std::uint16_t port = 0;
  std::map<std::string, host_state> hosts;
  /// The exit code of the head, once it has ended.
  std::optional<int> code;

  friend bool operator==(const seen_cluster&, const seen_cluster&) = default;
};

[[nodiscard]] std::string to_json(const wanted_cluster& x);
[[nodiscard]] std::string to_json(const seen_cluster& x);
/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<wanted_cluster> wanted_cluster_from(std::string_view json);
[[nodiscard]] expected<seen_cluster> seen_cluster_from(std::string_view json);

/// The directory of a kept cluster.
class kept_cluster {
public:
  /// @param storage Where its experiments live.
  explicit kept_cluster(const std::filesystem::path& storage) : directory_{storage / ".cluster"} {}
  /// @param directory The directory itself.
  [[nodiscard]] static kept_cluster at(std::filesystem::path directory);

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] std::filesystem::path storage() const { return directory_.parent_path(); }
  [[nodiscard]] std::filesystem::path certificates() const { return directory_ / "certs"; }
  [[nodiscard]] std::filesystem::path log() const { return directory_ / "log"; }

  /// Makes the directory if it is not there, and keeps others from changing it.
  /// @errors `ec::refused` if somebody does that now, or others may enter it; `ec::storage`.
  [[nodiscard]] expected<store::descriptor> begin_change(bool may_make) const;

  /// Nothing: no cluster was left here. @errors `ec::refused`, `ec::storage`, and those of the
  /// file.
  [[nodiscard]] expected<std::optional<wanted_cluster>> wanted() const;
  [[nodiscard]] expected<void> want(const wanted_cluster& x) const;
  /// Nothing: the keeper has not told yet.
  [[nodiscard]] std::optional<seen_cluster> seen() const;
  [[nodiscard]] expected<void> see(const seen_cluster& x) const;
  /// What an earlier keeper told counts no more.
  void forget_seen() const;

  /// For the keeper. @errors `ec::refused` if there is one.
  [[nodiscard]] expected<store::descriptor> keep() const;
  /// The pid of the keeper; nothing: there is none.
  [[nodiscard]] std::optional<int> keeper() const;

  /// Removes the directory. @errors `ec::storage`.
  [[nodiscard]] expected<void> remove() const;

private:
  std::filesystem::path directory_;
};

/// Shows what comes to the end of a file, line by line, on stderr.
class log_tail {
public:
  /// @param file Lines that it has now are not shown.
  explicit log_tail(std::filesystem::path file);
  void show();

private:
  std::filesystem::path file_;
  std::uint64_t at_ = 0;
};

} // namespace tune::cli
