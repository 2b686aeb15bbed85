#pragma once

#include <map>
#include <string>

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// Named matrices and texts: what a long computation needs to go on later. The io module writes and reads it as a file.
struct Checkpoint {
  std::map<std::string, arma::mat> tensors;
  std::map<std::string, std::string> metadata;
};

}  // namespace gaussianize
#pragma GCC visibility pop
