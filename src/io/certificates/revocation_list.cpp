// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/revocation_list.hpp"

#include "small_files.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/certificates/certificate_directory.hpp"

#include <algorithm>
#include <ctime>
#include <sstream>
#include <vector>

namespace tune {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t fingerprint_digits = 64;

bool is_fingerprint(std::string_view x) {
  return x.size() == fingerprint_digits && std::all_of(x.begin(), x.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string iso_text(calendar_time when) {
  const auto date = date_text(when); // "2030-01-31 12:00:00 UTC"
  return date.substr(0, 10) + "T" + date.substr(11, 8) + "Z";
}

std::optional<calendar_time> time_from_iso(const std::string& text) {
  std::tm fields{};
  const auto* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  if (end == nullptr || *end != '\0')
    return std::nullopt;
  const calendar_time result{std::chrono::seconds{::timegm(&fields)}};
  // Dates such as 2030-02-31 come out as another one.
  return iso_text(result) == text ? std::optional{result} : std::nullopt;
}

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream from{line};
  std::vector<std::string> result;
  for (std::string word; from >> word;)
    result.push_back(std::move(word));
  return result;
}

} // namespace

expected<revocation_list> revocation_list::parse(std::string_view text) {
  std::istringstream from{std::string{text}};
  revocation_list result;
  std::size_t number = 0;
  for (std::string line; std::getline(from, line);) {
    ++number;
    const auto words = words_of_line(line);
    if (words.empty() || words[0].starts_with('#'))
      continue;
    const auto when = words.size() == 3 ? time_from_iso(words[2]) : std::nullopt;
    if (words[0] == "name" && when && is_node_name(words[1]))
      result.add_name(words[1], *when);
    else if (words[0] == "sha256" && words.size() == 2 && is_fingerprint(words[1]))
      result.add_fingerprint(words[1]);
    else
      return error{ec::bad_syntax,
                   "line " + std::to_string(number)
                       + " is neither 'name NAME YYYY-MM-DDTHH:MM:SSZ' nor 'sha256' "
                         "with 64 hexadecimal digits: '"
                       + printable(line.substr(0, 80)) + "'"};
  }
  return result;
}

void revocation_list::add_name(const std::string& name, calendar_time when) {
  auto& until = names_.try_emplace(name, when).first->second;
  until = std::max(until, when);
}

bool revocation_list::has(const certificate_facts& x) const {
  if (fingerprints_.contains(x.fingerprint))
    return true;
  auto is_meant_by = [&](const std::string& name) {
    const auto until = revoked_until(name);
    return until && x.valid.from <= *until;
  };
  return is_meant_by(x.name) || is_meant_by(name_asked_for(x.name));
}

std::string name_asked_for(const std::string& name) {
  const auto at = name.size() > token_ending_digits ? name.size() - token_ending_digits : 0;
  const auto has_ending = at > 1 && name[at - 1] == '-'
                          && name.find_first_not_of("0123456789abcdef", at) == name.npos;
  return has_ending ? name.substr(0, at - 1) : name;
}

std::optional<calendar_time> revocation_list::revoked_until(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional{found->second};
}

std::string revocation_list::text() const {
  std::string result;
  for (const auto& [name, when] : names_)
    result += "name " + name + " " + iso_text(when) + "\n";
  for (const auto& x : fingerprints_)
    result += "sha256 " + x + "\n";
  return result;
}

fs::path revocation_file_in(const fs::path& directory) {
  return directory / "revoked";
}

expected<revocation_list> load_revocations(const fs::path& file) {
  auto content = read_small_file(file);
  if (!content && content.error().code == ec::unreadable)
    return revocation_list{};
  if (!content)
    return error{ec::refused, content.error().detail};
  auto result = revocation_list::parse(content->text);
  if (!result)
    return error{ec::refused, file.string() + ": " + result.error().detail};
  return result;
}

expected<void> revoke_certificate(const fs::path& directory, const std::string& what,
                                  calendar_time now) {
  const auto file = revocation_file_in(directory);
  auto list = load_revocations(file);
  if (!list)
    return list.error();
  auto own = read_small_file(certificate_paths_in(directory).certificate);
  auto mine = own ? read_certificate(own->text) : expected<certificate_facts>{own.error()};
  std::error_code ignored;
  const auto is_file = what.find('/') != what.npos || fs::is_regular_file(what, ignored);
  if (is_file) {
    auto content = read_small_file(what);
    if (!content)
      return content.error();
    auto facts = read_certificate(content->text);
    if (!facts)
      return error{ec::unreadable, what + ": " + facts.error().detail};
    list->add_fingerprint(facts->fingerprint);
  } else if (is_node_name(what)) {
    list->add_name(what, now);
  } else {
    return error{ec::bad_option, "'" + printable(what)
                                     + "' is neither the file of a certificate "
                                       "nor the name of a node"};
  }
  if (mine && list->has(*mine))
    return error{ec::refused, "'" + printable(what) + "' is the certificate of "
                                  + directory.string()
                                  + " itself: nobody would be let in; give it another one first"};
  return write_files({{file, list->text(), audience::everybody, true}});
}

} // namespace tune
