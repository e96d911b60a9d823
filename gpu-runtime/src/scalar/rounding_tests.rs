//! Directed rounding against the processor's own, with the errors of that computed exactly.

use super::DeviceRounding;

/// What every direction gives: nearest, up, down, to 0.
type Four<F> = [F; 4];

macro_rules! four {
    ($a:expr, $nearest:ident $up:ident $down:ident $zero:ident $(, $arg:expr)*) => {
        [$a.$nearest($($arg),*), $a.$up($($arg),*), $a.$down($($arg),*), $a.$zero($($arg),*)]
    };
}

macro_rules! suite {
    ($module:ident, $F:ident, $Bits:ident) => {
        mod $module {
            use super::*;

            /// Random bits, and numbers near each other and near the ends of the range, from a generator with a fixed seed.
            fn numbers(count: usize) -> Vec<$F> {
                let mut state = 0x9e37_79b9_7f4a_7c15u64;
                let mut next = move || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state
                };
                let edges = [
                    0.0,
                    -0.0,
                    1.0,
                    -1.0,
                    3.0,
                    $F::MAX,
                    $F::MIN,
                    $F::MIN_POSITIVE,
                    -$F::MIN_POSITIVE,
                    $F::from_bits(1),
                    -$F::from_bits(1),
                    $F::EPSILON,
                    $F::INFINITY,
                    $F::NEG_INFINITY,
                    $F::NAN,
                ];
                (0..count)
                    .map(|i| match i % 3 {
                        0 => $F::from_bits(next() as $Bits),
                        1 => (next() % (1 << 20)) as $F / 1000.0 - 500.0,
                        _ => edges[next() as usize % edges.len()],
                    })
                    .collect()
            }

            fn check(what: &str, results: Four<$F>, expected: $F) {
                let [nearest, up, down, to_zero] = results;
                assert!(nearest.to_bits() == expected.to_bits() || (nearest.is_nan() && expected.is_nan()), "{what}: {nearest:e}");
                if nearest.is_nan() {
                    assert!(up.is_nan() && down.is_nan() && to_zero.is_nan(), "{what}");
                    return;
                }
                let is_one_of_two = nearest == up || nearest == down;
                assert!(down <= up && is_one_of_two && (up == down || down.next_up() == up), "{what}: {down:e} {nearest:e} {up:e}");
                let smaller = if up.abs() < down.abs() { up } else { down };
                assert_eq!(to_zero, smaller, "{what}");
            }

            #[test]
            fn neighbours_of_the_exact_result_are_on_both_sides_of_it() {
                let x = numbers(6000);
                for (i, &a) in x.iter().enumerate() {
                    let (b, c) = (x[(i * 7 + 1) % x.len()], x[(i * 13 + 5) % x.len()]);
                    let what = format!("{a:e} and {b:e}");
                    check(&what, four!(a, add_round_nearest add_round_up add_round_down add_round_to_zero, b), a + b);
                    check(&what, four!(a, sub_round_nearest sub_round_up sub_round_down sub_round_to_zero, b), a - b);
                    check(&what, four!(a, mul_round_nearest mul_round_up mul_round_down mul_round_to_zero, b), a * b);
                    check(&what, four!(a, div_round_nearest div_round_up div_round_down div_round_to_zero, b), a / b);
                    check(&what, four!(a, recip_round_nearest recip_round_up recip_round_down recip_round_to_zero), 1.0 / a);
                    check(&what, four!(a, sqrt_round_nearest sqrt_round_up sqrt_round_down sqrt_round_to_zero), a.sqrt());
                    let sums = four!(a, mul_add_round_nearest mul_add_round_up mul_add_round_down mul_add_round_to_zero, b, c);
                    check(&format!("{what}, {c:e}"), sums, a.mul_add(b, c));
                }
            }

            #[test]
            fn exact_results_are_the_same_in_every_direction() {
                for x in numbers(3000).into_iter().filter(|x| x.is_finite() && x.abs() < 1e30 && x.abs() > 1e-20) {
                    let doubled = four!(x, add_round_nearest add_round_up add_round_down add_round_to_zero, x);
                    assert_eq!(doubled, [2.0 * x; 4]);
                    assert_eq!(four!(x, div_round_nearest div_round_up div_round_down div_round_to_zero, 4.0), [x / 4.0; 4]);
                    assert_eq!(four!(x, mul_add_round_nearest mul_add_round_up mul_add_round_down mul_add_round_to_zero, -1.0, x), [0.0; 4]);
                    let whole = (x.abs() % 1000.0).trunc();
                    assert_eq!(four!((whole * whole), sqrt_round_nearest sqrt_round_up sqrt_round_down sqrt_round_to_zero), [whole; 4]);
                }
            }

            #[test]
            fn what_overflows_becomes_infinite_or_the_largest() {
                let (max, inf) = ($F::MAX, $F::INFINITY);
                assert_eq!(four!(max, add_round_nearest add_round_up add_round_down add_round_to_zero, max), [inf, inf, max, max]);
                assert_eq!(four!(max, mul_round_nearest mul_round_up mul_round_down mul_round_to_zero, -2.0), [-inf, -max, -inf, -max]);
                assert_eq!(four!(max, div_round_nearest div_round_up div_round_down div_round_to_zero, 0.5), [inf, inf, max, max]);
                assert_eq!(four!(1.0 as $F, div_round_nearest div_round_up div_round_down div_round_to_zero, 0.0), [inf; 4]);
                // The smallest step beyond the largest number.
                assert_eq!(four!(max, add_round_nearest add_round_up add_round_down add_round_to_zero, 1.0), [max, inf, max, max]);
            }

            #[test]
            fn what_is_too_small_becomes_zero_or_the_smallest() {
                let tiny = $F::from_bits(1);
                let bits = |results: Four<$F>| results.map(<$F>::to_bits);
                let half = four!(tiny, mul_round_nearest mul_round_up mul_round_down mul_round_to_zero, 0.5);
                assert_eq!(bits(half), bits([0.0, tiny, 0.0, 0.0]));
                let negative = four!(tiny, mul_round_nearest mul_round_up mul_round_down mul_round_to_zero, -0.5);
                assert_eq!(bits(negative), bits([-0.0, -0.0, -tiny, -0.0]));
                let third = four!(tiny, div_round_nearest div_round_up div_round_down div_round_to_zero, 3.0);
                assert_eq!(bits(third), bits([0.0, tiny, 0.0, 0.0]));
            }

            #[test]
            fn sums_of_zero_are_below_zero_only_when_rounded_down() {
                let bits = |results: Four<$F>| results.map(<$F>::to_bits);
                let (one, zero, below) = (1.0 as $F, 0.0 as $F, -0.0 as $F);
                let mixed = bits([0.0, 0.0, -0.0, 0.0]);
                assert_eq!(bits(four!(one, sub_round_nearest sub_round_up sub_round_down sub_round_to_zero, one)), mixed);
                assert_eq!(bits(four!(zero, add_round_nearest add_round_up add_round_down add_round_to_zero, below)), mixed);
                let product = four!(one, mul_add_round_nearest mul_add_round_up mul_add_round_down mul_add_round_to_zero, below, zero);
                assert_eq!(bits(product), mixed);
                assert_eq!(bits(four!(below, add_round_nearest add_round_up add_round_down add_round_to_zero, below)), bits([-0.0; 4]));
                assert_eq!(bits(four!(below, sqrt_round_nearest sqrt_round_up sqrt_round_down sqrt_round_to_zero)), bits([-0.0; 4]));
            }
        }
    };
}

suite!(singles, f32, u32);
suite!(doubles, f64, u64);

/// Of two `f32`s, an `f64` holds the product, and the sum but for an error that is itself an `f64`: that says which side is which.
#[test]
fn the_side_is_that_of_the_exact_result() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits((state >> 2) % (0x50 << 23) + (0x20 << 23)) * if state & 1 == 0 { 1.0 } else { -1.0 }
    };
    for _ in 0..20_000 {
        let (a, b, c) = (next(), next(), next());
        let (wide_a, wide_b, wide_c) = (f64::from(a), f64::from(b), f64::from(c));
        let product = wide_a * wide_b;
        let below = |value: f32, exact: f64, rest: f64| (f64::from(value) - exact) < rest || (f64::from(value) - exact) == rest;
        let above = |value: f32, exact: f64, rest: f64| below(-value, -exact, -rest);
        assert!(below(a.mul_round_down(b), product, 0.0) && above(a.mul_round_up(b), product, 0.0), "{a:e} * {b:e}");
        // The error of a sum, after Knuth.
        let error_of = |x: f64, y: f64| {
            let sum = x + y;
            let part = sum - x;
            (sum, (x - (sum - part)) + (y - part))
        };
        let (sum, rest) = error_of(wide_a, wide_b);
        assert!(below(a.add_round_down(b), sum, rest) && above(a.add_round_up(b), sum, rest), "{a:e} + {b:e}");
        let (sum, rest) = error_of(product, wide_c);
        let (down, up) = (a.mul_add_round_down(b, c), a.mul_add_round_up(b, c));
        assert!(below(down, sum, rest) && above(up, sum, rest), "{a:e} * {b:e} + {c:e}: {down:e} {up:e}");
        // A quotient is on the side on which its product with the divisor is.
        let (down, up) = (a.div_round_down(b), a.div_round_up(b));
        let (down, up) = (f64::from(down) * wide_b, f64::from(up) * wide_b);
        assert!(if b > 0.0 { down <= wide_a && wide_a <= up } else { up <= wide_a && wide_a <= down }, "{a:e} / {b:e}");
        let (down, up) = (f64::from(a.abs().sqrt_round_down()), f64::from(a.abs().sqrt_round_up()));
        assert!(down * down <= wide_a.abs() && wide_a.abs() <= up * up, "the root of {a:e}");
    }
}
