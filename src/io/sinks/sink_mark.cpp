// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/sink_mark.hpp"

#include "posix/posix.hpp"
#include "process/proc_files.hpp"

#include "tune/io/json.hpp"

#include <fcntl.h>
#include <fstream>
#include <iterator>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_mark = 4 * 1024 * 1024;

template <class T>
const T* member(const object& of, std::string_view name, const T* (value::*as)() const) {
  const auto* found = of.find(name);
  return found == nullptr ? nullptr : (found->*as)();
}

std::optional<sink_mark> mark_in(const object& from) {
  const auto* seq = member(from, "seq", &value::as_int);
  const auto* experiment = member(from, "experiment", &value::as_string);
  const auto* boot = member(from, "boot", &value::as_string);
  const auto* synced = member(from, "synced", &value::as_bool);
  const auto* found = from.find("state");
  const auto* state = found == nullptr ? nullptr : found->as_object();
  if (seq == nullptr || *seq < 0 || experiment == nullptr || boot == nullptr || synced == nullptr
      || state == nullptr)
    return std::nullopt;
  return sink_mark{static_cast<sequence>(*seq), *experiment, *boot, *synced, *state};
}

} // namespace

fs::path sinks_directory(const fs::path& experiment) {
  return experiment / "sinks";
}

fs::path sink_place(const fs::path& experiment, const std::string& given) {
  return (experiment / given).lexically_normal();
}

sink_mark_file::sink_mark_file(const fs::path& directory, const std::string& sink)
    : file_{sinks_directory(directory) / ("." + sink + ".json")} {}

std::optional<sink_mark> sink_mark_file::read(const std::string& experiment) const {
  auto result = read_last(experiment);
  if (result && !result->synced && (result->boot.empty() || result->boot != proc_files::boot_id()))
    return std::nullopt;
  return result;
}

std::optional<sink_mark> sink_mark_file::read_last(const std::string& experiment) const {
  std::error_code why;
  if (!fs::is_regular_file(fs::symlink_status(file_, why))
      || fs::file_size(file_, why) > longest_mark)
    return std::nullopt;
  std::ifstream in{file_, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto found = object_from_json(text);
  auto result = found ? mark_in(*found) : std::nullopt;
  if (!result || result->experiment != experiment)
    return std::nullopt;
  return result;
}

expected<void> sink_mark_file::write(sink_mark what) const {
  const auto text = to_json(object{{"seq", static_cast<std::int64_t>(what.seq)},
                                   {"experiment", what.experiment},
                                   {"boot", proc_files::boot_id()},
                                   {"synced", what.synced},
                                   {"state", std::move(what.state)}})
                    + "\n";
  std::error_code why;
  fs::create_directories(file_.parent_path(), why);
  // Not synced: after a loss of power its boot is another one.
  const auto fresh = file_.string() + ".new";
  auto to = store::open_own_file(fresh, O_WRONLY | O_CREAT | O_TRUNC, "write");
  if (!to)
    return when_stored(to.error());
  if (auto written = store::write_all(*to, fresh, text); !written)
    return when_stored(written.error());
  fs::rename(fresh, file_, why);
  if (why)
    return error{ec::unreachable, file_.string() + ": cannot be written: " + why.message()};
  return {};
}

error when_stored(const error& why) {
  return why.code == ec::refused ? why : error{ec::unreachable, why.detail};
}

} // namespace tune
