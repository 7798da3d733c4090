// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_certificates.hpp"

#include "console/text.hpp"
#include "output/write_rows.hpp"
#include "tune/io/certificates/own_certificate.hpp"

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
  const auto left = days_left(x, now);
  return dates + " (" + std::to_string(left.count()) + " days left"
         + (left <= expiry_notice ? ": renew it)" : ")");
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
      return "fits, but other users may use it: chmod 600";
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

object to_object(const found_certificate& x, calendar_time now) {
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
  return result;
}

} // namespace

std::string iso_text(calendar_time when) {
  auto result = date_text(when);
  result[result.find(' ')] = 'T';
  return result.substr(0, result.find(' ')) + "Z";
}

void write_certificates(std::span<const found_certificate> all, calendar_time now,
                        output_format format, const table_look& look, std::ostream& out) {
  if (format == output_format::table) {
    for (const auto& x : all)
      write_people(x, now, look, out);
    return;
  }
  std::vector<object> rows;
  for (const auto& x : all) {
    rows.push_back(to_object(x, now));
    if (format == output_format::csv)
      rows.back().set("names", joined_hosts(x.facts, " "));
  }
  if (format == output_format::csv)
    write_csv(titles_of(to_object(found_certificate{}, now)), rows, out);
  else
    write_rows(rows, format, json_layout::row_per_line, out);
}

} // namespace tune::cli
