#include "gaussianize/flow/prepared.hpp"

namespace gaussianize {
namespace {

struct PrepareRotation {
  PreparedRotation operator()(const Identity& r) const { return r; }
  PreparedRotation operator()(const Orthogonal& r) const { return &r; }
  PreparedRotation operator()(const Householder& r) const { return prepare(r); }
  PreparedRotation operator()(const PatchRotation& r) const { return prepare(r); }
};

struct PrepareMarginal {
  Direction direction;
  PreparedMarginal operator()(const AffineMarginal& m) const { return &m; }
  PreparedMarginal operator()(const TabulatedMarginal& m) const { return &m; }
  PreparedMarginal operator()(const LogisticToNormal& m) const { return m; }
  PreparedMarginal operator()(const LogisticMixture& m) const {
    check(m);
    PreparedMixtureMap map{prepare(m), {}};
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

void turn(const PreparedRotation& rotation, arma::mat& x, LayerScratch& scratch, bool back) {
  if (std::holds_alternative<Identity>(rotation)) return;
  std::visit(ApplyRotation{x, scratch.block, scratch.rotation, back}, rotation);
  x.swap(scratch.block);
}

struct ApplyMarginal {
  arma::mat& x;
  arma::vec& log_det;
  LayerScratch& scratch;

  void operator()(const AffineMarginal* m) const { apply(*m, x, log_det); }
  void operator()(const TabulatedMarginal* m) const { apply(*m, x, log_det); }
  void operator()(const LogisticToNormal& m) const { apply(m, x, log_det); }
  void operator()(const PreparedMixtureMap& m) const {
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
  void operator()(const TabulatedMarginal* m) const { apply_inverse(*m, z); }
  void operator()(const LogisticToNormal& m) const { apply_inverse(m, z); }
  void operator()(const PreparedMixtureMap& m) const {
    inverse_block(m.mixture, m.inverse, {z.memptr(), z.n_rows}, {z.memptr(), z.n_rows}, z.n_rows);
  }
};

}  // namespace

PreparedRotation prepare(const Rotation& rotation) {
  return std::visit(PrepareRotation{}, rotation);
}

PreparedLayer prepare(const Layer& layer, Direction direction) {
  return {prepare(layer.rotation), std::visit(PrepareMarginal{direction}, layer.marginal)};
}

void rotate(const PreparedRotation& rotation, arma::mat& x, LayerScratch& scratch) {
  turn(rotation, x, scratch, false);
}

void rotate_back(const PreparedRotation& rotation, arma::mat& x, LayerScratch& scratch) {
  turn(rotation, x, scratch, true);
}

void apply(const PreparedLayer& layer, arma::mat& x, arma::vec& log_det, LayerScratch& scratch) {
  rotate(layer.rotation, x, scratch);
  std::visit(ApplyMarginal{x, log_det, scratch}, layer.marginal);
}

void apply_inverse(const PreparedLayer& layer, arma::mat& z, LayerScratch& scratch) {
  std::visit(InvertMarginal{z}, layer.marginal);
  rotate_back(layer.rotation, z, scratch);
}

}  // namespace gaussianize
