// SPDX-License-Identifier: BSD-3-Clause
#include "launch/kept_cluster.hpp"

#include "up/private_directory.hpp"

#include "tune/io/field_reader.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/json.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Limit of each file. [bytes]
constexpr std::size_t most_state = 1024 * 1024;
constexpr std::array<std::string_view, 4> state_names{"starting", "joined", "failed", "gone"};

value list_of(const std::vector<std::string>& texts) {
  return value{value::list{texts.begin(), texts.end()}};
}

std::vector<std::string> texts_in(field_reader& from, std::string_view name) {
  std::vector<std::string> result;
  for (const auto& x : from.get<value::list>(name)) {
    const auto* text = x.as_string();
    if (text == nullptr)
      from.fail(std::string{name} + " has an entry that is not a text");
    else
      result.push_back(*text);
  }
  return result;
}

value number_of(std::uint64_t x) {
  return value{static_cast<std::int64_t>(x)};
}

/// The tag goes into commands of a shell.
bool is_tag(const std::string& x) {
  return !x.empty() && x.size() <= 64 && x.find_first_not_of("0123456789abcdef") == x.npos;
}

/// Replaces a file that its owner alone may read.
expected<void> put_private(const guarded_directory& in, const std::string& name,
                           const std::string& text) {
  const auto beside = name + ".new";
  auto file = in.create(beside, 0600);
  if (!file)
    return file.error();
  std::string_view left{text};
  while (!left.empty()) {
    const auto count = ::write(file->number(), left.data(), left.size());
    if (count < 0 && errno != EINTR)
      return error{ec::storage,
                   "cannot write " + (in.path() / name).string() + ": " + std::strerror(errno)};
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return in.rename(beside, name);
}

} // namespace

std::string to_json(const wanted_cluster& x) {
  return tune::to_json(object{{"tag", x.tag},
                              {"round", number_of(x.round)},
                              {"hosts", list_of(x.hosts)},
                              {"ssh", list_of(x.ssh)},
                              {"program", x.program},
                              {"work", x.work},
                              {"direct", x.is_direct},
                              {"worker_options", list_of(x.worker_options)},
                              {"local", x.local}})
         + "\n";
}

expected<wanted_cluster> wanted_cluster_from(std::string_view json) {
  auto all = object_from_json(json);
  if (!all)
    return all.error();
  field_reader from{*all, "in wanted.json"};
  wanted_cluster result;
  result.tag = from.get<std::string>("tag");
  result.round = from.get_count("round");
  result.hosts = texts_in(from, "hosts");
  result.ssh = texts_in(from, "ssh");
  result.program = from.get<std::string>("program");
  result.work = from.get<std::string>("work");
  result.is_direct = from.get<bool>("direct");
  result.worker_options = texts_in(from, "worker_options");
  result.local = from.get<bool>("local");
  if (!is_tag(result.tag))
    from.fail("tag is not a hexadecimal number");
  if (result.ssh.empty())
    from.fail("ssh is empty");
  if (from.fault())
    return *from.fault();
  return result;
}

std::string to_json(const seen_cluster& x) {
  object hosts;
  for (const auto& [host, state] : x.hosts)
    hosts.set(host, state_names[static_cast<std::size_t>(state)]);
  return tune::to_json(object{{"round", number_of(x.round)},
                              {"port", std::int64_t{x.port}},
                              {"hosts", value{std::move(hosts)}},
                              {"code", x.code ? value{std::int64_t{*x.code}} : value{}}})
         + "\n";
}

expected<seen_cluster> seen_cluster_from(std::string_view json) {
  auto all = object_from_json(json);
  if (!all)
    return all.error();
  field_reader from{*all, "in seen.json"};
  seen_cluster result;
  result.round = from.get_count("round");
  const auto port = from.get_count("port");
  if (port > 65535)
    from.fail("port is no port");
  result.port = static_cast<std::uint16_t>(port);
  const auto hosts = from.get<object>("hosts");
  for (const auto& [host, state] : hosts) {
    const auto* name = state.as_string();
    const auto known = name == nullptr ? state_names.end()
                                       : std::find(state_names.begin(), state_names.end(), *name);
    if (known == state_names.end())
      from.fail("hosts has an unknown state");
    else
      result.hosts[host] = static_cast<host_state>(known - state_names.begin());
  }
  if (const auto code = from.get_if<std::int64_t>("code"))
    result.code = static_cast<int>(*code);
  if (from.fault())
    return *from.fault();
  return result;
}

kept_cluster kept_cluster::at(fs::path directory) {
  kept_cluster result{fs::path{}};
  result.directory_ = std::move(directory);
  return result;
}

expected<store::descriptor> kept_cluster::begin_change(bool may_make) const {
  if (may_make) {
    if (auto made = make_private(directory_); !made)
      return made.error();
  }
  auto opened = open_private(directory_);
  if (!opened)
    return opened.error();
  return lock_in(*opened, "edit",
                 "another launch --keep or down is at work in " + directory_.string());
}

expected<std::optional<wanted_cluster>> kept_cluster::wanted() const {
  std::error_code failed;
  if (!fs::exists(directory_, failed))
    return std::optional<wanted_cluster>{};
  auto opened = open_private(directory_);
  if (!opened)
    return opened.error();
  auto text = opened->text("wanted.json", most_state);
  if (!text)
    return text.error();
  if (!*text)
    return std::optional<wanted_cluster>{};
  auto read = wanted_cluster_from(**text);
  if (!read)
    return error{ec::storage,
                 (directory_ / "wanted.json").string() + " is spoilt: " + read.error().detail};
  return std::optional{std::move(*read)};
}

expected<void> kept_cluster::want(const wanted_cluster& x) const {
  auto opened = open_private(directory_);
  if (!opened)
    return opened.error();
  return put_private(*opened, "wanted.json", to_json(x));
}

std::optional<seen_cluster> kept_cluster::seen() const {
  auto opened = open_private(directory_);
  if (!opened)
    return std::nullopt;
  const auto text = opened->text("seen.json", most_state);
  if (!text || !*text)
    return std::nullopt;
  auto read = seen_cluster_from(**text);
  return read ? std::optional{std::move(*read)} : std::nullopt;
}

expected<void> kept_cluster::see(const seen_cluster& x) const {
  auto opened = open_private(directory_);
  if (!opened)
    return opened.error();
  return put_private(*opened, "seen.json", to_json(x));
}

void kept_cluster::forget_seen() const {
  if (auto opened = open_private(directory_))
    static_cast<void>(opened->remove("seen.json"));
}

expected<store::descriptor> kept_cluster::keep() const {
  auto opened = open_private(directory_);
  if (!opened)
    return opened.error();
  auto lock
      = lock_in(*opened, "lock", "another process keeps the cluster in " + directory_.string());
  if (!lock)
    return lock;
  const auto pid = std::to_string(::getpid());
  if (::ftruncate(lock->number(), 0) != 0
      || ::pwrite(lock->number(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return error{ec::storage, "cannot write " + (directory_ / "lock").string()};
  return lock;
}

std::optional<int> kept_cluster::keeper() const {
  auto opened = open_private(directory_);
  if (!opened)
    return std::nullopt;
  auto file = opened->read("lock");
  if (!file || ::flock(file->number(), LOCK_SH | LOCK_NB) == 0)
    return std::nullopt;
  std::array<char, 32> text{};
  const auto count = ::pread(file->number(), text.data(), text.size(), 0);
  int pid = 0;
  const auto end = text.data() + std::max<ssize_t>(count, 0);
  const auto [rest, fault] = std::from_chars(text.data(), end, pid);
  // It may not have written it yet.
  return fault == std::errc{} && rest == end && pid > 1 ? pid : 0;
}

expected<void> kept_cluster::remove() const {
  return remove_tree(directory_);
}

log_tail::log_tail(fs::path file) : file_{std::move(file)} {
  std::error_code failed;
  const auto size = fs::file_size(file_, failed);
  at_ = failed ? 0 : size;
}

void log_tail::show() {
  std::ifstream in{file_, std::ios::binary};
  in.seekg(static_cast<std::streamoff>(at_));
  std::string piece{std::istreambuf_iterator<char>{in}, {}};
  const auto end = piece.rfind('\n');
  if (end == std::string::npos)
    return;
  piece.resize(end + 1);
  at_ += piece.size();
  std::cerr << piece << std::flush;
}

} // namespace tune::cli
