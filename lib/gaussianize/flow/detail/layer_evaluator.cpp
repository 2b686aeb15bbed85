#include "gaussianize/flow/detail/layer_evaluator.hpp"

namespace gaussianize::detail {
namespace {

struct MakeMarginalEvaluator {
  Direction direction;

  MarginalEvaluator operator()(const LogisticMixture& mixture) const {
    MixtureMapEvaluator map{make_evaluator(mixture), {}};
    if (direction == Direction::inverse) map.inverse = make_inverse(map.mixture);
    return map;
  }
  template <class Marginal>
  MarginalEvaluator operator()(const Marginal& marginal) const {
    return &marginal;
  }
};

struct MarginalForward {
  arma::mat& x;
  arma::vec& log_det;
  LayerScratch& scratch;

  void operator()(const MixtureMapEvaluator& map) const {
    scratch.block.set_size(x.n_rows, x.n_cols);
    scratch.log_dzdx.set_size(x.n_rows, x.n_cols);
    forward_block(map.mixture, {x.memptr(), x.n_rows}, {scratch.block.memptr(), x.n_rows},
                  {scratch.log_dzdx.memptr(), x.n_rows}, x.n_rows);
    log_det += arma::sum(scratch.log_dzdx, 1);
    x.swap(scratch.block);
  }
  template <class Marginal>
  void operator()(const Marginal* marginal) const {
    gaussianize::forward(*marginal, x, log_det);
  }
};

struct MarginalInverse {
  arma::mat& z;

  void operator()(const MixtureMapEvaluator& map) const {
    inverse_block(map.mixture, map.inverse, {z.memptr(), z.n_rows}, {z.memptr(), z.n_rows}, z.n_rows);
  }
  template <class Marginal>
  void operator()(const Marginal* marginal) const {
    gaussianize::inverse(*marginal, z);
  }
};

}  // namespace

LayerEvaluator make_evaluator(const Layer& layer, Direction direction) {
  return {make_evaluator(layer.rotation), std::visit(MakeMarginalEvaluator{direction}, layer.marginal)};
}

void forward(const LayerEvaluator& layer, arma::mat& x, arma::vec& log_det, LayerScratch& scratch) {
  forward_in_place(layer.rotation, x, scratch.block, scratch.rotation);
  std::visit(MarginalForward{x, log_det, scratch}, layer.marginal);
}

void inverse(const LayerEvaluator& layer, arma::mat& z, LayerScratch& scratch) {
  std::visit(MarginalInverse{z}, layer.marginal);
  inverse_in_place(layer.rotation, z, scratch.block, scratch.rotation);
}

}  // namespace gaussianize::detail
