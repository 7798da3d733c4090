// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/token_file.hpp"

#include "tune/http/access_token.hpp"
#include "tune/io/files/descriptor.hpp"
#include "tune/io/files/hmac.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tune::http {

namespace fs = std::filesystem;

namespace {

error failed(const fs::path& file, const char* what) {
  return {ec::storage,
          std::string{"cannot "} + what + " " + file.string() + ": " + std::strerror(errno)};
}

error unfit(const fs::path& file, const std::string& why) {
  return {ec::refused, file.string() + " " + why
                           + "; remove it, and the next start makes a new one, or name another by"
                             " --token-file"};
}

/// @returns an empty text if there is no such file.
expected<std::string> read_token(const fs::path& file) {
  store::descriptor from{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (from.number() < 0) {
    if (errno == ENOENT)
      return std::string{};
    return errno == ELOOP ? unfit(file, "is a symbolic link") : failed(file, "open");
  }
  struct ::stat about {};
  if (::fstat(from.number(), &about) != 0)
    return failed(file, "look at");
  if (!S_ISREG(about.st_mode))
    return unfit(file, "is no regular file");
  if (about.st_uid != ::geteuid())
    return unfit(file, "belongs to another user");
  if ((about.st_mode & 077) != 0)
    return error{ec::refused, file.string()
                                  + " may be read or changed by others; chmod 600 it, or"
                                    " rather remove it: they may know the token"};
  std::array<char, 2 * token_bytes + 2> buffer{};
  const auto count = ::read(from.number(), buffer.data(), buffer.size());
  if (count < 0)
    return failed(file, "read");
  std::string text{buffer.data(), static_cast<std::size_t>(count)};
  if (text.ends_with('\n'))
    text.pop_back();
  return is_token(text) ? expected<std::string>{std::move(text)} : unfit(file, "holds no token");
}

expected<void> make_directory_of(const fs::path& file) {
  std::error_code why;
  const auto directory = file.parent_path();
  if (directory.empty() || fs::exists(directory, why))
    return {};
  fs::create_directories(directory.parent_path(), why);
  if (!why && ::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return failed(directory, "make");
  if (why)
    return error{ec::storage, "cannot make " + directory.string() + ": " + why.message()};
  return {};
}

expected<void> write_all(int to, const std::string& text, const fs::path& file) {
  std::string_view rest{text};
  while (!rest.empty()) {
    const auto count = ::write(to, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      return failed(file, "write");
    if (count > 0)
      rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(to) != 0)
    return failed(file, "write");
  return {};
}

/// Puts a new token in place, whole at any moment. One that is there is kept unless `anew`: another
/// process may have made it a moment ago.
expected<void> write_token(const fs::path& file, bool anew) {
  if (auto made = make_directory_of(file); !made)
    return made;
  const auto draft = file.string() + "." + random_hex(8);
  store::descriptor to{::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (to.number() < 0)
    return failed(draft, "make");
  auto done = write_all(to.number(), random_hex(token_bytes) + "\n", draft);
  const auto placed = [&] {
    return anew ? ::rename(draft.c_str(), file.c_str()) == 0
                : ::link(draft.c_str(), file.c_str()) == 0 || errno == EEXIST;
  };
  if (done && !placed())
    done = failed(file, "make");
  ::unlink(draft.c_str());
  return done;
}

} // namespace

fs::path default_token_file() {
  const auto* state = std::getenv("XDG_STATE_HOME");
  const auto* home = std::getenv("HOME");
  const fs::path name = "tune-node/http-token";
  if (state != nullptr && *state == '/')
    return state / name;
  return home != nullptr && *home == '/' ? fs::path{home} / ".local/state" / name : fs::path{};
}

token_file::token_file(fs::path file, std::string token)
    : file_{std::move(file)}
    , token_{std::move(token)}
    , read_at_{std::chrono::steady_clock::now()} {}

expected<std::shared_ptr<token_file>> token_file::open(fs::path file, bool anew) {
  auto token = anew ? expected<std::string>{std::string{}} : read_token(file);
  if (!token)
    return token.error();
  if (token->empty()) {
    if (auto made = write_token(file, anew); !made)
      return made.error();
    token = read_token(file);
  }
  if (!token)
    return token.error();
  if (token->empty())
    return error{ec::storage, file.string() + " vanished as soon as it was made"};
  return std::shared_ptr<token_file>{new token_file{std::move(file), std::move(*token)}};
}

std::string token_file::token() const {
  std::lock_guard guard{mutex_};
  return token_;
}

std::chrono::steady_clock::duration token_file::age() const {
  std::lock_guard guard{mutex_};
  return std::chrono::steady_clock::now() - read_at_;
}

void token_file::refresh() {
  auto now = read_token(file_);
  std::lock_guard guard{mutex_};
  read_at_ = std::chrono::steady_clock::now();
  if (now && !now->empty())
    token_ = std::move(*now);
}

} // namespace tune::http
