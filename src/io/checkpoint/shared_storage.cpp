// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/shared_storage.hpp"

#include "posix/posix.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace tune {

expected<void> leave_storage_token(const std::filesystem::path& directory,
                                   const std::string& token) {
  return store::replace_file(directory / storage_token_name, token);
}

void remove_storage_token(const std::filesystem::path& directory) {
  std::error_code ignored;
  std::filesystem::remove(directory / storage_token_name, ignored);
}

namespace {

bool holds_token(const std::filesystem::path& directory, const std::string& token) {
  if (!directory.is_absolute() || token.empty())
    return false;
  auto file = store::open_file(directory / storage_token_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
                               "read");
  if (!file)
    return false;
  std::string found(token.size() + 1, '\0');
  const auto count = ::read(file->number(), found.data(), found.size());
  found.resize(static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
  return found == token;
}

} // namespace

storage_view view_of_storage(const std::filesystem::path& directory, const std::string& token) {
  if (!holds_token(directory, token))
    return storage_view::elsewhere;
  return ::access(directory.c_str(), W_OK | X_OK) == 0 ? storage_view::writable
                                                       : storage_view::read_only;
}

bool shares_storage(const std::filesystem::path& directory, const std::string& token) {
  return holds_token(directory, token) && ::access((directory / "trials").c_str(), W_OK) == 0;
}

} // namespace tune
