#pragma once

#include <exception>

namespace gaussianize {

/// What the program returns. Scripts rely on the numbers: never change one.
inline constexpr int exit_done = 0;
inline constexpr int exit_failure = 1;    ///< anything that has no number of its own
inline constexpr int exit_usage = 2;      ///< the command line is wrong
inline constexpr int exit_data = 3;       ///< the data cannot be worked with
inline constexpr int exit_file = 4;       ///< a file or model cannot be read or written
inline constexpr int exit_numerical = 5;  ///< a computation has no finite answer
inline constexpr int exit_interrupted = 130;

/// The exit code for an exception: UsageError, any other std::invalid_argument (in the library, the caller's
/// mistake) and Boost.Program_options' errors are usage; DataError, FileError, NumericalError and Cancelled
/// have their own.
int exit_code_for(const std::exception& error);

}  // namespace gaussianize
