#pragma once

#include <filesystem>

#include "gaussianize/flow/checkpoint.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Writes a safetensors file, as save_model does: at any moment, through crashes and power cuts, `path` is either the
/// whole new file or what it was before. Matrices of any shape and any numbers, NaN and ±∞ included; equal checkpoints
/// give equal bytes. Throws FileError, and std::invalid_argument for a tensor named "__metadata__" or a text that is
/// not UTF-8.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);

/// Reads what save_checkpoint wrote, to the last bit, and checks kind, version, checksum, sizes and shapes; the meaning
/// of the numbers is for the caller to check. Throws FileError that names the file and what is wrong. Safe on untrusted
/// files: never allocates more than a small multiple of the file's size.
Checkpoint load_checkpoint(const std::filesystem::path& path);

}  // namespace gaussianize
#pragma GCC visibility pop
