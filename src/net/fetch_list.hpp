/// Jobs that are fetched from one package server: questions, manifests, downloads, layout. Sends
/// nothing and knows no clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "downloads.hpp"

#include "tune/net/package_client.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tune {

/// For use by one thread.
class fetch_list {
public:
  /// Ticks per `patience` of the settings.
  static constexpr unsigned ticks_of_patience = 6;

  /// @param numbers Number of the last question; shared by all questions of one actor.
  fetch_list(const content_store& to, const package_client_settings& settings,
             std::uint64_t& numbers);

  /// Fetches a job, unless that is under way.
  void fetch(const std::string& job);

  /// Questions to be sent now.
  [[nodiscard]] std::vector<job_request> jobs_due();
  [[nodiscard]] std::vector<chunk_request> chunks_due();
  /// Take an answer. @returns whether it answers an open question of this list.
  bool take(const job_found& answer);
  bool take(const job_failed& answer);
  bool take(const chunk& answer);
  bool take(const chunk_failed& answer);
  /// Called `ticks_of_patience` times per patience.
  void tick();
  /// Jobs that have arrived or failed since the last call.
  [[nodiscard]] std::vector<fetched_job> ended();

private:
  struct fetch_of {
    std::string record;
    std::string manifest_hash;
    /// True once the manifest is there.
    bool listed = false;
    file_manifest manifest;
    /// Contents that are still missing.
    std::unordered_set<std::string> missing;
    /// Number of the open question for the job; 0: it was answered, or not asked yet.
    std::uint64_t number = 0;
    unsigned tries = 0;
    unsigned idle = 0;
  };
  using place = std::map<std::string, fetch_of>::iterator;

  const content_store& store_;
  package_client_settings settings_;
  std::uint64_t& numbers_;
  downloads downloads_;
  std::map<std::string, fetch_of> fetches_;
  /// Jobs that wait for each content.
  std::unordered_map<std::string, std::unordered_set<std::string>> waiting_;
  std::vector<job_request> due_;
  std::vector<fetched_job> ended_;

  place asking(std::uint64_t number);
  void ask(place x);
  void want(place x, const shipped_file& what);
  void arrived(const download_end& content);
  void read_manifest(place x);
  void lay_out(place x);
  void end(place x, fetched_job how);
  void fail(place x, const error& why);
};

} // namespace tune
