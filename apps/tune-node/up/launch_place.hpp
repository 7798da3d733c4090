/// The place of this process among those that one launcher started: its rank, and of how many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tune::cli {

/// The place of a process in a launch. Rank 0 leads.
struct launch_place {
  std::uint64_t rank = 0;
  /// Number of processes in the launch. [> rank]
  std::uint64_t size = 1;
  /// Distinguishes this launch from others, as the text of a file name: "slurm-4711.0"; empty: the
  /// launcher does not tell.
  std::string launch = {};
  /// Name of this node for the cluster; empty: the machine's name.
  std::string node = {};
  /// A doubt that the user should know of; empty: there is none.
  std::string warning = {};
};

/// What the command line says; it precedes the environment.
struct launch_words {
  std::optional<std::uint64_t> rank;
  std::optional<std::uint64_t> size;
};

/// Finds the place of this process.
///
/// The first of these that tells a rank does: the command line; Open MPI (`OMPI_COMM_WORLD_RANK`);
/// PMI, as MPICH and Intel MPI have it (`PMI_RANK`); Slurm in a job step (`SLURM_PROCID`). MPI goes
/// before Slurm, since within an allocation all ranks that `mpirun` starts on a node inherit one
/// `SLURM_PROCID`. Addresses say nothing about roles: nodes may share one. Without any the process
/// is alone.
/// @errors `ec::bad_option`: a number that is none, a rank that is not below the size, a rank
///         without a size.
[[nodiscard]] expected<launch_place>
launch_place_of(const launch_words& given, const std::map<std::string, std::string>& environment);

} // namespace tune::cli
