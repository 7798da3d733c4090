// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/sha256.hpp"

#include "open_digest.hpp"

#include "posix/posix.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tune {

namespace {

constexpr std::size_t hex_digits = 64;
constexpr std::size_t read_at_once = 256 * 1024;

error unreadable(const std::filesystem::path& file, std::string_view why) {
  return {ec::unreadable, "cannot read " + file.string() + ": " + std::string{why}};
}

} // namespace

void sha256::end_of_context::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

sha256::sha256() : context_{EVP_MD_CTX_new()} {
  begin();
}

void sha256::begin() {
  good_ = context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
}

void sha256::update(std::string_view bytes) {
  if (good_)
    good_ = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
}

std::string sha256::finish() {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned length = 0;
  std::string result;
  if (good_ && EVP_DigestFinal_ex(context_.get(), raw.data(), &length) == 1) {
    result.reserve(hex_digits);
    for (unsigned i = 0; i < length; ++i) {
      result += digits[raw[i] >> 4];
      result += digits[raw[i] & 15];
    }
  }
  begin();
  return result;
}

std::string sha256_of(std::string_view bytes) {
  sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

bool is_sha256(std::string_view text) {
  return text.size() == hex_digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

expected<file_digest> digest_file(const std::filesystem::path& file) {
  return *finish(digesting(file, std::numeric_limits<std::uint64_t>::max()));
}

sliced<expected<file_digest>> digesting(std::filesystem::path file, std::uint64_t most,
                                        std::uint64_t* so_far) {
  auto opened = store::open_file(file, O_RDONLY | O_NONBLOCK, "read");
  if (!opened)
    co_return store::when_read(opened.error());
  co_return co_await digesting_open(std::move(*opened), std::move(file), most, so_far);
}

sliced<expected<file_digest>> digesting_open(store::descriptor opened, std::filesystem::path file,
                                             std::uint64_t most, std::uint64_t* so_far) {
  struct stat about = {};
  if (::fstat(opened.number(), &about) != 0)
    co_return unreadable(file, std::strerror(errno));
  if (!S_ISREG(about.st_mode))
    co_return unreadable(file, "it is no regular file");
  sha256 hash;
  file_digest result;
  // Saves memory for many small files: one extra byte shows the end of the file.
  const auto wanted = static_cast<std::size_t>(std::max<::off_t>(about.st_size, 0)) + 1;
  std::vector<char> buffer(std::min(read_at_once, wanted));
  for (;;) {
    const auto count = ::read(opened.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      co_return unreadable(file, std::strerror(errno));
    if (count == 0)
      break;
    hash.update({buffer.data(), static_cast<std::size_t>(count)});
    result.size += static_cast<std::uint64_t>(count);
    if (so_far != nullptr)
      *so_far += static_cast<std::uint64_t>(count);
    if (result.size > most)
      co_return error{ec::refused, file.string() + " grows while it is read"};
    co_await next_slice{};
  }
  result.hash = hash.finish();
  if (result.hash.empty())
    co_return error{ec::internal, "this machine's OpenSSL offers no SHA-256"};
  co_return result;
}

} // namespace tune
