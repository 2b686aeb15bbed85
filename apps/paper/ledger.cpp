#include "paper/ledger.hpp"

#include <cmath>
#include <cstring>
#include <span>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/files.hpp"

#include "cli/numbers.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// JSON has no NaN: null stands for it.
double number_or_nan(const Json& json) {
  return json.is_null() ? nan : json.get<double>();
}

Json to_json(const Record& r) {
  return {{"set", r.set},           {"model", r.model},       {"variant", r.variant},
          {"quantity", r.quantity}, {"value", r.value.value}, {"standard_error", r.value.standard_error},
          {"paper", r.paper}};
}

Record record_from(const Json& json) {
  return {json.at("set"),
          json.at("model"),
          json.at("variant"),
          json.at("quantity"),
          {number_or_nan(json.at("value")), number_or_nan(json.at("standard_error"))},
          number_or_nan(json.at("paper"))};
}

Json to_json(const Cell& cell) {
  Json records = Json::array();
  for (const Record& record : cell.records) records.push_back(to_json(record));
  return {{"records", records},
          {"curves", cell.curves},
          {"notes", cell.notes},
          {"seconds", cell.seconds},
          {"complete", cell.complete}};
}

Cell cell_from(const Json& json) {
  Cell cell;
  for (const Json& record : json.at("records")) cell.records.push_back(record_from(record));
  for (const auto& [name, values] : json.at("curves").items())
    for (const Json& value : values) cell.curves[name].push_back(number_or_nan(value));
  cell.notes = json.at("notes").get<std::vector<std::string>>();
  cell.seconds = json.at("seconds");
  cell.complete = json.at("complete");
  return cell;
}

/// A CSV cell: quoted where it has to be; empty for NaN.
std::string csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv(double number) {
  return std::isnan(number) ? "" : number_text(number);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_file_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace

Ledger::Ledger(std::filesystem::path folder, Json settings)
    : folder_(std::move(folder)), settings_(std::move(settings)) {
  const std::filesystem::path path = folder_ / "results.json";
  if (!std::filesystem::exists(path)) return;
  const std::vector<std::byte> bytes = read_file(path);
  try {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const Json json = Json::parse(text, text + bytes.size());
    if (json.at("settings") != settings_)
      throw FileError(concat(path.string(), ": results of another run, with ", json.at("settings").dump(),
                             "; give another --output, or the same settings to go on with it"));
    for (const auto& [key, cell] : json.at("cells").items()) cells_.emplace_back(key, cell_from(cell));
  } catch (const Json::exception& error) {
    throw FileError(concat(path.string(), ": not the results of an experiment (", error.what(),
                           "); remove it or give another --output"));
  }
}

const Cell* Ledger::find(const std::string& key) const {
  for (const auto& [name, cell] : cells_)
    if (name == key) return &cell;
  return nullptr;
}

void Ledger::put(const std::string& key, Cell cell) {
  bool known = false;
  for (auto& [name, old] : cells_)
    if (name == key) {
      old = std::move(cell);
      known = true;
      break;
    }
  if (!known) cells_.emplace_back(key, std::move(cell));
  save();
}

void Ledger::save() const {
  Json cells = Json::object();
  for (const auto& [key, cell] : cells_) cells[key] = to_json(cell);
  write_text(folder_ / "results.json", Json{{"settings", settings_}, {"cells", cells}}.dump(2) + "\n");
}

void Ledger::write_csv() const {
  std::string text = "cell,set,model,variant,quantity,value,standard_error,paper,seconds,complete\n";
  for (const auto& [key, cell] : cells_)
    for (const Record& r : cell.records)
      text += concat(csv(key), ',', csv(r.set), ',', csv(r.model), ',', csv(r.variant), ',', csv(r.quantity), ',',
                     csv(r.value.value), ',', csv(r.value.standard_error), ',', csv(r.paper), ',', csv(cell.seconds),
                     ',', cell.complete ? "yes" : "no", '\n');
  write_text(folder_ / "results.csv", text);
}

}  // namespace gaussianize::paper
