#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gaussianize {

/// A column's name that the table does not have. The message lists those that it has, or the first of them.
class UnknownColumn : public std::invalid_argument {
 public:
  UnknownColumn(const std::string& message, std::string name, std::vector<std::string> columns)
      : std::invalid_argument(message), name_(std::move(name)), columns_(std::move(columns)) {}
  const std::string& name() const noexcept { return name_; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }  ///< all of the table's names

 private:
  std::string name_;
  std::vector<std::string> columns_;
};

/// The columns, counted from 0, that a list like "height,3-5,weight" picks out of `width`, in the order of the list;
/// all of them for an empty list. An item is a name, an index or a range of indices with both ends, and is taken for a
/// name wherever a column has that name. In double quotes (doubled inside) it is a name whatever it holds. Throws
/// std::invalid_argument, beginning with `file`, for an item that is none of these (UnknownColumn where there are
/// names), that stands for several columns, or that picks a column a second time. `names` is empty or of `width` names.
std::vector<std::size_t> select_columns(std::string_view list, const std::vector<std::string>& names, std::size_t width,
                                        const std::string& file);

/// "column 3 ('weight')", or "column 3 (counted from 0)" where there are no names.
std::string column_label(std::size_t column, const std::vector<std::string>& names);

}  // namespace gaussianize
#pragma GCC visibility pop
