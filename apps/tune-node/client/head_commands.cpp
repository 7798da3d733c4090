// SPDX-License-Identifier: BSD-3-Clause
#include "client/head_commands.hpp"

#include "client/reach_head.hpp"
#include "client/remote_command.hpp"
#include "tune/net/system.hpp"

namespace tune::cli {

/// In the order in which they need one another.
class head_commands::impl {
public:
  impl(at_head_request reach, transport how)
      : reach_{std::move(reach)}, how_{std::move(how)}, config_{how_}, system_{config_} {}

  expected<void> connect() {
    auto link = connect_to(system_, reach_.head, how_, reach_.cluster);
    if (!link)
      return link.error();
    link_ = std::move(*link);
    return {};
  }

  expected<std::string> output_of(remote_command what, const table_look& look) {
    auto asked = reach_;
    asked.command = std::move(what);
    std::string output, talk;
    auto status = link_->carry_out(whole_command(asked, how_, look),
                                   [&](std::string_view out, std::string_view err) {
                                     output += out;
                                     talk += err;
                                     return output.size() + talk.size() < most_output;
                                   });
    if (!status)
      return status.error();
    if (*status != 0)
      return error{ec::refused, talk.substr(0, talk.find('\n'))};
    return output;
  }

private:
  /// More than any command says that is asked for here. [bytes]
  static constexpr std::size_t most_output = 64 * 1024 * 1024;

  at_head_request reach_;
  transport how_;
  network_config config_;
  caf::actor_system system_;
  std::unique_ptr<head_client> link_;
};

head_commands::head_commands(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
head_commands::~head_commands() = default;

expected<std::unique_ptr<head_commands>> head_commands::open(at_head_request reach) {
  auto how = begin_as_client(reach.head, reach.certs, reach.insecure_plaintext);
  if (!how)
    return how.error();
  auto parts = std::make_unique<impl>(std::move(reach), std::move(*how));
  if (auto done = parts->connect(); !done)
    return done.error();
  return std::unique_ptr<head_commands>{new head_commands{std::move(parts)}};
}

expected<std::string> head_commands::output_of(remote_command what, const table_look& look) {
  return impl_->output_of(std::move(what), look);
}

} // namespace tune::cli
