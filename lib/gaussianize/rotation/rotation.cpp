#include "gaussianize/rotation/rotation.hpp"

#include <limits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/rotation/detail/check_sizes.hpp"
#include "gaussianize/rotation/detail/rotation_evaluator.hpp"

namespace gaussianize {
using namespace detail;
namespace {

struct Dimension {
  std::size_t operator()(const Identity&) const { return 0; }
  std::size_t operator()(const Orthogonal& rotation) const { return rotation.q.n_rows; }
  template <class Trainable>
  std::size_t operator()(const Trainable& rotation) const {
    return dimension(rotation);
  }
};

struct Check {
  void operator()(const Identity&) const {}
  void operator()(const Orthogonal& rotation) const {
    check_sizes(rotation);
    const arma::mat& q = rotation.q;
    require(q.is_finite(), "Orthogonal: q holds a number that is not finite");
    const double error = orthogonality_error(q);
    require(error <= 1e-10 * static_cast<double>(q.n_rows),
            "Orthogonal: q is not orthogonal: QᵀQ differs from the unit matrix by ", error);
  }
  template <class Trainable>
  void operator()(const Trainable& rotation) const {
    check(rotation);
  }
};

using Map = void (*)(const RotationEvaluator&, arma::mat&, arma::mat&, RotationScratch&);

arma::mat map_rows(Map map, const char* caller, const Rotation& rotation, arma::mat x, int threads) {
  check_sizes(rotation);
  require(std::holds_alternative<Identity>(rotation) || x.n_cols == dimension(rotation), caller, ": x is ", x.n_rows,
          "×", x.n_cols, " but the rotation takes ", dimension(rotation),
          " columns; pass one column per dimension, rows being observations");
  const RotationEvaluator evaluator = make_evaluator(rotation);
  for_each_block(x.n_rows, {.threads = threads}, [&](RowRange rows) {
    arma::mat block = x.rows(rows.begin, rows.end - 1), work;
    RotationScratch scratch;
    map(evaluator, block, work, scratch);
    x.rows(rows.begin, rows.end - 1) = block;
  });
  return x;
}

}  // namespace

std::size_t dimension(const Rotation& rotation) {
  return std::visit(Dimension{}, rotation);
}

void check(const Rotation& rotation) {
  std::visit(Check{}, rotation);
}

arma::mat forward(const Rotation& rotation, arma::mat x, int threads) {
  return map_rows(forward_in_place, "forward", rotation, std::move(x), threads);
}

arma::mat inverse(const Rotation& rotation, arma::mat x, int threads) {
  return map_rows(inverse_in_place, "inverse", rotation, std::move(x), threads);
}

double orthogonality_error(const arma::mat& q) {
  require(q.n_rows == q.n_cols, "orthogonality_error: the matrix is ", q.n_rows, "×", q.n_cols,
          "; only a square one can be orthogonal");
  if (q.is_empty()) return 0.0;
  if (!q.is_finite()) return std::numeric_limits<double>::infinity();
  const BlasGuard blas;
  arma::mat gram = q.t() * q;
  gram.diag() -= 1.0;
  return arma::abs(gram).max();
}

}  // namespace gaussianize
