// SPDX-License-Identifier: BSD-3-Clause
#include "view/place.hpp"

#include "console/text.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Whether something of that name is there, whatever it is.
bool is_anything(const fs::path& path) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(path, failed));
}

/// Whether `path`, with all links followed, is inside `place`, which is canonical.
bool lies_in(const fs::path& path, const fs::path& place) {
  std::error_code failed;
  const auto whole = fs::canonical(path, failed);
  if (failed)
    return false;
  auto [rest, ignored] = std::mismatch(place.begin(), place.end(), whole.begin(), whole.end());
  return rest == place.end();
}

bool may_be_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255
         && name.find_first_of(std::string{"/\0", 2}) == name.npos;
}

} // namespace

bool shown_place::is_one() const {
  return is_anything(database_file(place_));
}

std::string shown_place::own_name() const {
  std::error_code failed;
  auto whole = fs::absolute(place_, failed).lexically_normal();
  return (whole.filename().empty() ? whole.parent_path() : whole).filename().string();
}

bool shown_place::may_be_listed() const {
  return ::access(place_.c_str(), R_OK | X_OK) == 0;
}

std::vector<std::string> shown_place::names() const {
  if (is_one())
    return {own_name()};
  std::vector<std::string> result;
  std::error_code failed;
  for (fs::directory_iterator i{place_, failed}, end; !failed && i != end; i.increment(failed)) {
    if (result.size() < most_names && is_anything(database_file(i->path())))
      result.push_back(i->path().filename().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

expected<fs::path> shown_place::directory_of(const std::string& name) const {
  auto unknown = [&] {
    return error{ec::unknown_name, "there is no experiment " + printable(name)};
  };
  if (!may_be_name(name))
    return unknown();
  const auto one = is_one();
  if (one && name != own_name())
    return unknown();
  const auto directory = one ? place_ : place_ / name;
  const auto file = database_file(directory);
  if (!is_anything(file))
    return unknown();
  std::error_code failed;
  const auto root = fs::canonical(place_, failed);
  auto refused = [&](const fs::path& what, const char* why) {
    return error{ec::refused, printable(what.string()) + ": " + why};
  };
  if (failed || !lies_in(directory, root))
    return refused(directory, "leads out of the storage");
  // A FIFO or a device would keep whoever opens it waiting.
  if (!fs::is_regular_file(fs::status(file, failed)))
    return refused(file, "is no regular file");
  if (!lies_in(file, root))
    return refused(file, "leads out of the storage");
  return directory;
}

std::optional<file_identity> identity_of(const fs::path& file) {
  struct ::stat found {};
  if (::stat(file.c_str(), &found) != 0)
    return std::nullopt;
  return file_identity{found.st_dev, found.st_ino};
}

} // namespace tune::cli
