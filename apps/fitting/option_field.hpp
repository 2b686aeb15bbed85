#pragma once

#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/numbers.hpp"

namespace gaussianize {

/// The values of an enumeration and how they are typed. Specialised for every enumeration that is an option.
template <class Value>
const std::vector<std::pair<std::string_view, Value>> choices_of;

/// How an option reads a field of a model's options, and how a model file records that field.
template <class Options>
struct OptionField {
  OptionKind kind = OptionKind::flag;
  std::vector<std::string_view> choices = {};
  /// Sets the field to what was typed; null: the option sets no field. A switch that is off leaves it as it is.
  void (*read)(const Arguments&, std::string_view option, Options&) = nullptr;
  std::string (*text)(const Options&) = nullptr;  ///< null: not recorded
};

/// Left to a search unless it is set; no model file records it.
template <class Value>
inline constexpr bool open_choice = std::same_as<Value, std::optional<bool>>;

template <class Value>
Value typed_value(const Arguments& arguments, std::string_view option) {
  if constexpr (std::same_as<Value, bool> || open_choice<Value>) {
    return arguments.flag(option);
  } else if constexpr (std::integral<Value>) {
    return arguments.count(option);
  } else if constexpr (std::floating_point<Value>) {
    return arguments.number(option);
  } else {
    for (const auto& [name, value] : choices_of<Value>)
      if (arguments.text(option) == name) return value;
    throw std::logic_error(detail::concat("--", option, " has a choice without a meaning: ", arguments.text(option)));
  }
}

template <class Value>
std::string recorded_text(Value value) {
  if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::integral<Value>) {
    return std::to_string(value);
  } else if constexpr (std::floating_point<Value>) {
    return number_text(value);
  } else {
    for (const auto& [name, meaning] : choices_of<Value>)
      if (meaning == value) return std::string(name);
    throw std::logic_error("a value of an enumeration has no name");
  }
}

template <class Value>
constexpr OptionKind kind_of() {
  if constexpr (std::same_as<Value, bool> || open_choice<Value>)
    return OptionKind::flag;
  else if constexpr (std::integral<Value>)
    return OptionKind::count;
  else if constexpr (std::floating_point<Value>)
    return OptionKind::number;
  else
    return OptionKind::choice;
}

template <class Value>
std::vector<std::string_view> choice_names() {
  std::vector<std::string_view> names;
  if constexpr (std::is_enum_v<Value>)
    for (const auto& choice : choices_of<Value>) names.push_back(choice.first);
  return names;
}

template <class Owner, class Member>
Owner owner_of(Member Owner::*);

/// options.*First.*Second…: a field, or a field of a field.
template <auto First, auto... Rest, class Options>
auto& member(Options& options) {
  if constexpr (sizeof...(Rest) == 0)
    return options.*First;
  else
    return member<Rest...>(options.*First);
}

/// The field at a path of member pointers, as it is.
template <auto First, auto... Rest>
auto field() {
  using Options = decltype(owner_of(First));
  using Value = std::remove_cvref_t<decltype(member<First, Rest...>(std::declval<Options&>()))>;
  OptionField<Options> result{kind_of<Value>(), choice_names<Value>()};
  result.read = [](const Arguments& arguments, std::string_view option, Options& options) {
    if (kind_of<Value>() != OptionKind::flag || arguments.flag(option))
      member<First, Rest...>(options) = typed_value<Value>(arguments, option);
  };
  if constexpr (!open_choice<Value>)
    result.text = [](const Options& options) { return recorded_text(member<First, Rest...>(options)); };
  return result;
}

/// A switch that turns the field off: recorded as "true" where the field is false.
template <auto Field>
auto off_switch() {
  using Options = decltype(owner_of(Field));
  OptionField<Options> result;
  result.read = [](const Arguments& arguments, std::string_view option, Options& options) {
    if (arguments.flag(option)) options.*Field = false;
  };
  if constexpr (!open_choice<std::remove_cvref_t<decltype(std::declval<Options&>().*Field)>>)
    result.text = [](const Options& options) { return recorded_text(!(options.*Field)); };
  return result;
}

}  // namespace gaussianize
