// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/removing_tree.hpp"

#include "tune/io/files/descriptor.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/process/shortage.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

using store::descriptor;

constexpr int as_place = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int to_read = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
/// Number of directories kept open, the deepest ones; those above are reopened by "..".
constexpr std::size_t most_open = 16;
/// Limit on rereading a directory that is not empty although all listed names were removed: file
/// systems may omit names while others are being removed.
constexpr int most_rounds = 3;
/// Longest path in an error text. [bytes]
constexpr std::size_t longest_shown = 512;

struct closing {
  void operator()(::DIR* which) const { ::closedir(which); }
};
/// Names handled in one step.
constexpr int names_at_once = 64;

/// A directory on the path from the top to the current position.
struct level {
  std::string name;
  descriptor handle;
  ::dev_t device = 0;
  ::ino_t number = 0;
  /// Names of subdirectories still to be removed.
  std::vector<std::string> directories = {};
  int rounds = 0;
  /// True if something in it stays.
  bool is_kept = false;
  /// Set while its names are being read.
  std::unique_ptr<::DIR, closing> list = {};
};

bool is_directory_there(int directory, const char* name, unsigned char type) {
  if (type != DT_UNKNOWN)
    return type == DT_DIR;
  // Not followed and only checked for its kind: the directory itself is not entered.
  descriptor seen{beneath::open(directory, name, as_place)};
  return seen.number() >= 0 || errno == EXDEV;
}

/// Gives the owner all permissions on the directory.
void let_owner_in(int directory) {
  struct ::stat about {};
  if (::fstat(directory, &about) != 0 || (about.st_mode & S_IRWXU) == S_IRWXU
      || about.st_uid != ::geteuid())
    return;
  // fchmod does not work on an O_PATH descriptor.
  const auto name = "/proc/self/fd/" + std::to_string(directory);
  static_cast<void>(::chmod(name.c_str(), (about.st_mode & 07777) | S_IRWXU));
}

/// @returns -1 with errno on failure: EXDEV at a mount point.
int open_whatever_its_mode(int directory, const std::string& name) {
  descriptor place{beneath::open(directory, name, as_place)};
  if (place.number() < 0)
    return -1;
  let_owner_in(place.number());
  return ::openat(place.number(), ".", to_read);
}

class removal {
public:
  removal(int top, fs::path shown, std::chrono::milliseconds most)
      : top_{top}
      , shown_{std::move(shown)}
      , has_limit_{most != without_limit}
      , until_{has_limit_ ? clock::now() + most : clock::time_point{}} {}

  void begin(const std::string& name) {
    if (::unlinkat(top_, name.c_str(), 0) == 0 || errno == ENOENT)
      return;
    const int why = errno;
    if (!is_directory_there(top_, name.c_str(), DT_UNKNOWN))
      note(shown_, why);
    else
      enter(name);
  }

  [[nodiscard]] bool is_done() { return levels_.empty() || is_over(); }

  /// Does the next piece of work. @pre `is_done()` is false.
  void step() {
    auto& here = levels_.back();
    if (here.list)
      return read_some();
    if (here.directories.empty())
      return leave();
    auto next = std::move(here.directories.back());
    here.directories.pop_back();
    enter(next);
  }

  [[nodiscard]] expected<void> outcome() const {
    if (!first_ && is_over_)
      return error{ec::shortage, "cannot remove all of " + shown_.string()
                                     + " in so short a time: there is too much in it"};
    if (!first_)
      return {};
    auto result = *first_;
    if (count_ > 1)
      result.detail += " (" + std::to_string(count_ - 1) + " more below " + shown_.string()
                       + " could not be removed)";
    return result;
  }

private:
  using clock = std::chrono::steady_clock;

  int top_;
  fs::path shown_;
  bool has_limit_;
  clock::time_point until_;
  bool is_over_ = false;
  std::vector<level> levels_;
  std::optional<error> first_;
  std::size_t count_ = 0;

  [[nodiscard]] bool is_over() {
    is_over_ = is_over_ || (has_limit_ && clock::now() >= until_);
    return is_over_;
  }

  /// The path of a name in the deepest directory; if empty, of that directory itself.
  [[nodiscard]] fs::path path_of(const std::string& name) const {
    auto result = shown_.string();
    for (std::size_t i = 1; i < levels_.size() && result.size() <= longest_shown; ++i)
      result += "/" + levels_[i].name;
    if (!levels_.empty() && !name.empty())
      result += (result.size() > longest_shown ? "/.../" : "/") + name;
    return result;
  }

  void note(const fs::path& path, int why) {
    ++count_;
    if (!levels_.empty())
      levels_.back().is_kept = true;
    if (first_)
      return;
    auto text = "cannot remove " + path.string() + ": ";
    if (why == EXDEV || why == EBUSY)
      first_ = error{ec::refused, text + "something is mounted there, and stays: unmount it"};
    else if (why == EACCES || why == EPERM)
      first_ = error{ec::refused, text + std::strerror(why)};
    else
      first_ = error{fault_of(why, ec::storage), text + text_of_shortage(why)};
  }

  [[nodiscard]] int here() const { return levels_.empty() ? top_ : levels_.back().handle.number(); }

  void enter(const std::string& name) {
    descriptor opened{open_whatever_its_mode(here(), name)};
    struct ::stat about {};
    if (opened.number() < 0 || ::fstat(opened.number(), &about) != 0) {
      if (const int why = errno; why != ENOENT)
        note(path_of(name), why);
      return;
    }
    levels_.push_back(level{name, std::move(opened), about.st_dev, about.st_ino});
    if (levels_.size() > most_open)
      levels_[levels_.size() - 1 - most_open].handle = descriptor{-1};
    read();
  }

  /// Starts reading the names in the deepest directory.
  void read() {
    auto& at = levels_.back();
    ++at.rounds;
    const int another = ::openat(at.handle.number(), ".", to_read);
    at.list.reset(another < 0 ? nullptr : ::fdopendir(another));
    if (at.list)
      return;
    const int why = errno;
    if (another >= 0)
      ::close(another);
    note(path_of({}), why);
  }

  /// Removes non-directories in the deepest directory, and collects its subdirectories.
  void read_some() {
    auto& at = levels_.back();
    for (int i = 0; i < names_at_once; ++i) {
      errno = 0;
      const auto* entry = ::readdir(at.list.get());
      if (entry == nullptr) {
        if (const int why = errno; why != 0)
          note(path_of({}), why);
        at.list.reset();
        return;
      }
      const std::string name{&entry->d_name[0]};
      if (name != "." && name != "..")
        take(name, entry->d_type);
    }
  }

  void take(const std::string& name, unsigned char type) {
    auto& at = levels_.back();
    if (type != DT_DIR && (::unlinkat(at.handle.number(), name.c_str(), 0) == 0 || errno == ENOENT))
      return;
    const int why = errno;
    if (is_directory_there(at.handle.number(), name.c_str(), type))
      at.directories.push_back(name);
    else
      note(path_of(name), why);
  }

  /// Reopens the directory above the deepest one; false if the latter was moved meanwhile.
  [[nodiscard]] bool find_parent() {
    if (levels_.size() < 2)
      return true;
    auto& above = levels_[levels_.size() - 2];
    if (above.handle.number() >= 0)
      return true;
    descriptor found{::openat(here(), "..", to_read)};
    struct ::stat about {};
    if (found.number() < 0 || ::fstat(found.number(), &about) != 0 || about.st_dev != above.device
        || about.st_ino != above.number)
      return false;
    above.handle = std::move(found);
    return true;
  }

  /// Goes up from the deepest directory, and removes it if it is empty.
  void leave() {
    auto& last = levels_.back();
    const bool may_go = !last.is_kept;
    if (!find_parent()) {
      // The directory was moved away; the directories above cannot be found from it.
      note(path_of({}), ESTALE);
      levels_.clear();
      return;
    }
    const int above = levels_.size() < 2 ? top_ : levels_[levels_.size() - 2].handle.number();
    const bool is_gone
        = may_go && (::unlinkat(above, last.name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT);
    const int why = errno;
    if (may_go && !is_gone && (why == ENOTEMPTY || why == EEXIST) && last.rounds < most_rounds)
      return read();
    const auto gone = std::move(last);
    levels_.pop_back();
    if (is_gone)
      return;
    if (may_go)
      note(levels_.empty() ? shown_ : path_of(gone.name), why);
    else if (!levels_.empty())
      levels_.back().is_kept = true;
  }
};

} // namespace

expected<void> remove_tree(int directory, const std::string& name, const fs::path& shown,
                           std::chrono::milliseconds most) {
  removal work{directory, shown, most};
  work.begin(name);
  while (!work.is_done())
    work.step();
  return work.outcome();
}

sliced<expected<void>> removing_tree(guarded_directory in, std::string name) {
  removal work{in.number(), in.path() / name, without_limit};
  work.begin(name);
  while (!work.is_done()) {
    work.step();
    co_await next_slice{};
  }
  co_return work.outcome();
}

expected<void> remove_tree(const fs::path& what, std::chrono::milliseconds most) {
  const auto clean = what.has_filename() ? what : what.parent_path();
  const auto parent = clean.parent_path();
  descriptor above{::open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (above.number() >= 0)
    return remove_tree(above.number(), clean.filename(), what, most);
  const int why = errno;
  if (why == ENOENT || why == ENOTDIR)
    return {};
  return error{fault_of(why, ec::storage),
               "cannot remove " + what.string() + ": " + text_of_shortage(why)};
}

namespace {

/// The outcome if the parent directory could not be opened: success if it does not exist.
expected<void> not_held(const fs::path& trusted, const fs::path& way, const error& why) {
  // If a directory on the way does not exist, neither does the tree.
  descriptor root{::open(trusted.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (root.number() >= 0)
    root = descriptor{beneath::open(root.number(), way.parent_path(), as_place)};
  return root.number() < 0 && errno == ENOENT ? expected<void>{} : why;
}

} // namespace

expected<void> remove_tree_below(const fs::path& trusted, const fs::path& way,
                                 std::chrono::milliseconds most) {
  auto held = guarded_directory::open(trusted, way.parent_path());
  return held ? remove_tree(held->number(), way.filename(), trusted / way, most)
              : not_held(trusted, way, held.error());
}

sliced<expected<void>> removing_tree_below(fs::path trusted, fs::path way) {
  auto held = guarded_directory::open(trusted, way.parent_path());
  if (!held)
    co_return not_held(trusted, way, held.error());
  co_return co_await removing_tree(std::move(*held), way.filename());
}

} // namespace tune
