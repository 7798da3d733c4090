// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_file.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/loose_json.hpp"
#include "tune/io/process/metric_expression.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "file:";
constexpr std::size_t longest_file = 16 * 1024 * 1024;

error bad(ec kind, std::string_view text, const std::string& why) {
  return {kind, std::string{text} + ": " + why
                    + "; write file:PATH:/POINTER, such as file:result.json:/test/acc"};
}

/// "~1" is a slash, "~0" a tilde.
std::string unescaped(std::string_view part) {
  std::string result;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto is_escape
        = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    result += is_escape ? (part[++i] == '0' ? '~' : '/') : part[i];
  }
  return result;
}

const value* child_of(const value& in, const std::string& name) {
  if (const auto* members = in.as_object())
    return members->find(name);
  const auto* list = in.as_list();
  std::size_t index = 0;
  const auto* end = name.data() + name.size();
  if (list == nullptr || std::from_chars(name.data(), end, index).ptr != end || name.empty()
      || index >= list->size())
    return nullptr;
  return &(*list)[index];
}

} // namespace

bool means_file(std::string_view text) {
  return text.starts_with(prefix) && expand_expression(text).group == 0;
}

expected<file_metric> parse_file_metric(std::string metric, std::string_view text) {
  const auto rest = text.substr(std::min(prefix.size(), text.size()));
  const auto border = rest.find(":/");
  if (border == rest.npos)
    return bad(ec::bad_syntax, text, "has no pointer to the value");
  const auto path = fs::path{rest.substr(0, border)};
  const auto normal = path.lexically_normal();
  if (path.empty() || path.is_absolute() || !normal.has_filename() || *normal.begin() == ".."
      || normal == ".")
    return bad(ec::bad_option, text,
               "\"" + path.string() + "\" must be a file in the trial's directory");
  return file_metric{std::move(metric), normal.string(), std::string{rest.substr(border + 1)}};
}

const value* find_pointer(const value& in, std::string_view pointer) {
  const auto* at = &in;
  while (at != nullptr && pointer.starts_with('/')) {
    const auto end = std::min(pointer.find('/', 1), pointer.size());
    at = child_of(*at, unescaped(pointer.substr(1, end - 1)));
    pointer.remove_prefix(end);
  }
  return at;
}

namespace {

/// The parent directory of a file below the trial's directory, which must not be a mount point
/// either.
expected<guarded_directory> folder_of(const fs::path& directory, const fs::path& file) {
  const auto own = directory.has_filename() ? directory : directory.parent_path();
  return guarded_directory::open(own.parent_path(), (own.filename() / file).parent_path());
}

} // namespace

void metric_files::begin_in(const fs::path& directory) {
  directory_ = directory;
  for (const auto& each : which_) {
    begun_[each.path] = seen_[each.path] = stamp_of(each.path);
    missing_[each.metric] = each.path + " was not written";
  }
}

std::optional<metric_files::stamp> metric_files::stamp_of(const std::string& path) const {
  const fs::path way{path};
  auto where = folder_of(directory_, way);
  if (!where)
    return std::nullopt;
  struct stat facts {};
  store::descriptor seen{beneath::open(where->number(), way.filename(), O_PATH)};
  if (seen.number() < 0 || ::fstat(seen.number(), &facts) != 0)
    return std::nullopt;
  return stamp{facts.st_ino, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_size};
}

expected<value> metric_files::content_of(const std::string& path) const {
  const fs::path way{path};
  auto where = folder_of(directory_, way);
  if (!where)
    return where.error();
  auto text = where->text(way.filename(), longest_file);
  if (!text)
    return text.error();
  if (!*text)
    return error{ec::unreadable, "it is not there"};
  // A list or a single number is valid, too.
  auto read = from_loose_json(**text, json_position::metric);
  if (!read) {
    const auto& [code, detail] = read.error();
    if (has_too_large_number(read.error()))
      return read.error();
    return error{code, (detail.starts_with("not JSON") ? "it is " : "it is not JSON: ") + detail};
  }
  return read;
}

std::vector<std::pair<std::string, value>> metric_files::changed() {
  std::vector<std::pair<std::string, value>> result;
  std::map<std::string, expected<value>> fresh;
  std::set<std::string> stamped;
  spoilt_.clear();
  for (auto& [path, known] : seen_) {
    // Taken before reading: a later change is reported the next time.
    auto now = stamp_of(path);
    if (!now || now == begun_[path])
      continue;
    // File timestamps may be coarse: without a new stamp the content decides.
    if (now != known)
      stamped.insert(path);
    known = now;
    fresh.emplace(path, content_of(path));
  }
  for (const auto& each : which_) {
    auto file = fresh.find(each.path);
    if (file == fresh.end())
      continue;
    const auto* found = file->second ? find_pointer(*file->second, each.pointer) : nullptr;
    if (found != nullptr && !found->is_null()) {
      missing_.erase(each.metric);
      auto& last = last_[each.metric];
      if (stamped.contains(each.path) || last != *found)
        result.emplace_back(each.metric, *found);
      last = *found;
    } else if (missing_.contains(each.metric)) {
      missing_[each.metric] = each.path + ": "
                              + (!file->second      ? file->second.error().detail
                                 : found == nullptr ? "nothing stands at " + each.pointer
                                                    : "null stands at " + each.pointer);
    } else if (!file->second) {
      spoilt_[each.path] = file->second.error().detail;
    }
  }
  return result;
}

std::map<std::string, std::string> metric_files::take_spoilt() {
  auto result = std::exchange(spoilt_, {});
  std::erase_if(result, [this](const auto& x) { return !told_.insert(x).second; });
  return result;
}

std::string metric_files::missing() const {
  std::string result;
  for (const auto& [metric, why] : missing_)
    result += (result.empty() ? "" : "; ") + why;
  return result;
}

} // namespace tune
