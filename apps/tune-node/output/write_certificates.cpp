// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_certificates.hpp"

#include "console/text.hpp"
#include "tune/io/json.hpp"

#include <ostream>

namespace tune::cli {
namespace {

using std::chrono::days;

/// Whole days until a certificate expires; negative once it has.
days days_left(const certificate_facts& x, calendar_time now) {
  return std::chrono::floor<days>(x.valid.until - now);
}

std::string validity_text(const certificate_facts& x, calendar_time now) {
  auto dates = date_text(x.valid.from) + " to " + date_text(x.valid.until);
  if (now < x.valid.from)
    return dates + " (not yet valid)";
  if (now > x.valid.until)
    return dates + " (expired)";
  return dates + " (" + std::to_string(days_left(x, now).count()) + " days left)";
}

/// ISO 8601, for programs.
std::string iso_text(calendar_time when) {
  auto result = date_text(when);
  result[result.find(' ')] = 'T';
  return result.substr(0, result.find(' ')) + "Z";
}

std::string key_text(key_state x) {
  switch (x) {
    case key_state::missing:
      return "not here";
    case key_state::fits:
      return "fits";
    case key_state::differs:
      return "does not belong to the certificate";
    case key_state::exposed:
      return "fits, but others may use it: chmod 600";
    case key_state::unreadable:
      return "cannot be read";
  }
  return {};
}

std::string joined_hosts(const certificate_facts& x, std::string_view between) {
  std::string result;
  for (const auto& host : x.hosts)
    result.append(result.empty() ? "" : between).append(host);
  return result;
}

std::string signature_text(const found_certificate& x) {
  if (!x.signed_by_authority)
    return "no ca.pem here";
  return *x.signed_by_authority ? "yes" : "no";
}

void write_people(const found_certificate& x, calendar_time now, const table_look& look,
                  std::ostream& out) {
  auto line = [&](std::string_view title, const std::string& text) {
    constexpr std::size_t width = 14;
    if (!text.empty())
      out << "  " << look.colors.paint(tint::accent, pad_right(std::string{title}, width))
          << printable(text) << "\n";
  };
  out << look.colors.paint(tint::strong, printable(x.file.string())) << "\n";
  line("subject", x.facts.subject);
  line("issuer", x.facts.issuer);
  line("names", joined_hosts(x.facts, ", "));
  line("valid", validity_text(x.facts, now));
  line("SHA-256", x.facts.fingerprint);
  line("key", key_text(x.key));
  line("signed by CA", x.facts.is_authority ? "" : signature_text(x));
}

std::string json_entry(const found_certificate& x, calendar_time now) {
  value::list hosts;
  for (const auto& host : x.facts.hosts)
    hosts.emplace_back(host);
  object result;
  result.set("file", x.file.string());
  result.set("authority", x.facts.is_authority);
  result.set("subject", x.facts.subject);
  result.set("issuer", x.facts.issuer);
  result.set("names", std::move(hosts));
  result.set("serial", x.facts.serial);
  result.set("valid_from", iso_text(x.facts.valid.from));
  result.set("valid_until", iso_text(x.facts.valid.until));
  result.set("days_left", std::int64_t{days_left(x.facts, now).count()});
  result.set("sha256", x.facts.fingerprint);
  result.set("key", to_text(x.key));
  result.set("signed_by_ca", x.signed_by_authority ? value{*x.signed_by_authority} : value{});
  return to_json(result);
}

void write_csv(std::span<const found_certificate> all, calendar_time now, std::ostream& out) {
  out << csv_line({"file", "authority", "subject", "issuer", "names", "serial", "valid_from",
                   "valid_until", "days_left", "sha256", "key", "signed_by_ca"});
  for (const auto& x : all)
    out << csv_line({x.file.string(), x.facts.is_authority ? "true" : "false", x.facts.subject,
                     x.facts.issuer, joined_hosts(x.facts, " "), x.facts.serial,
                     iso_text(x.facts.valid.from), iso_text(x.facts.valid.until),
                     std::to_string(days_left(x.facts, now).count()), x.facts.fingerprint,
                     std::string{to_text(x.key)},
                     x.signed_by_authority ? (*x.signed_by_authority ? "true" : "false") : ""});
}

} // namespace

void write_certificates(std::span<const found_certificate> all, calendar_time now,
                        output_format format, const table_look& look, std::ostream& out) {
  switch (format) {
    case output_format::table:
      for (const auto& x : all)
        write_people(x, now, look, out);
      break;
    case output_format::json:
      out << "[";
      for (std::size_t i = 0; i < all.size(); ++i)
        out << (i == 0 ? "\n  " : ",\n  ") << json_entry(all[i], now);
      out << (all.empty() ? "]\n" : "\n]\n");
      break;
    case output_format::jsonl:
      for (const auto& x : all)
        out << json_entry(x, now) << "\n";
      break;
    case output_format::csv:
      write_csv(all, now, out);
      break;
  }
}

} // namespace tune::cli
