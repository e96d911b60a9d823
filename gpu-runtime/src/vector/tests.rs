use super::*;
use crate::ops;

#[test]
fn operators_go_lane_by_lane() {
    let (v, w) = (Float4::new(1.0, 2.0, 3.0, 4.0), Float4::splat(2.0));
    assert_eq!(v + w, Float4::new(3.0, 4.0, 5.0, 6.0));
    assert_eq!(2.0 / v - v * 0.5, Float4::new(1.5, 0.0, 2.0 / 3.0 - 1.5, -1.5));
    assert_eq!(-v, Float4::new(-1.0, -2.0, -3.0, -4.0));
    let mut sum = Int2::new(7, -8);
    sum += Int2::new(1, 1);
    sum /= 2;
    assert_eq!(sum, Int2::new(4, -3));
}

#[test]
fn floats_have_lengths_and_directions() {
    let v = Float3::new(2.0, 3.0, 6.0);
    assert_eq!((v.length(), v.normalize() * 7.0, size_of::<Float3>()), (7.0, v, 12));
    assert_eq!(Float3::new(1.0, 0.0, 0.0).cross(Float3::new(0.0, 1.0, 0.0)), Float3::new(0.0, 0.0, 1.0));
    assert_eq!(Double2::splat(1.0).lerp(Double2::new(3.0, -1.0), 0.25), Double2::new(1.5, 0.5));
}

#[test]
fn sums_and_products_wrap() {
    assert_eq!(Uchar4::new(200, 100, 1, 2).reduce_sum(), 47);
    assert_eq!(Int2::new(i32::MAX, 2).dot(Int2::new(2, 5)), 8);
    assert_eq!(ops::add(Char4::splat(127), Char4::new(1, 0, 2, 3)), Char4::new(-128, 127, -127, -126));
    assert_eq!(ops::neg(Short4::splat(i16::MIN)), Short4::splat(i16::MIN));
    assert_eq!(Double2::new(0.5, 2.0).dot(Double2::splat(4.0)), 10.0);
}

#[test]
fn minima_ignore_nans() {
    let (v, w) = (Float2::new(f32::NAN, 1.0), Float2::new(3.0, -1.0));
    assert_eq!((v.min(w), v.max(w)), (Float2::new(3.0, -1.0), Float2::new(3.0, 1.0)));
}

#[test]
fn a_division_asks_about_zeros_first() {
    let (v, w) = (Int2::new(i32::MIN, 1), Int2::new(-1, 0));
    assert_eq!(Divide::div(v, w), Err(Undefined::ByZero));
    assert_eq!(DivideBy::div(v, -1), Err(Undefined::Overflow));
    assert_eq!(DivideBy::div(12, Int2::new(3, -4)), Ok(Int2::new(4, -3)));
}

#[test]
fn arrays_become_vectors_and_back() {
    let v = Uint4::from([1, 2, 3, 4]);
    assert_eq!((v.x, v.w, <[u32; 4]>::from(v)), (1, 4, [1, 2, 3, 4]));
    assert_eq!((size_of::<Longlong2>(), align_of::<Ulonglong2>(), align_of::<Uchar4>()), (16, 16, 4));
}
