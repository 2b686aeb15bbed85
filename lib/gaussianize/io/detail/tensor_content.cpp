#include "gaussianize/io/detail/tensor_content.hpp"

#include <charconv>
#include <utility>

#include "gaussianize/io/detail/checksum.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/matrix_values.hpp"

namespace gaussianize::detail {
namespace {

std::string in_words(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text.append(text.empty() ? "" : "×").append(extent == any_extent ? "any" : std::to_string(extent));
  return text.empty() ? "scalar" : text;
}

bool fits(const std::vector<std::uint64_t>& shape, const std::vector<std::uint64_t>& wanted) {
  bool same = shape.size() == wanted.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) same = wanted[i] == any_extent || shape[i] == wanted[i];
  return same;
}

}  // namespace

TensorContent::TensorContent(const FileKind& kind, std::span<const std::byte> file, const std::string& name)
    : kind_(kind), name_(name), content_(decode_safetensors(file, name)) {
  // In this order: another kind or version may well be sealed differently.
  check_format();
  check_seal(file, name);
}

void TensorContent::check_format() const {
  const auto format = content_.metadata.find("format");
  if (format != content_.metadata.end() && format->second != kind_.format)
    for (const FileKind& other : file_kinds)
      if (format->second == other.format)
        fail("is a gaussianize ", other.noun, ", which ", other.reader, " reads; give a ", kind_.noun, " here");
  if (format == content_.metadata.end() || format->second != kind_.format)
    fail("is a safetensors file, but not a gaussianize ", kind_.noun, "; give a file that gaussianize saved");
  const std::uint64_t version = count("format_version");
  if (version > kind_.version)
    fail("made by a newer version: upgrade gaussianize (the file has format ", version, ", this program reads format ",
         kind_.version, ")");
  if (version < 1) fail("has format version ", version, ", which never existed");
}

const std::string& TensorContent::text(const std::string& key) const {
  const auto place = content_.metadata.find(key);
  if (place == content_.metadata.end())
    fail_unsound("its metadata lack \"", key, "\", so it is no complete ", kind_.noun);
  return place->second;
}

std::uint64_t TensorContent::count(const std::string& key) const {
  const std::string& digits = text(key);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail_unsound("its metadata \"", key, "\" are ", in_quotes(digits), ", which is no whole number");
  return number;
}

std::vector<std::string> TensorContent::list(const std::string& key) const {
  auto items = parse_json_list(text(key));
  if (!items) fail_unsound("its metadata \"", key, "\" are not a JSON list of strings");
  return std::move(*items);
}

std::map<std::string, std::string> TensorContent::map(const std::string& key) const {
  auto items = parse_json_map(text(key));
  if (!items) fail_unsound("its metadata \"", key, "\" are not a JSON object of strings");
  return std::move(*items);
}

std::vector<std::string> TensorContent::names() const {
  std::vector<std::string> names;
  for (const auto& entry : content_.tensors) names.push_back(entry.first);
  return names;
}

TensorView TensorContent::take_view(const std::string& tensor, TensorType type,
                                    const std::vector<std::uint64_t>& shape) {
  const auto place = content_.tensors.find(tensor);
  if (place == content_.tensors.end()) fail_unsound("lacks tensor ", tensor);
  TensorView view = std::move(place->second);
  content_.tensors.erase(place);
  if (view.type != type || !fits(view.shape, shape))
    fail_unsound("tensor ", in_quotes(tensor), " is ", name_of(view.type), " ", in_words(view.shape), " where the ",
                 kind_.noun, " needs ", name_of(type), " ", in_words(shape));
  return view;
}

arma::mat TensorContent::take_matrix(const std::string& tensor, std::uint64_t rows, std::uint64_t columns) {
  const TensorView view = take_view(tensor, TensorType::f64, {rows, columns});
  return from_row_major(tensor_values<double>(view), view.shape[0], view.shape[1]);
}

arma::cube TensorContent::take_cube(const std::string& tensor, std::uint64_t slices, std::uint64_t rows,
                                    std::uint64_t columns) {
  const TensorView view = take_view(tensor, TensorType::f64, {slices, rows, columns});
  return from_row_major(tensor_values<double>(view), view.shape[0], view.shape[1], view.shape[2]);
}

void TensorContent::check_all_taken() const {
  if (!content_.tensors.empty())
    fail_unsound("holds tensor ", in_quotes(content_.tensors.begin()->first), ", which the ", kind_.noun,
                 " does not need");
}

}  // namespace gaussianize::detail
