#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include <armadillo>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/marginal/affine.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"
#include "gaussianize/marginal/logistic_to_normal.hpp"
#include "gaussianize/marginal/spline_marginal.hpp"
#include "gaussianize/rotation/rotation.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The increasing half of a layer, one function per dimension.
using Marginal = std::variant<AffineMarginal, SplineMarginal, LogisticMixture, LogisticToNormal>;

/// x ↦ Ψ(x·Q): an orthogonal map, then one increasing function per dimension.
struct Layer {
  Rotation rotation;
  Marginal marginal;
};

/// An invertible map from data to N(0, I), and through it a density: the one object that every way of fitting makes and
/// that everything else works on.
struct Flow {
  std::size_t dimension = 0;
  std::vector<Layer> layers;
};

/// z = T(x), N×D, and log |det ∂z/∂x| of every row.
struct FlowPass {
  arma::mat z;
  arma::vec log_det;
};

/// The functions below take N×D data, run block by block on several threads, and give the same bits for any number of
/// them. They throw std::invalid_argument if the data have another number of columns than the flow, or an entry that is
/// not finite (with its row and column), and NumericalError (with the layer, dimension and row) if a result is not
/// finite.

/// Data to Gaussian space.
FlowPass forward(const Flow& flow, const arma::mat& x, const Execution& execution = {});

/// Gaussian space to data: the inverse of forward.
arma::mat inverse(const Flow& flow, const arma::mat& z, const Execution& execution = {});

/// log p(x) = log N(T(x); 0, I) + log |det ∂T/∂x| of every row, in nats.
arma::vec log_density(const Flow& flow, const arma::mat& x, const Execution& execution = {});

/// `rows` draws from the flow's density: the inverse of standard normal rows, block b of which is drawn from the
/// stream (seed, sample, b). The first rows of a longer sample are those of a shorter one, but for the last bits of its
/// last block and rows drawn again there. A row that exceeds the largest double, as one in thousands does in deep flows
/// of the paper's layers, is drawn again, and counted in *redrawn if that is given.
arma::mat sample(const Flow& flow, std::size_t rows, Seed seed, const Execution& execution = {},
                 std::size_t* redrawn = nullptr);

/// First `first`, then `second`.
Flow compose(const Flow& first, const Flow& second);

/// One layer, in place, block by block on several threads: log_det += log |det|. Does not check the layer.
void forward(const Layer& layer, arma::mat& x, arma::vec& log_det, int threads = 0);

/// Throws std::invalid_argument, naming the layer and what is wrong with it, unless every layer is valid by itself, as
/// check of its rotation and of its marginal say, and has the flow's dimension. O(parameters), and O(D³) for an
/// orthogonal matrix. The functions above check no more than what could be read out of bounds.
void check(const Flow& flow);

/// Throws std::invalid_argument, naming the first offending row and column, unless every entry of x is finite.
void require_finite(const arma::mat& x, const char* what);

}  // namespace gaussianize
#pragma GCC visibility pop
