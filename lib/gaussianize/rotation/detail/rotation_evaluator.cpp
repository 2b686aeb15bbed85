#include "gaussianize/rotation/detail/rotation_evaluator.hpp"

namespace gaussianize::detail {
namespace {

IdentityEvaluator make_evaluator(const Identity&) {
  return {};
}

OrthogonalEvaluator make_evaluator(const Orthogonal& rotation) {
  return {&rotation.q};
}

void forward(const IdentityEvaluator&, const arma::mat& x, arma::mat& y, RotationScratch&) {
  y = x;
}

void forward(const OrthogonalEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch&) {
  y = x * *rotation.q;
}

void inverse(const IdentityEvaluator&, const arma::mat& y, arma::mat& x, RotationScratch&) {
  x = y;
}

void inverse(const OrthogonalEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch&) {
  x = y * rotation.q->t();
}

template <class Evaluator>
concept Fixed = std::is_same_v<Evaluator, IdentityEvaluator> || std::is_same_v<Evaluator, OrthogonalEvaluator>;

template <Fixed Evaluator>
void reset_gradient_sums(const Evaluator&, arma::mat& sums) {
  sums.reset();
}

template <Fixed Evaluator>
void backward(const Evaluator& rotation, const arma::mat&, const arma::mat& y_bar, arma::mat& x_bar, arma::mat&,
              RotationScratch& scratch) {
  inverse(rotation, y_bar, x_bar, scratch);
}

template <Fixed Evaluator>
void add_gradient(const Evaluator&, const arma::mat&, typename Evaluator::Parameters&) {}

}  // namespace

RotationEvaluator make_evaluator(const Rotation& rotation) {
  return std::visit([](const auto& r) -> RotationEvaluator { return make_evaluator(r); }, rotation);
}

void forward(const RotationEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch) {
  std::visit([&](const auto& r) { forward(r, x, y, scratch); }, rotation);
}

void inverse(const RotationEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch) {
  std::visit([&](const auto& r) { inverse(r, y, x, scratch); }, rotation);
}

void reset_gradient_sums(const RotationEvaluator& rotation, arma::mat& sums) {
  std::visit([&](const auto& r) { reset_gradient_sums(r, sums); }, rotation);
}

void backward(const RotationEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& sums, RotationScratch& scratch) {
  std::visit([&](const auto& r) { backward(r, y, y_bar, x_bar, sums, scratch); }, rotation);
}

void add_gradient(const RotationEvaluator& rotation, const arma::mat& sums, Rotation& gradient) {
  std::visit([&]<class Evaluator>(
                 const Evaluator& r) { add_gradient(r, sums, std::get<typename Evaluator::Parameters>(gradient)); },
             rotation);
}

void forward_in_place(const RotationEvaluator& rotation, arma::mat& x, arma::mat& work, RotationScratch& scratch) {
  if (std::holds_alternative<IdentityEvaluator>(rotation)) return;
  forward(rotation, x, work, scratch);
  x.swap(work);
}

void inverse_in_place(const RotationEvaluator& rotation, arma::mat& x, arma::mat& work, RotationScratch& scratch) {
  if (std::holds_alternative<IdentityEvaluator>(rotation)) return;
  inverse(rotation, x, work, scratch);
  x.swap(work);
}

}  // namespace gaussianize::detail
