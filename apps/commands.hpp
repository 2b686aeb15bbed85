#pragma once

#include <string>
#include <vector>

namespace gaussianize {

/// The sub-commands, each in the file of its name; main.cpp holds the table of them.

int run_compare(const std::vector<std::string>& arguments);

}  // namespace gaussianize
