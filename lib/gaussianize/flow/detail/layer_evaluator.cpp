#include "gaussianize/flow/detail/layer_evaluator.hpp"

namespace gaussianize::detail {
namespace {

struct PrepareRotation {
  RotationEvaluator operator()(const Identity& r) const { return r; }
  RotationEvaluator operator()(const Orthogonal& r) const { return &r; }
  RotationEvaluator operator()(const Householder& r) const { return prepare(r); }
  RotationEvaluator operator()(const PatchRotation& r) const { return prepare(r); }
};

struct PrepareMarginal {
  Direction direction;
  MarginalEvaluator operator()(const AffineMarginal& m) const { return &m; }
  MarginalEvaluator operator()(const SplineMarginal& m) const { return &m; }
  MarginalEvaluator operator()(const LogisticToNormal& m) const { return m; }
  MarginalEvaluator operator()(const LogisticMixture& m) const {
    check(m);
    MixtureMapEvaluator map{prepare(m), {}};
    if (direction == Direction::inverse) map.inverse = prepare_inverse(map.mixture);
    return map;
  }
};

struct ApplyRotation {
  const arma::mat& x;
  arma::mat& y;
  RotationScratch& scratch;
  bool back;

  void operator()(const Identity&) const {}
  void operator()(const Orthogonal* r) const {
    if (back)
      y = x * r->q.t();
    else
      y = x * r->q;
  }
  template <class Prepared>
  void operator()(const Prepared& r) const {
    if (back)
      apply_back(r, x, y, scratch);
    else
      apply(r, x, y, scratch);
  }
};

void turn(const RotationEvaluator& rotation, arma::mat& x, LayerScratch& scratch, bool back) {
  if (std::holds_alternative<Identity>(rotation)) return;
  std::visit(ApplyRotation{x, scratch.block, scratch.rotation, back}, rotation);
  x.swap(scratch.block);
}

struct ApplyMarginal {
  arma::mat& x;
  arma::vec& log_det;
  LayerScratch& scratch;

  void operator()(const AffineMarginal* m) const { apply(*m, x, log_det); }
  void operator()(const SplineMarginal* m) const { apply(*m, x, log_det); }
  void operator()(const LogisticToNormal& m) const { apply(m, x, log_det); }
  void operator()(const MixtureMapEvaluator& m) const {
    scratch.block.set_size(x.n_rows, x.n_cols);
    scratch.log_dzdx.set_size(x.n_rows, x.n_cols);
    forward_block(m.mixture, {x.memptr(), x.n_rows}, {scratch.block.memptr(), x.n_rows},
                  {scratch.log_dzdx.memptr(), x.n_rows}, x.n_rows);
    log_det += arma::sum(scratch.log_dzdx, 1);
    x.swap(scratch.block);
  }
};

struct InvertMarginal {
  arma::mat& z;

  void operator()(const AffineMarginal* m) const { apply_inverse(*m, z); }
  void operator()(const SplineMarginal* m) const { apply_inverse(*m, z); }
  void operator()(const LogisticToNormal& m) const { apply_inverse(m, z); }
  void operator()(const MixtureMapEvaluator& m) const {
    inverse_block(m.mixture, m.inverse, {z.memptr(), z.n_rows}, {z.memptr(), z.n_rows}, z.n_rows);
  }
};

}  // namespace

RotationEvaluator prepare(const Rotation& rotation) {
  return std::visit(PrepareRotation{}, rotation);
}

LayerEvaluator prepare(const Layer& layer, Direction direction) {
  return {prepare(layer.rotation), std::visit(PrepareMarginal{direction}, layer.marginal)};
}

void rotate(const RotationEvaluator& rotation, arma::mat& x, LayerScratch& scratch) {
  turn(rotation, x, scratch, false);
}

void rotate_back(const RotationEvaluator& rotation, arma::mat& x, LayerScratch& scratch) {
  turn(rotation, x, scratch, true);
}

void apply(const LayerEvaluator& layer, arma::mat& x, arma::vec& log_det, LayerScratch& scratch) {
  rotate(layer.rotation, x, scratch);
  std::visit(ApplyMarginal{x, log_det, scratch}, layer.marginal);
}

void apply_inverse(const LayerEvaluator& layer, arma::mat& z, LayerScratch& scratch) {
  std::visit(InvertMarginal{z}, layer.marginal);
  rotate_back(layer.rotation, z, scratch);
}

}  // namespace gaussianize::detail
