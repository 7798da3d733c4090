// SPDX-License-Identifier: BSD-3-Clause
#include "package_index.hpp"

#include "job_id.hpp"

#include "tune/io/files/sha256.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tune {

namespace {

/// An open file, closed at the end of its life.
class open_file {
public:
  explicit open_file(const std::filesystem::path& path)
      // Non-blocking, in case the file has become a pipe.
      : number_{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)} {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (number_ >= 0)
      ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

private:
  int number_;
};

error changed(const shipped_file& file) {
  return {ec::unreadable, file.path + " changed while it was shipped"};
}

error unreadable(const shipped_file& file) {
  return {ec::unreadable, "the head cannot read " + file.path + ": " + std::strerror(errno)};
}

/// Bytes that a request gets from a content of that size; 0: none.
std::size_t bytes_due(const chunk_request& what, std::uint64_t size) {
  if (what.size > max_chunk_bytes || what.offset >= size)
    return 0;
  return static_cast<std::size_t>(std::min<std::uint64_t>(what.size, size - what.offset));
}

expected<std::string> read_file(const std::filesystem::path& path, const shipped_file& file,
                                std::uint64_t offset, std::size_t size) {
  open_file opened{path};
  if (opened.number() < 0)
    return unreadable(file);
  struct stat about = {};
  if (::fstat(opened.number(), &about) != 0)
    return unreadable(file);
  if (!S_ISREG(about.st_mode) || static_cast<std::uint64_t>(about.st_size) != file.size)
    return changed(file);
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const auto count = ::pread(opened.number(), bytes.data() + done, size - done,
                               static_cast<::off_t>(offset + done));
    if (count < 0 && errno != EINTR)
      return unreadable(file);
    if (count == 0)
      return changed(file);
    if (count > 0)
      done += static_cast<std::size_t>(count);
  }
  return bytes;
}

} // namespace

expected<void> package_index::add(job_offer what) {
  if (!is_job_id(what.job))
    return error{ec::bad_option, "\"" + what.job + "\" is no id of a job"};
  if (what.record.size() > max_record_bytes)
    return error{ec::bad_option, "the record of job " + what.job + " has more than "
                                     + std::to_string(max_record_bytes) + " bytes"};
  auto text = to_json(what.manifest);
  auto hash = sha256_of(text);
  remove(what.job);
  auto id = what.job;
  auto& place = jobs_[id];
  place = std::make_unique<job>(job{std::move(what), std::move(text), std::move(hash)});
  const auto* added = place.get();
  sources_[added->manifest_hash].push_back({added, manifest_itself});
  for (std::size_t i = 0; i < added->what.manifest.files.size(); ++i)
    sources_[added->what.manifest.files[i].hash].push_back({added, i});
  return {};
}

void package_index::remove(const std::string& id) {
  auto found = jobs_.find(id);
  if (found == jobs_.end())
    return;
  auto forget = [&, gone = found->second.get()](const std::string& hash) {
    auto sources = sources_.find(hash);
    if (sources == sources_.end())
      return;
    std::erase_if(sources->second, [gone](const source& x) { return x.from == gone; });
    if (sources->second.empty())
      sources_.erase(sources);
  };
  forget(found->second->manifest_hash);
  for (const auto& file : found->second->what.manifest.files)
    forget(file.hash);
  jobs_.erase(found);
}

const package_index::job* package_index::find(const std::string& id) const {
  auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second.get();
}

expected<package_index::piece> package_index::read(const chunk_request& what) const {
  auto found = sources_.find(what.hash);
  if (found == sources_.end())
    return error{ec::refused, "no job needs a file of this hash"};
  // If one file has changed, another may still have the content.
  auto result = read_from(found->second.front(), what);
  for (std::size_t i = 1; !result && i < found->second.size(); ++i) {
    if (auto other = read_from(found->second[i], what))
      return other;
  }
  return result;
}

expected<package_index::piece> package_index::read_from(const source& where,
                                                        const chunk_request& what) {
  const auto& job = *where.from;
  const bool manifest = where.file == manifest_itself;
  const auto size = manifest ? job.manifest.size() : job.what.manifest.files[where.file].size;
  const auto due = bytes_due(what, size);
  if (due == 0)
    return error{ec::refused, "there are no such bytes"};
  const bool last = what.offset + due == size;
  if (manifest)
    return piece{job.manifest.substr(what.offset, due), last};
  const auto& file = job.what.manifest.files[where.file];
  auto bytes = read_file(job.what.root / file.path, file, what.offset, due);
  if (!bytes)
    return bytes.error();
  return piece{std::move(*bytes), last};
}

} // namespace tune
