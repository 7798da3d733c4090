// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/s3/bucket_mirror.hpp"

#include "sinks/sink_mark.hpp"

#include "tune/core/experiment/command.hpp"
#include "tune/core/printable.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/store/copy_record.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <sys/stat.h>

#include <limits>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Tries to have all that one state of the record names.
constexpr int most_copies = 3;
/// Clocks of this machine and of the server may differ by so much.
constexpr std::int64_t clock_margin_s = 600;

const std::string& record_key() {
  static const std::string name = database_file({}).string();
  return name;
}

/// Size and last change of a regular file; nothing for all else.
struct file_facts {
  std::uint64_t size = 0;
  std::int64_t changed_s = 0;
};

std::optional<file_facts> facts_of(const fs::path& file) {
  struct ::stat about {};
  if (::lstat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
    return std::nullopt;
  return file_facts{static_cast<std::uint64_t>(about.st_size), about.st_mtim.tv_sec};
}

/// The location of the checkpoint that an object belongs to; empty: it belongs to none.
std::string checkpoint_of_key(const std::string& key) {
  std::size_t end = 0;
  for (int parts = 0; parts < 4; ++parts) {
    end = key.find('/', end == 0 ? 0 : end + 1);
    if (end == std::string::npos)
      return {};
  }
  auto location = key.substr(0, end);
  return is_checkpoint_location(location) ? location : std::string{};
}

/// Removes a directory at its end.
class passing_room {
public:
  explicit passing_room(fs::path path) : path_{std::move(path)} {}
  passing_room(const passing_room&) = delete;
  passing_room& operator=(const passing_room&) = delete;
  ~passing_room() { static_cast<void>(remove_tree(path_)); }

private:
  fs::path path_;
};

bool is_here(const fs::path& what) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(what, failed));
}

} // namespace

bucket_mirror::bucket_mirror(fs::path directory, std::string identity, object_store to,
                             std::function<void(const std::string&)> notice)
    : directory_{std::move(directory)}
    , identity_{std::move(identity)}
    , to_{std::move(to)}
    , notice_{std::move(notice)} {}

fs::path bucket_mirror::room() const {
  return sinks_directory(directory_) / ".s3";
}

void bucket_mirror::tell_once(const std::string& text) {
  if (told_.insert(text).second && notice_)
    notice_(text);
}

expected<void> bucket_mirror::update(bool is_over) {
  if (auto met = meet(); !met)
    return met;
  const passing_room copied{room()};
  for (int i = 1;; ++i) {
    auto what = copy();
    if (!what)
      return what.error();
    auto whole = store_checkpoints(*what);
    if (!whole)
      return whole.error();
    // Some were removed since the copy was made: a newer one does not name them.
    if (!*whole && i < most_copies)
      continue;
    if (!*whole)
      tell_once("checkpoints are removed before they can be stored: a larger [checkpoint] keep"
                " gives it the time");
    if (auto stored = store_trials(*what, is_over); !stored)
      return stored;
    if (auto stored = store_record(); !stored)
      return stored;
    return remove_checkpoints(*what);
  }
}

/// Finds out whose place it is, and what is there.
expected<void> bucket_mirror::meet() {
  if (known_)
    return {};
  auto listed = to_.list("");
  if (!listed)
    return listed.error();
  auto record = to_.look(record_key());
  if (!record)
    return record.error();
  if (*record && (**record)[record_identity_note] != identity_)
    return error{ec::refused, to_text(to_.place())
                                  + " holds another experiment: choose another"
                                    " prefix, or remove what is there"};
  auto& all = known_.emplace();
  for (auto& x : *listed) {
    auto key = x.key;
    all.emplace(std::move(key), std::move(x));
  }
  return {};
}

expected<bucket_mirror::record_view> bucket_mirror::copy() const {
  static_cast<void>(remove_tree(room()));
  std::error_code failed;
  fs::create_directories(room(), failed);
  if (failed)
    return error{ec::unreachable, room().string() + ": cannot be made: " + failed.message()};
  if (auto copied = copy_record(directory_, room()); !copied)
    return when_stored(copied.error());
  auto reader = store_reader::open(room());
  if (!reader)
    return reader.error();
  auto checkpoints = reader->checkpoints_after(0, std::numeric_limits<std::int32_t>::max());
  if (!checkpoints)
    return checkpoints.error();
  trial_query all;
  all.limit = std::numeric_limits<std::int32_t>::max();
  auto trials = reader->trials(all);
  if (!trials)
    return trials.error();
  std::erase_if(*trials, [](const trial_row& x) { return !x.ended; });
  return record_view{std::move(*checkpoints), std::move(*trials)};
}

expected<bool> bucket_mirror::store_checkpoints(const record_view& what) {
  bool all = true;
  for (const auto& x : what.checkpoints) {
    if (x.state != "good" || !is_checkpoint_location(x.location))
      continue;
    auto stored = store_checkpoint(x.location);
    if (!stored)
      return stored;
    all = all && *stored;
  }
  return all;
}

expected<bool> bucket_mirror::store_checkpoint(const std::string& location) {
  // It is stored last.
  const auto manifest_key = location + "/" + checkpoint_manifest_name;
  if (known_->contains(manifest_key))
    return true;
  auto text = read_checkpoint_manifest(directory_ / location);
  if (!text && !is_here(directory_ / location))
    return false;
  auto manifest
      = text && *text
            ? checkpoint_manifest_from_text(**text)
            : expected<checkpoint_manifest>{error{ec::storage, "it has no list of its files"}};
  if (!text || !manifest) {
    tell_once(location + " is not stored: " + to_text(text ? manifest.error() : text.error()));
    return true;
  }
  for (const auto& file : manifest->files) {
    const auto key = location + "/" + file.path;
    if (has(key, file.size))
      continue;
    auto stored = put(key, file.hash);
    if (stored)
      continue;
    if (!is_here(directory_ / location))
      return false;
    if (stored.error().code != ec::unreadable && stored.error().code != ec::storage)
      return stored.error();
    tell_once(location + " is not stored: " + to_text(stored.error()));
    return true;
  }
  auto stored = put(manifest_key, sha256_of(**text));
  if (!stored && !is_here(directory_ / location))
    return false;
  return stored ? expected<bool>{true} : stored.error();
}

expected<void> bucket_mirror::store_trials(const record_view& what, bool is_over) {
  std::set<std::string> checkpoints;
  for (const auto& x : what.checkpoints)
    checkpoints.insert(x.location);
  for (const auto& x : what.ended) {
    const auto known = stored_trials_.find(x.trial);
    if (!is_over && known != stored_trials_.end() && known->second == *x.ended)
      continue;
    if (auto stored = store_tree(trials_directory({}) / to_text(x.trial), checkpoints); !stored)
      return stored;
    stored_trials_[x.trial] = *x.ended;
  }
  return {};
}

/// Stores all files that are not a checkpoint's, in which the record is believed.
/// @param checkpoints Locations of those: what else has such a name are exports.
expected<void> bucket_mirror::store_tree(const fs::path& below,
                                         const std::set<std::string>& checkpoints) {
  std::error_code failed;
  fs::recursive_directory_iterator at{directory_ / below, failed};
  for (; !failed && at != fs::recursive_directory_iterator{}; at.increment(failed)) {
    const auto key = at->path().lexically_relative(directory_).string();
    const auto name = at->path().filename().string();
    if (is_checkpoint_location(key) || name.ends_with(draft_suffix)) {
      at.disable_recursion_pending();
      const auto is_export = is_checkpoint_location(key) && !checkpoints.contains(key);
      if (auto stored = is_export ? store_checkpoint(key) : expected<bool>{true}; !stored)
        return stored.error();
      continue;
    }
    const auto facts = facts_of(at->path());
    if (!facts)
      continue;
    const auto known = known_->find(key);
    if (has(key, facts->size) && facts->changed_s + clock_margin_s < known->second.changed_s)
      continue;
    auto stored = put(key, {});
    if (stored || (stored.error().code == ec::unreadable && !is_here(at->path())))
      continue;
    if (stored.error().code != ec::unreadable && stored.error().code != ec::storage)
      return stored;
    tell_once(key + " is not stored: " + to_text(stored.error()));
  }
  return {};
}

expected<void> bucket_mirror::store_record() {
  const auto file = database_file(room());
  auto digest = digest_file(file);
  if (!digest)
    return when_stored(digest.error());
  auto stored = to_.put_file(record_key(), file, digest->hash,
                             {{record_hash_note, digest->hash}, {record_identity_note, identity_}});
  return stored;
}

expected<void> bucket_mirror::remove_checkpoints(const record_view& what) {
  std::set<std::string> removed;
  for (const auto& x : what.checkpoints) {
    if (x.state == "gone" || x.state == "doomed")
      removed.insert(x.location);
  }
  std::vector<std::string> keys;
  for (const auto& [key, x] : *known_) {
    const auto location = checkpoint_of_key(key);
    if (!location.empty() && removed.contains(location))
      keys.push_back(key);
  }
  for (const auto& key : keys) {
    if (auto done = to_.remove(key); !done)
      return done;
    known_->erase(key);
  }
  return {};
}

expected<void> bucket_mirror::put(const std::string& key, const std::string& hash) {
  const auto facts = facts_of(directory_ / key);
  auto stored = to_.put_file(key, directory_ / key, hash);
  if (stored && facts)
    (*known_)[key] = {key, facts->size, facts->changed_s + clock_margin_s + 1};
  return stored;
}

bool bucket_mirror::has(const std::string& key, std::uint64_t size) const {
  const auto known = known_->find(key);
  return known != known_->end() && known->second.size == size;
}

} // namespace tune
