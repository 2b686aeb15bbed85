#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/io/detail/gzip.hpp"

#include "io/table_checks.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::bytes_of;
using gaussianize::testing::complaint;

namespace {

using Bytes = std::vector<std::byte>;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes mixed(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * i % 251 + i / 1000 % 5);
  return bytes;
}

std::string refused(const Bytes& file, std::size_t limit = 0) {
  return complaint([&] { gunzip(file, "t.gz", limit); });
}

}  // namespace

TEST_CASE("packing and unpacking loses nothing") {
  for (const std::size_t size : {0, 1, 255, 256, 100'000, 5'000'000})
    CHECK(gunzip(gzip(mixed(size)), "t") == mixed(size));
  CHECK(gzip(mixed(1000)) == gzip(mixed(1000)));
}

TEST_CASE("what the gzip program wrote") {
  // printf 'a,b\n1,2\n' | gzip -n | od -An -tx1
  const char file[] =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\x02\x00\x7b\x07\x97\x0a\x08"
      "\x00\x00\x00";
  CHECK(gunzip(bytes_of({file, sizeof file - 1}), "t") == bytes_of("a,b\n1,2\n"));
}

TEST_CASE("members one after the other are one content, and zeros after them are padding") {
  const Bytes a = mixed(1000), b = mixed(70'000);
  CHECK(gunzip(gzip(a) + gzip({}) + gzip(b), "t") == a + b);
  CHECK(gunzip(gzip(a) + Bytes(512), "t") == a);
  CHECK(refused(gzip(a) + bytes_of("more")) ==
        "file: t.gz: something that is not gzip follows the end of the gzip file; copy it again");
}

TEST_CASE("every truncation and every changed byte is noticed, but for those that nothing depends on") {
  const Bytes file = gzip(mixed(300));
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::string message = refused({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)});
    CHECK(message == (length < 2 ? "file: t.gz: does not begin as a gzip file does; is the name's ending right?"
                                 : "file: t.gz: the gzip file ends too early; copy or download it again"));
  }
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      Bytes changed = file;
      changed[at] ^= static_cast<std::byte>(1 << bit);
      if (refused(changed) != "nothing was thrown") continue;
      // A flag, time, level and system; and the bits that fill the last byte before the checksum.
      const bool harmless = (at >= 3 && at < 10) || at == file.size() - 9;
      CHECK(harmless);
      CHECK(gunzip(changed, "t") == mixed(300));
    }
}

TEST_CASE("a bomb is refused at its limit") {
  const Bytes bomb = gzip(Bytes(3'000'000));
  CHECK(bomb.size() < 3'100);
  CHECK(gunzip(bomb, "t", 3'000'000).size() == 3'000'000);
  CHECK(refused(bomb, 2'999'999) ==
        "file: t.gz: exceeds 2999999 bytes when it is unpacked, as files made to "
        "fill the memory do; if you trust it, unpack it yourself (gunzip)");
  CHECK(gunzip_limit(0) == std::size_t{256} << 20);
  CHECK(gunzip_limit(10'000'000) == 1'000'000'000);
  CHECK(gunzip_limit(SIZE_MAX) == std::size_t{PTRDIFF_MAX});
}

TEST_CASE("300 MB out of 300 kB are refused without being asked") {
  Bytes bomb;
  const Bytes part = gzip(Bytes(30'000'000));
  for (int i = 0; i < 10; ++i) bomb = bomb + part;
  CHECK(refused(bomb).find("file: t.gz: exceeds 268435456 bytes when it is unpacked") == 0);
}
