// SPDX-License-Identifier: BSD-3-Clause
#include "serve/submissions.hpp"

#include "tune/core/own_words.hpp"
#include "tune/http/problem.hpp"
#include "tune/io/json.hpp"
#include "view/fields.hpp"

namespace tune::cli {

namespace {

void replace_all(std::string& in, std::string_view what, std::string_view by) {
  for (auto at = in.find(what); at != in.npos; at = in.find(what, at + by.size()))
    in.replace(at, what.size(), by);
}

/// What is not known in an upload is the client's fault; who cannot be reached ends.
http::problem problem_with(const error& why) {
  auto result = http::problem_of({why.code, in_words_of_requests(why.detail)});
  if (why.code == ec::unknown_name || why.code == ec::unreadable || why.code == ec::protocol)
    result.status = 422;
  if (why.code == ec::unreachable)
    result.status = 503;
  return result;
}

object taken_object(const upload_taken& x) {
  value::list warnings;
  for (const auto& each : x.warnings)
    warnings.emplace_back(each);
  return {{"experiment", x.experiment},
          {"planned", x.planned == 0 ? value{} : number_value(x.planned)},
          {"warnings", std::move(warnings)}};
}

} // namespace

std::string in_words_of_requests(std::string text) {
  replace_all(text, way_to_resume(), "resume=auto in the query");
  replace_all(text, way_to_number(), "name = auto in [experiment]");
  replace_all(text, "attach to it", "follow it");
  return text;
}

http::response submissions::answer(const http::request& what) {
  if (what.body.empty())
    return to_response(http::problem{422, "bad_option",
                                     "the body has to be a tar archive of the INI file and of what"
                                     " it names"});
  if (head_ == nullptr)
    return to_response(http::problem{409, "no_head",
                                     "this program takes no experiments: tune-node head --http"
                                     " HOST:PORT does"});
  upload given;
  given.archive = what.body;
  given.file = what.asked("file").value_or("");
  if (const auto how = what.asked("resume"))
    given.resume = resume_mode_from(*how);
  auto taken = head_->submit(given);
  return taken ? http::json_response(to_json(taken_object(*taken)))
               : to_response(problem_with(taken.error()));
}

} // namespace tune::cli
