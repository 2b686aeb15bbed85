#pragma once

#include <armadillo>
#include <map>
#include <string>

namespace gaussianize {

/// Named matrices and words: what a long computation needs to go on later. The io module writes and reads it as a file.
struct TensorBundle {
  std::map<std::string, arma::mat> tensors;
  std::map<std::string, std::string> metadata;
};

}  // namespace gaussianize
