// SPDX-License-Identifier: BSD-3-Clause
#include "message_filter.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace tune::detail {

namespace {

/// Reads what CAF wrote, without ever reading beyond its end.
class byte_reader {
public:
  explicit byte_reader(const std::vector<char>& from) : left_{from.data(), from.size()} {}

  std::optional<std::uint64_t> number(std::size_t bytes) {
    auto taken = text(bytes);
    if (!taken)
      return std::nullopt;
    std::uint64_t result = 0;
    for (auto c : *taken)
      result = result << 8 | static_cast<unsigned char>(c);
    return result;
  }
  /// Reads a length of seven bits per byte, the lowest first.
  std::optional<std::size_t> length() {
    std::size_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
      auto byte = number(1);
      if (!byte)
        return std::nullopt;
      result |= static_cast<std::size_t>(*byte & 0x7f) << shift;
      if ((*byte & 0x80) == 0)
        return result;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> text(std::size_t bytes) {
    if (bytes > left_.size())
      return std::nullopt;
    auto result = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return result;
  }

private:
  std::string_view left_;
};

/// Makes CAF drop the message. Spoiling the message itself is not enough: CAF 0.17 turns it into an
/// empty message and delivers that. So this spoils the list of actors before it, which then names
/// one that does not exist.
void make_unreadable(std::vector<char>& payload) {
  std::fill(payload.begin(), payload.end(), '\xff');
  payload.front() = 1;
}

/// The name of a local actor; empty if no actor that peers know has this number.
std::string name_of(caf::actor_system& system, caf::actor_id number) {
  auto known = system.registry().get(number);
  const auto* who
      = known ? dynamic_cast<caf::local_actor*>(caf::actor_cast<caf::abstract_actor*>(known))
              : nullptr;
  return who == nullptr ? std::string{} : who->name();
}

constexpr const char* failure_word = "@<>+@error";

bool is_empty_answer(const std::string& word) {
  return word == wire_prefix || word == "@<>+@unit";
}

} // namespace

std::optional<std::string> word_of(const std::vector<char>& payload) {
  byte_reader from{payload};
  // Nodes never forward a request across the network, so the list of stages is empty.
  auto stages = from.length();
  auto type = from.number(2);
  auto size = from.length();
  if (stages != std::size_t{0} || type != std::uint64_t{0} || !size)
    return std::nullopt;
  auto name = from.text(*size);
  if (!name)
    return std::nullopt;
  constexpr std::string_view atom_first = "@<>+@atom";
  std::string result{*name};
  auto rest = name->substr(std::min(name->size(), atom_first.size()));
  if (name->starts_with(atom_first) && (rest.empty() || rest.front() == '+')) {
    auto atom = from.number(8);
    if (!atom)
      return std::nullopt;
    result += wire_atom(*atom);
  }
  return result;
}

message_filter::message_filter(caf::actor_system& system, side which,
                               std::shared_ptr<const reachable_actors> words,
                               std::optional<published> open)
    : system_{system}, side_{which}, words_{std::move(words)}, open_{std::move(open)} {}

message_filter::verdict message_filter::end(std::string why) {
  complaint_ = std::move(why);
  return verdict::ends;
}

message_filter::verdict message_filter::look(std::vector<char>& part) {
  complaint_.clear();
  if (!awaits_payload_)
    return look_at_header(part);
  awaits_payload_ = false;
  switch (now_.operation) {
    case kind::client_handshake:
    case kind::server_handshake:
      return look_at_greeting(part);
    case kind::monitor_message:
    case kind::down_message:
      return look_at_nodes(part);
    default:
      look_at_message(part);
      return verdict::goes_on;
  }
}

bool message_filter::is_greeting() const {
  return now_.operation
         == (side_ == side::accepted ? kind::client_handshake : kind::server_handshake);
}

std::size_t message_filter::most_bytes() const {
  switch (now_.operation) {
    case kind::direct_message:
      return largest_message;
    case kind::client_handshake:
    case kind::server_handshake:
      return largest_greeting;
    default:
      return largest_failure;
  }
}

message_filter::verdict message_filter::look_at_header(const std::vector<char>& part) {
  caf::binary_deserializer from{system_, part.data(), part.size()};
  if (from(now_) || !valid(now_))
    return end("sent what is no message");
  // No node passes messages on to another one.
  if (now_.operation == kind::routed_message)
    return end("wanted a message to be passed on to another node");
  if (is_handshake(now_) ? !is_greeting() : !peer_)
    return end("did not greet as a node does");
  const auto is_bare = now_.payload_len == 0;
  if (is_bare != is_heartbeat(now_) || now_.payload_len > most_bytes())
    return end("sent a message of " + std::to_string(now_.payload_len) + " bytes");
  awaits_payload_ = !is_bare;
  return verdict::goes_on;
}

message_filter::verdict message_filter::look_at_greeting(const std::vector<char>& part) {
  caf::binary_deserializer from{system_, part.data(), part.size()};
  caf::node_id said;
  // On the connecting side, CAF itself reports a node that has reached itself.
  if (from(said) || !said || (side_ == side::accepted && said == system_.node()))
    return end("greeted as no node does");
  if (peer_ && peer_ != said)
    return end("greeted as two nodes");
  peer_ = std::move(said);
  return verdict::goes_on;
}

message_filter::verdict message_filter::look_at_nodes(const std::vector<char>& part) {
  caf::binary_deserializer from{system_, part.data(), part.size()};
  caf::node_id of;
  caf::node_id to;
  if (from(of, to) || of != peer_ || to != system_.node())
    return end("spoke for another node");
  return verdict::goes_on;
}

void message_filter::look_at_message(std::vector<char>& part) {
  const auto is_named = now_.has(header::named_receiver_flag);
  const auto who = is_named ? std::string{} : name_of(system_, now_.dest_actor);
  const auto word = word_of(part);
  if (!who.empty() && word && may_pass(who, *word, part.size()))
    return;
  make_unreadable(part);
  // No complaint without a receiver: it may have ended, and CAF's nodes query each other's
  // services.
  if (!who.empty())
    complaint_ = "sent " + who + " a message that no node sends it";
}

bool message_filter::may_pass(const std::string& who, const std::string& word,
                              std::size_t bytes) const {
  const caf::message_id id{now_.operation_data};
  if (id.is_stream_message())
    return false;
  if (id.is_response()) {
    if (word == failure_word)
      return bytes <= largest_failure && words_->may_be_answered(who, wire_prefix);
    return words_->may_be_answered(who, is_empty_answer(word) ? wire_prefix : word);
  }
  // A message without a sender could not be told from one of this process.
  if (now_.source_actor == caf::invalid_actor_id)
    return false;
  return words_->may_receive(who, word)
         || (open_ && open_->whom == now_.dest_actor && open_->words.said.contains(word));
}

} // namespace tune::detail
