#include "gaussianize/info/entropy.hpp"

#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/info/detail/entropy_methods.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

arma::vec values_of(const SortedColumn& column, EntropyMethod method) {
  switch (method) {
    case EntropyMethod::spacing:
      return spacing_values(column);
    case EntropyMethod::kde:
      return kde_values(column);
    case EntropyMethod::histogram:
      return histogram_values(column);
    case EntropyMethod::nearest_neighbour:
      return nearest_neighbour_values(column);
  }
  throw std::invalid_argument("entropy: unknown method");
}

/// body(d) for every column, in parallel; data errors name the column.
void for_columns(const arma::mat& x, int threads, const std::function<void(std::size_t)>& body) {
  require(x.n_rows > 0 && x.n_cols > 0, "marginal entropies: ", x.n_rows, " × ", x.n_cols,
          " data; at least 1 row and 1 column are needed");
  parallel_for_columns(x.n_cols, threads, body);
}

/// log p(x_i) − log φ(x_i) of every row, from values whose mean is the entropy.
arma::vec negentropy_values(const arma::vec& x, const arma::vec& entropy_values) {
  return 0.5 * arma::square(x) - entropy_values - log_normal_pdf(0.0);
}

/// Against the normal of the column's own mean and variance: H(normal) − H. The variance's own error enters by its
/// influence on ½ log variance.
Estimate shape_negentropy(const arma::vec& x, const arma::vec& entropy_values) {
  const int exponent = std::ilogb(arma::abs(x).max());
  arma::vec unit = x;
  for (double& value : unit) value = std::ldexp(value, -exponent);
  const arma::vec square = arma::square(unit - arma::mean(unit));
  const double variance = arma::mean(square);
  const double log_deviation = 0.5 * std::log(variance) + exponent * std::log(2.0);
  return mean_estimate(0.5 * square / variance - log_normal_pdf(0.0) + log_deviation - entropy_values);
}

}  // namespace

arma::vec entropy_values(const arma::vec& x, EntropyMethod method) {
  return values_of(sort_column(x), method);
}

Estimate entropy(const arma::vec& x, EntropyMethod method) {
  return mean_estimate(entropy_values(x, method));
}

std::size_t count_ties(const arma::vec& x) {
  return x.n_elem - arma::vec(arma::unique(x)).n_elem;
}

arma::vec marginal_entropy_values(const arma::mat& x, const MarginalOptions& options) {
  arma::mat values(x.n_rows, x.n_cols);
  for_columns(x, options.threads, [&](std::size_t d) { values.col(d) = entropy_values(x.col(d), options.method); });
  return arma::sum(values, 1);
}

Estimate marginal_entropy(const arma::mat& x, const MarginalOptions& options) {
  return mean_estimate(marginal_entropy_values(x, options));
}

arma::vec marginal_negentropy_values(const arma::mat& x, const MarginalOptions& options) {
  arma::mat values(x.n_rows, x.n_cols);
  for_columns(x, options.threads, [&](std::size_t d) {
    values.col(d) = negentropy_values(x.col(d), entropy_values(x.col(d), options.method));
  });
  return arma::sum(values, 1);
}

Estimate marginal_negentropy(const arma::mat& x, const MarginalOptions& options) {
  return mean_estimate(marginal_negentropy_values(x, options));
}

std::vector<ColumnInformation> column_information(const arma::mat& x, const MarginalOptions& options) {
  std::vector<ColumnInformation> columns(x.n_cols);
  for_columns(x, options.threads, [&](std::size_t d) {
    const arma::vec column = x.col(d);
    const SortedColumn sorted = sort_column(column);
    const arma::vec values = values_of(sorted, options.method);
    columns[d] = {mean_estimate(values), mean_estimate(negentropy_values(column, values)),
                  shape_negentropy(column, values), sorted.ties};
  });
  return columns;
}

std::string_view name(EntropyMethod method) {
  switch (method) {
    case EntropyMethod::spacing:
      return "spacing";
    case EntropyMethod::kde:
      return "kernel";
    case EntropyMethod::histogram:
      return "histogram";
    case EntropyMethod::nearest_neighbour:
      return "nearest neighbour";
  }
  return "unknown";
}

}  // namespace gaussianize
