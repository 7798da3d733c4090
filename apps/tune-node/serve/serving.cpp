// SPDX-License-Identifier: BSD-3-Clause
#include "serve/serving.hpp"

#include "serve/api_routes.hpp"
#include "serve/page_files.hpp"
#include "serve/read_model.hpp"
#include "serve/site.hpp"
#include "tune/io/process/thread_room.hpp"
#include "tune/net/transport.hpp"

#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

const peer_address usual_place{"127.0.0.1", 7780};
/// Tried after it, before any that is free.
constexpr std::uint16_t further_places = 9;

peer_address place_of(const http_request& how) {
  return how.where.value_or(usual_place);
}

/// TLS off loopback, and wherever certificates are named.
expected<transport> transport_of(const http_request& how) {
  const auto where = place_of(how);
  if (is_loopback(where.host) && how.certs.empty())
    return transport{};
  auto chosen = choose_transport(where, how.certs, false);
  if (chosen)
    return chosen;
  return error{ec::refused, "other machines reach " + to_text(where)
                                + ", so that TLS is needed there: " + chosen.error().detail
                                + "; or serve at a loopback address, and reach it by ssh -L"};
}

std::vector<std::string> names_of(const http_request& how, const transport& by) {
  auto result = how.names;
  if (by.identity)
    for (const auto& host : by.identity->certificate.hosts)
      result.push_back(host.find(':') == host.npos ? host : "[" + host + "]");
  return result;
}

std::vector<std::uint16_t> further_ports(const http_request& how) {
  std::vector<std::uint16_t> result;
  if (how.where)
    return result;
  for (std::uint16_t i = 1; i <= further_places; ++i)
    result.push_back(static_cast<std::uint16_t>(usual_place.port + i));
  result.push_back(0);
  return result;
}

expected<std::shared_ptr<http::token_file>> token_of(const http_request& how) {
  auto file = how.token_file.empty() ? http::default_token_file() : fs::path{how.token_file};
  if (file.empty())
    return error{ec::refused, "neither XDG_STATE_HOME nor HOME says where the token is to be;"
                              " name a file by --token-file"};
  return http::token_file::open(std::move(file), how.new_token);
}

/// @param by By what it is served: its certificate names the hosts by which browsers know it.
std::string link_to(const peer_address& where, const transport& by, const std::string& token) {
  auto host = where;
  // Nobody can go to the address of all interfaces.
  if (host.host == "0.0.0.0" || host.host == "::") {
    const auto names = by.identity ? by.identity->certificate.hosts : std::vector<std::string>{};
    host.host = names.empty() ? "localhost" : names.front();
  }
  return (by.identity ? "https://" : "http://") + to_text(host) + "/#token=" + token;
}

} // namespace

http_request page_request(const peer_address& where, const std::string& certs) {
  http_request result;
  result.where = where;
  if (!is_loopback(where.host))
    result.certs = certs;
  return result;
}

expected<void> can_serve(const http_request& how) {
  if (auto can = can_start_threads(threads_of_gateway); !can)
    return can;
  if (auto by = transport_of(how); !by)
    return by.error();
  if (auto token = token_of(how); !token)
    return token.error();
  return {};
}

expected<std::unique_ptr<serving>> serving::start(caf::actor_system& system, const fs::path& place,
                                                  const http_request& how, const choices& all,
                                                  hosted_parts hosted) {
  auto by = transport_of(how);
  if (!by)
    return by.error();
  auto token = token_of(how);
  if (!token)
    return token.error();
  auto made = site::make({place, make_read_model(place), page_files(), *token, TUNE_VERSION, &all,
                          std::move(hosted.talk), std::move(hosted.head)});
  if (!made)
    return made.error();
  const std::shared_ptr<site> served{std::move(*made)};
  http::server_settings settings;
  settings.where = place_of(how);
  settings.further_ports = further_ports(how);
  settings.identity = by->identity;
  settings.routes = api_routes();
  settings.names = names_of(how, *by);
  settings.token = *token;
  settings.answer = [served](const http::request& what, const http::route& where) {
    return served->answer(what, where);
  };
  settings.answered = [served](http::method what, const std::string& route, unsigned status) {
    served->answers().note(what, route, status);
  };
  auto server = http::http_server::open(std::move(settings));
  if (!server)
    return server.error();
  served->served_by(**server);
  if (auto begun = (*server)->start(); !begun)
    return begun.error();
  auto link = link_to((*server)->where(), *by, (*token)->token());
  auto gateway = spawn_gateway(system, std::move(*server), [served] { served->close(); });
  return std::unique_ptr<serving>{
      new serving{system, std::move(gateway), std::move(link), (*token)->path()}};
}

void serving::close() {
  if (!std::exchange(is_open_, false))
    return;
  caf::scoped_actor self{system_};
  // It waits for handlers that read from a disk, and for nothing else.
  tune::request(self.operator->(), gateway_, caf::infinite, drain_atom_v)
      .receive([](const std::string&) {}, [](const caf::error&) {});
}

} // namespace tune::cli
