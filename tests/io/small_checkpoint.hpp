#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include <armadillo>

#include "gaussianize/flow/checkpoint.hpp"

namespace gaussianize::testing {

/// Numbers that only bits tell apart, shapes without numbers, and metadata named like those of the file itself.
inline Checkpoint small_checkpoint() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double quiet = std::bit_cast<double>(0xFFF8'0000'0000'1234),
               signalling = std::bit_cast<double>(0x7FF0'0000'0000'0001);
  Checkpoint checkpoint;
  checkpoint.tensors["layer 3 mu"] = {{1.5, -0.0, 5e-324}, {inf, -inf, 1.7976931348623157e308}};
  checkpoint.tensors["nan"] = arma::mat(2, 2);
  checkpoint.tensors["nan"][0] = quiet;
  checkpoint.tensors["nan"][1] = -0.1;
  checkpoint.tensors["nan"][2] = signalling;
  checkpoint.tensors["nan"][3] = std::numeric_limits<double>::quiet_NaN();
  checkpoint.tensors["column"] = arma::mat(4, 1, arma::fill::ones);
  checkpoint.tensors["no rows"] = arma::mat(0, 5);
  checkpoint.tensors["no columns"] = arma::mat(7, 0);
  checkpoint.tensors[""] = arma::mat();
  checkpoint.metadata = {{"epoch", "12"}, {"format", "größe \"\n"}, {"checksum", std::string("a\0b", 3)}, {"", ""}};
  return checkpoint;
}

}  // namespace gaussianize::testing
