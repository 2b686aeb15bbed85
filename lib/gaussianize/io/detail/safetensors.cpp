#include "gaussianize/io/detail/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/strict_sax.hpp"

namespace gaussianize::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "gaussianize reads and writes model files on little-endian machines only");

struct TypeRow {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeRow, 5> types{{{TensorType::f64, "F64", 8},
                                        {TensorType::i64, "I64", 8},
                                        {TensorType::u64, "U64", 8},
                                        {TensorType::u32, "U32", 4},
                                        {TensorType::u8, "U8", 1}}};

const TypeRow& row_of(TensorType type) {
  return types[static_cast<std::size_t>(type)];
}

using Entry = std::pair<const std::string, TensorView>;

/// Larger elements first: with the data 8-aligned, that alone aligns every tensor without holes.
std::vector<const Entry*> in_file_order(const TensorFile& content) {
  std::vector<const Entry*> order;
  for (const Entry& entry : content.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return size_of(a->second.type) > size_of(b->second.type); });
  return order;
}

void require_consistent(const Entry& entry) {
  const auto& [name, tensor] = entry;
  require(name != "__metadata__", "encode_safetensors: a tensor cannot be named __metadata__");
  std::uint64_t bytes = size_of(tensor.type);
  bool fits = true;
  for (const std::uint64_t extent : tensor.shape) fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  require(fits && bytes == tensor.bytes.size(), "encode_safetensors: tensor ", in_quotes(name), " has ",
          tensor.bytes.size(), " bytes, which its shape does not give");
}

std::string tensor_entry(const Entry& entry, std::uint64_t begin) {
  const auto& [name, tensor] = entry;
  std::string shape;
  for (const std::uint64_t extent : tensor.shape) shape.append(shape.empty() ? "" : ",").append(std::to_string(extent));
  return concat(json_quote(name, "tensor name"), R"(:{"dtype":")", name_of(tensor.type), R"(","shape":[)", shape,
                R"(],"data_offsets":[)", begin, ",", begin + tensor.bytes.size(), "]}");
}

std::string make_header(const TensorFile& content, const std::vector<const Entry*>& order) {
  std::string header = R"({"__metadata__":)" + json_map(content.metadata, "metadata");
  std::uint64_t begin = 0;
  for (const Entry* entry : order) {
    header.append(",").append(tensor_entry(*entry, begin));
    begin += entry->second.bytes.size();
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  require(header.size() <= max_header, "encode_safetensors: the header needs ", header.size(),
          " bytes, the format allows ", max_header);
  return header;
}

/// A tensor as the header describes it, before its bytes are known to exist.
struct Claim {
  std::optional<TensorType> type;
  std::optional<std::vector<std::uint64_t>> shape, offsets;
};

/// The header's grammar: an object of objects, those of tensors with three fields, the other of strings.
class HeaderSax final : public StrictSax {
 public:
  std::map<std::string, std::string> metadata;
  std::map<std::string, Claim> claims;

  bool start_object(std::size_t) override {
    if (depth_ == 2) return refuse("an object is out of place");
    ++depth_;
    return true;
  }

  bool end_object() override {
    const bool tensor_ends = depth_-- == 2 && !in_metadata_;
    if (tensor_ends && !(claim_->type && claim_->shape && claim_->offsets && claim_->offsets->size() == 2))
      return refuse(concat("tensor ", in_quotes(name_), " needs dtype, shape and two data_offsets"));
    return true;
  }

  bool key(std::string& text) override { return depth_ == 1 ? entry_key(text) : field_key(text); }

  bool string(std::string& text) override {
    if (depth_ != 2 || array_ != nullptr) return refuse("a string is out of place");
    if (in_metadata_) {
      metadata[field_] = std::move(text);
      return true;
    }
    if (field_ != "dtype") return refuse(concat("tensor ", in_quotes(name_), ": ", field_, " must be a list"));
    claim_->type = tensor_type(text);
    return claim_->type || refuse(concat("tensor ", in_quotes(name_), " is of type ", in_quotes(text),
                                         "; types F64, I64, U64, U32 and U8 can be read"));
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || field_ == "dtype" || array_ != nullptr)
      return refuse("an array is out of place");
    array_ = &(field_ == "shape" ? claim_->shape : claim_->offsets).emplace();
    return true;
  }

  bool end_array() override {
    array_ = nullptr;
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    constexpr std::size_t max_extents = 16;
    if (array_ == nullptr) return refuse("a number is out of place");
    if (array_->size() == max_extents) return refuse(concat("tensor ", in_quotes(name_), " has too many extents"));
    array_->push_back(number);
    return true;
  }

 private:
  bool entry_key(std::string& text) {
    name_ = std::move(text);
    in_metadata_ = name_ == "__metadata__";
    if (in_metadata_) return !std::exchange(metadata_seen_, true) || refuse("__metadata__ appears twice");
    const auto [place, fresh] = claims.try_emplace(name_);
    claim_ = &place->second;
    return fresh || refuse(concat("tensor ", in_quotes(name_), " appears twice"));
  }

  bool field_key(std::string& text) {
    field_ = std::move(text);
    if (in_metadata_)
      return !metadata.contains(field_) || refuse(concat("metadata entry ", in_quotes(field_), " appears twice"));
    const bool twice = (field_ == "dtype" && claim_->type) || (field_ == "shape" && claim_->shape) ||
                       (field_ == "data_offsets" && claim_->offsets);
    if (twice) return refuse(concat("tensor ", in_quotes(name_), " has two fields ", field_));
    return field_ == "dtype" || field_ == "shape" || field_ == "data_offsets" ||
           refuse(concat("tensor ", in_quotes(name_), " has an unknown field ", in_quotes(field_)));
  }

  int depth_ = 0;
  bool in_metadata_ = false, metadata_seen_ = false;
  std::string name_, field_;
  Claim* claim_ = nullptr;
  std::vector<std::uint64_t>* array_ = nullptr;
};

struct Decoder {
  std::span<const std::byte> file;
  const std::string& name;

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw FileError(concat(name, ": ", parts...));
  }

  [[noreturn]] void fail_truncated(std::uint64_t promised, std::string_view by) const {
    fail("truncated: ", file.size(), " bytes where ", by, " promises ", promised, "; copy the file again");
  }

  std::string_view header() const {
    if (file.empty()) fail("is empty; copy the file again");
    std::uint64_t length = 0;
    if (file.size() < sizeof length) fail("not a safetensors file: ", file.size(), " bytes are too few for one");
    std::memcpy(&length, file.data(), sizeof length);
    if (length > max_header)
      fail("not a safetensors file: its first 8 bytes would mean a header of ", length, " bytes, ", max_header,
           " is the maximum; give a file that gaussianize saved");
    if (length > file.size() - sizeof length) fail_truncated(sizeof length + length, "its beginning");
    const auto* text = reinterpret_cast<const char*>(file.data()) + sizeof length;
    if (length == 0 || *text != '{') fail("not a safetensors file: no header follows its first 8 bytes");
    return {text, length};
  }

  /// The bytes of a claim, once its shape and offsets agree.
  std::uint64_t claimed_size(const std::string& tensor, const Claim& claim) const {
    std::uint64_t bytes = size_of(*claim.type);
    for (const std::uint64_t extent : *claim.shape)
      if (__builtin_mul_overflow(bytes, extent, &bytes)) fail("tensor ", in_quotes(tensor), " has an impossible shape");
    const auto begin = (*claim.offsets)[0], end = (*claim.offsets)[1];
    if (end < begin || end - begin != bytes)
      fail("tensor ", in_quotes(tensor), " needs ", bytes, " bytes for its shape, but its data_offsets are ", begin,
           " and ", end, "; the file was damaged or made by a faulty program");
    return bytes;
  }

  /// Checks that the claims tile `data` from its first byte to its last.
  void check_tiling(const std::map<std::string, Claim>& claims, std::uint64_t header_end) const {
    std::vector<std::pair<std::pair<std::uint64_t, std::uint64_t>, const std::string*>> ranges;
    for (const auto& [tensor, claim] : claims) {
      claimed_size(tensor, claim);
      ranges.push_back({{(*claim.offsets)[0], (*claim.offsets)[1]}, &tensor});
    }
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint64_t filled = 0;
    for (const auto& [range, tensor] : ranges) {
      if (range.first != filled)
        fail("tensor ", in_quotes(*tensor), " begins at byte ", range.first,
             " of the data, but the one before ends at ", filled, "; the file was damaged or made by a faulty program");
      filled = range.second;
    }
    const std::uint64_t available = file.size() - header_end;
    if (filled > available) fail_truncated(header_end + filled, "the header");
    if (filled < available) fail("has ", available - filled, " bytes after its last tensor; copy the file again");
  }
};

}  // namespace

std::string_view name_of(TensorType type) {
  return row_of(type).name;
}

std::size_t size_of(TensorType type) {
  return row_of(type).size;
}

std::optional<TensorType> tensor_type(std::string_view name) {
  for (const TypeRow& row : types)
    if (row.name == name) return row.type;
  return std::nullopt;
}

std::vector<std::byte> encode_safetensors(const TensorFile& content) {
  for (const Entry& entry : content.tensors) require_consistent(entry);
  const auto order = in_file_order(content);
  const std::string header = make_header(content, order);

  const std::uint64_t length = header.size();
  std::size_t total = sizeof length + header.size();
  for (const Entry* entry : order) total += entry->second.bytes.size();
  std::vector<std::byte> file(total);
  std::byte* end = file.data();
  const auto append = [&end](std::span<const std::byte> bytes) { end = std::copy(bytes.begin(), bytes.end(), end); };
  append(std::as_bytes(std::span(&length, 1)));
  append(std::as_bytes(std::span(header)));
  for (const Entry* entry : order) append(entry->second.bytes);
  return file;
}

TensorFile decode_safetensors(std::span<const std::byte> file, const std::string& name) {
  const Decoder decoder{file, name};
  const std::string_view header = decoder.header();
  HeaderSax sax;
  if (!sax.accept(header))
    decoder.fail("not a readable safetensors file: in its header ", sax.problem, "; copy the file again");

  const std::size_t header_end = sizeof(std::uint64_t) + header.size();
  decoder.check_tiling(sax.claims, header_end);
  TensorFile content{std::move(sax.metadata), {}};
  const auto data = file.subspan(header_end);
  for (auto& [tensor, claim] : sax.claims) {
    const auto begin = (*claim.offsets)[0], size = (*claim.offsets)[1] - begin;
    content.tensors[tensor] = {*claim.type, std::move(*claim.shape), data.subspan(begin, size)};
  }
  return content;
}

}  // namespace gaussianize::detail
