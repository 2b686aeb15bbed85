#include "report/svg.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gaussianize/core/error.hpp"

#include "report/text.hpp"

namespace gaussianize::report {
namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(spaces);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

[[noreturn]] void not_gnuplots() {
  throw FileError("gnuplot wrote an SVG of another form than expected");
}

struct Attribute {
  std::string_view name;
  std::string value;
};

struct Tag {
  std::string_view name;  ///< "/g" for the end of a group
  std::vector<Attribute> attributes;
  bool closed = false;  ///< <g/>

  const std::string* find(std::string_view attribute) const {
    for (const Attribute& a : attributes)
      if (a.name == attribute) return &a.value;
    return nullptr;
  }
};

/// What stands between < and >.
Tag parse_tag(std::string_view inside) {
  Tag tag;
  if (inside.ends_with('/')) {
    tag.closed = true;
    inside.remove_suffix(1);
  }
  inside = trimmed(inside);
  tag.name = inside.substr(0, inside.find_first_of(spaces));
  inside = trimmed(inside.substr(tag.name.size()));
  while (!inside.empty()) {
    const std::size_t equals = inside.find('=');
    if (equals == inside.npos) not_gnuplots();
    const std::string_view name = trimmed(inside.substr(0, equals));
    inside = trimmed(inside.substr(equals + 1));
    const std::size_t end = inside.empty() ? inside.npos : inside.find(inside[0], 1);
    if (end == inside.npos) not_gnuplots();
    tag.attributes.push_back({name, std::string(trimmed(inside.substr(1, end - 1)))});
    inside = trimmed(inside.substr(end + 1));
  }
  return tag;
}

/// The numbers of a text such as "translate(54.53,159.00) scale(1.35)".
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::size_t start = text.find_first_of("-0123456789.");
    if (start == text.npos) break;
    text.remove_prefix(start);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) not_gnuplots();
    numbers.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return numbers;
}

/// One decimal, none if it is zero: a tenth of a pixel is less than anyone sees.
std::string short_number(double value) {
  std::array<char, 64> buffer;
  const double rounded = std::round(value * 10) / 10;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded).ptr;
  return {buffer.data(), end};
}

/// rgb(  0, 114, 178) as #0072b2; black as the page's colour.
std::string colour(const std::string& value) {
  if (value == "black") return "currentColor";
  if (!value.starts_with("rgb(")) return value;
  std::string hex = "#";
  for (const double part : numbers_in(value)) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned>(part);
    hex += digits[byte / 16 % 16];
    hex += digits[byte % 16];
  }
  return hex;
}

/// A run of round points that differ in their place alone.
struct Dots {
  std::string colour, opacity, diameter, path;
};

class Rewriter {
 public:
  explicit Rewriter(std::string_view prefix) : prefix_(prefix) {}

  void text(std::string_view content) {
    if (skipping_.empty() && !trimmed(content).empty()) {
      flush();
      out_ += content;
    }
  }

  void tag(const Tag& t) {
    if (skip(t)) return;
    if (dot(t)) return;
    if (t.name != "/g" || !groups_.empty()) flush();
    if (t.name == "/g" && !groups_.empty() && groups_.back().second == out_.size()) {
      out_.resize(groups_.back().first);
      groups_.pop_back();
      return;
    }
    const std::size_t start = out_.size();
    if (t.name == "/defs") defs_.second = start + std::string_view("</defs>").size();
    if (t.name == "defs") defs_.first = start;
    write(t);
    if (t.name == "g" && !t.closed) groups_.emplace_back(start, out_.size());
    if (t.name == "/g") groups_.pop_back();
  }

  std::string result() && {
    if (!skipping_.empty() || !groups_.empty()) not_gnuplots();
    if (defs_.second > defs_.first && out_.find("\"#" + prefix_ + "gp", defs_.second) == std::string::npos)
      out_.erase(defs_.first, defs_.second - defs_.first);
    return std::move(out_);
  }

 private:
  /// Titles are tooltips that name gnuplot's own variables.
  bool skip(const Tag& t) {
    if (skipping_.empty() && (t.name == "title" || t.name == "desc")) {
      skipping_ = t.name;
      return true;
    }
    if (skipping_.empty()) return false;
    if (t.name.substr(1) == skipping_) skipping_ = {};
    return true;
  }

  /// Whether the tag is one of gnuplot's filled circles, which joins the run.
  bool dot(const Tag& t) {
    const std::string* link = t.find("xlink:href");
    if (t.name != "use" || link == nullptr || *link != "#gpPt6" || t.find("id") != nullptr) return false;
    const std::string *place = t.find("transform"), *ink = t.find("color"), *opacity = t.find("opacity");
    const std::vector<double> numbers = place != nullptr ? numbers_in(*place) : std::vector<double>{};
    if (numbers.size() != 3) not_gnuplots();
    const Dots next{ink != nullptr ? colour(*ink) : "currentColor",
                    opacity != nullptr ? *opacity : "",
                    short_number(2 * numbers[2]),
                    {}};
    if (next.colour != dots_.colour || next.opacity != dots_.opacity || next.diameter != dots_.diameter) {
      flush();
      dots_ = next;
    }
    append_all(dots_.path, "M", short_number(numbers[0]), " ", short_number(numbers[1]), "h0");
    return true;
  }

  void flush() {
    if (dots_.path.empty()) return;
    append_all(out_, "<path stroke=\"", dots_.colour, "\" stroke-width=\"", dots_.diameter, "\"");
    if (!dots_.opacity.empty()) append_all(out_, " stroke-opacity=\"", dots_.opacity, "\"");
    append_all(out_, " d=\"", dots_.path, "\"/>\n");
    dots_ = {};
  }

  void write(const Tag& t) {
    append_all(out_, "<", t.name);
    for (const Attribute& a : t.attributes) {
      std::string_view name = a.name;
      std::string value = a.value;
      // Set once for the whole picture; a colour of its own would hide the page's.
      if (name == "stroke-linecap" || name == "stroke-linejoin" || name == "font-family" ||
          (name == "color" && (value == "black" || value == "#FFFFFF")))
        continue;
      if (name == "id") value = prefix_ + value;
      if (name == "xlink:href") {
        name = "href";
        if (value.starts_with('#')) value.insert(1, prefix_);
      }
      if (const std::size_t link = value.find("url(#"); link != value.npos) value.insert(link + 5, prefix_);
      if (name == "stroke" || name == "fill" || name == "color") value = colour(value);
      append_all(out_, " ", name, "=\"", value, "\"");
    }
    out_ += t.closed ? "/>" : ">";
    if (t.closed || t.name == "/g" || t.name == "/text") out_ += '\n';
  }

  std::string prefix_, out_;
  std::string_view skipping_;
  std::vector<std::pair<std::size_t, std::size_t>>
      groups_;  ///< open ones: where they start and where their content does
  std::pair<std::size_t, std::size_t> defs_{};
  Dots dots_;
};

struct Parts {
  std::string view_box, body;
};

Parts rewritten(std::string_view gnuplot, std::string_view prefix) {
  const std::size_t start = gnuplot.find("<svg");
  const std::size_t end = gnuplot.rfind("</svg>");
  if (start == gnuplot.npos || end == gnuplot.npos || end < start) not_gnuplots();
  gnuplot = gnuplot.substr(start, end - start);
  std::size_t close = gnuplot.find('>');
  if (close == gnuplot.npos) not_gnuplots();
  const Tag root = parse_tag(gnuplot.substr(1, close - 1));
  const std::string* view_box = root.find("viewBox");
  if (view_box == nullptr || numbers_in(*view_box).size() != 4) not_gnuplots();

  Rewriter rewriter(prefix);
  for (gnuplot.remove_prefix(close + 1); !gnuplot.empty(); gnuplot.remove_prefix(close + 1)) {
    const std::size_t open = gnuplot.find('<');
    rewriter.text(gnuplot.substr(0, open));
    if (open == gnuplot.npos) break;
    gnuplot.remove_prefix(open);
    close = gnuplot.find('>');
    if (close == gnuplot.npos) not_gnuplots();
    rewriter.tag(parse_tag(gnuplot.substr(1, close - 1)));
  }
  return {*view_box, std::move(rewriter).result()};
}

std::string opening(const Parts& parts, std::string_view description, std::string_view more) {
  return "<svg role=\"img\" aria-label=\"" + escaped(description) + "\" viewBox=\"" + parts.view_box + "\"" +
         std::string(more) + " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n";
}

}  // namespace

std::string inline_svg(std::string_view gnuplot, std::string_view prefix, std::string_view description) {
  const Parts parts = rewritten(gnuplot, prefix);
  // Beyond, small pictures would have larger letters than the page.
  const double most = 1.2 * numbers_in(parts.view_box)[2];
  return opening(parts, description, " style=\"max-width:" + short_number(most) + "px\"") + parts.body + "</svg>\n";
}

std::string standalone_svg(std::string_view gnuplot, std::string_view description) {
  const Parts parts = rewritten(gnuplot, "");
  const std::vector<double> box = numbers_in(parts.view_box);
  return opening(parts, description,
                 " xmlns=\"http://www.w3.org/2000/svg\" width=\"" + short_number(box[2]) + "\" height=\"" +
                     short_number(box[3]) + "\"") +
         "<style>svg{color:#1c2128;background:#fff;font-family:system-ui,sans-serif}"
         "@media(prefers-color-scheme:dark){svg{color:#e3e6ea;background:#14181d}}</style>\n" +
         parts.body + "</svg>\n";
}

}  // namespace gaussianize::report
