#include "gaussianize/info/detail/permutation_p_value.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"

namespace gaussianize::detail {
namespace {

/// Column b's largest standardised cube root, handicaps taken off.
arma::rowvec largest_scores(const arma::mat& statistics, const arma::vec& handicaps) {
  arma::rowvec largest(statistics.n_cols);
  largest.fill(-std::numeric_limits<double>::infinity());
  for (arma::uword k = 0; k < statistics.n_rows; ++k) {
    arma::rowvec score = statistics.row(k);
    score.transform([](double value) { return std::cbrt(value); });
    const double mean = arma::mean(score), deviation = arma::stddev(score);
    // What varies by rounding alone says nothing.
    if (deviation > 1e-9 * mean) largest = arma::max(largest, (score - mean) / deviation - handicaps[k]);
  }
  return largest;
}

}  // namespace

Orders random_orders(std::size_t count, std::size_t rows, RandomStream& stream) {
  Orders orders(count);
  for (std::vector<std::size_t>& order : orders) order = permutation(rows, stream);
  return orders;
}

arma::mat reordered(const arma::mat& f, const Orders& orders) {
  const std::size_t width = f.n_cols / orders.size();
  arma::mat result(arma::size(f));
  for (arma::uword k = 0; k < f.n_cols; ++k) {
    const std::vector<std::size_t>& order = orders[k / width];
    const double* const from = f.colptr(k);
    double* const to = result.colptr(k);
    for (arma::uword i = 0; i < f.n_rows; ++i) to[i] = from[order[i]];
  }
  return result;
}

double permutation_p_value(const arma::vec& observed, const arma::vec& handicaps, const MeasureOptions& options,
                           const std::function<arma::vec(RandomStream&)>& statistics) {
  arma::mat values(observed.n_elem, 1 + options.permutations);
  values.col(0) = observed;
  parallel_for(options.permutations, options.threads, [&](std::size_t b) {
    RandomStream stream(options.seed, Purpose::permutation, b);
    values.col(1 + b) = statistics(stream);
  });
  const arma::rowvec scores = largest_scores(values, handicaps);
  // Rounding must not tell a permutation that leaves the data as they are from the data, which counts itself.
  const auto reached = arma::accu(scores >= scores[0] - 1e-9);
  return static_cast<double>(reached) / static_cast<double>(values.n_cols);
}

}  // namespace gaussianize::detail
