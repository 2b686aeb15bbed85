#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/io/model_file.hpp"

namespace gaussianize::detail {

// A model as the bytes of its file: safetensors, format version 2, with a checksum. Metadata are
//
//   checksum        see tensor_storage.hpp
//   format          "gaussianize-model"
//   format_version  "2"; files of version 1, with fewer kinds of marginals, are read too
//   kind            as in Model
//   dimension       D
//   layers          L
//   structure       JSON list of L strings, "ROTATION MARGINAL": identity, orthogonal, householder or patch; affine,
//                   tables, straight_tables (some have straight tails), mixture (equal weights), weighted_mixture,
//                   logit_mixture, weighted_logit_mixture (the same with a logit for Φ⁻¹) or logistic_to_normal, which
//                   has no tensors: (B1), (B2) of logistic_to_normal.hpp
//   columns         JSON list of strings, empty or D
//   options         JSON object of strings
//   summary         JSON object of strings
//
// and tensors, for each layer that has them, with N the layer's number in at least four digits from 0000,
//
//   layer.N.rotation.q                        F64 [D, D]; orthogonal: rows are mapped by x·q
//   layer.N.rotation.v                        F64 [D, M]; householder: column i is v_i of (H1), householder.hpp
//   layer.N.rotation.v                        F64 [k², p², M]; patch: the vectors of each patch, likewise; with
//   layer.N.rotation.side, .patch, .shift     U64 []; L, p and shift of patch.hpp, D = L², L = p·k, and
//   layer.N.rotation.vertical                 U8 []; 1 if the shift is downwards, else 0
//   layer.N.affine.shift, .scale              F64 [D]
//   layer.N.table.…                           see spline_members.hpp
//   layer.N.mixture.mu, .log_scale            F64 [K, D]; column d is the mixture of dimension d
//   layer.N.mixture.logit                     F64 [K, D]; only of weighted mixtures
//   calibration                               F64 [C], increasing

/// The bytes of a model's file; equal models give equal bytes. Throws std::invalid_argument if the model is not valid.
std::vector<std::byte> encode_model(const Model& model);

/// The reverse, to the last bit. Throws FileError, beginning with `name`, for anything but such bytes of a valid model.
Model decode_model(std::span<const std::byte> file, const std::string& name);

/// Throws std::invalid_argument, with what is wrong, unless the model is valid: its flow passes check.
void check(const Model& model);

/// "layer.0003.rotation.q" of 3 and "rotation.q".
std::string layer_tensor(std::size_t layer, std::string_view member);

/// The name of a mixture in the metadata's "structure".
std::string mixture_name(Link link, bool weighted);

// A checkpoint as the bytes of its file: safetensors, format version 1, with a checksum. Metadata are
//
//   checksum        see tensor_storage.hpp
//   format          "gaussianize-bundle"
//   format_version  "1"
//   metadata        JSON object of strings, the checkpoint's own
//
// and tensors are the checkpoint's, each F64 [rows, columns].

/// The bytes of a checkpoint's file; equal checkpoints give equal bytes. Throws std::invalid_argument if a tensor is
/// named "__metadata__" or a text is not UTF-8.
std::vector<std::byte> encode_checkpoint(const Checkpoint& checkpoint);

/// The reverse, to the last bit. Throws FileError, beginning with `name`, for anything but such bytes.
Checkpoint decode_checkpoint(std::span<const std::byte> file, const std::string& name);

}  // namespace gaussianize::detail
