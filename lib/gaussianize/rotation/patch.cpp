#include "gaussianize/rotation/patch.hpp"

#include "gaussianize/core/detail/in_context.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/check_sizes.hpp"
#include "gaussianize/rotation/detail/patch_evaluator.hpp"

namespace gaussianize {
using namespace detail;

std::size_t dimension(const PatchRotation& rotation) {
  return rotation.side * rotation.side;
}

void check(const PatchRotation& rotation) {
  check_sizes(rotation);
  for (arma::uword t = 0; t < rotation.v.n_slices; ++t)
    in_context([&] { check(Householder{rotation.v.slice(t)}); }, "patch ", t);
}

arma::mat matrix(const PatchRotation& rotation) {
  const PatchEvaluator evaluator = make_evaluator(rotation, HouseholderForm::dense);
  const std::size_t d = dimension(rotation);
  arma::mat q(d, d, arma::fill::zeros);
  for (arma::uword t = 0; t < evaluator.patches.size(); ++t)
    q.submat(evaluator.source.col(t), evaluator.target.col(t)) = evaluator.patches[t].q;
  return q;
}

PatchRotation random_patch_rotation(std::size_t side, std::size_t patch, std::size_t reflections,
                                    RandomStream& stream) {
  const std::size_t across = patch > 0 ? side / patch : 0;
  PatchRotation rotation{side, patch, 0, false, arma::cube(patch * patch, reflections, across * across)};
  check_sizes(rotation);
  fill_normal(stream, rotation.v.memptr(), rotation.v.n_elem);
  rotation.shift = stream.below(side);
  rotation.vertical = stream.below(2) == 1;
  return rotation;
}

}  // namespace gaussianize
