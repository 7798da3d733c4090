// An experiment at a head for the full-screen view: what commands say that the head carries out.
// SPDX-License-Identifier: BSD-3-Clause
#include "client/head_commands.hpp"
#include "console/human.hpp"
#include "console/text.hpp"
#include "top/top_fields.hpp"
#include "top/top_source.hpp"
#include "tune/io/json.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The counts of `status`, named as the API does.
object counts_of(const object& status) {
  object result;
  std::int64_t total = 0;
  const auto* counts = status.find("counts");
  if (const auto* all = counts == nullptr ? nullptr : counts->as_object()) {
    for (const auto& [name, count] : *all) {
      result.set(lower(name), count);
      total += count.as_int() == nullptr ? 0 : *count.as_int();
    }
  }
  result.set("total", total);
  return result;
}

/// A row of `trials`, with the fields of the API.
object as_api_row(const object& row) {
  auto result = row;
  result.set("trial", std::int64_t{0});
  if (const auto* name = row.find("trial"); name != nullptr && name->as_string() != nullptr)
    result.set("trial",
               static_cast<std::int64_t>(std::strtoll(name->as_string()->c_str(), nullptr, 10)));
  if (const auto* found = row.find("objectives"))
    result.set("best_metrics", *found);
  return result;
}

/// The answer of `status`, with the fields of the API.
object as_overview(const object& status, const std::string& metric) {
  object result{{"status", text_at(status, "status")}, {"metric", metric}};
  const auto* led = status.find("led");
  result.set("live", led != nullptr && *led == value{true});
  result.set("elapsed_s",
             status.find("elapsed_s") == nullptr ? value{} : *status.find("elapsed_s"));
  result.set("trials", counts_of(status));
  const auto* best = status.find("best");
  const auto* fields = best == nullptr ? nullptr : best->as_object();
  const auto* metrics = fields == nullptr ? nullptr : fields->find("metrics");
  if (metrics == nullptr || metrics->as_object() == nullptr)
    return result;
  const auto* found = find_path(*metrics->as_object(), metric);
  const auto row = as_api_row(*fields);
  result.set("best", object{{"trial", *row.find("trial")},
                            {"value", found == nullptr ? value{} : *found},
                            {"iteration", *fields->find("iteration")},
                            {"status", text_at(*fields, "status")}});
  return result;
}

std::string order_words(const top_wish& wish) {
  switch (wish.order) {
    case top_order::value:
      return "objective";
    case top_order::iterations:
      return "iterations:desc";
    case top_order::time:
      return "time_total_s:desc";
    case top_order::status:
      return "status";
    case top_order::number:
      break;
  }
  return "trial";
}

/// The lines of an output, no more than there is room for.
std::vector<std::string> lines_of(const std::string& text, std::size_t most) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size() && result.size() < most;) {
    const auto end = std::min(text.find('\n', at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// Whether a row has the text somewhere, whatever its case.
bool has_text(const top_row& x, const std::string& small) {
  return lower(to_text(x.trial) + " " + x.status + " " + x.config + " " + x.reason).find(small)
         != std::string::npos;
}

class head_source : public top_source {
public:
  head_source(std::unique_ptr<head_commands> head, std::string name, top_look look)
      : head_{std::move(head)}, name_{std::move(name)}, look_{look} {}

  expected<top_data> read(const top_wish& wish) override {
    auto rows = json_of("trials",
                        {"--sort=" + order_words(wish), "--limit=" + std::to_string(most_top_rows)},
                        wish.reversed);
    auto status = json_of("status", {}, false);
    if (!rows || !status)
      return rows ? status.error() : rows.error();
    const auto* all = rows->as_list();
    if (all == nullptr || status->as_object() == nullptr)
      return error{ec::bad_syntax, name_ + ": the head says something else than expected"};
    const auto metric = metric_in(*all);
    auto result = data_of(as_overview(*status->as_object(), metric));
    result.name = name_;
    learn_parameters();
    add_rows(result, *all, wish);
    add_panel(result, wish);
    return result;
  }

  std::string carry_out(client_command order) override {
    std::vector<std::string> arguments;
    for (auto trial : order.trials)
      arguments.push_back(to_text(trial));
    for (const auto& x : order.values)
      arguments.push_back(x.name + "=" + x.text);
    auto told = output_of(std::string{to_text(order.what)}, {}, std::move(arguments), 0);
    if (!told) {
      constexpr std::string_view who = "tune-node: ";
      const auto& why = told.error().detail;
      return why.starts_with(who) ? why.substr(who.size()) : why;
    }
    return lines_of(*told, 1).empty() ? "done" : lines_of(*told, 1).front();
  }

private:
  std::unique_ptr<head_commands> head_;
  std::string name_;
  top_look look_;
  std::vector<std::string> parameters_;
  bool knows_parameters_ = false;

  expected<std::string> output_of(std::string command, std::vector<std::string> options,
                                  std::vector<std::string> arguments, std::size_t columns) {
    remote_command what;
    what.command = std::move(command);
    what.experiments = {name_};
    what.options = std::move(options);
    what.arguments = std::move(arguments);
    return head_->output_of(std::move(what), {columns, columns == 0 ? style{} : look_.colors});
  }

  expected<value> json_of(const std::string& command, std::vector<std::string> options,
                          bool reversed) {
    options.emplace_back("--output=json");
    if (reversed)
      options.emplace_back("--reverse");
    auto text = output_of(command, std::move(options), {}, 0);
    return text ? from_json(*text) : expected<value>{text.error()};
  }

  /// The first objective.
  static std::string metric_in(const value::list& rows) {
    for (const auto& row : rows) {
      const auto* found
          = row.as_object() == nullptr ? nullptr : row.as_object()->find("objectives");
      const auto* all = found == nullptr ? nullptr : found->as_object();
      if (all != nullptr && !all->empty())
        return all->begin()->first;
    }
    return "value";
  }

  /// Asks once for the names of the parameters: they never change.
  void learn_parameters() {
    if (knows_parameters_)
      return;
    constexpr std::string_view prefix = "config.";
    auto told = json_of("trials", {"--columns=all", "--limit=1"}, false);
    const auto* rows = told ? told->as_list() : nullptr;
    const auto* row = rows == nullptr || rows->empty() ? nullptr : rows->front().as_object();
    if (row == nullptr)
      return;
    knows_parameters_ = true;
    for (const auto& [name, what] : *row) {
      if (name.starts_with(prefix))
        parameters_.push_back(name.substr(prefix.size()));
    }
  }

  void add_rows(top_data& to, const value::list& rows, const top_wish& wish) {
    const auto small = lower(wish.filter);
    for (const auto& row : rows) {
      if (row.as_object() == nullptr)
        continue;
      auto one = row_of(as_api_row(*row.as_object()), to.metric, parameters_);
      if (small.empty() || has_text(one, small))
        to.rows.push_back(std::move(one));
    }
    to.total = to.rows.size();
  }

  /// What the trial printed, or where it printed nothing what it complained of.
  expected<std::string> log_of(const std::string& trial) {
    auto text = output_of("logs", {}, {trial}, 0);
    return text ? text : output_of("logs", {"--stderr"}, {trial}, 0);
  }

  expected<std::string> panel_text(const top_wish& wish, std::optional<trial_id> trial,
                                   std::vector<std::string> size) {
    if (wish.panel == top_panel::curve)
      return output_of("plot", std::move(size), {"curves"}, wish.columns);
    if (wish.panel == top_panel::history)
      return output_of("plot", std::move(size), {"history"}, wish.columns);
    if (!trial)
      return std::string{};
    if (wish.panel == top_panel::log)
      return log_of(to_text(*trial));
    return output_of("trials", {"--why=" + to_text(*trial)}, {}, wish.columns);
  }

  void add_panel(top_data& to, const top_wish& wish) {
    const auto trial = wish.trial ? wish.trial : to.best_trial;
    if (wish.lines == 0)
      return;
    std::vector<std::string> size{
        "--width=" + std::to_string(std::max<std::size_t>(20, wish.columns)),
        "--height=" + std::to_string(std::max<std::size_t>(6, wish.lines))};
    if (!look_.is_unicode)
      size.emplace_back("--ascii");
    const auto text = panel_text(wish, trial, std::move(size));
    if (!text)
      to.panel = {cut(printable(text.error().detail), wish.columns)};
    else if (wish.panel == top_panel::log)
      to.panel = last_lines(*text, wish.columns, wish.lines);
    else
      to.panel = lines_of(*text, wish.lines);
  }
};

} // namespace

expected<std::unique_ptr<top_source>> make_head_source(const top_request& what, top_look look) {
  at_head_request reach;
  reach.head = *what.head;
  reach.certs = what.certs;
  reach.insecure_plaintext = what.insecure_plaintext;
  reach.cluster = what.cluster;
  auto head = head_commands::open(std::move(reach));
  if (!head)
    return head.error();
  return std::unique_ptr<top_source>{
      std::make_unique<head_source>(std::move(*head), what.directory, look)};
}

} // namespace tune::cli
