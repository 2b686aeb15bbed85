#include "gaussianize/info/detail/independence_features.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t max_rows = 10000, max_values = 200000;

/// Collects different products until there are enough.
class ProductList {
 public:
  ProductList(std::size_t count, std::size_t max_count) : count_(count), max_count_(max_count) {}

  bool full() const { return list_.size() >= max_count_; }
  std::vector<Product> take() { return std::move(list_); }

  void add(std::vector<arma::uword> factors) {
    if (full() || !seen_.insert(factors).second) return;
    double weight = 1.0;
    for (const arma::uword factor : factors) weight /= static_cast<double>(factor % count_ + 1);
    list_.push_back({std::move(factors), weight});
  }

  /// The first cosines of the given columns.
  void add_first(const std::vector<std::size_t>& columns) {
    std::vector<arma::uword> factors;
    for (const std::size_t d : columns) factors.push_back(d * count_);
    add(std::move(factors));
  }

 private:
  std::size_t count_, max_count_;
  std::set<std::vector<arma::uword>> seen_;
  std::vector<Product> list_;
};

/// n over k, or a very large number.
double binomial(std::size_t n, std::size_t k) {
  double value = 1;
  for (std::size_t i = 0; i < k; ++i) value *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return value;
}

/// The next subset in lexicographic order; false after the last.
bool next_subset(std::vector<std::size_t>& subset, std::size_t columns) {
  const std::size_t k = subset.size();
  for (std::size_t i = k; i-- > 0;)
    if (subset[i] + (k - i) < columns) {
      ++subset[i];
      for (std::size_t j = i + 1; j < k; ++j) subset[j] = subset[j - 1] + 1;
      return true;
    }
  return false;
}

void add_subsets(ProductList& list, std::size_t columns, std::size_t size) {
  std::vector<std::size_t> subset(size);
  for (std::size_t i = 0; i < size; ++i) subset[i] = i;
  do list.add_first(subset);
  while (!list.full() && next_subset(subset, columns));
}

/// j = 1 with probability ½, 2 with ¼, …; what is beyond `count` starts again from 1.
std::size_t random_frequency(std::size_t count, RandomStream& stream) {
  std::size_t j = 0;
  while (stream.below(2) == 0) ++j;
  return j % count;
}

void add_random(ProductList& list, std::size_t columns, std::size_t count, std::size_t size, RandomStream& stream) {
  std::vector<arma::uword> factors;
  for (const std::size_t d : subsample(columns, size, stream))
    factors.push_back(d * count + random_frequency(count, stream));
  list.add(std::move(factors));
}

}  // namespace

std::size_t rows_used(std::size_t rows, std::size_t columns) {
  return std::min({rows, max_rows, std::max<std::size_t>(max_values / columns, 2)});
}

arma::mat spaced_rows(const arma::mat& z, std::size_t n) {
  arma::mat rows(n, z.n_cols);
  for (arma::uword d = 0; d < z.n_cols; ++d)
    for (std::size_t i = 0; i < n; ++i) rows(i, d) = z(spaced_row(i, n, z.n_rows), d);
  return rows;
}

arma::mat standardised(arma::mat f) {
  f.each_row() -= arma::mean(f, 0);
  for (arma::uword k = 0; k < f.n_cols; ++k) {
    const double norm = arma::norm(f.col(k));
    if (norm > 0) f.col(k) /= norm;
  }
  return f;
}

arma::mat whitened(const arma::mat& f) {
  arma::mat u, v;
  arma::vec s;
  if (!arma::svd_econ(u, s, v, f, "left")) throw NumericalError("permutation test: the singular values failed");
  return u.cols(arma::find(s > 1e-10 * s.max()));
}

arma::mat location_and_scale(const arma::mat& z) {
  arma::mat f(z.n_rows, 2 * z.n_cols);
  for (arma::uword d = 0; d < z.n_cols; ++d) {
    f.col(2 * d) = z.col(d);
    f.col(2 * d + 1) = arma::square(z.col(d));
  }
  return standardised(std::move(f));
}

arma::mat cosines(const arma::mat& z, std::size_t count) {
  arma::mat f(z.n_rows, count * z.n_cols);
  for (arma::uword d = 0; d < z.n_cols; ++d)
    for (arma::uword i = 0; i < z.n_rows; ++i) {
      // cos((j + 1)a) = 2 cos(a) cos(ja) − cos((j − 1)a)
      const double first = std::cos(arma::datum::pi * normal_cdf(z(i, d)));
      double before = 1.0, value = first;
      for (std::size_t j = 0; j < count; ++j) {
        f(i, d * count + j) = value;
        before = std::exchange(value, 2 * first * value - before);
      }
    }
  return standardised(std::move(f));
}

std::vector<Product> products(std::size_t columns, std::size_t count, std::size_t min_size, std::size_t max_count,
                              std::size_t rows, RandomStream& stream) {
  ProductList list(count, max_count);
  const auto size_limit = static_cast<std::size_t>(std::log(static_cast<double>(rows)) / std::log(1.5));
  const std::size_t max_size = std::min(columns, size_limit);
  if (max_size < min_size) return {};
  if (max_size == columns) add_subsets(list, columns, columns);
  double left = 0.75 * static_cast<double>(max_count);
  for (std::size_t size = min_size; size < columns && size <= max_size && left > 0; ++size) {
    const double subsets = binomial(columns, size);
    if (subsets <= left)
      add_subsets(list, columns, size);
    else
      for (double i = 0; i < left; ++i) list.add_first(subsample(columns, size, stream));
    left -= subsets;
  }
  // Half of the others are as small as they may be, the rest of any size.
  for (std::size_t tried = 0; tried < 4 * max_count && !list.full(); ++tried)
    add_random(list, columns, count, stream.below(2) == 0 ? min_size : min_size + stream.below(max_size - min_size + 1),
               stream);
  return list.take();
}

arma::vec standardised_sums(const std::vector<Product>& products, const arma::mat& f) {
  constexpr std::size_t block = 512;  // its columns stay in cache
  arma::vec sums(products.size(), arma::fill::zeros), product(block);
  for (arma::uword begin = 0; begin < f.n_rows; begin += block) {
    const std::size_t rows = std::min<std::size_t>(block, f.n_rows - begin);
    for (std::size_t m = 0; m < products.size(); ++m) {
      const std::vector<arma::uword>& factors = products[m].factors;
      const auto column = [&](std::size_t k) { return f.colptr(factors[k]) + begin; };
      std::copy_n(column(0), rows, product.begin());
      for (std::size_t k = 1; k < factors.size(); ++k) {
        const double* const next = column(k);
        for (arma::uword i = 0; i < rows; ++i) product[i] *= next[i];
      }
      double sum[4] = {0, 0, 0, 0};
      arma::uword i = 0;
      for (; i + 4 <= rows; i += 4)
        for (arma::uword lane = 0; lane < 4; ++lane) sum[lane] += product[i + lane];
      for (; i < rows; ++i) sum[0] += product[i];
      sums[m] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
  for (std::size_t m = 0; m < products.size(); ++m)
    sums[m] *= std::pow(static_cast<double>(f.n_rows), 0.5 * static_cast<double>(products[m].factors.size() - 1));
  return sums;
}

arma::mat group_features(const arma::mat& z, std::size_t max_count, RandomStream& stream) {
  constexpr std::size_t frequencies = 6;
  const std::size_t count = std::clamp<std::size_t>(max_count / z.n_cols, 1, frequencies);
  const arma::mat f = cosines(z, count);
  arma::mat result = f;
  if (z.n_cols > 1) {
    const std::vector<Product> list =
        products(z.n_cols, count, 2, max_count > f.n_cols ? max_count - f.n_cols : 1, z.n_rows, stream);
    arma::mat columns(z.n_rows, list.size(), arma::fill::ones);
    for (std::size_t m = 0; m < list.size(); ++m)
      for (const arma::uword k : list[m].factors) columns.col(m) %= f.col(k) * std::sqrt(static_cast<double>(z.n_rows));
    result.insert_cols(result.n_cols, standardised(std::move(columns)));
  }
  return result;
}

arma::vec group_statistics(const GroupFeatures& x, const arma::mat& of_y, const GroupFeatures& y) {
  const auto trace = [](const arma::mat& a, const arma::mat& b) { return arma::accu(arma::square(a.t() * b)); };
  const arma::uword l = y.location.n_cols, s = y.scale.n_cols;  // s is 0 for a column of two values
  const arma::mat location = of_y.head_cols(l), scale = of_y.head_cols(l + s).eval().tail_cols(s);
  const arma::mat c = arma::square(x.further.t() * of_y.tail_cols(y.further.n_cols));
  return {trace(x.location, location), trace(x.scale, scale), trace(x.location, scale) + trace(x.scale, location),
          arma::accu(c), c.max()};
}

}  // namespace gaussianize::detail
