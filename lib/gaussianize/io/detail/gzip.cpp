#include "gaussianize/io/detail/gzip.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include <zlib.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {
namespace {

constexpr int gzip_window = 15 + 16;  // the largest window, in gzip's frame

/// A z_stream that reads `bytes` in pieces whose size fits zlib's integers.
struct Stream {
  z_stream z{};
  std::span<const std::byte> rest;
  int (*end)(z_stream*);

  Stream(std::span<const std::byte> bytes, int (*finish)(z_stream*)) : rest(bytes), end(finish) {}
  ~Stream() { end(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  static uInt piece(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  }

  /// One call of `step` from the rest into `room`; returns how many bytes of it were filled.
  template <class Step>
  std::size_t run(std::span<std::byte> room, int& status, Step step) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest.data()));  // zlib only reads it
    z.avail_in = piece(rest.size());
    z.next_out = reinterpret_cast<Bytef*>(room.data());
    z.avail_out = piece(room.size());
    const std::size_t offered_in = z.avail_in, offered_out = z.avail_out;
    status = step(&z, offered_in == rest.size());
    rest = rest.subspan(offered_in - z.avail_in);
    return offered_out - z.avail_out;
  }
};

/// A buffer that grows to twice its size, up to `limit`.
class Output {
 public:
  Output(std::size_t first, std::size_t limit) : bytes_(std::min(first, limit)), limit_(limit) {}

  bool grow() {
    if (bytes_.size() == limit_) return false;
    bytes_.resize(bytes_.size() > limit_ / 2 ? limit_ : 2 * bytes_.size());
    return true;
  }
  std::span<std::byte> room() { return std::span(bytes_).subspan(used_); }
  void use(std::size_t count) { used_ += count; }
  std::vector<std::byte> take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::size_t limit_;
};

/// Inflates one member. Leaves the stream after its end.
void inflate_member(Stream& stream, Output& output, const std::string& name, std::size_t limit) {
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (output.room().empty() && !output.grow())
      throw FileError(concat(name, ": exceeds ", limit,
                             " bytes when it is unpacked, as files made to fill the memory do; "
                             "if you trust it, unpack it yourself (gunzip)"));
    output.use(stream.run(output.room(), status, [](z_stream* z, bool) { return inflate(z, Z_NO_FLUSH); }));
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT || status == Z_STREAM_ERROR)
      throw FileError(concat(name, ": the gzip file is damaged; copy or download it again"));
    if (status != Z_STREAM_END && stream.rest.empty() && !output.room().empty())
      throw FileError(concat(name, ": the gzip file ends too early; copy or download it again"));
  }
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

std::size_t gunzip_limit(std::size_t compressed_size) {
  constexpr std::size_t ratio = 100, min_limit = std::size_t{256} << 20;
  constexpr std::size_t max_limit = std::numeric_limits<std::ptrdiff_t>::max();
  return compressed_size > max_limit / ratio ? max_limit : std::max(min_limit, ratio * compressed_size);
}

std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name, std::size_t limit) {
  if (!is_gzip(bytes))
    throw FileError(concat(name, ": does not begin as a gzip file does; is the name's ending right?"));
  if (limit == 0) limit = gunzip_limit(bytes.size());
  Stream stream(bytes, inflateEnd);
  if (inflateInit2(&stream.z, gzip_window) != Z_OK) throw std::bad_alloc();
  Output output(std::max<std::size_t>(4 * bytes.size(), 256), limit);
  while (is_gzip(stream.rest)) {
    inflate_member(stream, output, name, limit);
    inflateReset(&stream.z);
  }
  if (std::ranges::any_of(stream.rest, [](std::byte b) { return b != std::byte{0}; }))
    throw FileError(concat(name, ": something that is not gzip follows the end of the gzip file; copy it again"));
  return output.take();
}

std::vector<std::byte> gzip(std::span<const std::byte> bytes) {
  Stream stream(bytes, deflateEnd);
  constexpr int memory = 8;  // zlib's default
  if (deflateInit2(&stream.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  Output output(std::max<std::size_t>(bytes.size() / 2, 256), std::numeric_limits<std::ptrdiff_t>::max());
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (output.room().empty()) output.grow();
    output.use(stream.run(output.room(), status,
                          [](z_stream* z, bool last) { return deflate(z, last ? Z_FINISH : Z_NO_FLUSH); }));
  }
  return output.take();
}

}  // namespace gaussianize::detail
