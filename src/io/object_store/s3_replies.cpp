// SPDX-License-Identifier: BSD-3-Clause
#include "object_store/s3_replies.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <utility>

namespace tune {

namespace {

constexpr std::size_t longest_message = 300;

std::string without_entities(std::string_view x) {
  constexpr std::array<std::pair<std::string_view, char>, 5> known{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string result;
  while (!x.empty()) {
    const auto* found = std::find_if(known.begin(), known.end(),
                                     [&](const auto& one) { return x.starts_with(one.first); });
    if (found != known.end()) {
      result += found->second;
      x.remove_prefix(found->first.size());
    } else {
      result += x.front();
      x.remove_prefix(1);
    }
  }
  return result;
}

template <class Number>
std::optional<Number> whole_number(std::string_view x) {
  Number result = 0;
  const auto [end, failed] = std::from_chars(x.data(), x.data() + x.size(), result);
  return failed == std::errc{} && end == x.data() + x.size() ? std::optional{result} : std::nullopt;
}

expected<listed_object> listed_object_from(std::string_view part) {
  const auto key = xml_text(part, "Key");
  const auto size = whole_number<std::uint64_t>(xml_text(part, "Size").value_or(""));
  if (!key || !size)
    return error{ec::protocol, "a listing has an object without a key or a size"};
  return listed_object{url_unescaped(*key), *size,
                       unix_time_from(xml_text(part, "LastModified").value_or(""))};
}

/// What passes by itself, or once somebody has renewed the credentials.
bool may_pass(long status, std::string_view code) {
  return status >= 500 || status == 429 || status == 408 || code == "SlowDown"
         || code == "RequestTimeout" || code == "ExpiredToken" || code == "RequestTimeTooSkewed";
}

} // namespace

std::optional<std::string> xml_text(std::string_view document, std::string_view name) {
  const auto opening = "<" + std::string{name} + ">";
  const auto closing = "</" + std::string{name} + ">";
  const auto from = document.find(opening);
  if (from == document.npos)
    return std::nullopt;
  const auto begin = from + opening.size();
  const auto end = document.find(closing, begin);
  if (end == document.npos)
    return std::nullopt;
  return without_entities(document.substr(begin, end - begin));
}

expected<listing_page> listing_page_from(std::string_view document) {
  constexpr std::string_view opening = "<Contents>";
  constexpr std::string_view closing = "</Contents>";
  if (document.find("<ListBucketResult") == document.npos)
    return error{ec::protocol, "the answer is no listing"};
  listing_page result;
  if (xml_text(document, "IsTruncated").value_or("false") == "true") {
    result.next = xml_text(document, "NextContinuationToken").value_or("");
    if (result.next.empty())
      return error{ec::protocol, "a listing goes on, and does not say where"};
  }
  while (true) {
    const auto from = document.find(opening);
    const auto end = document.find(closing);
    if (from == document.npos || end == document.npos || end < from)
      return result;
    auto object = listed_object_from(document.substr(from, end - from));
    if (!object)
      return object.error();
    result.objects.push_back(std::move(*object));
    document.remove_prefix(end + closing.size());
  }
}

std::int64_t unix_time_from(std::string_view text) {
  constexpr std::size_t seconds_length = 19;
  std::tm parts{};
  const std::string whole{text.substr(0, seconds_length)};
  const char* end = ::strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  return end == nullptr || *end != '\0' ? 0 : static_cast<std::int64_t>(::timegm(&parts));
}

std::string url_unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const auto* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size()
        && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

error error_of(const s3_refusal& x) {
  const auto code = xml_text(x.body, "Code").value_or("");
  const auto message = xml_text(x.body, "Message").value_or("");
  auto said = "status " + std::to_string(x.status);
  if (!code.empty())
    said += ", " + printable(code.substr(0, longest_message));
  if (!message.empty())
    said += ": " + printable(message.substr(0, longest_message));
  auto text = printable(x.what) + ": ";
  if (!x.region.empty() && (x.status == 301 || x.status == 400))
    return {ec::refused, text + "the bucket is in the region " + printable(x.region)
                             + ": set it by AWS_REGION or s3.region (" + said + ")"};
  if (code == "NoSuchBucket")
    return {ec::refused, text + "there is no such bucket (" + said + ")"};
  if (x.status == 401 || x.status == 403 || code == "InvalidToken" || code == "ExpiredToken")
    text += "the store denies this to the access key " + printable(x.id) + " (" + said + ")";
  else
    text += "the store answers with " + said;
  return {may_pass(x.status, code) ? ec::unreachable : ec::refused, text};
}

} // namespace tune
