/// How a standing head begins: who leads in the storage, and what ran there before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/cluster_requests.hpp"
#include "tune/net/submission_server.hpp"
#include "tune/tuner/head_lead.hpp"
#include "tune/tuner/head_mark.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune::cli {

/// By what a head is known, and the experiments of the head before it that it goes on with.
struct beginning {
  /// Null for a head that has no successors.
  std::unique_ptr<head_lead> lead = {};
  std::optional<head_mark> mark = {};
  std::vector<running_submission> resumed = {};
  /// The directories of their jobs, and of those that other processes go on with.
  std::set<std::string> kept = {};
};

/// Takes the lead, waiting for it if that is wanted, and prepares what ran before to go on; sweeps
/// the directories of all other jobs. A head that is put out of the lead later ends its process.
/// @param work As in `work_directory`.
/// @param say  Told how it goes, in lines for people; also from another thread.
/// @errors `ec::refused` if another head leads; `ec::storage`.
[[nodiscard]] expected<beginning> begin_to_lead(const std::filesystem::path& storage,
                                                const std::filesystem::path& work,
                                                const head_request& what,
                                                const std::function<void(const std::string&)>& say);

} // namespace tune::cli
