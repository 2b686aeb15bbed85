#pragma once

#include "gaussianize/rotation/rotation.hpp"

/// The part of check() that a map's evaluation relies on, at O(1): sizes and indices that could be read out of bounds.
namespace gaussianize::detail {

void check_sizes(const Identity& rotation);
void check_sizes(const Orthogonal& rotation);
void check_sizes(const Householder& rotation);
void check_sizes(const PatchRotation& rotation);
void check_sizes(const Rotation& rotation);

/// The sizes of a patch rotation, all but those of its vectors.
void check_grid(const PatchRotation& rotation);

}  // namespace gaussianize::detail
