// SPDX-License-Identifier: BSD-3-Clause
#include "run/numbered_name.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/recorded_spec.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* name_key = "experiment.name";

/// The largest number in use below `storage`; 0: there is no run yet.
/// @param only_experiments Whether directories without an experiment do not count.
std::uint64_t newest_number(const fs::path& storage, const std::string& base,
                            bool only_experiments) {
  std::uint64_t result = 0;
  std::error_code failed;
  for (fs::directory_iterator i{storage, failed}, end; !failed && i != end; i.increment(failed)) {
    auto number = number_of(i->path().filename().string(), base);
    std::error_code ignored;
    if (number && (!only_experiments || fs::exists(database_file(i->path()), ignored)))
      result = std::max(result, *number);
  }
  return result;
}

void set_name(loaded_spec& to, std::string name) {
  to.what.experiment.name = std::move(name);
  to.origins[name_key] = {config_origin::source::command_line, "--" + std::string{name_key}, 0};
}

} // namespace

std::string numbered_name(const std::string& base, std::uint64_t n) {
  return n <= 1 ? base : base + "-" + std::to_string(n);
}

std::optional<std::uint64_t> number_of(const std::string& name, const std::string& base) {
  if (name == base)
    return 1;
  if (!name.starts_with(base + "-"))
    return std::nullopt;
  auto number = parse_integer(name.substr(base.size() + 1));
  auto is_ours
      = number && *number >= 2 && numbered_name(base, static_cast<std::uint64_t>(*number)) == name;
  return is_ours ? std::optional{static_cast<std::uint64_t>(*number)} : std::nullopt;
}

bool take_automatic_name(std::vector<named_text>& overrides) {
  return std::erase_if(
             overrides,
             [](const named_text& x) { return x.name == name_key && x.text == automatic_name; })
         > 0;
}

claimed_directory::~claimed_directory() {
  if (!path_.empty())
    ::rmdir(path_.c_str());
}

expected<claimed_directory> number_name(loaded_spec& what, const fs::path& storage, bool goes_on) {
  const auto base = what.what.experiment.name;
  if (goes_on) {
    set_name(what, numbered_name(base, newest_number(storage, base, true)));
    return claimed_directory{};
  }
  std::error_code ignored;
  fs::create_directories(storage, ignored);
  for (auto number = newest_number(storage, base, false) + 1;; ++number) {
    auto name = numbered_name(base, number);
    // Atomic, since another run may choose a name at the same time.
    if (::mkdir((storage / name).c_str(), 0775) == 0) {
      set_name(what, name);
      return claimed_directory{storage / name};
    }
    if (errno != EEXIST)
      return error{ec::storage, "cannot create the directory " + (storage / name).string() + ": "
                                    + std::strerror(errno)};
  }
}

std::vector<std::string> differences(const fs::path& directory, const spec& wanted) {
  auto state = inspect_directory(directory);
  if (!state || *state != directory_state::experiment)
    return {};
  auto before = recorded_spec(directory);
  if (!before)
    return {};
  std::vector<std::string> result;
  for (const auto& x : changes(*before, wanted))
    result.push_back(x.key);
  for (const auto& x : wanted.code) {
    auto was = std::find_if(before->code.begin(), before->code.end(),
                            [&](const named_text& y) { return y.name == x.name; });
    if (was == before->code.end() || was->text != x.text)
      result.push_back(x.name);
  }
  return result;
}

} // namespace tune::cli
