#include "compare/comparison.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "gaussianize/core/detail/require.hpp"

#include "cli/interrupt.hpp"
#include "cli/text_table.hpp"
#include "measuring/account.hpp"

namespace gaussianize {
using namespace detail;
namespace {

using Rows = std::vector<std::vector<std::string>>;

double bits_per_dimension(double nats, std::size_t dimension) {
  return nats / (static_cast<double>(dimension) * std::numbers::ln2);
}

}  // namespace

Estimate Comparison::learned_from_chance(std::size_t m) const {
  return gaussianize::learned_from_chance(models[m].training, mean_estimate(models[m].log_density));
}

Estimate Comparison::above_truth(std::size_t m) const {
  return mean_estimate(truth - models[m].log_density);
}

std::vector<std::string> Comparison::names() const {
  std::vector<std::string> result;
  for (const Evaluation& model : models) result.push_back(model.name);
  return result;
}

Comparison sum_up(std::vector<Evaluation> models, const arma::mat& test, arma::vec truth, Seed seed, int threads) {
  const EndsAtOnce unasked;
  Comparison result{std::move(models), {}, std::move(truth), {}, test.n_cols};
  std::vector<ModelRows> rows;
  for (Evaluation& model : result.models) rows.push_back({model.log_density, std::move(model.z)});
  result.account = kl_account(test, rows, {.true_log_density = result.truth, .seed = seed, .threads = threads});
  result.difference = mean_estimate(result.models[1].log_density - result.models[2].log_density);
  return result;
}

std::string comparison_table(const Comparison& c) {
  const bool known = !c.truth.is_empty();
  Rows quality{{"model", "test NLL, nats", "bits/dim", "fit, s", "scored/s", "sampled/s", "round trip"}};
  Rows left{{"nats", "left", "I left", "J_m left", "learned from chance"}};
  if (known) {
    left[0].push_back("above the truth");
    const Estimate nll = mean_estimate(-c.truth);
    quality.push_back({"truth", with_error(nll, 4), fixed(bits_per_dimension(nll.value, c.dimension), 4)});
  }
  for (std::size_t i = 0; i < c.models.size(); ++i) {
    const Evaluation& m = c.models[i];
    quality.push_back({m.name, with_error(m.nll(), 4), fixed(bits_per_dimension(m.nll().value, c.dimension), 4),
                       fixed(m.fit_seconds, 2), fixed(m.score_rate, 0), fixed(m.sample_rate, 0),
                       scientific(m.round_trip, 1)});
    const KlRemainder& rest = c.account.left[i];
    left.push_back({m.name, bounded(rest.j, c.account.bound, 4), bounded(rest.i, c.account.bound, 4),
                    with_error(rest.j_m, 4), with_error(c.learned_from_chance(i), 4)});
    if (known) left.back().push_back(with_error(c.above_truth(i), 4));
  }
  return text_table(quality) + "\n" + text_table(left);
}

std::vector<std::string> findings(const Comparison& c) {
  std::vector<std::string> sentences{verdict(c)};
  for (std::string& sentence : account_sentences(c.account, "test rows", c.names()))
    sentences.push_back(std::move(sentence));
  return sentences;
}

bool gf_is_worse(const Comparison& c) {
  return c.difference.value > 2 * c.difference.standard_error;
}

std::string verdict(const Comparison& c) {
  const double value = c.difference.value, error = c.difference.standard_error;
  const std::string numbers = concat("GF − RBIG: ", with_error(c.difference, 4), " nats, row by row. ");
  if (!(std::abs(value) > 2 * error)) return numbers + "No difference beyond 2 standard errors.";
  return numbers + (gf_is_worse(c) ? "GF is worse than RBIG on these data." : "GF is better.");
}

void fill_json(const Comparison& c, Json& json) {
  json["units"] = "nats";
  json["test_rows"] = c.models.front().log_density.n_elem;
  json["dimension"] = c.dimension;
  json["j"] = j_json(c.account, c.names());
  json["models"] = Json::array();
  for (std::size_t i = 0; i < c.models.size(); ++i) {
    const Evaluation& m = c.models[i];
    json["models"].push_back({{"name", m.name},
                              {"test_nll", m.nll().value},
                              {"test_nll_se", m.nll().standard_error},
                              {"test_bits_per_dimension", bits_per_dimension(m.nll().value, c.dimension)},
                              {"fit_seconds", m.fit_seconds},
                              {"score_rows_per_second", m.score_rate},
                              {"sample_rows_per_second", m.sample_rate},
                              {"round_trip_max_error", m.round_trip},
                              {"draws_farthest_ranges", m.draws_farthest},
                              {"layers", m.layers},
                              {"left", left_json(c.account, i)},
                              {"learned_from_chance", as_json(c.learned_from_chance(i))}});
    if (!c.truth.is_empty()) json["models"].back()["above_truth"] = as_json(c.above_truth(i));
  }
  json["gf_minus_rbig"] = as_json(c.difference);
  if (!c.truth.is_empty())
    json["truth"] = {{"test_nll", mean_estimate(-c.truth).value},
                     {"test_nll_se", mean_estimate(-c.truth).standard_error}};
}

}  // namespace gaussianize
