// SPDX-License-Identifier: BSD-3-Clause
#include "client/arriving_copy.hpp"

#include "client/archive_unpacker.hpp"
#include "tune/io/json.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;
using store::descriptor;

namespace {

/// [bytes]
constexpr std::size_t longest_head = 64 * 1024;

error is_no_copy() {
  return {ec::protocol, "what is sent makes no sense"};
}

} // namespace

std::string to_line(const copy_about& x) {
  return to_json(
      object{{"name", x.name}, {"what", x.what}, {"trial", x.trial}, {"listed", x.is_listed}});
}

expected<copy_about> copy_about_from_line(const std::string& line) {
  auto read = object_from_json(line);
  const auto text = [&](const char* key) -> const std::string* {
    const auto* found = read ? read->find(key) : nullptr;
    return found == nullptr ? nullptr : found->as_string();
  };
  const auto* name = text("name");
  const auto* what = text("what");
  const auto* trial = read ? read->find("trial") : nullptr;
  const auto* listed = read ? read->find("listed") : nullptr;
  if (name == nullptr || what == nullptr || trial == nullptr || listed == nullptr
      || listed->as_bool() == nullptr)
    return is_no_copy();
  const fs::path called{*name};
  if (called.empty() || called != called.filename() || called == "." || called == "..")
    return error{ec::protocol, "what is sent has no name"};
  return copy_about{*name, *what, *trial, *listed->as_bool()};
}

arriving_copy::arriving_copy(fs::path to, copy_draft& draft) : to_{std::move(to)}, draft_{draft} {}

arriving_copy::~arriving_copy() {
  join();
}

bool arriving_copy::take(std::string_view bytes) {
  if (about_)
    return write(bytes);
  head_.append(bytes);
  const auto end = head_.find('\n');
  if (end == head_.npos && head_.size() < longest_head)
    return true;
  auto begun = end == head_.npos ? is_no_copy() : begin(head_.substr(0, end));
  if (!begun) {
    failure_ = begun.error();
    return false;
  }
  return write(std::string_view{head_}.substr(end + 1));
}

expected<void> arriving_copy::begin(const std::string& line) {
  auto about = copy_about_from_line(line);
  if (!about)
    return about.error();
  if (auto begun = draft_.begin(to_.empty() ? fs::path{about->name} : to_); !begun)
    return begun;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return error{ec::process, std::string{"cannot make a pipe: "} + std::strerror(errno)};
  pipe_ = descriptor{ends[1]};
  about_ = std::move(*about);
  unpacks_ = std::thread{[this, from = descriptor{ends[0]}] {
    if (auto done = unpack(from, draft_.directory(), draft_.path(), draft_.steps()); !done)
      unpacking_failed_ = done.error();
  }};
  return {};
}

bool arriving_copy::write(std::string_view bytes) {
  while (!bytes.empty() && !is_closed_) {
    const auto count = ::write(pipe_.number(), bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      is_closed_ = true;
  }
  return !is_closed_;
}

void arriving_copy::join() {
  pipe_ = descriptor{-1};
  if (unpacks_.joinable())
    unpacks_.join();
}

expected<copy_about> arriving_copy::finish() {
  join();
  if (failure_)
    return *failure_;
  if (unpacking_failed_)
    return *unpacking_failed_;
  if (!about_)
    return is_no_copy();
  return *about_;
}

} // namespace tune::cli
