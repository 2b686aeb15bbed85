#pragma once

#include <array>

namespace gaussianize::detail {

/// A kind of sealed safetensors file, told by its metadata "format" and "format_version".
struct FileKind {
  const char* format;
  unsigned version;     ///< the newest, which is what is written; every version from 1 on is read
  const char* noun;     ///< what a message calls such a file
  const char* reader;   ///< the function that reads such a file
};

inline constexpr FileKind model_kind{"gaussianize-model", 2, "model", "load_model"};
inline constexpr FileKind checkpoint_kind{"gaussianize-bundle", 1, "checkpoint", "load_checkpoint"};

/// All there are, so that a file in the wrong place can be told what it is.
inline constexpr std::array file_kinds{model_kind, checkpoint_kind};

}  // namespace gaussianize::detail
