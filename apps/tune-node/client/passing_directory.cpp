// SPDX-License-Identifier: BSD-3-Clause
#include "client/passing_directory.hpp"

#include "console/text.hpp"
#include "tune/io/files/remove_tree.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view passing_prefix = "tune-node-passing-";

/// Opens a directory of this user, and locks it unless another process has.
store::descriptor locked(const fs::path& which) {
  store::descriptor result{::open(which.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct ::stat about {};
  if (result.number() < 0 || ::fstat(result.number(), &about) != 0 || about.st_uid != ::geteuid()
      || ::flock(result.number(), LOCK_EX | LOCK_NB) != 0)
    return store::descriptor{-1};
  return result;
}

void remove_left(const fs::path& where) {
  std::error_code why;
  for (fs::directory_iterator i{where, why}, end; !why && i != end; i.increment(why)) {
    if (!i->path().filename().string().starts_with(passing_prefix))
      continue;
    if (const auto lock = locked(i->path()); lock.number() >= 0)
      static_cast<void>(remove_tree(i->path()));
  }
}

} // namespace

expected<std::unique_ptr<passing_directory>> passing_directory::make() {
  std::error_code why;
  const auto where = fs::temp_directory_path(why);
  if (why)
    return error{ec::storage, "TMPDIR: " + why.message()};
  remove_left(where);
  auto name = (where / (std::string{passing_prefix} + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    return error{ec::storage, printable(where.string()) + ": " + std::strerror(errno)};
  auto lock = locked(name);
  if (lock.number() < 0)
    return error{ec::storage, printable(name) + ": cannot be locked"};
  return std::unique_ptr<passing_directory>{new passing_directory{name, std::move(lock)}};
}

void passing_directory::remove() const {
  static_cast<void>(remove_tree(path_, without_limit));
}

} // namespace tune::cli
