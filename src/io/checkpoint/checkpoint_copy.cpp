// Copies a directory that a trainable hands over into a draft.
// SPDX-License-Identifier: BSD-3-Clause
#include "copy_apart.hpp"
#include "file_copy.hpp"
#include "files/directory_list.hpp"
#include "files/mounts.hpp"
#include "held_checkpoint.hpp"

#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

error refusal(const fs::path& what, const std::string& why) {
  return {ec::storage, "cannot copy " + what.string() + ": " + why};
}

/// Whether `inner` is inside `outer`, so that a copy would copy itself. Both are open.
bool holds(int outer, int inner) {
  const auto root = name_of_open(outer);
  const auto way = name_of_open(inner);
  return std::mismatch(root.begin(), root.end(), way.begin(), way.end()).first == root.end();
}

/// A directory, identified independently of its path, with the directories through which it was
/// reached. Following a link to one of them would never end.
struct passed_place {
  ::dev_t device = 0;
  ::ino_t number = 0;
  std::shared_ptr<const passed_place> before;
};
using way_here = std::shared_ptr<const passed_place>;

way_here extended(way_here by, const struct stat& directory) {
  return std::make_shared<passed_place>(
      passed_place{directory.st_dev, directory.st_ino, std::move(by)});
}

bool leads_back(const struct stat& directory, const way_here& passed) {
  for (const auto* x = passed.get(); x != nullptr; x = x->before.get()) {
    if (x->device == directory.st_dev && x->number == directory.st_ino)
      return true;
  }
  return false;
}

/// The source of a copy. Opened name by name through directories that are held open, so that no
/// file system that may not answer is accessed, whatever is mounted meanwhile.
class copy_source {
public:
  /// @param asked The mounts that may be accessed; null for all.
  copy_source(fs::path path, const files::answering_mounts* asked, link_rule links)
      : path_{std::move(path)}, asked_{asked}, links_{links}, root_{open(path_, O_PATH)} {}

  [[nodiscard]] const fs::path& path() const { return path_; }
  /// The directory itself; -1 with errno if it cannot be opened.
  [[nodiscard]] const store::descriptor& root() const { return root_; }

  /// Opens a path, following links. @returns -1 with errno on failure: EXDEV if it might block.
  [[nodiscard]] store::descriptor open(const fs::path& what, int flags) const {
    if (asked_ == nullptr)
      return store::descriptor{::open(what.c_str(), flags | always)};
    return opened_as(asked_->open(what), flags);
  }

  /// Like `open`, for a directory below the source. @param way path relative to the source.
  [[nodiscard]] store::descriptor enter(const fs::path& way) {
    constexpr int flags = O_RDONLY | O_DIRECTORY;
    if (asked_ == nullptr)
      return open(path_ / way, flags);
    store::descriptor result{beneath::open(root_.number(), way, flags | always)};
    if (result.number() >= 0 || !is_elsewhere(errno))
      return result;
    const auto above = std::find_if(recent_.begin(), recent_.end(),
                                    [&](const auto& x) { return x.way == way.parent_path(); });
    result = above == recent_.end() ? open(path_ / way, flags)
                                    : open_in(above->opened.number(), way, flags);
    keep(way, result.number());
    return result;
  }

  /// Like `open`, for a name in an open directory.
  [[nodiscard]] store::descriptor open_in(int directory, const fs::path& what, int flags) const {
    const auto name = what.filename();
    if (asked_ == nullptr)
      return store::descriptor{::openat(directory, name.c_str(), flags | always)};
    store::descriptor result{beneath::open(directory, name, flags | always)};
    // The target of a link, or another mount, may be accessible as well.
    const bool may_be_link = (flags & O_PATH) != 0;
    const bool is_plain
        = result.number() < 0 ? !is_elsewhere(errno) : !may_be_link || !is_link(result.number());
    return is_plain ? std::move(result) : opened_as(asked_->open(name, directory), flags);
  }

  /// The target of a link that is to be copied as it is; empty if it is not a link or is to be
  /// followed.
  [[nodiscard]] std::optional<std::string> kept_link(int directory, const std::string& name) const {
    std::array<char, PATH_MAX> text{};
    const auto size = links_ == link_rule::kept
                          ? ::readlinkat(directory, name.c_str(), text.data(), text.size())
                          : -1;
    return size < 0 ? std::nullopt
                    : std::optional{std::string{text.data(), static_cast<std::size_t>(size)}};
  }

  /// Whether an open file is on a mount that may be accessed.
  [[nodiscard]] bool asks(int opened) const { return asked_ == nullptr || asked_->holds(opened); }

private:
  struct opened_branch {
    fs::path way;
    store::descriptor opened;
  };
  static constexpr std::size_t most_recent = 16;

  fs::path path_;
  const files::answering_mounts* asked_;
  link_rule links_;
  store::descriptor root_;
  /// Recently opened directories behind links, which are expensive to reach from the top.
  std::deque<opened_branch> recent_ = {};

  void keep(const fs::path& way, int opened) {
    if (opened < 0)
      return;
    const int why = errno;
    recent_.push_front({way, store::descriptor{::fcntl(opened, F_DUPFD_CLOEXEC, 0)}});
    if (recent_.size() > most_recent)
      recent_.pop_back();
    errno = why;
  }

  static constexpr int always = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

  /// ENOTDIR is included because a link is not a directory.
  static bool is_elsewhere(int why) { return why == ELOOP || why == EXDEV || why == ENOTDIR; }

  static bool is_link(int opened) {
    struct stat about {};
    return ::fstat(opened, &about) == 0 && S_ISLNK(about.st_mode);
  }

  static store::descriptor opened_as(store::descriptor place, int flags) {
    if (place.number() < 0 || (flags & O_PATH) != 0)
      return place;
    const auto name = "/proc/self/fd/" + std::to_string(place.number());
    return store::descriptor{::open(name.c_str(), flags | always)};
  }
};

/// The source directory and all its ancestors.
way_here way_to(const copy_source& by) {
  way_here result;
  store::descriptor at{-1};
  for (const auto& name : name_of_open(by.root().number())) {
    at = store::descriptor{::openat(at.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct stat about {};
    if (at.number() < 0 || !by.asks(at.number()) || ::fstat(at.number(), &about) != 0)
      break;
    result = extended(std::move(result), about);
  }
  return result;
}

/// Internal error that moves the work to another thread; never reported to callers.
error may_wait(const fs::path& what) {
  return {ec::unreachable, what.string()};
}

error not_opened(const fs::path& what, int why) {
  if (why == EXDEV)
    return may_wait(what);
  return refusal(what, why == ENOENT ? "there is no such file or directory" : std::strerror(why));
}

/// Only files and directories can be copied, and links whose target is one of both.
expected<struct stat> look_at(const store::descriptor& opened, const fs::path& what) {
  struct stat about {};
  if (opened.number() < 0 || ::fstat(opened.number(), &about) != 0)
    return not_opened(what, errno);
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return refusal(what, "it is neither a file nor a directory");
  return about;
}

/// A directory to be copied with its content. The name of the top one is "".
struct branch {
  fs::path from;
  /// The directory's path relative to the draft.
  fs::path to;
  std::size_t depth = 0;
  /// The directories on the way to it, itself last.
  way_here passed;
};

/// An entry to be copied.
struct plan_entry {
  /// Index of the branch that contains it in the plan.
  std::size_t in = 0;
  std::string name;
  bool is_directory = false;
  ::mode_t mode = 0;
  /// Target of a link that is copied as it is.
  std::optional<std::string> target = {};
};
struct copy_plan {
  std::vector<branch> branches;
  /// Entries of one branch are adjacent and follow the entry that creates it.
  std::vector<plan_entry> entries;
  /// Total apparent size of the files.
  std::uint64_t bytes = 0;
  /// Space that they occupy on the disk.
  std::uint64_t allocated = 0;
};

expected<void> add_to(copy_plan& plan, std::size_t in, const store::descriptor& opened,
                      const std::string& name, const checkpoint_limits& limits) {
  const auto& holder = plan.branches[in];
  const auto from = holder.from / name;
  auto about = look_at(opened, from);
  if (!about)
    return about.error();
  const auto is_directory = S_ISDIR(about->st_mode);
  if (is_directory && leads_back(*about, holder.passed))
    return refusal(from, "the link leads to where it lies");
  plan.entries.push_back({in, name, is_directory, about->st_mode});
  if (!is_directory) {
    const auto size = static_cast<std::uint64_t>(about->st_size);
    plan.bytes += size;
    plan.allocated += std::min(size, static_cast<std::uint64_t>(about->st_blocks) * 512);
  } else {
    plan.branches.push_back(
        {from, holder.to / name, holder.depth + 1, extended(holder.passed, *about)});
  }
  return limits.check(plan.bytes, plan.entries.size());
}

expected<void> add_link(copy_plan& plan, std::size_t in, const std::string& name,
                        std::string target, const checkpoint_limits& limits) {
  plan.entries.push_back({in, name, false, 0, std::move(target)});
  return limits.check(plan.bytes, plan.entries.size());
}

/// Adds the content of a branch.
sliced<expected<void>> adding_branch(copy_plan& plan, std::size_t which, copy_source& by,
                                     const checkpoint_limits& limits) {
  const auto where = plan.branches[which].from;
  const auto opened = by.enter(plan.branches[which].to);
  if (opened.number() < 0)
    co_return not_opened(where, errno);
  auto names = files::directory_list::open(opened.number(), {}, where, ec::storage);
  if (!names)
    co_return names.error();
  for (;;) {
    auto next = names->next();
    if (!next)
      co_return next.error();
    if (!*next)
      co_return expected<void>{};
    const auto& name = (*next)->name;
    auto link = by.kept_link(opened.number(), name);
    auto added = link ? add_link(plan, which, name, std::move(*link), limits)
                      : add_to(plan, which, by.open_in(opened.number(), where / name, O_PATH), name,
                               limits);
    if (!added)
      co_return added;
    co_await next_slice{};
  }
}

/// Lists everything before anything is copied, so that exceeded limits are known at once.
/// @errors also `ec::unreachable` if it might block.
sliced<expected<copy_plan>> planning(copy_source& by, checkpoint_limits limits) {
  copy_plan result;
  result.branches.push_back({by.path(), {}, 0, way_to(by)});
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const auto which = open.back();
    open.pop_back();
    auto shallow = checkpoint_limits::check_depth(result.branches[which].depth);
    if (!shallow)
      co_return shallow.error();
    const auto first = result.branches.size();
    auto added = co_await adding_branch(result, which, by, limits);
    if (!added)
      co_return added.error();
    for (auto i = first; i < result.branches.size(); ++i)
      open.push_back(i);
  }
  co_return result;
}

/// A branch and its destination, both open.
struct open_pair {
  store::descriptor from{-1};
  std::optional<guarded_directory> to;
};

expected<open_pair> open_both(copy_source& by, const branch& what, const guarded_directory& to) {
  open_pair result{by.enter(what.to), std::nullopt};
  if (result.from.number() < 0)
    return not_opened(what.from, errno);
  auto entered = to.enter(what.to.empty() ? "." : what.to);
  if (!entered)
    return entered.error();
  result.to.emplace(std::move(*entered));
  return result;
}

expected<void> make_copied_directory(const plan_entry& what, const guarded_directory& in) {
  constexpr ::mode_t permissions = 0777;
  // The owner needs all permissions, since files will be created in it.
  if (::mkdirat(in.number(), what.name.c_str(), (what.mode & permissions) | S_IRWXU) != 0
      && errno != EEXIST)
    return error{ec::storage,
                 "cannot make " + (in.path() / what.name).string() + ": " + std::strerror(errno)};
  return {};
}

expected<void> make_link(const plan_entry& what, const guarded_directory& in) {
  if (::symlinkat(what.target->c_str(), in.number(), what.name.c_str()) != 0)
    return error{ec::storage, "cannot make the link " + (in.path() / what.name).string() + ": "
                                  + std::strerror(errno)};
  return {};
}

sliced<expected<void>> copying_entry(const copy_source& by, const branch& in, const open_pair& at,
                                     const plan_entry& what) {
  if (what.is_directory)
    co_return make_copied_directory(what, *at.to);
  if (what.target)
    co_return make_link(what, *at.to);
  const auto from = in.from / what.name;
  auto opened = by.open_in(at.from.number(), from, O_RDONLY);
  if (opened.number() < 0)
    co_return not_opened(from, errno);
  copied_file file{std::move(opened), from, &*at.to, what.name};
  co_return co_await copying_file(std::move(file));
}

sliced<expected<void>> copying_plan(copy_source& by, const copy_plan& plan,
                                    const guarded_directory& to) {
  open_pair at;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    const auto& entry = plan.entries[i];
    const auto& in = plan.branches[entry.in];
    if (i == 0 || plan.entries[i - 1].in != entry.in) {
      auto opened = open_both(by, in, to);
      if (!opened)
        co_return opened.error();
      at = std::move(*opened);
    }
    auto done = co_await copying_entry(by, in, at, entry);
    if (!done)
      co_return done;
    co_await next_slice{};
  }
  co_return expected<void>{};
}

/// @param to must outlive the work.
/// @param asked null if blocking is acceptable.
/// @errors also `ec::unreachable` if it might block; only directories may then have been copied.
sliced<expected<void>> copying(fs::path from, const guarded_directory& to, checkpoint_limits limits,
                               const files::answering_mounts* asked, link_rule links) {
  copy_source by{from, asked, links};
  auto about = look_at(by.root(), from);
  if (!about)
    co_return about.error();
  if (!S_ISDIR(about->st_mode))
    co_return refusal(from, "it is not a directory");
  if (holds(by.root().number(), to.number()))
    co_return refusal(from, "the experiment keeps its checkpoints in it");
  auto plan = co_await planning(by, limits);
  if (!plan)
    co_return plan.error();
  auto room = check_room(to, plan->allocated);
  if (!room)
    co_return room;
  co_return co_await copying_plan(by, *plan, to);
}

/// Like `copying`, but owns `to`.
sliced<expected<void>> copying_apart(fs::path from, std::shared_ptr<const held_checkpoint> to,
                                     checkpoint_limits limits, link_rule links) {
  co_return co_await copying(std::move(from), to->self, limits, nullptr, links);
}

} // namespace

sliced<expected<void>> copying_checkpoint(fs::path from, fs::path to, checkpoint_limits limits,
                                          link_rule links) {
  // A remote file system, or one served by a program, that makes no progress for so long is given
  // up.
  constexpr std::chrono::seconds patience{30};
  auto opened = hold_checkpoint(to);
  if (!opened)
    co_return opened.error();
  const auto held = std::make_shared<const held_checkpoint>(std::move(*opened));
  const files::answering_mounts asked{held->self.number()};
  auto done = co_await copying(from, held->self, limits, &asked, links);
  if (done || done.error().code != ec::unreachable)
    co_return done;
  // Other work must not wait for it.
  auto begin = [from, held, limits, links] { return copying_apart(from, held, limits, links); };
  co_return co_await working_apart(begin, from, patience);
}

expected<void> copy_checkpoint(const fs::path& from, const fs::path& to,
                               const checkpoint_limits& limits) {
  return *finish(copying_checkpoint(from, to, limits));
}

} // namespace tune
