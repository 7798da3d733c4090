// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/certificate_directory.hpp"

#include "small_files.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/certificates/revocation_list.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace tune {
namespace {

namespace fs = std::filesystem;

/// The clocks of machines differ, so a new certificate is valid from a little earlier.
constexpr std::chrono::hours clock_tolerance{1};

std::string environment(const char* name) {
  const auto* text = std::getenv(name);
  return text == nullptr ? std::string{} : std::string{text};
}

fs::path home_directory() {
  if (auto home = environment("HOME"); !home.empty())
    return home;
  const auto* account = ::getpwuid(::getuid());
  return account == nullptr ? fs::path{"/"} : fs::path{account->pw_dir};
}

validity_span from_now(calendar_time now, std::chrono::days lifetime) {
  return {now - clock_tolerance, now + lifetime};
}

/// A CA with its key and the content of its certificate.
struct loaded_authority {
  key_pair pem;
  certificate_facts facts;
};

/// Loads and checks a CA. @errors `ec::refused` for everything that can be wrong with it, except
/// errors of the disk.
expected<loaded_authority> load_authority(const certificate_paths& from, calendar_time now) {
  auto certificate = read_small_file(from.authority);
  if (!certificate)
    return certificate.error();
  auto key = read_small_file(from.authority_key);
  if (!key)
    return key.error();
  if (auto secret = check_secrecy(from.authority_key, *key); !secret)
    return secret.error();
  auto facts = read_certificate(certificate->text);
  if (!facts)
    return error{ec::refused, from.authority.string() + ": " + to_text(facts.error())};
  if (!facts->is_authority)
    return error{ec::refused, from.authority.string() + ": not the certificate of an authority"};
  if (facts->valid.until <= now)
    return error{ec::refused, from.authority.string() + ": expired on "
                                  + date_text(facts->valid.until)
                                  + "; make a new CA in another directory"};
  if (!key_fits(certificate->text, key->text))
    return error{ec::refused, from.authority_key.string() + ": does not belong to "
                                  + from.authority.string() + ", or needs a passphrase"};
  return loaded_authority{{std::move(certificate->text), std::move(key->text)}, std::move(*facts)};
}

/// Validity of a certificate that is not among those of its name that were revoked.
expected<validity_span> span_of(const loaded_authority& by, const certificate_order& node,
                                const fs::path& directory) {
  auto revoked = load_revocations(revocation_file_in(directory));
  if (!revoked)
    return revoked.error();
  auto result = from_now(node.now, node.lifetime);
  result.from = std::max(result.from, by.facts.valid.from);
  result.until = std::min(result.until, by.facts.valid.until);
  if (auto last = revoked->revoked_until(node.whom.name))
    result.from = std::max(result.from, *last + std::chrono::seconds{1});
  return result;
}

/// @param directory Where the CA is.
expected<key_pair> issue(const loaded_authority& by, const certificate_order& node,
                         const fs::path& directory) {
  auto valid = span_of(by, node, directory);
  if (!valid)
    return valid.error();
  return issue_certificate(by.pem, node.whom, *valid);
}

void add_node(std::vector<new_file>& to, const certificate_paths& where, key_pair made,
              bool replaces) {
  to.push_back({where.key, std::move(made.key), audience::owner_only, replaces});
  to.push_back({where.certificate, std::move(made.certificate), audience::everybody, replaces});
}

/// The name given to the cluster: the common name without its random part.
std::string cluster_of(const certificate_facts& authority) {
  return authority.name.substr(0, authority.name.rfind(' '));
}

expected<loaded_authority> make_loaded(const std::string& cluster, calendar_time now) {
  auto made = make_authority(cluster, from_now(now, authority_lifetime));
  if (!made)
    return made.error();
  auto facts = read_certificate(made->certificate);
  if (!facts)
    return facts.error();
  return loaded_authority{std::move(*made), std::move(*facts)};
}

/// The error for two files that belong together, one of which is missing.
error half(const fs::path& there, const fs::path& missing) {
  return {ec::refused, there.string() + " is there, but not " + missing.string()};
}

expected<loaded_authority> authority_for(const certificate_paths& paths, const std::string& cluster,
                                         const certificate_order& node) {
  auto certificate = is_taken(paths.authority);
  auto key = is_taken(paths.authority_key);
  if (!certificate && !key) {
    constexpr std::size_t longest_cluster = 40;
    return make_loaded(cluster.empty() ? node.whom.name.substr(0, longest_cluster) : cluster,
                       node.now);
  }
  if (!key) {
    auto why = half(paths.authority, paths.authority_key);
    why.detail += ": its certificates are issued on another machine; another cluster needs another "
                  "directory (--certs DIR)";
    return why;
  }
  if (!certificate) {
    auto why = half(paths.authority_key, paths.authority);
    why.detail += ": put it back, or move the key away to begin anew";
    return why;
  }
  auto result = load_authority(paths, node.now);
  if (result && !cluster.empty() && cluster != cluster_of(result->facts))
    return error{ec::refused, paths.authority.string() + " belongs to the cluster '"
                                  + cluster_of(result->facts)
                                  + "'; another one needs another directory (--certs DIR)"};
  return result;
}

/// Tells whether a node's certificate has to be made. @errors if it may not be made.
expected<bool> wants_node(const certificate_paths& paths, bool force, bool new_authority) {
  auto certificate = is_taken(paths.certificate);
  auto key = is_taken(paths.key);
  if (force || (!certificate && !key))
    return true;
  if (certificate && key && new_authority)
    return error{ec::refused,
                 paths.certificate.string() + " is there, but not its CA; --force replaces it"};
  if (certificate && key)
    return false;
  auto why = certificate ? half(paths.certificate, paths.key) : half(paths.key, paths.certificate);
  why.detail += "; --force replaces it";
  return why;
}

/// Tells whether the CA has to be written to `out`. @errors if `out` holds a CA other than the
/// signing one.
expected<bool> wants_authority(const fs::path& out, const loaded_authority& by) {
  if (!is_taken(out))
    return true;
  auto there = read_small_file(out);
  if (!there)
    return there.error();
  auto facts = read_certificate(there->text);
  if (facts && facts->fingerprint == by.facts.fingerprint)
    return false;
  return error{ec::refused, out.string() + " is there already and is another CA"};
}

} // namespace

certificate_paths certificate_paths_in(const fs::path& directory) {
  return {directory / "ca.pem", directory / "ca.key", directory / "node.pem",
          directory / "node.key"};
}

fs::path default_certificate_directory() {
  if (auto given = environment("TUNE_CERTS"); !given.empty())
    return given;
  fs::path configuration = environment("XDG_CONFIG_HOME");
  if (!configuration.is_absolute()) // the XDG specification says to ignore relative paths
    configuration = home_directory() / ".config";
  return configuration / "tune-node" / "certs";
}

expected<init_outcome> init_certificates(const fs::path& directory, const std::string& cluster,
                                         const certificate_order& node) {
  auto paths = certificate_paths_in(directory);
  init_outcome result;
  result.made_authority = !is_taken(paths.authority);
  auto authority = authority_for(paths, cluster, node);
  if (!authority)
    return authority.error();
  auto due = wants_node(paths, node.force, result.made_authority);
  if (!due)
    return due.error();
  result.made_node = *due;
  std::vector<new_file> files;
  if (result.made_authority) {
    files.push_back({paths.authority_key, authority->pem.key, audience::owner_only});
    files.push_back({paths.authority, authority->pem.certificate});
  }
  if (result.made_node) {
    auto made = issue(*authority, node, directory);
    if (!made)
      return made.error();
    add_node(files, paths, std::move(*made), node.force);
  }
  if (auto there = make_private_directory(directory); !there)
    return there.error();
  if (auto written = write_files(files); !written)
    return written.error();
  return result;
}

namespace {

expected<loaded_authority> load_signer(const fs::path& directory, calendar_time now) {
  auto authority = load_authority(certificate_paths_in(directory), now);
  if (!authority && authority.error().code == ec::unreadable)
    return error{ec::refused, to_text(authority.error())
                                  + "; certificates are issued where the CA's key is, on the "
                                    "machine of: "
                                  + program_call("certs init")};
  return authority;
}

} // namespace

expected<void> issue_certificates(const fs::path& directory, const fs::path& out,
                                  const certificate_order& node) {
  auto authority = load_signer(directory, node.now);
  if (!authority)
    return authority.error();
  auto paths = certificate_paths_in(out);
  auto with_authority = wants_authority(paths.authority, *authority);
  if (!with_authority)
    return with_authority.error();
  for (const auto& x : {paths.certificate, paths.key})
    if (!node.force && is_taken(x))
      return error{ec::refused, x.string() + " is there already; --force replaces it"};
  auto made = issue(*authority, node, directory);
  if (!made)
    return made.error();
  std::vector<new_file> files;
  if (*with_authority)
    files.push_back({paths.authority, authority->pem.certificate});
  add_node(files, paths, std::move(*made), node.force);
  if (auto there = make_private_directory(out); !there)
    return there;
  return write_files(files);
}

expected<void> rotate_certificates(const fs::path& directory, const fs::path& out,
                                   std::chrono::days lifetime, calendar_time now) {
  auto authority = load_signer(directory, now);
  if (!authority)
    return authority.error();
  const auto file = certificate_paths_in(out).certificate;
  auto former = read_small_file(file);
  if (!former)
    return error{ec::refused, former.error().detail + "; a first one: "
                                  + program_call("certs issue NAME --out " + out.string())};
  auto facts = read_certificate(former->text);
  if (!facts || !is_signed_by(former->text, authority->pem.certificate))
    return error{ec::refused, file.string() + ": no certificate of the CA in "
                                  + certificate_paths_in(directory).authority.string()};
  certificate_order again;
  again.whom = {facts->name, facts->hosts};
  std::erase(again.whom.hosts, facts->name);
  again.lifetime = lifetime;
  again.force = true;
  again.now = now;
  return issue_certificates(directory, out, again);
}

expected<signed_request> sign_request(const fs::path& directory, std::string_view request,
                                      const certificate_order& node) {
  auto authority = load_signer(directory, node.now);
  if (!authority)
    return authority.error();
  auto valid = span_of(*authority, node, directory);
  if (!valid)
    return valid.error();
  auto made = issue_for_request(authority->pem, request, node.whom, *valid);
  if (!made)
    return made.error();
  return signed_request{std::move(*made), std::move(authority->pem.certificate)};
}

expected<certificate_facts> can_sign(const fs::path& directory, calendar_time now) {
  auto authority = load_signer(directory, now);
  if (!authority)
    return authority.error();
  return std::move(authority->facts);
}

expected<void> keep_certificates(const fs::path& directory, const key_pair& node,
                                 const std::string& authority) {
  const auto paths = certificate_paths_in(directory);
  std::vector<new_file> files{{paths.authority, authority}};
  add_node(files, paths, node, false);
  if (auto there = make_private_directory(directory); !there)
    return there;
  return write_files(files);
}

} // namespace tune
