#include "gaussianize/math/detail/random_normal.hpp"

#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize::detail {

void fill_normal(RandomStream& stream, double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = stream.uniform();
  simd().quantile(values, values, count);
}

arma::mat random_normal(std::size_t rows, std::size_t columns, RandomStream& stream) {
  arma::mat values(rows, columns, arma::fill::none);
  fill_normal(stream, values.memptr(), values.n_elem);
  return values;
}

}  // namespace gaussianize::detail
