// Reports the content of a certificate directory without judging it.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/certificate_directory.hpp"

#include "small_files.hpp"

#include "tune/core/program_name.hpp"

namespace tune {
namespace {

namespace fs = std::filesystem;

key_state state_of_key(const fs::path& key, const std::string& certificate) {
  auto found = read_small_file(key);
  if (!found)
    return found.error().code == ec::unreadable ? key_state::missing : key_state::unreadable;
  if (!key_fits(certificate, found->text))
    return key_state::differs;
  return check_secrecy(key, *found) ? key_state::fits : key_state::exposed;
}

expected<found_certificate> look_at(const fs::path& file) {
  auto content = read_small_file(file);
  if (!content)
    return error{ec::storage, content.error().detail};
  auto facts = read_certificate(content->text);
  if (!facts)
    return error{ec::refused, file.string() + ": " + to_text(facts.error())};
  found_certificate result{file, std::move(*facts), {}, {}};
  result.key = state_of_key(fs::path{file}.replace_extension(".key"), content->text);
  if (auto authority = read_small_file(certificate_paths_in(file.parent_path()).authority))
    result.signed_by_authority = is_signed_by(content->text, authority->text);
  return result;
}

} // namespace

std::string_view to_text(key_state x) {
  switch (x) {
    case key_state::missing:
      return "missing";
    case key_state::fits:
      return "fits";
    case key_state::differs:
      return "differs";
    case key_state::exposed:
      return "exposed";
    case key_state::unreadable:
      return "unreadable";
  }
  return "missing";
}

expected<std::vector<found_certificate>> find_certificates(const fs::path& where) {
  if (!is_taken(where))
    return error{ec::storage, where.string() + ": there is no such file or directory; "
                                  + program_call("certs init") + " makes certificates"};
  std::vector<fs::path> files{where};
  std::error_code fault;
  if (fs::is_directory(where, fault)) {
    auto paths = certificate_paths_in(where);
    files.clear();
    for (const auto& x : {paths.authority, paths.certificate})
      if (is_taken(x))
        files.push_back(x);
    if (files.empty())
      return error{ec::storage, where.string() + ": holds neither ca.pem nor node.pem; "
                                    + program_call("certs init")};
  }
  std::vector<found_certificate> result;
  for (const auto& x : files) {
    auto found = look_at(x);
    if (!found)
      return found.error();
    result.push_back(std::move(*found));
  }
  return result;
}

} // namespace tune
