// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/join_token.hpp"

#include "posix/unique_fd.hpp"
#include "small_files.hpp"

#include "tune/io/field_reader.hpp"
#include "tune/io/files/hmac.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace tune {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view token_prefix = "tn1.";
constexpr std::size_t id_digits = 16;
constexpr std::size_t secret_digits = 32;
constexpr std::size_t authority_digits = 64;
constexpr std::size_t token_size
    = token_prefix.size() + id_digits + 1 + secret_digits + 1 + authority_digits;

bool is_hexadecimal(std::string_view x) {
  return std::all_of(x.begin(), x.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// What the book knows of a token.
struct token_record {
  std::string secret_hash;
  std::int64_t uses = 0;
  calendar_time until;
  std::string name;
};

std::string text_of(const token_record& x) {
  object result;
  result.set("secret_sha256", x.secret_hash);
  result.set("uses", value{x.uses});
  result.set("until", value{std::int64_t{x.until.time_since_epoch().count()}});
  result.set("name", x.name);
  return to_json(result) + "\n";
}

expected<token_record> read_record(const fs::path& file) {
  auto content = read_small_file(file);
  if (!content)
    return content.error();
  auto all = object_from_json(content->text);
  if (!all)
    return error{ec::storage, file.string() + ": " + all.error().detail};
  field_reader from{*all, "in a token"};
  token_record result;
  result.secret_hash = from.get<std::string>("secret_sha256");
  result.uses = from.get<std::int64_t>("uses");
  result.until = calendar_time{std::chrono::seconds{from.get<std::int64_t>("until")}};
  result.name = from.get<std::string>("name");
  if (from.fault())
    return error{ec::storage, file.string() + ": " + from.fault()->detail};
  return result;
}

/// Keeps other users of the book waiting as long as it lives.
class book_lock {
public:
  static expected<book_lock> take(const fs::path& place) {
    const auto file = place / "lock";
    unique_fd lock{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX) != 0)
      return error{ec::storage, "cannot lock " + file.string() + ": " + std::strerror(errno)};
    return book_lock{std::move(lock)};
  }

private:
  explicit book_lock(unique_fd lock) : lock_{std::move(lock)} {}
  unique_fd lock_;
};

void remove_expired(const fs::path& place, calendar_time now) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator{place, ignored}) {
    const auto name = entry.path().filename().string();
    if (name.size() != id_digits || !is_hexadecimal(name))
      continue;
    auto record = read_record(entry.path());
    if (record && record->until < now)
      fs::remove(entry.path(), ignored);
  }
}

} // namespace

std::string to_text(const join_token& x) {
  return std::string{token_prefix} + x.id + "." + x.secret + "." + x.authority;
}

expected<join_token> join_token_from(std::string_view text) {
  const error wrong{ec::bad_syntax, "no join token: one is 'tn1.' and three hexadecimal numbers of "
                                    "16, 32 and 64 digits with dots between, as certs token tells"};
  if (text.size() != token_size || !text.starts_with(token_prefix))
    return wrong;
  text.remove_prefix(token_prefix.size());
  join_token result{std::string{text.substr(0, id_digits)},
                    std::string{text.substr(id_digits + 1, secret_digits)},
                    std::string{text.substr(id_digits + 1 + secret_digits + 1)}};
  if (text[id_digits] != '.' || text[id_digits + 1 + secret_digits] != '.'
      || !is_hexadecimal(result.id) || !is_hexadecimal(result.secret)
      || !is_hexadecimal(result.authority))
    return wrong;
  return result;
}

expected<join_token> join_token_from_word(const std::string& word) {
  if (word.starts_with(token_prefix))
    return join_token_from(word);
  auto content = read_small_file(word);
  if (!content)
    return error{ec::unreadable, content.error().detail + "; a token begins with 'tn1.'"};
  if (auto secret = check_secrecy(word, *content); !secret)
    return secret.error();
  auto text = content->text;
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  auto result = join_token_from(text);
  if (!result)
    return error{ec::bad_syntax, word + ": " + result.error().detail};
  return result;
}

expected<join_token> token_book::make(const std::string& authority, const token_order& what,
                                      calendar_time now) const {
  if (what.uses < 1 || what.uses > most_token_uses)
    return error{ec::bad_option, "a token has 1 to " + std::to_string(most_token_uses) + " uses"};
  if (what.lifetime.count() < 1 || what.lifetime > longest_token_lifetime)
    return error{ec::bad_option, "a token lives for 1 s to 30 days"};
  if (!what.name.empty() && !is_node_name(what.name))
    return error{ec::bad_option, "'" + what.name + "' cannot be the name of a node"};
  if (auto there = make_private_directory(place_); !there)
    return there.error();
  auto lock = book_lock::take(place_);
  if (!lock)
    return lock.error();
  remove_expired(place_, now);
  join_token result{random_hex(id_digits / 2), random_hex(secret_digits / 2), authority};
  const token_record record{sha256_of(result.secret), what.uses, now + what.lifetime, what.name};
  if (auto done = write_files({{place_ / result.id, text_of(record), audience::owner_only}}); !done)
    return done.error();
  return result;
}

expected<std::string> token_book::spend(const join_token& what, calendar_time now) const {
  const error unknown{ec::refused, "the token is not known here"};
  std::error_code ignored;
  if (!fs::is_directory(place_, ignored) || what.id.size() != id_digits || !is_hexadecimal(what.id))
    return unknown;
  auto lock = book_lock::take(place_);
  if (!lock)
    return lock.error();
  auto record = read_record(place_ / what.id);
  const auto shown = sha256_of(what.secret);
  // The same work for a token that is not there.
  const auto known = record ? record->secret_hash : std::string(authority_digits, '0');
  if (!is_sha256(shown) || !are_equal_secrets(known, shown))
    return unknown;
  if (record->until < now)
    return error{ec::refused, "the token expired on " + date_text(record->until)};
  if (record->uses < 1)
    return error{ec::refused, "the token is used up"};
  --record->uses;
  if (auto done = write_files({{place_ / what.id, text_of(*record), audience::owner_only, true}});
      !done)
    return done.error();
  return record->name;
}

} // namespace tune
