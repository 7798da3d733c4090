// SPDX-License-Identifier: BSD-3-Clause
#include "report/html.hpp"

#include "console/text.hpp"
#include "tune/io/files/sha256.hpp"

#include <cstdint>

namespace tune::cli {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (auto c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string bytes_of_hex(std::string_view hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string result;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    result += static_cast<char>(16 * digit(hex[i]) + digit(hex[i + 1]));
  return result;
}

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view digits
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      result += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63U];
  }
  return result;
}

std::string cell(std::string_view tag, bool is_number, std::string_view more,
                 std::string_view text) {
  auto result = "<" + std::string{tag};
  if (is_number)
    result += " class=\"number\"";
  return result.append(more)
      .append(">")
      .append(html_text(text))
      .append("</")
      .append(tag)
      .append(">");
}

} // namespace

std::string html_text(std::string_view text, bool lines) {
  if (!lines)
    return escaped(printable(text));
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    result += escaped(printable(text.substr(at, end - at))) + (end < text.size() ? "\n" : "");
    at = end + 1;
  }
  return result;
}

std::string json_in_html(std::string json) {
  std::string result;
  result.reserve(json.size());
  for (auto c : json) {
    if (c == '<')
      result += "\\u003c";
    else if (c == '&')
      result += "\\u0026";
    else
      result += c;
  }
  return result;
}

std::string html_table(const std::vector<html_column>& columns,
                       const std::vector<std::vector<std::string>>& rows,
                       std::string_view caption) {
  if (rows.empty())
    return {};
  auto result = "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\""
                + html_text(caption) + "\"><table class=\"given\"><thead><tr>";
  for (const auto& x : columns)
    result += x.title.empty() ? "<td></td>" : cell("th", x.is_number, " scope=\"col\"", x.title);
  result += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    result += "<tr>";
    for (std::size_t i = 0; i < row.size() && i < columns.size(); ++i)
      result += i == 0 ? cell("th", columns[i].is_number, " scope=\"row\"", row[i])
                       : cell("td", columns[i].is_number, "", row[i]);
    result += "</tr>\n";
  }
  return result + "</tbody></table></div>\n";
}

std::string policy_hash(std::string_view content) {
  return "sha256-" + base64_of(bytes_of_hex(sha256_of(content)));
}

} // namespace tune::cli
