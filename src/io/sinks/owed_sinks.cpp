// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/owed_sinks.hpp"

#include "posix/posix.hpp"
#include "sinks/sink_mark.hpp"

#include "tune/io/json.hpp"

#include <fcntl.h>

#include <fstream>
#include <iterator>
#include <system_error>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_list = 64 * 1024;
constexpr std::size_t most_names = 100;
constexpr std::size_t longest_name = 100;
constexpr auto names_member = "sinks";

fs::path list_file(const fs::path& directory) {
  return sinks_directory(directory) / ".owed.json";
}

} // namespace

expected<void> keep_owed_sinks(const fs::path& directory, const std::vector<std::string>& names) {
  const auto file = list_file(directory);
  std::error_code why;
  if (names.empty()) {
    fs::remove(file, why);
    return why ? error{ec::unreachable, file.string() + ": " + why.message()} : expected<void>{};
  }
  value::list all;
  for (const auto& x : names)
    all.emplace_back(x);
  fs::create_directories(file.parent_path(), why);
  const auto fresh = file.string() + ".new";
  auto to = store::open_own_file(fresh, O_WRONLY | O_CREAT | O_TRUNC, "write");
  if (!to)
    return when_stored(to.error());
  const auto text = to_json(object{{names_member, std::move(all)}}) + "\n";
  if (auto written = store::write_all(*to, fresh, text); !written)
    return when_stored(written.error());
  fs::rename(fresh, file, why);
  if (why)
    return error{ec::unreachable, file.string() + ": cannot be written: " + why.message()};
  return {};
}

std::vector<std::string> owed_sinks(const fs::path& directory) {
  const auto file = list_file(directory);
  std::error_code why;
  if (!fs::is_regular_file(fs::symlink_status(file, why))
      || fs::file_size(file, why) > longest_list)
    return {};
  std::ifstream in{file, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto read = object_from_json(text);
  const auto* found = read ? read->find(names_member) : nullptr;
  const auto* all = found == nullptr ? nullptr : found->as_list();
  std::vector<std::string> result;
  for (const auto& x : all == nullptr ? value::list{} : *all) {
    const auto* name = x.as_string();
    if (name != nullptr && !name->empty() && name->size() <= longest_name
        && result.size() < most_names)
      result.push_back(*name);
  }
  return result;
}

} // namespace tune
