#pragma once

#include <vector>

#include "cli/command.hpp"

namespace gaussianize {

/// The sub-commands, each in the file of its name.
Command compare_command();
Command diagnose_command();
Command fit_command();
Command generate_command();
Command inspect_command();
Command measure_command();
Command prepare_command();
Command reproduce_command();
Command sample_command();
Command score_command();
Command transform_command();

/// All of them, in the order in which --help lists them.
const std::vector<Command>& commands();

}  // namespace gaussianize
