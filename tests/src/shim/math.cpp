// CUDA's mathematical functions beyond those of the C library, which computes what they are made of in long double. No header is
// included: a newer one may declare some of these itself, with other attributes.
extern "C" {
long double sqrtl(long double);
long double cbrtl(long double);
long double hypotl(long double, long double);
long double fabsl(long double);
long double fmodl(long double, long double);
long double rintl(long double);
long double sinl(long double);
long double cosl(long double);
long double erfl(long double);
long double erfcl(long double);
long double expl(long double);
}

static long double pi() { return 3.14159265358979323846264338327950288L; }
static long double half_root() { return 0.707106781186547524400844362104849039L; }

// The number from 0 on where the decreasing `function` is `value`.
static long double solve(long double (*function)(long double), long double value) {
  long double low = 0, high = 120;
  for (int i = 0; i < 200; i++) {
    const long double middle = (low + high) / 2;
    (function(middle) > value ? low : high) = middle;
  }
  return low;
}
static long double minus_erf(long double a) { return -erfl(a); }

// `tail`: how far erf's value is from the nearer end, where that is known better than the value.
static double inverse(long double value, long double tail) {
  if (!(tail >= 0)) return __builtin_nan("");
  if (tail == 0) return __builtin_copysign(__builtin_inf(), (double)value);
  const long double size = tail > 0.5L ? solve(minus_erf, -fabsl(value)) : solve(erfcl, tail);
  return __builtin_copysign((double)size, (double)value);
}

static double length(long double sum) { return (double)sqrtl(sum); }
static double reciprocal_length(long double sum) { return (double)(1 / sqrtl(sum)); }
// The sum of squares; infinite beside NaN too.
static long double squares(long double a, long double b, long double c, long double d) {
  const bool infinite = __builtin_isinf(a) || __builtin_isinf(b) || __builtin_isinf(c) || __builtin_isinf(d);
  return infinite ? (long double)__builtin_inf() : a * a + b * b + c * c + d * d;
}
// The power series of the modified Bessel functions: all its terms are positive.
static long double bessel_series(long double a, int order) {
  long double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-25L && term < 1e4000L; k++) {
    term *= a * a / 4 / k / (k + order);
    sum += term;
  }
  return sum;
}

extern "C" {
double erfcx(double a) {
  const long double x = a;
  if (x < 20) return (double)(expl(x * x) * erfcl(x));
  long double fraction = x;
  for (int k = 40; k > 0; k--) fraction = x + k / 2.0L / fraction;
  return (double)(1 / (sqrtl(pi()) * fraction));
}
double cyl_bessel_i0(double a) { return (double)bessel_series(a, 0); }
double cyl_bessel_i1(double a) { return (double)(a / 2.0L * bessel_series(a, 1)); }
double norm3d(double a, double b, double c) { return length(squares(a, b, c, 0)); }
double norm4d(double a, double b, double c, double d) { return length(squares(a, b, c, d)); }
double rnorm3d(double a, double b, double c) { return reciprocal_length(squares(a, b, c, 0)); }
double rnorm4d(double a, double b, double c, double d) { return reciprocal_length(squares(a, b, c, d)); }
double rsqrt(double a) { return (double)(1 / sqrtl(a)); }
double rcbrt(double a) { return (double)(1 / cbrtl(a)); }
double rhypot(double a, double b) { return (double)(1 / hypotl(a, b)); }
double erfinv(double a) { return inverse(a, 1 - fabsl(a)); }
double erfcinv(double a) { return inverse(1 - (long double)a, a < 1 ? a : 2 - (long double)a); }
double normcdf(double a) { return (double)(erfcl(-a * half_root()) / 2); }
double normcdfinv(double a) { return (double)(-erfcinv(2 * a) / half_root()); }
void sincospi(double a, double* sine, double* cosine) {
  const long double turn = fmodl(a, 2), quarters = rintl(turn * 2);
  const long double s = sinl((turn - quarters / 2) * pi()), c = cosl((turn - quarters / 2) * pi());
  const int quadrant = __builtin_isfinite(a) ? (int)quarters & 3 : 0;
  *sine = (double)(quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c);
  *cosine = (double)(quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s);
}
double sinpi(double a) {
  double sine, cosine;
  sincospi(a, &sine, &cosine);
  return sine;
}
double cospi(double a) {
  double sine, cosine;
  sincospi(a, &sine, &cosine);
  return cosine;
}

float rsqrtf(float a) { return (float)rsqrt(a); }
float rcbrtf(float a) { return (float)rcbrt(a); }
float erfcxf(float a) { return (float)erfcx(a); }
float cyl_bessel_i0f(float a) { return (float)cyl_bessel_i0(a); }
float cyl_bessel_i1f(float a) { return (float)cyl_bessel_i1(a); }
float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
float rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }
float rhypotf(float a, float b) { return (float)rhypot(a, b); }
float erfinvf(float a) { return (float)erfinv(a); }
float erfcinvf(float a) { return (float)erfcinv(a); }
float normcdff(float a) { return (float)normcdf(a); }
float normcdfinvf(float a) { return (float)normcdfinv(a); }
float sinpif(float a) { return (float)sinpi(a); }
float cospif(float a) { return (float)cospi(a); }
void sincospif(float a, float* sine, float* cosine) {
  *sine = sinpif(a);
  *cosine = cospif(a);
}
}
