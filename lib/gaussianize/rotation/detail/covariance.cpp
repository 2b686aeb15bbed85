#include "gaussianize/rotation/detail/covariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {
namespace {

// Large enough for the matrix product to run at full speed.
constexpr std::size_t block_rows = 4096;

// Running sums and extremes are kept in this many lanes, which the compiler turns into vectors.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

struct Range {
  arma::rowvec low, high;
};

Range column_ranges(const arma::mat& x, RowRange rows) {
  Range range{arma::rowvec(x.n_cols), arma::rowvec(x.n_cols)};
  for (arma::uword j = 0; j < x.n_cols; ++j) {
    const double* values = x.colptr(j) + rows.begin;
    const std::size_t whole = rows.size() / lanes * lanes;
    Lanes low, high;
    low.fill(values[0]);
    high.fill(values[0]);
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) {
        low[k] = values[i + k] < low[k] ? values[i + k] : low[k];
        high[k] = values[i + k] > high[k] ? values[i + k] : high[k];
      }
    for (std::size_t i = whole; i < rows.size(); ++i) {
      low[0] = std::min(low[0], values[i]);
      high[0] = std::max(high[0], values[i]);
    }
    range.low(j) = *std::min_element(low.begin(), low.end());
    range.high(j) = *std::max_element(high.begin(), high.end());
  }
  return range;
}

Range column_ranges(const arma::mat& x, int threads) {
  return reduce_rows<Range>(
      x.n_rows, threads, [&](RowRange rows) { return column_ranges(x, rows); },
      [](Range& a, const Range& b) {
        a.low = arma::min(a.low, b.low);
        a.high = arma::max(a.high, b.high);
      },
      block_rows);
}

/// Columns are worked on as (x − centre)·scale − offset, of modulus about one, whatever their units.
struct Units {
  arma::rowvec centre, scale, offset;
};

Units units_of(const Range& range) {
  const arma::uword d = range.low.n_elem;
  Units units{arma::rowvec(d), arma::rowvec(d), arma::rowvec(d, arma::fill::zeros)};
  for (arma::uword j = 0; j < d; ++j) {
    // Halved first, so that neither overflows. A constant column's centre is that constant, exactly.
    const double half = 0.5 * range.high(j) - 0.5 * range.low(j);
    units.centre(j) = half > 0.0 ? 0.5 * range.high(j) + 0.5 * range.low(j) : range.low(j);
    // A power of two: scaling does not round.
    units.scale(j) = half > 0.0 ? std::ldexp(1.0, -std::clamp(std::ilogb(half), -1000, 1000)) : 1.0;
  }
  return units;
}

/// Σ over rows, and where asked the Gram matrix, of the columns in their units.
struct Moments {
  arma::rowvec sum;
  arma::mat gram;
};

Moments block_moments(const arma::mat& x, const Units& units, RowRange rows, bool with_gram) {
  const std::size_t n = rows.size();
  arma::mat block(n, x.n_cols);
  Moments moments{arma::rowvec(x.n_cols), {}};
  for (arma::uword j = 0; j < x.n_cols; ++j) {
    const double* in = x.colptr(j) + rows.begin;
    double* out = block.colptr(j);
    const double centre = units.centre(j), scale = units.scale(j), offset = units.offset(j);
    const std::size_t whole = n / lanes * lanes;
    Lanes sum{};
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) {
        out[i + k] = (in[i + k] - centre) * scale - offset;
        sum[k] += out[i + k];
      }
    for (std::size_t i = whole; i < n; ++i) {
      out[i] = (in[i] - centre) * scale - offset;
      sum[0] += out[i];
    }
    moments.sum(j) = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }
  if (with_gram) moments.gram = block.t() * block;
  return moments;
}

Moments all_moments(const arma::mat& x, const Units& units, int threads, bool with_gram) {
  return reduce_rows<Moments>(
      x.n_rows, threads, [&](RowRange rows) { return block_moments(x, units, rows, with_gram); },
      [](Moments& a, const Moments& b) {
        a.sum += b.sum;
        if (!a.gram.is_empty()) a.gram += b.gram;
      },
      block_rows);
}

}  // namespace

void require_rows(const char* caller, const arma::mat& x) {
  require(x.n_rows > 0 && x.n_cols > 0, caller, ": x is ", x.n_rows, "×", x.n_cols,
          "; pass at least one row (observation) and one column (dimension)");
}

Covariance covariance(const arma::mat& x, int threads) {
  const double n = static_cast<double>(x.n_rows);
  Units units = units_of(column_ranges(x, threads));
  units.offset = all_moments(x, units, threads, false).sum / n;
  const Moments moments = all_moments(x, units, threads, true);

  // What rounding left in the mean is taken out of the products.
  const arma::rowvec rest = moments.sum / n;
  arma::mat products = moments.gram / n - rest.t() * rest;
  const arma::rowvec sd = arma::sqrt(arma::clamp(products.diag().t(), 0.0, arma::datum::inf));
  for (arma::uword j = 0; j < x.n_cols; ++j)
    for (arma::uword i = 0; i < x.n_cols; ++i) {
      const double scale = sd(i) * sd(j);
      products(i, j) = scale > 0.0 ? (i == j ? 1.0 : products(i, j) / scale) : 0.0;
    }
  return {units.centre + (units.offset + rest) / units.scale, sd / units.scale, std::move(products)};
}

}  // namespace gaussianize::detail
