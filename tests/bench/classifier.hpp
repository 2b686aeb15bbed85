#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <armadillo>

/// A classifier that tries to tell two sets of rows apart, for benchmarks.
namespace gaussianize::testing {

/// Gradient-boosted stumps [Friedman 2001] for the logistic loss, on features cut into 64 bins.
class BoostedStumps {
 public:
  /// binned: features × rows, each below `bins`; label: 0 or 1.
  void fit(const arma::Mat<std::uint8_t>& binned, const std::vector<double>& label) {
    std::vector<double> score(label.size(), 0.0), gradient(label.size()), weight(label.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < label.size(); ++i) {
        const double p = 1 / (1 + std::exp(-score[i]));
        gradient[i] = label[i] - p;
        weight[i] = p * (1 - p);
      }
      stumps_.push_back(best_stump(binned, gradient, weight));
      for (std::size_t i = 0; i < label.size(); ++i) score[i] += stumps_.back()(binned, i);
    }
  }

  double score(const arma::Mat<std::uint8_t>& binned, std::size_t row) const {
    double sum = 0;
    for (const Stump& stump : stumps_) sum += stump(binned, row);
    return sum;
  }

  static constexpr std::size_t bins = 64;

 private:
  static constexpr int rounds = 200;
  static constexpr double rate = 0.2;

  struct Stump {
    std::size_t feature = 0, last_left = 0;
    double left = 0, right = 0;
    double operator()(const arma::Mat<std::uint8_t>& binned, std::size_t row) const {
      return binned(feature, row) <= last_left ? left : right;
    }
  };

  static Stump best_stump(const arma::Mat<std::uint8_t>& binned, const std::vector<double>& gradient,
                          const std::vector<double>& weight) {
    const double all = std::accumulate(gradient.begin(), gradient.end(), 0.0);
    const double mass = std::accumulate(weight.begin(), weight.end(), 0.0);
    arma::mat sums(bins, binned.n_rows, arma::fill::zeros), masses = sums;
    for (std::size_t i = 0; i < gradient.size(); ++i)
      for (arma::uword f = 0; f < binned.n_rows; ++f) {
        sums(binned(f, i), f) += gradient[i];
        masses(binned(f, i), f) += weight[i];
      }
    Stump best;
    double best_gain = 0;
    constexpr double ridge = 1;
    for (arma::uword f = 0; f < binned.n_rows; ++f) {
      double g = 0, h = 0;
      for (std::size_t b = 0; b + 1 < bins; ++b) {
        g += sums(b, f);
        h += masses(b, f);
        const double gain = g * g / (h + ridge) + (all - g) * (all - g) / (mass - h + ridge);
        if (gain > best_gain) {
          best_gain = gain;
          best = {f, b, rate * g / (h + ridge), rate * (all - g) / (mass - h + ridge)};
        }
      }
    }
    return best;
  }

  std::vector<Stump> stumps_;
};

/// The probability that a positive scores above a negative, ties counted half.
inline double area_under_curve(std::vector<double> negative, std::vector<double> positive) {
  std::sort(negative.begin(), negative.end());
  double wins = 0;
  for (const double score : positive) {
    const auto [first, last] = std::equal_range(negative.begin(), negative.end(), score);
    wins += static_cast<double>(first - negative.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return wins / (static_cast<double>(negative.size()) * static_cast<double>(positive.size()));
}

/// Columns, squares and pairwise products of columns that are standardised by the real rows' medians and quartiles.
inline arma::mat rows_squares_products(const arma::mat& x, const arma::mat& real) {
  arma::mat scaled = x;
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const arma::vec q = arma::quantile(real.col(d), arma::vec{0.25, 0.5, 0.75});
    const double spread = q[2] > q[0] ? q[2] - q[0] : arma::stddev(real.col(d), 1);
    scaled.col(d) = (x.col(d) - q[1]) / (spread > 0 ? spread : 1.0);
  }
  constexpr arma::uword max_products = 300;
  std::vector<arma::vec> features;
  for (arma::uword d = 0; d < x.n_cols; ++d) features.emplace_back(scaled.col(d));
  for (arma::uword i = 0; i < x.n_cols; ++i)
    for (arma::uword j = i; j < x.n_cols && features.size() < x.n_cols + max_products; ++j)
      features.emplace_back(scaled.col(i) % scaled.col(j));
  arma::mat result(features.size(), x.n_rows);
  for (std::size_t f = 0; f < features.size(); ++f) result.row(f) = features[f].t();
  return result;
}

/// How well boosted stumps on rows, squares and products, trained on one half of both, tell the other halves apart:
/// the area under the curve, ½ if they cannot. Takes as many drawn rows as there are real ones.
inline double distinguishability(const arma::mat& real, const arma::mat& drawn) {
  const std::size_t n = std::min<std::size_t>({real.n_rows, drawn.n_rows, 5000});
  const arma::mat both =
      arma::join_rows(rows_squares_products(real.head_rows(n), real), rows_squares_products(drawn.head_rows(n), real));
  arma::Mat<std::uint8_t> binned(both.n_rows, both.n_cols);
  for (arma::uword f = 0; f < both.n_rows; ++f) {
    arma::rowvec sorted = arma::sort(both.row(f));
    for (arma::uword i = 0; i < both.n_cols; ++i) {
      const auto below = std::lower_bound(sorted.begin(), sorted.end(), both(f, i)) - sorted.begin();
      binned(f, i) = static_cast<std::uint8_t>(static_cast<std::size_t>(below) * BoostedStumps::bins / both.n_cols);
    }
  }
  std::vector<arma::uword> taught;
  std::vector<double> label;
  for (arma::uword i = 0; i < both.n_cols; i += 2) {
    taught.push_back(i);
    label.push_back(i < n ? 0.0 : 1.0);
  }
  BoostedStumps classifier;
  classifier.fit(binned.cols(arma::uvec(taught)), label);
  std::vector<double> negative, positive;
  for (arma::uword i = 1; i < both.n_cols; i += 2) (i < n ? negative : positive).push_back(classifier.score(binned, i));
  return area_under_curve(std::move(negative), std::move(positive));
}

}  // namespace gaussianize::testing
