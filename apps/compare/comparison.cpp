#include "compare/comparison.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/measure.hpp"

#include "cli/text_table.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Maximum number of test rows from which the remaining I and J_m are estimated.
constexpr arma::uword remains_rows = 10000;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Whether the rows are enough, and in no column all equal, to estimate what is left of I and J_m.
bool measurable(const arma::mat& z) {
  bool varies = z.n_rows >= 20;
  for (arma::uword d = 0; d < z.n_cols && varies; ++d) varies = arma::any(z.col(d) != z(0, d));
  return varies;
}

double bits_per_dimension(double nats, std::size_t dimension) {
  return nats / (static_cast<double>(dimension) * std::numbers::ln2);
}

}  // namespace

Comparison sum_up(std::vector<Evaluation> models, arma::vec truth, std::size_t dimension, int threads) {
  Comparison result{std::move(models), {}, {}, std::move(truth), {}, dimension};
  for (const Evaluation& model : result.models) {
    const arma::uword stride = (model.z.n_rows + remains_rows - 1) / remains_rows;
    const arma::mat z = model.z.rows(arma::regspace<arma::uvec>(0, stride, model.z.n_rows - 1));
    const bool known = measurable(z);
    result.remaining_i.push_back(known ? estimate_of(total_correlation(z, {.permutations = 0, .threads = threads}))
                                       : Estimate{unknown, unknown});
    result.remaining_j_m.push_back(known ? marginal_negentropy(z, {.threads = threads}) : Estimate{unknown, unknown});
  }
  result.difference = mean_estimate(result.models[1].log_density - result.models[2].log_density);
  return result;
}

std::string comparison_table(const Comparison& c) {
  const bool known = !c.truth.is_empty();
  std::vector<std::vector<std::string>> rows{
      {"model", "test NLL, nats", "bits/dim", "fit, s", "scored/s", "sampled/s", "round trip", "I left", "J_m left"}};
  if (known) {
    rows[0].push_back("above the truth");
    const Estimate nll = mean_estimate(-c.truth);
    rows.push_back({"truth", with_error(nll, 4), fixed(bits_per_dimension(nll.value, c.dimension), 4)});
  }
  for (std::size_t i = 0; i < c.models.size(); ++i) {
    const Evaluation& m = c.models[i];
    rows.push_back({m.name, with_error(m.nll(), 4), fixed(bits_per_dimension(m.nll().value, c.dimension), 4),
                    fixed(m.fit_seconds, 2), fixed(m.score_rate, 0), fixed(m.sample_rate, 0),
                    scientific(m.round_trip, 1), with_error(c.remaining_i[i], 4), with_error(c.remaining_j_m[i], 4)});
    if (known) rows.back().push_back(with_error(mean_estimate(c.truth - m.log_density), 4));
  }
  return text_table(rows);
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
                              {"remaining_i", as_json(c.remaining_i[i])},
                              {"remaining_j_m", as_json(c.remaining_j_m[i])}});
    if (!c.truth.is_empty()) json["models"].back()["above_truth"] = as_json(mean_estimate(c.truth - m.log_density));
  }
  json["gf_minus_rbig"] = as_json(c.difference);
  if (!c.truth.is_empty())
    json["truth"] = {{"test_nll", mean_estimate(-c.truth).value},
                     {"test_nll_se", mean_estimate(-c.truth).standard_error}};
}

}  // namespace gaussianize
