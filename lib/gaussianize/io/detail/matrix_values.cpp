#include "gaussianize/io/detail/matrix_values.hpp"

namespace gaussianize::detail {
namespace {

/// Turns `rows` rows of `columns` numbers into `columns` rows of `rows`.
void transpose(const double* from, std::size_t rows, std::size_t columns, double* to) {
  // What is empty may claim any number of the other extent.
  if (rows == 0 || columns == 0) return;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

}  // namespace

std::vector<double> row_major(const arma::mat& matrix) {
  std::vector<double> values(matrix.n_elem);
  transpose(matrix.memptr(), matrix.n_cols, matrix.n_rows, values.data());
  return values;
}

std::vector<double> row_major(const arma::cube& cube) {
  std::vector<double> values(cube.n_elem);
  for (std::size_t t = 0; t < cube.n_slices; ++t)
    transpose(cube.memptr() + t * cube.n_elem_slice, cube.n_cols, cube.n_rows, values.data() + t * cube.n_elem_slice);
  return values;
}

arma::mat from_row_major(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  arma::mat matrix(rows, columns, arma::fill::none);
  transpose(values.data(), rows, columns, matrix.memptr());
  return matrix;
}

arma::cube from_row_major(const std::vector<double>& values, std::size_t slices, std::size_t rows,
                          std::size_t columns) {
  arma::cube cube(rows, columns, slices, arma::fill::none);
  for (std::size_t t = 0; t < slices; ++t)
    transpose(values.data() + t * rows * columns, rows, columns, cube.memptr() + t * rows * columns);
  return cube;
}

}  // namespace gaussianize::detail
