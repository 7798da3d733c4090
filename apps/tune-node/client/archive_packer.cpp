// SPDX-License-Identifier: BSD-3-Clause
#include "client/archive_packer.hpp"

#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;
using store::descriptor;
using packing_end = packing_result::end;

/// Of a file with more of them the rest is packed as it reads. [data ranges]
constexpr std::size_t most_ranges = 1'000'000;
/// [bytes]
constexpr std::size_t buffer_size = 256 * 1024;

struct data_range {
  ::off_t begin = 0;
  ::off_t end = 0;
};

/// Ranges of a file's first `size` bytes that are no holes, in order.
std::vector<data_range> data_of(const descriptor& file, ::off_t size) {
  std::vector<data_range> result;
  for (::off_t at = 0; at < size;) {
    const auto data = ::lseek(file.number(), at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
      break;
    const auto hole = data < 0 ? -1 : ::lseek(file.number(), data, SEEK_HOLE);
    if (hole <= data || result.size() == most_ranges) {
      result.push_back({std::max(at, data), size});
      break;
    }
    if (data < size)
      result.push_back({data, std::min(hole, size)});
    at = hole;
  }
  return result;
}

bool is_same(const ::timespec& a, const ::timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_same(const struct ::stat& a, const struct ::stat& b) {
  return a.st_size == b.st_size && is_same(a.st_mtim, b.st_mtim);
}

struct entry_closing {
  void operator()(::archive_entry* x) const { ::archive_entry_free(x); }
};
using entry_holder = std::unique_ptr<::archive_entry, entry_closing>;

/// An entry without its content.
entry_holder entry_of(const struct ::stat& about, const fs::path& path) {
  entry_holder result{::archive_entry_new()};
  ::archive_entry_copy_pathname(result.get(), path.c_str());
  ::archive_entry_set_mode(result.get(), about.st_mode & (S_IFMT | 0777));
  ::archive_entry_set_mtime(result.get(), about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  ::archive_entry_set_size(result.get(), S_ISREG(about.st_mode) ? about.st_size : 0);
  return result;
}

void set_holes(::archive_entry* of, const std::vector<data_range>& data, ::off_t size) {
  if (size == 0 || (data.size() == 1 && data[0].begin == 0 && data[0].end == size))
    return;
  // An empty range at the beginning: there is nothing but one hole.
  if (data.empty())
    ::archive_entry_sparse_add_entry(of, 0, 0);
  for (const auto& x : data)
    ::archive_entry_sparse_add_entry(of, x.begin, x.end - x.begin);
}

/// A directory that is still to be packed.
struct branch {
  std::shared_ptr<const descriptor> base;
  /// Its path from there, and in the archive.
  fs::path way;
  fs::path path;
  /// When names in it changed last.
  ::timespec changed{};
};

class packer {
public:
  packer(const guarded_directory& from, const packing_rules& rules, const byte_taker& to)
      : shown_{from.path()}, rules_{rules}, writer_{to} {
    branch root{std::make_shared<descriptor>(beneath::open(from.number(), {}, O_PATH)), {}, {}};
    struct ::stat about {};
    if (::fstat(from.number(), &about) != 0)
      not_read({});
    root.changed = about.st_mtim;
    open_.push_back(std::move(root));
  }

  expected<packing_result> run() {
    while (!open_.empty() && goes_on()) {
      const auto next = std::move(open_.front());
      open_.pop_front();
      list(next);
      if (!may_change(next.path))
        listed_.push_back(next);
    }
    look_again();
    if (goes_on() && !writer_.close())
      writing_failed({});
    if (failure_)
      return *failure_;
    return std::move(result_);
  }

private:
  fs::path shown_;
  const packing_rules& rules_;
  archive_writer writer_;
  std::deque<branch> open_;
  /// Those in which no names may come or go.
  std::vector<branch> listed_;
  packing_result result_;
  std::optional<error> failure_;
  std::vector<char> buffer_ = std::vector<char>(buffer_size);

  [[nodiscard]] bool goes_on() const { return !failure_ && result_.how == packing_end::whole; }

  [[nodiscard]] bool may_change(const fs::path& what) const {
    return rules_.may_change && rules_.may_change(what.string());
  }

  void changed(const fs::path& what) {
    if (!may_change(what))
      result_.how = packing_end::changed;
  }

  /// Tells of a name that went before its directory was listed.
  void look_again() {
    for (const auto& x : listed_) {
      const descriptor held{beneath::open(x.base->number(), x.way, O_PATH | O_DIRECTORY)};
      struct ::stat about {};
      if (held.number() < 0 || ::fstat(held.number(), &about) != 0
          || !is_same(about.st_mtim, x.changed))
        return changed(x.path);
    }
  }

  void leave_out(const fs::path& what) {
    if (result_.left_out++ == 0)
      result_.first_left_out = what.string();
  }

  void writing_failed(const fs::path& what) {
    if (!writer_.is_wanted())
      result_.how = packing_end::unwanted;
    else
      failure_ = error{ec::storage, (shown_ / what).string() + ": " + writer_.why()};
  }

  /// It cannot be opened or read, as errno says.
  void not_read(const fs::path& what) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ESTALE)
      changed(what);
    else if (errno == EXDEV)
      leave_out(what);
    else
      failure_ = error{errno == EACCES || errno == EPERM ? ec::refused : ec::storage,
                       (shown_ / what).string() + ": cannot be read: " + std::strerror(errno)};
  }

  void list(const branch& which) {
    descriptor opened{beneath::open(which.base->number(), which.way,
                                    O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY)};
    if (opened.number() < 0)
      return not_read(which.path);
    auto names = names_in(opened);
    if (!names)
      return not_read(which.path);
    for (const auto& name : *names) {
      if (!goes_on())
        return;
      if (!which.path.empty() || !contains(rules_.without, name))
        add(which, opened, name);
    }
  }

  static bool contains(const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  }

  /// In order. @returns nothing on failure, with `errno`.
  static std::optional<std::vector<std::string>> names_in(const descriptor& directory) {
    const std::unique_ptr<::DIR, int (*)(::DIR*)> open{
        ::fdopendir(::fcntl(directory.number(), F_DUPFD_CLOEXEC, 0)), ::closedir};
    if (!open)
      return std::nullopt;
    std::vector<std::string> result;
    errno = 0;
    while (const auto* entry = ::readdir(open.get())) {
      const std::string_view name{entry->d_name};
      if (name != "." && name != "..")
        result.emplace_back(name);
    }
    if (errno != 0)
      return std::nullopt;
    std::sort(result.begin(), result.end());
    return result;
  }

  void add(const branch& in, const descriptor& directory, const std::string& name) {
    const auto path = in.path / name;
    if (in.path.empty() && contains(rules_.followed, name)) {
      const int held = ::openat(directory.number(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (held >= 0)
        return add_directory({std::make_shared<descriptor>(held), {}, path}, held);
    }
    const descriptor place{beneath::open(directory.number(), name, O_PATH)};
    struct ::stat about {};
    if (place.number() < 0 || ::fstat(place.number(), &about) != 0)
      return not_read(path);
    if (S_ISREG(about.st_mode))
      return add_file(directory, name, path);
    if (S_ISLNK(about.st_mode))
      return add_link(place, about, path);
    if (S_ISDIR(about.st_mode))
      return add_directory({in.base, in.way / name, path}, place.number());
    leave_out(path);
  }

  void add_directory(branch which, int held) {
    struct ::stat about {};
    if (::fstat(held, &about) != 0)
      return not_read(which.path);
    if (!writer_.begin(entry_of(about, which.path).get()) || !writer_.end())
      return writing_failed(which.path);
    which.changed = about.st_mtim;
    open_.push_back(std::move(which));
  }

  void add_link(const descriptor& link, const struct ::stat& about, const fs::path& path) {
    std::array<char, PATH_MAX> target{};
    const auto size = ::readlinkat(link.number(), "", target.data(), target.size());
    if (size < 0)
      return not_read(path);
    auto entry = entry_of(about, path);
    const std::string text{target.data(), static_cast<std::size_t>(size)};
    ::archive_entry_copy_symlink(entry.get(), text.c_str());
    if (!writer_.begin(entry.get()) || !writer_.end())
      writing_failed(path);
  }

  void add_file(const descriptor& directory, const std::string& name, const fs::path& path) {
    const descriptor file{
        beneath::open(directory.number(), name, O_RDONLY | O_NONBLOCK | O_NOCTTY)};
    struct ::stat before {};
    if (file.number() < 0 || ::fstat(file.number(), &before) != 0)
      return not_read(path);
    if (!S_ISREG(before.st_mode))
      return changed(path);
    auto entry = entry_of(before, path);
    const auto data = data_of(file, before.st_size);
    set_holes(entry.get(), data, before.st_size);
    if (!writer_.begin(entry.get()))
      return writing_failed(path);
    write_content(file, data, before.st_size, path);
    if (!goes_on())
      return;
    if (!writer_.end())
      return writing_failed(path);
    struct ::stat after {};
    if (::fstat(file.number(), &after) != 0 || !is_same(before, after))
      changed(path);
  }

  void write_content(const descriptor& file, const std::vector<data_range>& data, ::off_t size,
                     const fs::path& path) {
    ::off_t at = 0;
    for (const auto& x : data) {
      if (!writer_.skip(x.begin - at))
        return writing_failed(path);
      for (at = x.begin; at < x.end;) {
        const auto wanted
            = std::min<std::size_t>(buffer_.size(), static_cast<std::size_t>(x.end - at));
        const auto count = ::pread(file.number(), buffer_.data(), wanted, at);
        if (count < 0 && errno == EINTR)
          continue;
        if (count < 0)
          return not_read(path);
        if (count == 0)
          return changed(path);
        if (!writer_.write({buffer_.data(), static_cast<std::size_t>(count)}))
          return writing_failed(path);
        at += count;
      }
    }
    if (!writer_.skip(size - at))
      writing_failed(path);
  }
};

} // namespace

expected<packing_result> pack(const guarded_directory& from, const packing_rules& rules,
                              const byte_taker& to) {
  return packer{from, rules, to}.run();
}

} // namespace tune::cli
