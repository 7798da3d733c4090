// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/rotating_file.hpp"

#include "posix/posix.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t flush_at = 64 * 1024;

} // namespace

expected<rotating_file> rotating_file::open(const fs::path& file, limits most) {
  const auto directory = file.has_parent_path() ? file.parent_path() : fs::path{"."};
  std::error_code why;
  fs::create_directories(directory, why);
  if (why)
    return error{ec::storage, "cannot make " + directory.string() + ": " + why.message()};
  auto where = guarded_directory::open(directory);
  if (!where)
    return where.error();
  rotating_file result{std::move(*where), file.filename(), most};
  if (auto begun = result.begin(); !begun)
    return begun.error();
  return result;
}

std::string rotating_file::name_of(std::size_t number) const {
  if (number == 0)
    return name_;
  return name_.stem().string() + "." + std::to_string(number) + name_.extension().string();
}

expected<void> rotating_file::begin() {
  // A file with other names may also be a copy: it is kept and not written to.
  if (where_.has_file(name_) && !where_.oddity(name_).empty())
    return rotate();
  auto opened = where_.extend(name_);
  if (!opened)
    return opened.error();
  struct ::stat about {};
  if (::fstat(opened->number(), &about) == 0)
    size_ = static_cast<std::uint64_t>(about.st_size);
  file_ = std::move(*opened);
  return end_last_line();
}

/// Terminates a last line that a crash cut short, so that the next line is not joined to it.
expected<void> rotating_file::end_last_line() {
  if (size_ == 0)
    return {};
  auto opened = where_.read(name_);
  if (!opened)
    return opened.error();
  char last = '\n';
  if (::pread(opened->number(), &last, 1, static_cast<::off_t>(size_ - 1)) == 1 && last != '\n')
    waiting_ = "\n";
  return {};
}

expected<void> rotating_file::rotate() {
  for (auto number = most_.files - 1; number > 0; --number) {
    if (!where_.has_file(name_of(number - 1)))
      continue;
    if (auto renamed = where_.rename(name_of(number - 1), name_of(number)); !renamed)
      return renamed;
  }
  auto made = where_.create(name_);
  if (!made)
    return made.error();
  file_ = std::move(*made);
  size_ = 0;
  return {};
}

expected<void> rotating_file::write(std::string_view text) {
  const auto size = size_ + waiting_.size();
  if (size > 0 && size + text.size() > most_.bytes) {
    if (auto done = flush(); !done)
      return done;
    if (auto done = rotate(); !done)
      return done;
  }
  waiting_ += text;
  return waiting_.size() < flush_at ? expected<void>{} : flush();
}

expected<void> rotating_file::flush() {
  if (waiting_.empty())
    return {};
  const auto text = std::exchange(waiting_, {});
  size_ += text.size();
  return store::write_all(file_, where_.path() / name_, text);
}

} // namespace tune
