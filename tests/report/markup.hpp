#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gaussianize::report::testing {

/// What is wrong with a page: a tag that is not closed or closes another, an attribute without quotes, an id used
/// twice, a link to an id that is not there, or anything that would be fetched. Empty if nothing is.
inline std::string markup_fault(std::string_view html) {
  constexpr std::string_view spaces = " \t\r\n";
  std::vector<std::string> open;
  std::set<std::string> ids, links;
  while (true) {
    const std::size_t start = html.find('<');
    if (start == html.npos) break;
    html.remove_prefix(start + 1);
    const std::size_t end = html.find('>');
    if (end == html.npos) return "a tag without end";
    std::string_view tag = html.substr(0, end);
    html.remove_prefix(end + 1);
    if (tag.starts_with('!')) continue;
    const bool closed = tag.ends_with('/');
    if (closed) tag.remove_suffix(1);
    const std::string name(tag.substr(0, tag.find_first_of(spaces)));
    if (name.starts_with('/')) {
      if (open.empty() || "/" + open.back() != name) return "</" + name.substr(1) + "> closes something else";
      open.pop_back();
      continue;
    }
    if (name == "script" || name == "link" || name == "iframe" || name == "object") return "<" + name + ">";
    for (tag.remove_prefix(name.size());;) {
      const std::size_t first = tag.find_first_not_of(spaces);
      if (first == tag.npos) break;
      tag.remove_prefix(first);
      const std::size_t equals = tag.find('=');
      if (equals == tag.npos || equals + 1 >= tag.size() || tag[equals + 1] != '"') return name + ": no quotes";
      const std::size_t last = tag.find('"', equals + 2);
      if (last == tag.npos) return name + ": quotes that do not end";
      const std::string key(tag.substr(0, equals)), value(tag.substr(equals + 2, last - equals - 2));
      tag.remove_prefix(last + 1);
      if (key == "id" && !ids.insert(value).second) return "the id " + value + " twice";
      if (key.starts_with("on")) return "the script " + key;
      if (key == "src" || key == "href" || key == "xlink:href") {
        if (value.starts_with('#'))
          links.insert(value.substr(1));
        else if (!value.starts_with("data:image/svg+xml,"))
          return "fetches " + value;
      }
      if (value.find("url(") != value.npos && value.find("url(#") == value.npos) return "fetches " + value;
    }
    if (!closed && name != "meta" && name != "img") open.push_back(name);
    if (name == "style") {
      const std::size_t stop = html.find("</style>");
      if (html.substr(0, stop).find("url(") != html.npos || html.substr(0, stop).find("@import") != html.npos)
        return "a style that fetches";
    }
  }
  for (const std::string& link : links)
    if (!ids.contains(link)) return "a link to " + link + ", which is not there";
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace gaussianize::report::testing
