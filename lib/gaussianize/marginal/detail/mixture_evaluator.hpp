#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/marginal/logistic_mixture.hpp"
#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize::detail {

/// A LogisticMixture with all that does not depend on the rows computed once, for loops over blocks of rows. All K×D.
/// The functions below allocate nothing, check nothing, and may be called for several blocks at once.
struct MixtureEvaluator {
  arma::mat mu, log_scale, inverse_scale, weight, log_weight;
  bool trains_weight = false;
  Link link = Link::probit;

  std::size_t dimension() const { return mu.n_cols; }
  std::size_t kernels() const { return mu.n_rows; }
  MixtureView view(std::size_t d) const {
    return {mu.colptr(d), inverse_scale.colptr(d), weight.colptr(d), kernels(), link};
  }
};

/// The mixture must pass check_sizes().
MixtureEvaluator make_evaluator(const LogisticMixture& mixture);

/// The same into an evaluator, reusing its memory.
void update(MixtureEvaluator& evaluator, const LogisticMixture& mixture);

/// n×D numbers, column d at first + d·stride.
struct ConstBlock {
  const double* first = nullptr;
  std::size_t stride = 0;
  const double* column(std::size_t d) const { return first + d * stride; }
};
struct Block {
  double* first = nullptr;
  std::size_t stride = 0;
  double* column(std::size_t d) const { return first + d * stride; }
};

/// (M1), (M2) for n values of dimension d. No two arrays may overlap.
void forward_column(const MixtureEvaluator& mixture, std::size_t d, const double* x, double* z, double* log_dzdx,
                    std::size_t n);

/// The same for every dimension of a block of n rows.
void forward_block(const MixtureEvaluator& mixture, ConstBlock x, Block z, Block log_dzdx, std::size_t n);

/// What backward_block reads: the pass at x and its cotangent.
struct BackwardInput {
  ConstBlock x, z, log_dzdx, z_bar, log_dzdx_bar;
};

/// Where backward_block adds ∂L/∂θ: K×D each, as in LogisticMixture; logit is null for equal weights.
struct MixtureGradient {
  double* mu = nullptr;
  double* log_scale = nullptr;
  double* logit = nullptr;
};

/// Doubles of scratch that backward_block needs.
inline std::size_t backward_scratch(const MixtureEvaluator& mixture) {
  return 3 * mixture.kernels();
}

/// (M5)–(M8) for a block of n rows: writes x_bar, which may overlap nothing, and adds to `gradient`. The order of the
/// sums depends on n alone: give every block its own gradient and add them in a fixed tree.
void backward_block(const MixtureEvaluator& mixture, const BackwardInput& input, Block x_bar,
                    const MixtureGradient& gradient, double* scratch, std::size_t n);

}  // namespace gaussianize::detail
