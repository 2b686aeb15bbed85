#pragma once

#include "gaussianize/gf/options.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "cli/arguments.hpp"

namespace gaussianize {

/// --preset fast|default|best: time spent on fitting.
Option preset_option();

/// The models' options under the preset; seed and threads included.
RbigOptions preset_rbig_options(const Arguments& arguments);
GfOptions preset_gf_options(const Arguments& arguments);

/// GfSearchOptions::effort under the preset.
double preset_effort(const Arguments& arguments);

}  // namespace gaussianize
