#pragma once

#include <functional>
#include <vector>

namespace gaussianize::detail {

struct PlanePoint {
  double x = 0;
  double y = 0;
};

/// Independent noise of either coordinate: σ times a standard normal, plus a uniform on (0, box).
struct CurveNoise {
  double sigma = 1;
  double box = 0;
};

/// The distribution of a random point of a curve with noise added: ∫ weight(t) k(x − c₁(t)) k(y − c₂(t)) dt, where
/// `weight` integrates to one over (begin, end) and k is the noise's density. Gauss's rule of five points on panels
/// along which the curve runs ¾σ: exact to 1e-9 where the curve is smooth at the scale of σ.
class CurveDensity {
 public:
  CurveDensity(const std::function<PlanePoint(double)>& curve, const std::function<double(double)>& weight,
               double begin, double end, CurveNoise noise);

  /// In logs throughout, so that it is finite and exact however far from the curve.
  double log_density(PlanePoint p) const;

 private:
  struct Node {
    PlanePoint centre;
    double log_weight = 0;
  };

  std::vector<Node> nodes_;
  CurveNoise noise_;
};

/// log(e^a + e^b) without overflow; either may be −∞.
double log_add(double a, double b);

}  // namespace gaussianize::detail
