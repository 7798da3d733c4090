// SPDX-License-Identifier: BSD-3-Clause
#include "up/rendezvous.hpp"

#include "up/private_directory.hpp"

#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/field_reader.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/json.hpp"
#include "tune/io/probe/own_hosts.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t token_bytes = 16;
/// Limit for the small files of the directory. [bytes]
constexpr std::size_t most_text = 64 * 1024;
constexpr std::string_view rank_prefix = "rank-";
constexpr auto lock_name = "lock";

std::vector<std::string> names_of_ranks(const fs::path& directory) {
  std::vector<std::string> result;
  std::error_code failed;
  for (fs::directory_iterator i{directory, failed}, end; !failed && i != end; i.increment(failed)) {
    auto name = i->path().filename().string();
    if (name.starts_with(rank_prefix))
      result.push_back(std::move(name));
  }
  return result;
}

/// Removes what a launch leaves, and nothing else.
expected<void> clear(const guarded_directory& directory) {
  for (const auto* name : {"head.json", "end.json", "program.tar"}) {
    if (auto done = directory.remove(name); !done)
      return done;
  }
  auto trees = names_of_ranks(directory.path());
  trees.emplace_back("certs");
  for (const auto& name : trees) {
    if (!directory.has_any(name))
      continue;
    if (auto done = directory.remove_tree(name); !done)
      return done;
  }
  return {};
}

/// Certificates for all ranks. Nobody can issue one afterwards.
expected<void> issue_all(const fs::path& directory, std::uint64_t size) {
  const auto certs = directory / "certs";
  certificate_order order;
  order.whom.name = "head";
  if (auto made = init_certificates(certs, "launch", order); !made)
    return made.error();
  for (std::uint64_t rank = 1; rank < size; ++rank) {
    const auto name = std::string{rank_prefix} + std::to_string(rank);
    order.whom.name = name;
    if (auto done = issue_certificates(certs, directory / name, order); !done)
      return done;
  }
  std::error_code failed;
  fs::remove(certificate_paths_in(certs).authority_key, failed);
  return failed ? expected<void>{error{ec::storage, "cannot remove the key of the CA in "
                                                        + certs.string() + ": " + failed.message()}}
                : expected<void>{};
}

} // namespace

std::string to_json(const head_place& x) {
  object result;
  result.set("token", x.token);
  value::list addresses;
  for (const auto& y : x.addresses)
    addresses.emplace_back(to_text(y));
  result.set("addresses", value{std::move(addresses)});
  return tune::to_json(result) + "\n";
}

expected<head_place> head_place_from_json(std::string_view text) {
  auto all = object_from_json(text);
  if (!all)
    return all.error();
  field_reader from{*all, "in head.json"};
  head_place result;
  result.token = from.get<std::string>("token");
  for (const auto& x : from.get<value::list>("addresses")) {
    const auto* written = x.as_string();
    auto address = peer_address_from(written != nullptr ? *written : std::string{});
    if (!address)
      return error{ec::bad_option, "in head.json: addresses: " + address.error().detail};
    result.addresses.push_back(std::move(*address));
  }
  if (result.addresses.empty())
    from.fail("addresses is empty");
  if (from.fault())
    return *from.fault();
  return result;
}

expected<led_rendezvous> led_rendezvous::make(const fs::path& directory, std::uint64_t size) {
  // A launch before this one may be about to remove the directory.
  auto held = hold_private(directory, lock_name,
                           "another process with rank 0 leads the launch in " + directory.string());
  if (!held)
    return held.error();
  if (auto done = clear(held->directory); !done)
    return done.error();
  if (auto done = issue_all(directory, size); !done)
    return done.error();
  return led_rendezvous{directory, std::move(held->lock), random_hex(token_bytes)};
}

fs::path led_rendezvous::certificates_of(std::uint64_t rank) const {
  return directory_ / (std::string{rank_prefix} + std::to_string(rank));
}

void led_rendezvous::forget(std::uint64_t rank) const {
  if (auto opened = guarded_directory::open(directory_))
    static_cast<void>(opened->remove_tree(certificates_of(rank).filename().string()));
}

expected<void> led_rendezvous::tell(std::uint16_t port) const {
  auto opened = open_private(directory_);
  if (!opened)
    return opened.error();
  head_place here{token_, {}};
  for (const auto& host : own_hosts())
    here.addresses.push_back({host, port});
  auto written = opened->replace("head.json", to_json(here), "head.json.new");
  return written ? expected<void>{} : expected<void>{written.error()};
}

void led_rendezvous::end(int code, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds pace{50};
  auto opened = open_private(directory_);
  if (!opened)
    return;
  const auto text = tune::to_json(object{{"token", token_}, {"code", std::int64_t{code}}}) + "\n";
  static_cast<void>(opened->replace("end.json", text, "end.json.new"));
  static_cast<void>(opened->remove("head.json"));
  // Also for ranks that have not arrived: they may be about to, and would wait in vain afterwards.
  for (auto left = patience; left.count() > 0 && !names_of_ranks(directory_).empty(); left -= pace)
    std::this_thread::sleep_for(pace);
  static_cast<void>(clear(*opened));
  static_cast<void>(opened->remove(lock_name));
  ::rmdir(directory_.c_str());
}

expected<std::optional<head_place>> joined_rendezvous::head() const {
  std::error_code failed;
  if (!fs::exists(directory_, failed) && !failed)
    return std::optional<head_place>{};
  auto opened = open_private(directory_);
  // It may be removed at any time.
  if (!opened && !fs::exists(directory_, failed) && !failed)
    return std::optional<head_place>{};
  if (!opened)
    return opened.error();
  auto text = opened->text("head.json", most_text);
  if (!text)
    return text.error();
  if (!*text)
    return std::optional<head_place>{};
  auto result = head_place_from_json(**text);
  if (!result)
    return error{result.error().code, directory_.string() + ": " + result.error().detail};
  return std::optional{std::move(*result)};
}

std::optional<launch_end> joined_rendezvous::end() const {
  auto opened = open_private(directory_);
  if (!opened)
    return std::nullopt;
  auto text = opened->text("end.json", most_text);
  if (!text || !*text)
    return std::nullopt;
  auto all = object_from_json(**text);
  if (!all)
    return std::nullopt;
  field_reader from{*all, "in end.json"};
  launch_end result{from.get<std::string>("token"), 0};
  const auto code = from.get_count("code");
  if (from.fault() || code > 255)
    return std::nullopt;
  result.code = static_cast<int>(code);
  return result;
}

bool joined_rendezvous::is_led() const {
  auto opened = open_private(directory_);
  return opened && is_locked_in(*opened, lock_name);
}

bool joined_rendezvous::is_of(const std::string& token) const {
  const auto there = head();
  if (there && *there)
    return (*there)->token == token;
  const auto over = end();
  return over && over->token == token;
}

void joined_rendezvous::leave(const std::string& token) const {
  if (!token.empty() && !is_of(token))
    return;
  if (auto opened = guarded_directory::open(directory_))
    static_cast<void>(opened->remove_tree(certificates().filename().string()));
}

} // namespace tune::cli
