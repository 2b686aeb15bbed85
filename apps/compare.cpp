#include "command.hpp"
#include "commands.hpp"

namespace gaussianize {

int run_compare(const std::vector<std::string>&) {
  throw UsageError("compare: this build fits no models");
}

}  // namespace gaussianize
