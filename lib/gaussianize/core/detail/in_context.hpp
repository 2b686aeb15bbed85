#pragma once

#include <stdexcept>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {

/// Calls `call`; a std::invalid_argument that it throws gets the context, as text and a colon, before its message.
template <class Call, class... Parts>
void in_context(Call call, const Parts&... context) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(concat(context..., ": ", error.what()));
  }
}

}  // namespace gaussianize::detail
