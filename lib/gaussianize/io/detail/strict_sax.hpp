#pragma once

// For sources only: it includes nlohmann-json.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace gaussianize::detail {

/// The handler of a JSON parser that refuses everything; a derived class accepts what its grammar allows. No tree is
/// built, so memory is only what the handler keeps.
class StrictSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return refuse("null is out of place"); }
  bool boolean(bool) override { return refuse("true or false is out of place"); }
  bool number_integer(std::int64_t) override { return refuse("a negative number is out of place"); }
  bool number_unsigned(std::uint64_t) override { return refuse("a number is out of place"); }
  bool number_float(double, const std::string&) override { return refuse("a fraction is out of place"); }
  bool string(std::string&) override { return refuse("a string is out of place"); }
  bool binary(nlohmann::json::binary_t&) override { return refuse("binary data are out of place"); }
  bool start_object(std::size_t) override { return refuse("an object is out of place"); }
  bool key(std::string&) override { return refuse("a key is out of place"); }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return refuse("an array is out of place"); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return refuse("it is not valid JSON at byte " + std::to_string(position));
  }

  /// Parses the whole text. True if it is accepted; otherwise `problem` is the reason.
  bool accept(std::string_view text) {
    // The parser takes a zero byte for the end of its input and would ignore what follows.
    if (text.find('\0') != std::string_view::npos) return refuse("it holds a zero byte");
    return nlohmann::json::sax_parse(text.begin(), text.end(), this);
  }

  std::string problem;

 protected:
  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }
};

}  // namespace gaussianize::detail
