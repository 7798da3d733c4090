// SPDX-License-Identifier: BSD-3-Clause
#include "up/launch_place.hpp"

#include <array>
#include <charconv>

namespace tune::cli {

namespace {

using environment_map = std::map<std::string, std::string>;

/// Most processes of a launch; each gets a certificate.
constexpr std::uint64_t most_processes = 100'000;

/// The variables by which a launcher tells places.
struct launcher {
  const char* name;
  const char* rank;
  const char* size;
  /// Number of the process among those of its node.
  const char* local;
  /// The launch, by the first of these that is set.
  std::array<const char*, 2> launch;
};

constexpr std::array launchers{
    launcher{"mpi",
             "OMPI_COMM_WORLD_RANK",
             "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_RANK",
             {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
    launcher{"pmi", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", {"PMI_JOBID", "PMI_ID"}},
    launcher{"slurm",
             "SLURM_PROCID",
             "SLURM_STEP_NUM_TASKS",
             "SLURM_LOCALID",
             {"SLURM_JOB_ID", "SLURM_JOBID"}},
};

std::string text_of(const environment_map& from, const char* name) {
  auto found = from.find(name);
  return found == from.end() ? std::string{} : found->second;
}

expected<std::uint64_t> number_of(const environment_map& from, const char* name) {
  const auto text = text_of(from, name);
  std::uint64_t result = 0;
  const auto* end = text.data() + text.size();
  auto [rest, fault] = std::from_chars(text.data(), end, result);
  if (text.empty() || fault != std::errc{} || rest != end || result > most_processes)
    return error{ec::bad_option, std::string{name} + " = \"" + text
                                     + "\" in the environment is not a number from 0 to "
                                     + std::to_string(most_processes)};
  return result;
}

/// The text with everything replaced that does not belong into a file name.
std::string as_file_name(std::string text) {
  constexpr std::size_t longest = 100;
  text.resize(std::min(text.size(), longest));
  for (auto& c : text) {
    const auto fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                      || c == '-' || c == '_' || c == '.';
    c = fits ? c : '_';
  }
  return text;
}

std::string launch_of(const launcher& by, const environment_map& environment) {
  for (const auto* name : by.launch) {
    auto text = text_of(environment, name);
    if (text.empty())
      continue;
    if (by.name == std::string_view{"slurm"}) {
      text += "." + text_of(environment, "SLURM_STEP_ID");
      if (auto again = text_of(environment, "SLURM_RESTART_COUNT"); !again.empty())
        text += "-" + again;
    }
    return as_file_name(std::string{by.name} + "-" + text);
  }
  return {};
}

/// Several processes of a node get different names.
std::string node_of(const launcher& by, const environment_map& environment) {
  auto result = text_of(environment, "SLURMD_NODENAME");
  const auto local = text_of(environment, by.local);
  if (!result.empty() && !local.empty() && local != "0")
    result += "-" + local;
  return result;
}

expected<launch_place> checked(launch_place x) {
  if (x.size == 0 || x.size > most_processes)
    return error{ec::bad_option, "a launch has 1 to " + std::to_string(most_processes)
                                     + " processes, not " + std::to_string(x.size)};
  if (x.rank >= x.size)
    return error{ec::bad_option, "rank " + std::to_string(x.rank) + " of " + std::to_string(x.size)
                                     + " processes: ranks are 0 to " + std::to_string(x.size - 1)};
  return x;
}

expected<launch_place> place_by(const launcher& by, const launch_words& given,
                                const environment_map& environment) {
  launch_place result;
  auto rank = number_of(environment, by.rank);
  if (!rank)
    return rank.error();
  auto size = given.size ? expected<std::uint64_t>{*given.size} : number_of(environment, by.size);
  if (!size)
    return error{size.error().code, size.error().detail + ": give the number of processes by -n"};
  result.rank = *rank;
  result.size = *size;
  result.launch = launch_of(by, environment);
  result.node = node_of(by, environment);
  return checked(std::move(result));
}

/// Whether the launcher started this process. A batch script of Slurm has a rank, and is no step.
bool has_started(const launcher& by, const environment_map& environment) {
  if (by.name == std::string_view{"slurm"} && text_of(environment, "SLURM_STEP_ID").empty())
    return false;
  return !text_of(environment, by.rank).empty();
}

launch_place alone(const environment_map& environment) {
  launch_place result;
  if (!text_of(environment, "SLURM_JOB_ID").empty())
    result.warning
        = "in a Slurm job, but not in one of its steps: this process is alone; srun starts "
          "one for each task";
  return result;
}

} // namespace

expected<launch_place> launch_place_of(const launch_words& given,
                                       const std::map<std::string, std::string>& environment) {
  if (given.rank) {
    if (!given.size)
      return error{ec::bad_option, "--rank needs -n: the number of all processes"};
    launch_place result;
    result.rank = *given.rank;
    result.size = *given.size;
    return checked(std::move(result));
  }
  for (const auto& by : launchers) {
    if (has_started(by, environment))
      return place_by(by, given, environment);
  }
  if (given.size.value_or(1) != 1)
    return error{
        ec::bad_option,
        "-n " + std::to_string(*given.size)
            + ": which of them is this process? Give --rank, or start them by srun or mpirun"};
  return alone(environment);
}

} // namespace tune::cli
