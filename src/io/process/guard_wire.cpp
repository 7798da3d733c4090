// SPDX-License-Identifier: BSD-3-Clause
#include "guard_wire.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

namespace tune::guard_wire {

namespace {

constexpr std::size_t max_fds = 8;
/// First byte of a packet that announces a launch in a memory file; the launch's id follows.
constexpr char in_memory_file = '\xff';

class writer {
public:
  explicit writer(std::string& to) : to_{to} {}

  template <class T>
  void number(T x) {
    static_assert(std::is_trivially_copyable_v<T>);
    to_.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void text(std::string_view x) {
    number(static_cast<std::uint32_t>(x.size()));
    to_.append(x);
  }
  void texts(const std::vector<std::string>& xs) {
    number(static_cast<std::uint32_t>(xs.size()));
    for (const auto& x : xs)
      text(x);
  }

private:
  std::string& to_;
};

class reader {
public:
  explicit reader(std::string_view from) : from_{from} {}

  template <class T>
  void number(T& x) {
    if (from_.size() < sizeof x) {
      ok_ = false;
      return;
    }
    std::memcpy(&x, from_.data(), sizeof x);
    from_.remove_prefix(sizeof x);
  }
  void flag(bool& x) {
    std::uint8_t byte = 0;
    number(byte);
    x = byte != 0;
  }
  void text(std::string& x) {
    std::uint32_t size = 0;
    number(size);
    if (size > from_.size()) {
      ok_ = false;
      return;
    }
    x.assign(from_.substr(0, size));
    from_.remove_prefix(size);
  }
  void texts(std::vector<std::string>& xs) {
    std::uint32_t size = 0;
    number(size);
    for (std::uint32_t i = 0; i < size && ok_; ++i)
      text(xs.emplace_back());
  }
  [[nodiscard]] bool done() const { return ok_ && from_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }

private:
  std::string_view from_;
  bool ok_ = true;
};

void write(writer& to, const launch& x) {
  to.number(x.id);
  to.number(static_cast<std::uint8_t>(x.has_stdout));
  to.number(static_cast<std::uint8_t>(x.has_stderr));
  to.number(static_cast<std::uint8_t>(x.has_protocol));
  to.number(static_cast<std::uint8_t>(x.protocol_is_standard));
  to.number(x.grace.count());
  to.number(x.memory_limit);
  to.number(static_cast<std::uint8_t>(x.address_space_fallback));
  to.text(x.tag);
  to.text(x.directory);
  to.texts(x.argv);
  to.texts(x.env);
  to.number(static_cast<std::uint32_t>(x.limits.size()));
  for (const auto& [resource, limit] : x.limits) {
    to.number(resource);
    to.number(limit);
  }
}

void write(writer& to, const end& x) {
  to.number(x.id);
  to.number(x.grace.count());
}

void write(writer& to, const hello& x) {
  to.number(x.version);
}

void write(writer& to, const started& x) {
  to.number(x.id);
  to.number(x.pid);
}

void write(writer& to, const exited& x) {
  to.number(x.id);
  to.number(x.how);
  to.number(x.number);
  to.number(static_cast<std::uint8_t>(x.out_of_memory));
  to.number(static_cast<std::uint8_t>(x.memory_unwatched));
  to.text(x.text);
  to.number(x.fault);
  to.number(x.usage);
}

void write(writer&, const ping&) {}
void write(writer&, const pong&) {}

void write(writer& to, const look& x) {
  to.number(x.id);
}

void write(writer& to, const seen& x) {
  to.number(x.id);
  to.number(static_cast<std::uint8_t>(x.alone));
}

void write(writer& to, const obituary& x) {
  to.texts(x.argv);
}

void read_duration(reader& from, std::chrono::milliseconds& x) {
  std::chrono::milliseconds::rep count = 0;
  from.number(count);
  x = std::chrono::milliseconds{count};
}

void read(reader& from, launch& x) {
  from.number(x.id);
  from.flag(x.has_stdout);
  from.flag(x.has_stderr);
  from.flag(x.has_protocol);
  from.flag(x.protocol_is_standard);
  read_duration(from, x.grace);
  from.number(x.memory_limit);
  from.flag(x.address_space_fallback);
  from.text(x.tag);
  from.text(x.directory);
  from.texts(x.argv);
  from.texts(x.env);
  std::uint32_t limits = 0;
  from.number(limits);
  for (std::uint32_t i = 0; i < limits && from.ok(); ++i) {
    auto& [resource, limit] = x.limits.emplace_back();
    from.number(resource);
    from.number(limit);
  }
}

void read(reader& from, end& x) {
  from.number(x.id);
  read_duration(from, x.grace);
}

void read(reader& from, hello& x) {
  from.number(x.version);
}

void read(reader& from, started& x) {
  from.number(x.id);
  from.number(x.pid);
}

void read(reader& from, exited& x) {
  from.number(x.id);
  from.number(x.how);
  from.number(x.number);
  from.flag(x.out_of_memory);
  from.flag(x.memory_unwatched);
  from.text(x.text);
  from.number(x.fault);
  from.number(x.usage);
}

void read(reader&, ping&) {}
void read(reader&, pong&) {}

void read(reader& from, look& x) {
  from.number(x.id);
}

void read(reader& from, seen& x) {
  from.number(x.id);
  from.flag(x.alone);
}

void read(reader& from, obituary& x) {
  from.texts(x.argv);
}

template <std::size_t Index = 0>
std::optional<message> decode_as(std::size_t index, reader& from) {
  if constexpr (Index < std::variant_size_v<message>) {
    if (index != Index)
      return decode_as<Index + 1>(index, from);
    std::variant_alternative_t<Index, message> result;
    read(from, result);
    if (from.done())
      return message{std::move(result)};
  }
  return std::nullopt;
}

io_result result_of(ssize_t count) {
  if (count >= 0)
    return io_result::ok;
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    return io_result::would_block;
  return errno == EPIPE || errno == ECONNRESET ? io_result::closed : io_result::failed;
}

ssize_t send_packet(int socket, std::string_view bytes, const std::vector<int>& fds) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_fds)] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    auto* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(rights), fds.data(), sizeof(int) * fds.size());
  }
  ssize_t result = 0;
  do {
    result = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (result < 0 && errno == EINTR);
  return result;
}

unique_fd memory_file(std::string_view content) {
  unique_fd file{::memfd_create("tune-order", MFD_CLOEXEC)};
  while (file && !content.empty()) {
    auto count = ::write(file.get(), content.data(), content.size());
    if (count <= 0)
      return {};
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return file;
}

std::optional<message> decode_memory_file(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0)
    return std::nullopt;
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  for (std::size_t at = 0; at < content.size();) {
    auto count = ::pread(fd, content.data() + at, content.size() - at, static_cast<off_t>(at));
    if (count <= 0)
      return std::nullopt;
    at += static_cast<std::size_t>(count);
  }
  return decode(content);
}

std::string packet_of_file(std::uint64_t id) {
  std::string result{in_memory_file};
  writer{result}.number(id);
  return result;
}

/// Reads the message from the memory file passed in `to`; if the file was lost, keeps only the
/// launch's id.
void take_memory_file(std::string_view packet, received& to) {
  if (!to.fds.empty()) {
    to.what = decode_memory_file(to.fds.front().get());
    to.fds.erase(to.fds.begin());
  }
  if (to.what)
    return;
  launch order;
  reader from{packet.substr(1)};
  from.number(order.id);
  to.fds_lost = true;
  if (from.done())
    to.what = std::move(order);
}

void take_fds(msghdr& header, received& to) {
  for (auto* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      to.fds.emplace_back(fd);
    }
  }
  to.fds_lost = (header.msg_flags & MSG_CTRUNC) != 0;
}

} // namespace

std::string encode(const message& what) {
  std::string result;
  writer to{result};
  to.number(static_cast<std::uint8_t>(what.index()));
  std::visit([&](const auto& x) { write(to, x); }, what);
  return result;
}

std::optional<message> decode(std::string_view bytes) {
  std::uint8_t index = 0;
  reader from{bytes};
  from.number(index);
  return from.ok() ? decode_as(index, from) : std::nullopt;
}

io_result send(int socket, const message& what, const std::vector<int>& fds) {
  auto bytes = encode(what);
  if (bytes.size() <= max_packet)
    return result_of(send_packet(socket, bytes, fds));
  auto file = memory_file(bytes);
  if (!file)
    return io_result::failed;
  std::vector<int> all{file.get()};
  all.insert(all.end(), fds.begin(), fds.end());
  const auto* order = std::get_if<launch>(&what);
  return result_of(send_packet(socket, packet_of_file(order != nullptr ? order->id : 0), all));
}

received receive(int socket) {
  static thread_local std::vector<char> buffer(max_packet + 1);
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_fds)] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  received result;
  result.result = count == 0 ? io_result::closed : result_of(count);
  if (count <= 0)
    return result;
  take_fds(header, result);
  std::string_view bytes{buffer.data(), static_cast<std::size_t>(count)};
  if (bytes.front() == in_memory_file)
    take_memory_file(bytes, result);
  else
    result.what = decode(bytes);
  return result;
}

} // namespace tune::guard_wire
