#include "measuring/account.hpp"

#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "cli/text_table.hpp"
#include "measuring/candidates.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// For people and in JSON.
std::string measured_from(const KlAccount& account, const std::vector<std::string>& models) {
  switch (account.source) {
    case JSource::none:
      return "nothing";
    case JSource::truth:
      return "truth";
    case JSource::model:
      return models[account.model];
    case JSource::measures:
      return "measures";
  }
  return {};
}

std::string source_sentence(const KlAccount& account, const std::vector<std::string>& models) {
  switch (account.source) {
    case JSource::truth:
      return "It is measured from the true log density.";
    case JSource::model:
      if (std::isnan(account.j.standard_error))
        return concat("It is measured from the log density of ", models[account.model],
                      " alone: the rows are too few to measure what that model leaves.");
      return concat("It is measured from ", models[account.model],
                    ": its log density, and what the measures find in its Gaussianized rows.");
    case JSource::measures:
      return "It is measured from ranks and entropies, which find more than any model accounts for.";
    case JSource::none:
      break;
  }
  return {};
}

/// What was tried to measure the dependence in the rows that J is measured from.
std::string candidates_sentence(const KlAccount& account) {
  std::string list;
  for (const MeasureCandidate& candidate : account.candidates)
    list += concat(list.empty() ? "" : "; ", candidate.name, " ", with_error(candidate.held_out, 4));
  return concat("The dependence there is measured by ", account.method,
                ". Candidates, nats on rows that they were not fitted to: ", list, ".");
}

}  // namespace

std::string bounded(const Estimate& estimate, bool bound, int digits) {
  const bool known = !std::isnan(estimate.value);
  return (bound && known ? "≥ " : "") + with_error(estimate, digits);
}

std::vector<std::string> account_sentences(const KlAccount& account, const std::string& rows,
                                           const std::vector<std::string>& models) {
  if (account.source == JSource::none)
    return {concat("J of the standardised ", rows, " is not known: too few rows, or a constant column.")};
  std::vector<std::string> sentences{
      concat("J of the standardised ", rows, ": ", bounded(account.j, account.bound, 4), " nats"),
      source_sentence(account, models)};
  if (account.bound)
    sentences.push_back(
        "≥: what no model and no measure finds is missing from J, from I and from what every model leaves, by the same "
        "amount.");
  if (!account.candidates.empty()) sentences.push_back(candidates_sentence(account));
  for (const std::string& warning : account.warnings)
    sentences.push_back(concat(account.suspect ? "suspect: " : "note: ", warning));
  return sentences;
}

Json j_json(const KlAccount& account, const std::vector<std::string>& models) {
  Json json = as_json(account.j);
  json["bound"] = account.bound;
  json["measured_from"] = measured_from(account, models);
  if (!account.method.empty()) json["method"] = account.method;
  if (!account.candidates.empty()) json["candidates"] = measure_candidates_json(account.candidates);
  json["suspect"] = account.suspect;
  json["warnings"] = account.warnings;
  return json;
}

Json left_json(const KlAccount& account, std::size_t m) {
  const KlRemainder& left = account.left[m];
  Json json = as_json(left.j);
  json["bound"] = account.bound;
  json["i"] = as_json(left.i);
  json["j_m"] = as_json(left.j_m);
  return json;
}

report::Remainder remainder(const KlAccount& account, std::size_t m) {
  const KlRemainder& left = account.left[m];
  return {left.j, left.i, left.j_m, account.bound};
}

}  // namespace gaussianize
