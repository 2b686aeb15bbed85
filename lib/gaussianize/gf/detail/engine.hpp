#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <armadillo>

#include "gaussianize/gf/parameters.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/rotation/detail/rotation_evaluator.hpp"

namespace gaussianize::detail {

/// Computes the loss of a batch and its gradient: the hot loop of training. Rows are cut into blocks whose size depends
/// on the batch size alone; each block runs all layers forward and backward in cache, on any thread; the blocks'
/// gradients are added in a fixed tree, so the result has the same bits for any number of threads. Memory is
/// O(batch·D·L + blocks·|θ|), not O(batch·D·K·L): the kernels' values are computed again on the way back.
class GfEngine {
 public:
  GfEngine(std::size_t batch_rows, int threads);

  /// Mean over the given rows of x of −log p (up to D/2·log 2π, which is included), and ∂/∂θ of it into `gradient`,
  /// which takes the parameters' shape. Anything not finite is returned as it is: the caller decides.
  double loss_and_gradient(const GfParameters& parameters, const arma::mat& x, std::span<const std::size_t> rows,
                           GfParameters& gradient);

 private:
  struct GfLayerEvaluator {
    RotationEvaluator rotation;
    MixtureEvaluator marginal;
  };

  /// One layer's pass over a block: what the rotation gave, and what the marginal made of it.
  struct LayerPass {
    arma::mat y, z, log_dzdx;
  };

  /// All that one block needs and leaves behind; kept from step to step.
  struct BlockWork {
    arma::mat x, z_bar, y_bar, log_bar;
    std::vector<LayerPass> passes;
    std::vector<LogisticMixture> gradients;  // of the marginals
    std::vector<arma::mat> gradient_sums;    // of the rotations
    std::vector<double> scratch;
    RotationScratch rotation_scratch;
    double loss = 0.0;
  };

  void update_layers(const GfParameters& parameters);
  void run_block(const arma::mat& x, std::span<const std::size_t> rows, double share, BlockWork& work) const;
  void forward(const arma::mat& x, std::span<const std::size_t> rows, double share, BlockWork& work) const;
  void backward(double share, BlockWork& work) const;
  void set_gradient(std::size_t l, std::size_t blocks, GfParameters& gradient);

  std::size_t block_rows_;
  int threads_;
  bool logistic_base_ = false;
  std::vector<GfLayerEvaluator> layers_;
  std::vector<BlockWork> work_;
};

/// Rows per block for batches of this size: 256, or a quarter of a small batch so that several threads find work.
std::size_t training_block_rows(std::size_t batch_rows);

}  // namespace gaussianize::detail
