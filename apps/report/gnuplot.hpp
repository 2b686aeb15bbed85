#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "report/picture.hpp"

namespace gaussianize::report {

/// What gnuplot drew, or, where that is empty, why it did not.
struct Drawing {
  std::string bytes;
  std::string problem;
};

/// The gnuplot that the environment's PATH leads to.
std::optional<std::filesystem::path> find_gnuplot();

/// What to say where there is none; names the package.
std::string_view gnuplot_missing();

/// Draws by running gnuplot, without a shell, the user's start-up files or the user's locale; what it needs on the disk
/// is in a folder of its own that is removed. A gnuplot that is missing, fails, warns or takes longer than `seconds` is
/// a problem, never an exception. The bytes are what gnuplot wrote.
Drawing draw(const Picture& picture, PictureFormat format, double seconds = 120.0);

}  // namespace gaussianize::report
