#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/safetensors.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"

#include "io/temporary_folder.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::bytes_of;
using gaussianize::testing::contains;
using gaussianize::testing::file_error;

namespace {

/// A file of this header and `data` zero bytes, right or wrong.
std::vector<std::byte> raw_file(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return bytes_of(text + header + std::string(data, '\0'));
}

std::string refusal(const std::vector<std::byte>& file) {
  return file_error([&] { decode_safetensors(file, "the file"); });
}

std::string refusal(const std::string& header, std::size_t data) {
  return refusal(raw_file(header, data));
}

/// The remainder bit by bit, as the definition has it.
std::uint64_t slow_crc(const std::vector<std::byte>& bytes) {
  std::uint64_t crc = ~std::uint64_t{0};
  for (const std::byte b : bytes) {
    crc ^= static_cast<std::uint64_t>(b);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xC96C5795D7870F42 : 0);
  }
  return ~crc;
}

}  // namespace

TEST_CASE("crc64 has the published check value and equals the slow one at any length and split") {
  CHECK(crc64(bytes_of("123456789")) == 0x995DC9BBDF1939FA);
  CHECK(crc64({}) == 0);
  std::vector<std::byte> bytes;
  for (unsigned n = 0; n < 100; ++n) {
    CHECK(crc64(bytes) == slow_crc(bytes));
    const std::span<const std::byte> all = bytes;
    CHECK(crc64(all.subspan(n / 3), crc64(all.first(n / 3))) == slow_crc(bytes));
    bytes.push_back(static_cast<std::byte>(n * 37 + 11));
  }
}

TEST_CASE("every type and shape comes back, aligned, whatever the order of insertion") {
  const std::vector<double> f64{1.5, -0.0, 5e-324};
  const std::vector<std::int64_t> i64{INT64_MIN, 7};
  const std::vector<std::uint64_t> u64{UINT64_MAX}, none;
  const std::vector<std::uint32_t> u32{1, UINT32_MAX, 3};
  const std::vector<std::uint8_t> u8{0, 255, 7};
  TensorFile content;
  content.metadata = {{"a", "b"}, {"quote\"", "ünïcode \n"}};
  content.tensors = {{"a8", tensor_view(u8, {3})},         {"b64", tensor_view(f64, {1, 3})},
                     {"c32", tensor_view(u32, {3, 1, 1})}, {"d64", tensor_view(i64, {2})},
                     {"scalar", tensor_view(u64, {})},     {"empty", tensor_view(none, {4, 0})}};
  const auto file = encode_safetensors(content);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  CHECK(length % 8 == 0);

  const TensorFile back = decode_safetensors(file, "the file");
  CHECK(back.metadata == content.metadata);
  REQUIRE(back.tensors.size() == content.tensors.size());
  for (const auto& entry : back.tensors) {
    const std::string& name = entry.first;
    const TensorView& tensor = entry.second;
    CAPTURE(name);
    const TensorView& expected = content.tensors.at(name);
    CHECK(tensor.type == expected.type);
    CHECK(tensor.shape == expected.shape);
    CHECK(std::equal(tensor.bytes.begin(), tensor.bytes.end(), expected.bytes.begin(), expected.bytes.end()));
    CHECK((tensor.bytes.data() - file.data()) % static_cast<std::ptrdiff_t>(size_of(tensor.type)) == 0);
  }
  CHECK(tensor_values<std::uint32_t>(back.tensors.at("c32")) == u32);
  CHECK(encode_safetensors(back) == file);
}

TEST_CASE("nothing at all is a file too") {
  const TensorFile back = decode_safetensors(encode_safetensors({}), "the file");
  CHECK(back.metadata.empty());
  CHECK(back.tensors.empty());
  CHECK(decode_safetensors(raw_file("{}", 0), "the file").tensors.empty());
}

TEST_CASE("a writer's mistakes are the caller's") {
  const std::vector<double> two{1, 2};
  CHECK_THROWS_AS(encode_safetensors({{}, {{"t", tensor_view(two, {3})}}}), std::invalid_argument);
  CHECK_THROWS_AS(encode_safetensors({{}, {{"__metadata__", tensor_view(two, {2})}}}), std::invalid_argument);
  CHECK_THROWS_AS(encode_safetensors({{{"key", "\xFF"}}, {}}), std::invalid_argument);
  const std::uint64_t wrap = std::uint64_t{1} << 60;
  CHECK_THROWS_AS(encode_safetensors({{}, {{"t", tensor_view(std::vector<double>{}, {wrap, 16})}}}),
                  std::invalid_argument);
}

TEST_CASE("a file that is not safetensors is refused with a plain message") {
  CHECK(contains(refusal(std::vector<std::byte>{}), "the file: is empty"));
  CHECK(contains(refusal(bytes_of("abc")), "too few"));
  CHECK(contains(refusal(bytes_of("x,y\n1.5,2.5\n3.5,4.5\n")), "not a safetensors file"));
  CHECK(contains(refusal(raw_file("", 8)), "no header"));
  CHECK(contains(refusal("[]", 0), "no header"));
  CHECK(contains(refusal("\xEF\xBB\xBF{}", 0), "no header"));

  auto huge = raw_file("{}", 0);
  huge[7] = std::byte{0x7F};
  CHECK(contains(refusal(huge), "not a safetensors file"));
  auto longer = raw_file("{}", 0);
  longer[0] = std::byte{200};
  CHECK(contains(refusal(longer), "truncated: 10 bytes where its beginning promises 208"));
}

TEST_CASE("a header outside the grammar is refused") {
  const std::string good = R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  CHECK(refusal(good, 2) == "nothing was thrown");
  CHECK(refusal(good + "  ", 2) == "nothing was thrown");
  CHECK(contains(refusal(good + "}", 2), "not valid JSON"));
  CHECK(contains(refusal(good + std::string("\0}", 2), 2), "zero byte"));
  CHECK(contains(refusal(good.substr(0, 20), 2), "not valid JSON"));
  const std::vector<std::string> wrong{
      R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"t":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
      R"({"t":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[2],"shape":[2],"data_offsets":[0,2]}})",
      R"({"__metadata__":{"a":"1","a":"1"},"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      R"({"__metadata__":{},"__metadata__":{},"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      R"({"__metadata__":{"a":1},"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      R"({"__metadata__":"a","t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      R"({"__metadata__":{"a":{"b":"c"}},"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":8,"shape":[2],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":"2","data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[[2]],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":["2"],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2,2]}})",
      R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0]}})",
      R"({"t":{"dtype":"U8","shape":[2]}})",
      R"({"t":{"dtype":"U8","data_offsets":[0,2]}})",
      R"({"t":{"shape":[2],"data_offsets":[0,2]}})",
      R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2],"x":[]}})",
      R"({"t":[0,2]})",
      R"({"t":null})",
      R"({"t":true})",
      R"({"t":1e999})",
      "{\"\xFF\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}",
  };
  for (const std::string& header : wrong) {
    CAPTURE(header);
    CHECK(contains(refusal(header, 2), "in its header"));
  }
  CHECK(contains(refusal(R"({"t":)" + std::string(1'000'000, '['), 2), "out of place"));
}

TEST_CASE("tensors must fill the file exactly") {
  const auto pair = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + first +
           R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}";
  };
  CHECK(refusal(pair("[0,2]", "[2,4]"), 4) == "nothing was thrown");
  CHECK(refusal(pair("[2,4]", "[0,2]"), 4) == "nothing was thrown");
  CHECK(contains(refusal(pair("[0,2]", "[0,2]"), 4), "ends at 2"));
  CHECK(contains(refusal(pair("[0,2]", "[1,3]"), 4), "ends at 2"));
  CHECK(contains(refusal(pair("[0,2]", "[3,5]"), 5), "ends at 2"));
  CHECK(contains(refusal(pair("[1,3]", "[3,5]"), 5), "ends at 0"));
  CHECK(contains(refusal(pair("[0,2]", "[2,5]"), 5), "data_offsets"));
  CHECK(contains(refusal(pair("[0,2]", "[4,2]"), 4), "data_offsets"));
  CHECK(contains(refusal(pair("[0,2]", "[2,4]"), 3), "truncated"));
  CHECK(contains(refusal(pair("[0,2]", "[2,4]"), 5), "1 bytes after"));
  CHECK(contains(refusal(pair("[0,2]", "[18446744073709551615,1]"), 4), "data_offsets"));
  // 2⁶¹ elements of 8 bytes are 0 modulo 2⁶⁴.
  CHECK(contains(refusal(R"({"t":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}})", 0),
                 "impossible shape"));
  CHECK(contains(refusal(R"({"t":{"dtype":"U8","shape":[1000000000000],"data_offsets":[0,1000000000000]}})", 2),
                 "truncated"));
}

TEST_CASE("the checksum covers the whole file") {
  const std::vector<double> values{1, 2, 3};
  auto file = encode_safetensors({{{"checksum", empty_checksum}, {"z", "1"}}, {{"t", tensor_view(values, {3})}}});
  add_checksum(file);
  CHECK_NOTHROW(check_checksum(file, "the file"));
  for (std::size_t i = 0; i < file.size(); ++i) {
    auto changed = file;
    changed[i] ^= std::byte{0x20};  // turns a–f into A–F, which must not pass either
    CHECK(contains(file_error([&] { check_checksum(changed, "the file"); }), "checksum"));
  }
  auto without_room = encode_safetensors({{{"a", "1"}, {"checksum", empty_checksum}}, {}});
  CHECK_THROWS_AS(add_checksum(without_room), std::invalid_argument);
}

TEST_CASE("JSON lists and maps of strings round trip; others are refused") {
  const std::vector<std::string> list{"", "a\"\\\n", "é", std::string("\0", 1)};
  CHECK(parse_json_list(json_list(list, "x")) == list);
  CHECK(parse_json_list("[]") == std::vector<std::string>{});
  const std::map<std::string, std::string> map{{"", ""}, {"k\t", "v\x7F"}};
  CHECK(parse_json_map(json_map(map, "x")) == map);
  CHECK(parse_json_map("{}") == std::map<std::string, std::string>{});
  for (const char* text : {"", "[", "[1]", "[[]]", "{}", "\"a\"", "[\"a\"]]", "[null]", "[{}]"}) {
    CAPTURE(text);
    CHECK(!parse_json_list(text));
  }
  for (const char* text :
       {"", "{", "[]", "\"a\"", R"({"a":1})", R"({"a":"1","a":"1"})", R"({"a":{}})", R"({"a":[]})"}) {
    CAPTURE(text);
    CHECK(!parse_json_map(text));
  }
}
