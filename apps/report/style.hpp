#pragma once

#include <string_view>

namespace gaussianize::report {

/// The CSS of every page.
std::string_view page_style();

}  // namespace gaussianize::report
