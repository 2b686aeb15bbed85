#include "gaussianize/info/detail/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include <boost/math/distributions/chi_squared.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {
namespace {

constexpr int max_waves = 5;

/// How many waves of each column: fewer where so many features would fit chance.
int waves_for(arma::uword rows, arma::uword columns) {
  constexpr arma::uword rows_per_feature = 40;
  return static_cast<int>(std::clamp<arma::uword>(rows / (rows_per_feature * columns), 1, max_waves));
}

arma::mat features(const arma::mat& z, int waves) {
  constexpr double farthest = 0.999;  // of normal rows, where half of the slowest wave is over
  const double square = boost::math::quantile(boost::math::chi_squared(static_cast<double>(z.n_cols)), farthest);
  const arma::vec angle = std::numbers::pi * arma::clamp(arma::sum(arma::square(z), 1) / square, 0.0, 1.0);
  arma::mat f = z;
  for (int k = 1; k < waves; ++k) {
    const arma::vec wave = arma::cos(k * angle);
    f = arma::join_rows(f, arma::mat(z.each_col() % wave), wave);
  }
  return f;
}

/// Features to variates of unit variance.
struct Side {
  int waves = 1;
  arma::rowvec mean;
  arma::mat weights;

  arma::mat variates(const arma::mat& z) const { return (features(z, waves).each_row() - mean) * weights; }
};

/// Centres features and makes them uncorrelated.
Side whitened(const arma::mat& z, int waves) {
  constexpr double min_eigenvalue = 0.02;  // of features with variances of a half: less is not known from so few rows
  Side side{waves, {}, {}};
  arma::mat f = features(z, waves);
  side.mean = arma::mean(f, 0);
  f.each_row() -= side.mean;
  arma::vec values;
  arma::mat vectors;
  if (!arma::eig_sym(values, vectors, f.t() * f / static_cast<double>(f.n_rows)))
    throw NumericalError("canonical correlations: the eigendecomposition of the features' covariance failed");
  const arma::uvec kept = arma::find(values > min_eigenvalue);
  side.weights = vectors.cols(kept) * arma::diagmat(1 / arma::sqrt(values.elem(kept)));
  return side;
}

struct Canonical {
  arma::uword in_x = 0;
  Side x, y;
  arma::vec correlation;
  arma::mat others;  ///< variates of y, of rows that the ratio is normalised with
};

/// (C3) of every row of a with every row of b, by the first `pairs` correlations.
arma::mat ratios(const arma::vec& correlation, const arma::mat& a, const arma::mat& b, arma::uword pairs) {
  const arma::vec rho = correlation.head(pairs), rest = 1 - arma::square(rho);
  const arma::vec square = -0.5 * arma::square(rho) / rest;
  arma::mat sums = a.head_cols(pairs) * arma::diagmat(rho / rest) * b.head_cols(pairs).t();
  sums.each_col() += arma::vec(arma::square(a.head_cols(pairs)) * square);
  sums.each_row() += arma::rowvec((arma::square(b.head_cols(pairs)) * square).t()) - 0.5 * arma::accu(arma::log(rest));
  return sums;
}

/// log of the mean of exp over each row.
arma::vec log_means(arma::mat values) {
  const arma::vec largest = arma::max(values, 1);
  values.each_col() -= largest;
  return largest + arma::log(arma::mean(arma::exp(values), 1));
}

/// log r of the rows' own pairs, less the log of its mean over other rows' b: so exp of it is a density of b given a,
/// relative to that of b alone, and its mean no more than the information, also where features of one group depend on
/// each other.
arma::vec normalised(const arma::vec& correlation, const arma::mat& a, const arma::mat& b, const arma::mat& others,
                     arma::uword pairs) {
  constexpr arma::uword block = 512;
  arma::vec terms(a.n_rows);
  for (arma::uword begin = 0; begin < a.n_rows; begin += block) {
    const arma::uword last = std::min(begin + block, a.n_rows) - 1;
    const arma::mat of_a = a.rows(begin, last);
    const arma::vec own = ratios(correlation, of_a, b.rows(begin, last), pairs).diag();
    terms.subvec(begin, last) = own - log_means(ratios(correlation, of_a, others, pairs));
  }
  return terms;
}

arma::mat thinned(const arma::mat& rows, arma::uword count) {
  const arma::uword stride = std::max<arma::uword>(1, rows.n_rows / count);
  return rows.rows(arma::regspace<arma::uvec>(0, stride, rows.n_rows - 1));
}

/// As many pairs as give the largest mean on the rows that they were found in.
void choose_pairs(Canonical& model, const arma::mat& z) {
  constexpr arma::uword judged = 1000, compared = 2000;
  const arma::mat a = model.x.variates(z.head_cols(model.in_x));
  const arma::mat b = model.y.variates(z.tail_cols(z.n_cols - model.in_x));
  model.others = thinned(b, compared);
  const arma::mat some_a = thinned(a, judged), some_b = thinned(b, judged);
  double best = 0;
  arma::uword chosen = 0;
  for (arma::uword pairs = 1; pairs <= model.correlation.n_elem; pairs += std::max<arma::uword>(1, pairs / 3)) {
    const double value = arma::mean(normalised(model.correlation, some_a, some_b, model.others, pairs));
    if (value > best) best = value, chosen = pairs;
  }
  model.correlation = model.correlation.head(chosen);
}

Canonical fit_canonical(const arma::mat& z, arma::uword in_x) {
  const arma::mat zx = z.head_cols(in_x), zy = z.tail_cols(z.n_cols - in_x);
  Canonical model{
      in_x, whitened(zx, waves_for(z.n_rows, zx.n_cols)), whitened(zy, waves_for(z.n_rows, zy.n_cols)), {}, {}};
  const auto n = static_cast<double>(z.n_rows);
  arma::mat u, v;
  if (!arma::svd_econ(u, model.correlation, v, model.x.variates(zx).t() * model.y.variates(zy) / n))
    throw NumericalError("canonical correlations: the singular values failed");
  const auto p = static_cast<double>(model.x.weights.n_cols), q = static_cast<double>(model.y.weights.n_cols);
  // Independent groups make the largest about this [Johnstone 2008], and the square of each larger by (p + q)/N.
  const double chance = 1.1 * (std::sqrt(p / n) + std::sqrt(q / n));
  const arma::uvec kept = arma::find(model.correlation > chance);
  const double share = (p + q) / n;
  model.correlation = model.correlation.elem(kept);
  model.correlation.transform(
      [&](double rho) { return std::sqrt(std::clamp((rho * rho - share) / (1 - share), 0.0, 1 - 1e-9)); });
  model.x.weights = model.x.weights * u.cols(kept);
  model.y.weights = model.y.weights * v.cols(kept);
  choose_pairs(model, z);
  return model;
}

arma::vec log_ratio(const Canonical& model, const arma::mat& z) {
  if (model.correlation.is_empty()) return arma::vec(z.n_rows, arma::fill::zeros);
  return normalised(model.correlation, model.x.variates(z.head_cols(model.in_x)),
                    model.y.variates(z.tail_cols(z.n_cols - model.in_x)), model.others, model.correlation.n_elem);
}

}  // namespace

RatioFit canonical_fit(std::size_t in_x) {
  return [in_x](const arma::mat& z) -> RatioModel {
    const BlasGuard blas;
    auto model = std::make_shared<Canonical>(fit_canonical(z, in_x));
    return [model](arma::mat& rows) {
      const BlasGuard guard;
      arma::vec terms = log_ratio(*model, rows);
      rows.reset();
      return terms;
    };
  };
}

}  // namespace gaussianize::detail
