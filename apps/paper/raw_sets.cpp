#include "paper/raw_sets.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize {
using namespace detail;
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The lines of a text file, one at a time, so that a file need not fit into memory as text.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& path) : path_(path), stream_(path, std::ios::binary) {
    if (!stream_) throw FileError(concat(path.string(), ": cannot be opened: ", std::strerror(errno)));
  }

  /// The next line that is not blank, trimmed; false at the end.
  bool next(std::string_view& line) {
    while (std::getline(stream_, text_)) {
      ++number_;
      if (number_ == 1 && text_.starts_with("\x1f\x8b"))
        throw FileError(concat(path_.string(), " is compressed; unpack it first"));
      line = trim(text_);
      if (!line.empty()) return true;
    }
    if (stream_.bad()) throw FileError(concat(path_.string(), ": cannot be read to its end: ", std::strerror(errno)));
    return false;
  }

  std::string_view first(const char* what) {
    std::string_view line;
    if (!next(line)) throw DataError(concat(path_.string(), " is empty; ", what, " is expected"));
    return line;
  }

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw DataError(concat(path_.string(), ":", number_, ": ", parts...));
  }

  double number(std::string_view cell) const {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
      refuse("'", cell, "' is not a finite number");
    return value;
  }

 private:
  std::filesystem::path path_;
  std::ifstream stream_;
  std::string text_;
  std::size_t number_ = 0;
};

/// The cells between separators; a blank stands for any run of white space.
void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    const auto end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
    cells.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trim(line);
  }
}

arma::mat to_matrix(const std::vector<double>& row_major, arma::uword columns) {
  return arma::mat(row_major.data(), columns, row_major.size() / columns).t();
}

/// The rest of the lines as rows of `columns` numbers.
arma::mat read_rows(Lines& lines, char separator, std::size_t columns) {
  std::vector<double> values;
  std::vector<std::string_view> cells;
  for (std::string_view line; lines.next(line);) {
    split(line, separator, cells);
    if (cells.size() != columns) lines.refuse(cells.size(), " cells where ", columns, " are expected");
    for (const std::string_view cell : cells) values.push_back(lines.number(cell));
  }
  return to_matrix(values, columns);
}

std::optional<double> clock_part(std::string_view text) {
  if (text.size() != 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9') return std::nullopt;
  return 10.0 * (text[0] - '0') + (text[1] - '0');
}

double minute_of_day(const Lines& lines, std::string_view time) {
  const bool shaped = time.size() == 8 && time[2] == ':' && time[5] == ':';
  const auto hour = shaped ? clock_part(time.substr(0, 2)) : std::nullopt;
  const auto minute = shaped ? clock_part(time.substr(3, 2)) : std::nullopt;
  if (!hour || !minute || *hour > 23 || *minute > 59) lines.refuse("'", time, "' is not a time of the form hh:mm:ss");
  return 60 * *hour + *minute;
}

}  // namespace

HouseholdPower read_household_power(const std::filesystem::path& path) {
  constexpr std::string_view header =
      "Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;Sub_metering_1;Sub_metering_2;"
      "Sub_metering_3";
  Lines lines(path);
  if (lines.first("a header") != header) lines.refuse("the header is not that of household_power_consumption.txt");
  HouseholdPower result;
  std::vector<double> values;
  std::vector<std::string_view> cells;
  for (std::string_view line; lines.next(line);) {
    split(line, ';', cells);
    if (cells.size() != 9) lines.refuse(cells.size(), " cells where 9 are expected");
    bool missing = false;
    for (std::size_t c = 2; c < 9; ++c) missing = missing || cells[c].empty() || cells[c] == "?";
    const double minute = minute_of_day(lines, cells[1]);
    if (missing) {
      ++result.dropped;
      continue;
    }
    for (std::size_t c = 2; c < 9; ++c) values.push_back(lines.number(cells[c]));
    values.push_back(minute);
  }
  result.values = to_matrix(values, 8);
  return result;
}

MinibooneEvents read_miniboone(const std::filesystem::path& path) {
  Lines lines(path);
  std::vector<std::string_view> cells;
  split(lines.first("a line with two counts"), ' ', cells);
  if (cells.size() != 2) lines.refuse("the first line has ", cells.size(), " cells, not the two class counts");
  const auto count = [&](std::string_view cell) {
    const double value = lines.number(cell);
    if (value < 0 || value != std::floor(value) || value > 1e12) lines.refuse("'", cell, "' is not a number of rows");
    return static_cast<std::size_t>(value);
  };
  MinibooneEvents events{{}, count(cells[0]), count(cells[1])};
  events.values = read_rows(lines, ' ', 50);
  if (events.values.n_rows != events.signal + events.background)
    lines.refuse("the file has ", events.values.n_rows, " rows, its first line announces ", events.signal, " + ",
                 events.background);
  return events;
}

arma::mat read_ethylene(const std::filesystem::path& path) {
  Lines lines(path);
  const std::string_view header = lines.first("a header");
  if (!header.starts_with("Time")) lines.refuse("the first line does not start with 'Time', as ethylene_CO.txt does");
  return read_rows(lines, ' ', 19);
}

arma::mat read_hepmass(const std::filesystem::path& path) {
  Lines lines(path);
  std::vector<std::string_view> cells;
  split(lines.first("a header"), ',', cells);
  if (cells[0].find("label") == std::string_view::npos)
    lines.refuse("the header starts with '", cells[0], "', not with the label");
  const std::size_t named = cells.size();
  std::size_t width = 0;
  std::vector<double> values;
  for (std::string_view line; lines.next(line);) {
    split(line, ',', cells);
    if (width == 0) width = cells.size();
    if (cells.size() < named) lines.refuse(cells.size(), " cells where the header has ", named);
    if (cells.size() != width) lines.refuse(cells.size(), " cells where the rows before have ", width);
    for (std::size_t c = 0; c < named; ++c) values.push_back(lines.number(cells[c]));
  }
  return to_matrix(values, named);
}

}  // namespace gaussianize
