// SPDX-License-Identifier: BSD-3-Clause
#include "directory_list.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/shortage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tune::files {

namespace fs = std::filesystem;

error not_reached(const fs::path& path, std::string_view doing, int number, ec mine) {
  if (number == EXDEV || number == EBUSY)
    return {ec::refused, "something is mounted at " + path.string() + ": unmount it"};
  return {fault_of(number, mine),
          "cannot " + std::string{doing} + " " + path.string() + ": " + text_of_shortage(number)};
}

expected<struct ::stat> look_beneath(int held, const fs::path& way, const fs::path& shown,
                                     ec mine) {
  const store::descriptor place{beneath::open(held, way, O_PATH)};
  struct ::stat about {};
  if (place.number() < 0 || ::fstat(place.number(), &about) != 0)
    return not_reached(shown, "read", errno, mine);
  return about;
}

expected<directory_list> directory_list::open(int held, const fs::path& way, fs::path shown,
                                              ec mine) {
  const int number = beneath::open(held, way, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  auto* opened = number < 0 ? nullptr : ::fdopendir(number);
  if (opened != nullptr)
    return directory_list{opened, std::move(shown), mine};
  const int why = errno;
  if (number >= 0)
    ::close(number);
  return not_reached(shown, "read", why, mine);
}

expected<std::optional<listed_name>> directory_list::next() {
  for (errno = 0; const auto* entry = ::readdir(open_.get()); errno = 0) {
    std::string name{&entry->d_name[0]};
    if (name != "." && name != "..")
      return std::optional{listed_name{std::move(name), entry->d_type}};
  }
  if (errno != 0)
    return not_reached(shown_, "read", errno, mine_);
  return std::optional<listed_name>{};
}

} // namespace tune::files
