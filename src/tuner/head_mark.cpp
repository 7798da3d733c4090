// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_mark.hpp"

#include "tune/actors/launch_token.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/json.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// A mark has a few hundred characters. [bytes]
constexpr std::size_t longest_mark = 64 * 1024;
constexpr ::mode_t owner_file_mode = 0600;
/// Leases of one head; all numbers stay below 2^53.
constexpr unsigned lease_bits = 32;
constexpr std::uint64_t most_successions = std::uint64_t{1} << 20;

error in_storage(const error& why) {
  return {ec::storage, why.detail};
}

} // namespace

head_identity head_mark::identity() const {
  return {name, secret, (successions << lease_bits) + 1};
}

std::optional<head_mark> read_head_mark(const fs::path& directory) {
  auto place = guarded_directory::open(directory);
  auto text = place ? place->text(head_mark_file, longest_mark)
                    : expected<std::optional<std::string>>{place.error()};
  if (!text || !*text)
    return std::nullopt;
  auto all = object_from_json(**text);
  if (!all)
    return std::nullopt;
  auto word = [&](const char* name) {
    const auto* found = all->find(name);
    const auto* read = found == nullptr ? nullptr : std::get_if<std::string>(&found->content());
    return read == nullptr ? std::string{} : *read;
  };
  const auto* count = all->find("successions");
  const auto* number = count == nullptr ? nullptr : std::get_if<std::int64_t>(&count->content());
  head_mark result{word("head"), word("secret"), 0, word("job")};
  if (number == nullptr || *number < 0 || result.name.empty() || result.secret.empty())
    return std::nullopt;
  result.successions = static_cast<std::uint64_t>(*number) % most_successions;
  return result;
}

expected<void> write_head_mark(const fs::path& directory, const head_mark& what) {
  object all;
  all.set("head", value{what.name});
  all.set("secret", value{what.secret});
  all.set("successions", value{static_cast<std::int64_t>(what.successions)});
  all.set("job", value{what.job});
  const auto text = to_json(all) + "\n";
  auto place = guarded_directory::open(directory);
  if (!place)
    return in_storage(place.error());
  const auto beside = std::string{head_mark_file} + ".new";
  auto file = place->create(beside, owner_file_mode);
  if (!file)
    return in_storage(file.error());
  if (::write(file->number(), text.data(), text.size()) != static_cast<::ssize_t>(text.size())
      || ::fsync(file->number()) != 0)
    return error{ec::storage,
                 "cannot write " + (directory / beside).string() + ": " + std::strerror(errno)};
  auto done = place->rename(beside, head_mark_file);
  return done ? expected<void>{} : in_storage(done.error());
}

expected<void> remove_head_mark(const fs::path& directory) {
  auto place = guarded_directory::open(directory);
  auto done = place ? place->remove(head_mark_file) : expected<void>{place.error()};
  return done ? expected<void>{} : in_storage(done.error());
}

expected<succession> begin_head(const fs::path& directory, const std::string& job) {
  succession result;
  auto before = read_head_mark(directory);
  result.follows = before && before->job == job;
  if (result.follows) {
    result.mark = std::move(*before);
    result.mark.successions = (result.mark.successions + 1) % most_successions;
  } else {
    result.mark = {fresh_secret(), fresh_secret(), 0, job};
  }
  if (auto written = write_head_mark(directory, result.mark); !written)
    return written.error();
  return result;
}

} // namespace tune
