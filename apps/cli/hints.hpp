#pragma once

#include <exception>
#include <string>

namespace gaussianize {

/// The message of an error as the program prints it. The library says what is wrong and what fixes it; the program adds
/// the option that does so, and for an unknown column the name that was probably meant.
std::string message_for(const std::exception& error);

}  // namespace gaussianize
