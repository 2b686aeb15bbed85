#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gaussianize {

/// The columns, counted from 0, that a list like "height,3-5,weight" picks out of `width`, in the order of the list;
/// all of them for an empty list. An item is a name, an index or a range of indices with both ends, and is taken for a
/// name wherever a column has that name. In double quotes (doubled inside) it is a name whatever it holds. Throws
/// std::invalid_argument, beginning with `file`, for an item that is none of these (and suggests the nearest name),
/// that stands for several columns, or that picks a column a second time. `names` is empty or of `width` names.
std::vector<std::size_t> select_columns(std::string_view list, const std::vector<std::string>& names, std::size_t width,
                                        const std::string& file);

/// "column 3 ('weight')", or "column 3 (counted from 0)" where there are no names.
std::string column_label(std::size_t column, const std::vector<std::string>& names);

}  // namespace gaussianize
#pragma GCC visibility pop
