// SPDX-License-Identifier: BSD-3-Clause
#include "head/resumption.hpp"

#include "console/text.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/job_directories.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// A record has at most 4 MiB, and a job 100,000 files. [bytes]
constexpr std::size_t longest_note = std::size_t{128} << 20;

error note_error(const error& why) {
  return {ec::storage, why.detail};
}

std::optional<std::string> noted_text(const object& from, const char* name) {
  const auto* found = from.find(name);
  const auto* text = found == nullptr ? nullptr : std::get_if<std::string>(&found->content());
  return text == nullptr ? std::nullopt : std::optional{*text};
}

/// One that a head of an earlier version noted counts as served.
queue_claim claim_in(const object& all) {
  const auto* arrival = all.find("arrival");
  const auto* number = arrival == nullptr ? nullptr : arrival->as_int();
  const auto* served = all.find("served");
  const auto* is_served = served == nullptr ? nullptr : served->as_bool();
  queue_claim result;
  result.arrival = number == nullptr || *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
  result.was_served = is_served == nullptr || *is_served;
  return result;
}

/// @errors `ec::unreadable`.
expected<running_submission> submission_in(const object& all) {
  const auto words = submission_message_from_json(noted_text(all, "words").value_or(""));
  const auto job = noted_text(all, "job");
  const auto record = noted_text(all, "record");
  const auto directory = noted_text(all, "directory");
  const auto identity = noted_text(all, "identity");
  if (!words || !job || !record || !directory || !identity)
    return error{ec::unreadable, "what its head noted of it makes no sense"};
  running_submission result{
      *words, {*job, *record, *directory, {}, {}, {}}, *identity, claim_in(all)};
  laid_files files{*directory, {}};
  const auto* paths = all.find("paths");
  const auto* list = paths == nullptr ? nullptr : paths->as_list();
  for (const auto& x : list == nullptr ? value::list{} : *list) {
    if (const auto* path = std::get_if<std::string>(&x.content()))
      files.paths.push_back(*path);
  }
  if (auto there = look_for(files); !there)
    return there.error();
  result.found.files = std::make_shared<const laid_files>(std::move(files));
  return result;
}

/// @returns nothing if it did not run under that head.
expected<std::optional<running_submission>> note_in(const fs::path& directory,
                                                    const std::string& head) {
  auto place = guarded_directory::open(directory);
  if (!place)
    return place.error();
  auto text = place->text(std::string{resumption_file}, longest_note);
  if (!text)
    return text.error();
  if (!*text)
    return std::optional<running_submission>{};
  auto all = object_from_json(**text);
  if (!all)
    return all.error();
  if (noted_text(*all, "head") != head)
    return std::optional<running_submission>{};
  auto result = submission_in(*all);
  if (!result)
    return result.error();
  return std::optional{std::move(*result)};
}

} // namespace

expected<void> write_resumption(const fs::path& directory, const std::string& head,
                                const running_submission& what) {
  object all;
  all.set("head", value{head});
  all.set("words", value{to_json(what.words)});
  all.set("identity", value{what.identity});
  all.set("arrival", value{static_cast<std::int64_t>(what.claim.arrival)});
  all.set("served", value{what.claim.was_served});
  all.set("job", value{what.found.job});
  all.set("record", value{what.found.record});
  all.set("directory", value{what.found.directory.string()});
  value::list paths;
  for (const auto& path : what.found.files ? what.found.files->paths : std::vector<std::string>{})
    paths.emplace_back(path);
  all.set("paths", value{std::move(paths)});
  auto place = guarded_directory::open(directory);
  if (!place)
    return note_error(place.error());
  const std::string name{resumption_file};
  auto done = place->replace(name, to_json(all) + "\n", name + ".new");
  return done ? expected<void>{} : note_error(done.error());
}

bool has_ended(const fs::path& directory) {
  auto reader = store_reader::open(directory);
  const auto head = reader ? reader->head() : expected<head_facts>{reader.error()};
  const auto goes_on = [](const std::string& status) {
    return status.empty() || status == "running"
           || status == to_text(experiment_status::interrupted)
           || status == to_text(experiment_status::left_off);
  };
  return head && !goes_on(head->status);
}

bool has_resumption(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(directory / resumption_file, ignored));
}

expected<void> remove_resumption(const fs::path& directory) {
  auto place = guarded_directory::open(directory);
  auto done = place ? place->remove(std::string{resumption_file}) : expected<void>{place.error()};
  return done ? expected<void>{} : note_error(done.error());
}

std::vector<running_submission>
find_resumptions(const fs::path& storage, const std::string& head,
                 const std::function<void(const std::string&)>& tell) {
  std::vector<running_submission> result;
  std::error_code why;
  for (fs::directory_iterator i{storage, why}; !why && i != fs::end(i); i.increment(why)) {
    if (!has_resumption(i->path()))
      continue;
    auto found = note_in(i->path(), head);
    if (found && *found)
      result.push_back(std::move(**found));
    else if (!found && has_ended(i->path()))
      // Somebody else went on with it to its end: there is nothing to go on with.
      static_cast<void>(remove_resumption(i->path()));
    else if (!found)
      tell("experiment " + printable(i->path().filename().string())
           + ", which was there when the head died, cannot go on by itself: "
           + printable(found.error().detail));
  }
  std::sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
    return std::tie(x.claim.arrival, x.words.experiment)
           < std::tie(y.claim.arrival, y.words.experiment);
  });
  return result;
}

expected<void> bring_files(running_submission& what, const fs::path& work) {
  const auto from = what.found.directory;
  const auto job = work / "jobs" / what.found.job;
  const auto to = job / "files";
  std::error_code why;
  if (fs::equivalent(from, to, why))
    return {};
  // What an earlier try left.
  if (auto removed = remove_job_directory(work, what.found.job); !removed)
    return note_error(removed.error());
  fs::create_directories(to, why);
  if (auto marked = why ? expected<void>{} : mark_job_directory(job); !marked)
    return note_error(marked.error());
  const auto& paths = what.found.files->paths;
  for (auto i = paths.begin(); !why && i != paths.end(); ++i) {
    fs::create_directories((to / *i).parent_path(), why);
    if (!why)
      fs::copy(from / *i, to / *i, fs::copy_options::copy_symlinks, why);
  }
  if (why)
    return error{ec::storage, "cannot copy its files from " + from.string() + " to " + to.string()
                                  + ": " + why.message()};
  what.found.directory = to;
  what.found.files = std::make_shared<const laid_files>(laid_files{to, paths});
  return {};
}

expected<void> release_record(const fs::path& storage, const running_submission& what) {
  auto place = guarded_directory::open(storage / what.words.experiment);
  auto done = place ? place->remove("lock") : expected<void>{place.error()};
  return done ? expected<void>{} : note_error(done.error());
}

std::set<std::string> jobs_of(const std::vector<running_submission>& what) {
  std::set<std::string> result;
  for (const auto& x : what)
    result.insert(x.found.job);
  return result;
}

} // namespace tune::cli
