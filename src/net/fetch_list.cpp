// SPDX-License-Identifier: BSD-3-Clause
#include "fetch_list.hpp"

#include "job_id.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/job_directories.hpp"

#include <cerrno>
#include <cstring>
#include <limits>
#include <sys/stat.h>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// Makes a directory that no other user may read, since file modes do not travel.
expected<void> make_private(const fs::path& directory) {
  constexpr ::mode_t owner_only = 0700;
  if (::mkdir(directory.c_str(), owner_only) == 0 || errno == EEXIST)
    return {};
  return error{ec::storage,
               directory.string() + ": cannot make the directory: " + std::strerror(errno)};
}

download_limits limits_of(const package_client_settings& x) {
  return {x.chunk_bytes, x.credit, fetch_list::ticks_of_patience, x.tries};
}

/// Kind of error to report: see `fetched_job::kind`.
ec kind_of(ec code) {
  switch (code) {
    case ec::storage:
    case ec::shortage:
      return code;
    case ec::protocol:
    case ec::unreadable:
      return ec::unreadable;
    default:
      return ec::unreachable;
  }
}

laid_files laid(const file_manifest& what, const fs::path& directory) {
  laid_files result{directory, {}};
  for (const auto& file : what.files)
    result.paths.push_back(file.path);
  return result;
}

} // namespace

fetch_list::fetch_list(const content_store& to, const package_client_settings& settings,
                       std::uint64_t& numbers)
    : store_{to}
    , settings_{settings}
    , numbers_{numbers}
    , downloads_{to, limits_of(settings), numbers} {}

void fetch_list::fetch(const std::string& job) {
  auto [at, is_new] = fetches_.try_emplace(job);
  if (!is_new)
    return;
  if (!is_job_id(job))
    return fail(at, {ec::unreachable, "\"" + job + "\" is no id of a job"});
  if (auto kept = settings_.keep_work(); !kept)
    return fail(at, {ec::storage, kept.error().detail});
  ask(at);
}

void fetch_list::ask(place x) {
  x->second.number = ++numbers_;
  x->second.idle = 0;
  ++x->second.tries;
  due_.push_back({x->second.number, x->first});
}

std::vector<job_request> fetch_list::jobs_due() {
  return std::exchange(due_, {});
}

std::vector<chunk_request> fetch_list::chunks_due() {
  std::vector<chunk_request> result;
  // The end of a download may make a job want more.
  for (;;) {
    auto more = downloads_.due();
    result.insert(result.end(), more.begin(), more.end());
    const auto arrivals = downloads_.ended();
    if (arrivals.empty())
      return result;
    for (const auto& content : arrivals)
      arrived(content);
  }
}

fetch_list::place fetch_list::asking(std::uint64_t number) {
  auto i = fetches_.begin();
  while (i != fetches_.end() && (number == 0 || i->second.number != number))
    ++i;
  return i;
}

bool fetch_list::take(const job_found& answer) {
  auto x = asking(answer.number);
  if (x == fetches_.end())
    return false;
  x->second.number = 0;
  if (answer.manifest_size > max_manifest_bytes) {
    fail(x, {ec::unreachable, "the head's list of files is too long"});
    return true;
  }
  x->second.record = answer.record;
  x->second.manifest_hash = answer.manifest_hash;
  want(x, {"the list of files", 0, answer.manifest_size, answer.manifest_hash});
  return true;
}

bool fetch_list::take(const job_failed& answer) {
  auto x = asking(answer.number);
  if (x == fetches_.end())
    return false;
  fail(x, {ec::unreachable, answer.why});
  return true;
}

bool fetch_list::take(const chunk& answer) {
  return downloads_.take(answer);
}

bool fetch_list::take(const chunk_failed& answer) {
  return downloads_.take(answer);
}

void fetch_list::tick() {
  downloads_.tick();
  for (auto i = fetches_.begin(); i != fetches_.end();) {
    const auto x = i++;
    if (x->second.number == 0 || ++x->second.idle <= ticks_of_patience)
      continue;
    if (x->second.tries < settings_.tries)
      ask(x);
    else
      fail(x, {ec::unreachable, "the head did not answer when it was asked for the job, "
                                    + std::to_string(settings_.tries) + " times"});
  }
}

std::vector<fetched_job> fetch_list::ended() {
  return std::exchange(ended_, {});
}

void fetch_list::want(place x, const shipped_file& what) {
  if (!x->second.missing.insert(what.hash).second)
    return;
  waiting_[what.hash].insert(x->first);
  downloads_.want(what.hash, what.size, what.path);
}

void fetch_list::arrived(const download_end& content) {
  auto jobs = waiting_.extract(content.hash);
  if (jobs.empty())
    return;
  for (const auto& job : jobs.mapped()) {
    auto x = fetches_.find(job);
    x->second.missing.erase(content.hash);
    if (!content.result)
      fail(x, content.result.error());
    else if (!x->second.missing.empty())
      continue;
    else if (x->second.listed)
      lay_out(x);
    else
      read_manifest(x);
  }
}

void fetch_list::read_manifest(place x) {
  auto& fetch = x->second;
  const auto list = store_.path_of(fetch.manifest_hash);
  auto where = guarded_directory::open(list.parent_path());
  auto text = where ? where->text(list.filename(), std::numeric_limits<std::size_t>::max())
                    : where.error();
  auto manifest = manifest_from_json(text ? text->value_or(std::string{}) : std::string{});
  if (!manifest) {
    // If the disk is at fault, the next fetch gets the manifest anew.
    static_cast<void>(store_.verify(fetch.manifest_hash));
    return fail(x, manifest.error());
  }
  fetch.listed = true;
  fetch.manifest = std::move(*manifest);
  for (const auto& file : fetch.manifest.files)
    want(x, file);
  if (fetch.missing.empty())
    lay_out(x);
}

void fetch_list::lay_out(place x) {
  const auto jobs = settings_.work / "jobs";
  const auto job = jobs / x->first;
  const auto files = job / "files";
  for (const auto& directory : {jobs, job}) {
    if (auto made = make_private(directory); !made)
      return fail(x, made.error());
  }
  if (auto marked = mark_job_directory(job); !marked)
    return fail(x, marked.error());
  if (auto done = store_.link_tree(x->second.manifest, files); !done)
    return fail(x, done.error());
  fetched_job result{x->first, std::move(x->second.record), files, {}};
  result.files = std::make_shared<const laid_files>(laid(x->second.manifest, files));
  end(x, std::move(result));
}

void fetch_list::fail(place x, const error& why) {
  end(x, {x->first, {}, {}, to_text(why), kind_of(why.code)});
}

void fetch_list::end(place x, fetched_job how) {
  for (const auto& hash : x->second.missing) {
    auto waiting = waiting_.find(hash);
    if (waiting == waiting_.end())
      continue;
    waiting->second.erase(x->first);
    if (waiting->second.empty()) {
      waiting_.erase(waiting);
      downloads_.drop(hash);
    }
  }
  ended_.push_back(std::move(how));
  fetches_.erase(x);
}

} // namespace tune
