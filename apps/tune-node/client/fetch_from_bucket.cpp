// The record comes first, into a directory for the while: it says what is wanted.
// SPDX-License-Identifier: BSD-3-Clause
#include "client/fetch_from_bucket.hpp"

#include "client/fetch_command.hpp"
#include "client/fetched_copy.hpp"
#include "client/fetched_place.hpp"
#include "client/passing_directory.hpp"
#include "console/text.hpp"
#include "run/ending.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/object_store/object_store.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using part = fetch_request::part;

/// The record may be replaced between a look at its notes and its coming.
constexpr int most_record_tries = 3;
/// Note of the record's object with its hash.
constexpr const char* hash_note = "sha256";

/// Something in the bucket as a path below the copy. @errors `ec::protocol` for one that leads out.
expected<fs::path> way_of(const std::string& key) {
  const fs::path way{key};
  const auto is_name = [](const fs::path& x) { return !x.empty() && x != "." && x != ".."; };
  if (way.is_absolute() || !std::all_of(way.begin(), way.end(), is_name))
    return error{ec::protocol, printable(key) + ": the bucket has a name that is no path"};
  return way;
}

class bucket_fetch {
public:
  bucket_fetch(const fetch_request& what, object_store& from, copy_draft& draft)
      : what_{what}, from_{from}, draft_{draft} {}

  /// Brings all that is wanted into the draft.
  expected<copy_about> bring() {
    auto room = passing_directory::make();
    if (!room)
      return room.error();
    auto place = find((*room)->path());
    if (!place)
      return place.error();
    if (auto begun = draft_.begin(what_.to.empty() ? fs::path{place->name} : fs::path{what_.to});
        !begun)
      return begun.error();
    const auto below = place->path().lexically_relative((*room)->path()).string();
    auto brought = bring_below(below == "." ? std::string{} : below + "/");
    if (!brought)
      return brought.error();
    if (what_.what == part::experiment) {
      if (auto moved = take_record((*room)->path()); !moved)
        return moved.error();
    }
    const auto is_listed = what_.what == part::checkpoint || what_.what == part::exports;
    return copy_about{place->name, std::string{to_text(what_.what)},
                      place->trial ? value{to_text(*place->trial)} : value{}, is_listed};
  }

private:
  const fetch_request& what_;
  object_store& from_;
  copy_draft& draft_;
  /// Checkpoints that can be restored, as the record has them.
  std::set<std::string> good_;

  [[nodiscard]] error missing(const std::string& why) const {
    return {ec::unreadable, printable(to_text(from_.place())) + ": " + why};
  }

  /// Brings the record, and finds in it what is wanted.
  expected<fetched_place> find(const fs::path& room) {
    if (auto brought = bring_record(room); !brought)
      return brought.error();
    auto place = place_of(what_, room);
    auto reader = store_reader::open(room);
    auto good = reader ? reader->good_checkpoints()
                       : expected<std::vector<checkpoint_row>>{reader.error()};
    if (place && good) {
      for (const auto& x : *good)
        good_.insert(x.location);
      if (!place->note.empty())
        std::cerr << program_name() << ": " << place->note << "\n";
      return place;
    }
    // The room's name means nothing to anybody.
    auto why = place ? good.error() : place.error();
    if (const auto at = why.detail.find(room.string()); at != std::string::npos)
      why.detail.replace(at, room.string().size(), to_text(from_.place()));
    return why;
  }

  expected<void> bring_record(const fs::path& room) {
    const auto key = database_file({}).string();
    for (int i = 0; i < most_record_tries; ++i) {
      auto notes = from_.look(key);
      if (!notes)
        return notes.error();
      if (!*notes)
        return missing("it holds no experiment: there is no " + key);
      const store::descriptor to{::open(
          (room / key).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
      if (to.number() < 0)
        return error{ec::storage, (room / key).string() + " cannot be written"};
      auto hash = from_.get_file(key, to, room / key);
      if (!hash)
        return hash.error();
      if (*hash == (**notes)[hash_note])
        return {};
    }
    return error{ec::storage, printable(to_text(from_.place().below(key)))
                                  + ": its content is not what was stored there"};
  }

  /// Names of checkpoints that are whole there: their lists were stored last.
  static std::set<std::string> whole_checkpoints(const std::vector<listed_object>& all) {
    std::set<std::string> result;
    const auto last = std::string{"/"} + checkpoint_manifest_name;
    for (const auto& x : all) {
      if (x.key.ends_with(last))
        result.insert(x.key.substr(0, x.key.size() - last.size()));
    }
    return result;
  }

  /// The checkpoint, or what is kept like one, that an object is a part of; empty: of none.
  static std::string checkpoint_of(const fs::path& key) {
    fs::path so_far;
    for (const auto& name : key.parent_path()) {
      so_far /= name;
      if (is_checkpoint_location(so_far.string()))
        return so_far.string();
    }
    return {};
  }

  expected<void> bring_below(const std::string& prefix) {
    auto all = from_.list(prefix);
    if (!all)
      return all.error();
    const auto whole = whole_checkpoints(*all);
    std::vector<fs::path> listed;
    for (const auto& x : *all) {
      const auto checkpoint = checkpoint_of(x.key);
      if (x.key == database_file({}).string()
          || (!checkpoint.empty() && !whole.contains(checkpoint)))
        continue;
      auto way = way_of(x.key.substr(prefix.size()));
      if (!way)
        return way.error();
      if (auto brought = bring_file(x.key, *way); !brought)
        return brought;
      if (way->filename() == checkpoint_manifest_name && !checkpoint.empty())
        listed.push_back(way->parent_path());
    }
    if (all->empty() && what_.what != part::experiment)
      return missing("it is not in the bucket yet");
    for (const auto& way : listed) {
      if (auto completed = complete(way); !completed)
        return completed;
    }
    tell_missing(prefix, whole);
    return {};
  }

  /// Checkpoints that the record names and that are not there: they were removed before they could
  /// be stored.
  void tell_missing(const std::string& prefix, const std::set<std::string>& whole) const {
    const auto is_missing = [&](const std::string& x) {
      return x.starts_with(prefix) && is_checkpoint_location(x) && !whole.contains(x);
    };
    const auto count = std::count_if(good_.begin(), good_.end(), is_missing);
    if (count > 0)
      std::cerr << program_name()
                << ": checkpoints that the record names and the bucket has not: " << count
                << ", such as " << printable(*std::find_if(good_.begin(), good_.end(), is_missing))
                << '\n';
  }

  expected<void> bring_file(const std::string& key, const fs::path& way) {
    auto to = create(way);
    if (!to)
      return to.error();
    auto hash = from_.get_file(key, *to, draft_.path() / way);
    return hash ? expected<void>{} : hash.error();
  }

  expected<store::descriptor> create(const fs::path& way) {
    std::lock_guard step{draft_.steps()};
    auto in = guarded_directory::make(draft_.path(), way.parent_path());
    if (!in)
      return in.error();
    return in->create(way.filename().string());
  }

  /// Makes what no object stands for: empty directories, links, and rights to execute.
  expected<void> complete(const fs::path& way) {
    auto text = read_checkpoint_manifest(draft_.path() / way);
    if (!text)
      return text.error();
    auto manifest = checkpoint_manifest_from_text(text->value_or(""));
    if (!manifest)
      return error{ec::storage, "the copy is not whole: " + manifest.error().detail};
    std::lock_guard step{draft_.steps()};
    for (const auto& x : manifest->directories) {
      if (auto made = guarded_directory::make(draft_.path(), way / x); !made)
        return made.error();
    }
    for (const auto& x : manifest->files) {
      const fs::path file = way / x.path;
      auto in = guarded_directory::open(draft_.path(), file.parent_path());
      if (in && x.mode != 0
          && ::fchmodat(in->number(), file.filename().c_str(), 0644 | x.mode, 0) != 0)
        return error{ec::storage, "the copy is not whole: " + printable(file.string())};
    }
    for (const auto& x : manifest->links) {
      const fs::path link = way / x.path;
      auto in = guarded_directory::open(draft_.path(), link.parent_path());
      if (!in || ::symlinkat(x.target.c_str(), in->number(), link.filename().c_str()) != 0)
        return error{ec::storage, "the copy is not whole: " + printable(link.string())};
    }
    return check_copy(draft_.path() / way, true);
  }

  /// Puts the record into the copy.
  expected<void> take_record(const fs::path& room) {
    std::lock_guard step{draft_.steps()};
    std::error_code failed;
    fs::copy_file(database_file(room), database_file(draft_.path()), failed);
    if (failed)
      return error{ec::storage,
                   printable(database_file(draft_.path()).string()) + ": " + failed.message()};
    fs::permissions(database_file(draft_.path()), fs::perms{0644}, failed);
    return {};
  }
};

} // namespace

exit_code fetch_from_bucket(const command_line& line, const fetch_request& what) {
  auto place = bucket_place_from(what.directory);
  if (!place)
    return complain(place.error());
  hold_signals();
  object_store from{*place, {what.endpoint, what.region}};
  copy_draft draft;
  const copy_watch watch{draft};
  auto about = bucket_fetch{what, from, draft}.bring();
  if (!about)
    return complain(about.error());
  if (auto whole = check_copy(draft.path(), about->is_listed); !whole)
    return complain(whole.error());
  if (auto done = draft.end(); !done)
    return complain(done.error());
  write_fetched(line, draft.target(), *about);
  return exit_code::done;
}

} // namespace tune::cli
