#include "gaussianize/rotation/detail/check_sizes.hpp"

#include <cstdint>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {

void check_sizes(const Identity&) {}

void check_sizes(const Orthogonal& rotation) {
  const arma::mat& q = rotation.q;
  require(q.is_square() && !q.is_empty(), "Orthogonal: q is ", q.n_rows, "×", q.n_cols,
          "; it must be square and orthogonal");
}

void check_sizes(const Householder& rotation) {
  require(rotation.v.n_rows > 0, "Householder: v is ", rotation.v.n_rows, "×", rotation.v.n_cols,
          "; it needs one row per dimension");
}

void check_grid(const PatchRotation& rotation) {
  const auto& [side, patch, shift, vertical, v] = rotation;
  require(side >= 1 && side <= UINT16_MAX, "PatchRotation: side is ", side, "; it must be between 1 and ", UINT16_MAX);
  require(patch >= 1 && side % patch == 0, "PatchRotation: patch is ", patch,
          "; patches of that side do not tile an image of side ", side);
  require(shift < side, "PatchRotation: shift is ", shift, "; it must be less than the side, ", side);
}

void check_sizes(const PatchRotation& rotation) {
  check_grid(rotation);
  const arma::cube& v = rotation.v;
  const std::size_t pixels = rotation.patch * rotation.patch, across = rotation.side / rotation.patch;
  require(v.n_rows == pixels && v.n_slices == across * across, "PatchRotation: v is ", v.n_rows, "×", v.n_cols, "×",
          v.n_slices, "; it needs ", pixels, " rows, one a pixel, and ", across * across, " slices, one a patch");
}

void check_sizes(const Rotation& rotation) {
  std::visit([](const auto& r) { check_sizes(r); }, rotation);
}

}  // namespace gaussianize::detail
