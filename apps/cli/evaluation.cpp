#include "cli/evaluation.hpp"

#include <algorithm>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"

namespace gaussianize {
namespace {

/// Rows per second of something done to `rows` rows a time.
template <class Body>
double rate(arma::uword rows, Body body) {
  const Stopwatch watch;
  double done = 0;
  do {
    body();
    done += static_cast<double>(rows);
  } while (watch.seconds() < 0.05);
  return done / watch.seconds();
}

/// How far draws go beyond the range of the rows, in ranges, in the column where they go farthest.
double farthest_beyond(const arma::mat& rows, const arma::mat& drawn) {
  const arma::rowvec low = arma::min(rows, 0), high = arma::max(rows, 0);
  const arma::rowvec out = arma::max(low - arma::min(drawn, 0), arma::max(drawn, 0) - high) / (high - low);
  return std::max(0.0, out.max());
}

}  // namespace

Evaluation evaluate(std::string name, const Flow& flow, const arma::mat& training, const arma::mat& test,
                    double fit_seconds, Seed seed, int threads) {
  const EndsAtOnce unasked;
  const Execution execution{.threads = threads};
  Evaluation result{.name = std::move(name), .fit_seconds = fit_seconds, .layers = flow.layers.size()};
  result.score_rate = rate(test.n_rows, [&] { result.log_density = log_density(flow, test, execution); });
  result.training = mean_estimate(log_density(flow, training, execution));
  arma::mat drawn;
  result.sample_rate = rate(test.n_rows, [&] { drawn = sample(flow, test.n_rows, seed, execution); });
  result.draws_farthest = farthest_beyond(test, drawn);
  result.z = forward(flow, test, execution).z;
  const arma::mat back = inverse(flow, result.z, execution);
  result.round_trip = arma::abs((back - test) / (1 + arma::abs(test))).max();
  return result;
}

void join(Evaluation& all, const Evaluation& fold) {
  if (all.log_density.is_empty()) {
    all = fold;
    return;
  }
  const auto before = static_cast<double>(all.log_density.n_elem), added = static_cast<double>(fold.log_density.n_elem);
  const auto joined_rate = [&](double a, double b) { return (before + added) / (before / a + added / b); };
  const auto joined_mean = [&](double a, double b) { return (before * a + added * b) / (before + added); };
  all.training = {joined_mean(all.training.value, fold.training.value),
                  joined_mean(all.training.standard_error, fold.training.standard_error)};
  all.score_rate = joined_rate(all.score_rate, fold.score_rate);
  all.sample_rate = joined_rate(all.sample_rate, fold.sample_rate);
  all.log_density = arma::join_cols(all.log_density, fold.log_density);
  all.z = arma::join_cols(all.z, fold.z);
  all.fit_seconds += fold.fit_seconds;
  all.round_trip = std::max(all.round_trip, fold.round_trip);
  all.draws_farthest = std::max(all.draws_farthest, fold.draws_farthest);
}

}  // namespace gaussianize
