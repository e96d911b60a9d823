//! Structs with type and const parameters, and their methods.

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float2;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, value_arguments};

cases![
    instances_have_their_own_layout wraps = true,
    literals_get_their_arguments_from_where_they_go,
    kernels_are_generic_over_elements_of_structs wraps = true,
    methods_are_those_of_the_instance,
    matrices_of_constant_size_are_multiplied,
    generic_structs_nest,
];

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Pair<T> {
    a: T,
    b: T,
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Tagged<K, V: Num>(K, V);

value_arguments![Pair<f32>, Tagged<u8, f64>];

#[gpu_kernel(fmad = false)]
pub fn instances(x: &[Pair<f32>], wide: &mut [Pair<f64>], bytes: &mut [Pair<u8>], by: Tagged<u8, f64>, out: &mut [Tagged<(u8, u64), i16>]) {
    let i = grid_1d();
    if i < x.len() && i < wide.len() && i < bytes.len() && i < out.len() {
        wide[i].a += x[i].a as f64 * by.1;
        wide[i].b = 0.1 + wide[i].a;
        bytes[i].b += by.0;
        let (tag, _) = out[i].0;
        out[i].1 = (tag + bytes[i].b) as i16 * 2;
        out[i].0.1 = 1 << 40;
    }
}

fn instances_have_their_own_layout(bench: &Bench) {
    let x = vec![Pair { a: 1.5, b: 2.0 }];
    let (mut wide, mut bytes, mut out) = (vec![Pair { a: 1.0, b: 0.0 }], vec![Pair { a: 1, b: 250 }], vec![Tagged((7, 8), -1)]);
    launch!(bench, instances(&x, &mut wide, &mut bytes, Tagged(9, 0.1), &mut out), 1, 1);
    let a = 1.0 + 1.5 * 0.1;
    assert_eq!(wide, [Pair { a, b: 0.1 + a }]);
    assert_eq!(bytes, [Pair { a: 1, b: 3 }]);
    assert_eq!(out, [Tagged((7, 1 << 40), 20)]);
}

#[gpu_device]
fn swapped(p: Pair<f32>) -> Pair<f32> {
    Pair { a: p.b, b: p.a }
}

#[gpu_kernel]
pub fn literals(x: &mut [Pair<f32>], with: Pair<f32>, out: &mut [[Pair<i32>; 2]]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let Pair { a, b } = x[i];
        let p: Pair<f32> = Pair { a: 2.0, b: a };
        x[i] = Pair { a: p.a + b, ..with };
        if x[i].b > 5.0 {
            x[i] = swapped(x[i]);
        }
        let q = Pair::<i32> { a: 1, b: i as i32 };
        let mut local: [Pair<i32>; 2] = [Pair { a: 4, b: 5 }, q];
        local[0].a -= 10;
        out[i] = local;
        let mut best: Pair<i32> = if i > 0 { Pair { a: 1, b: 2 } } else { Pair { a: 3, b: 4 } };
        best.a *= 2;
        out[i][1].a += best.a;
    }
}

fn literals_get_their_arguments_from_where_they_go(bench: &Bench) {
    let mut x = vec![Pair { a: 1.0, b: 2.0 }, Pair { a: 3.0, b: 4.0 }];
    let mut out = vec![[Pair { a: 0, b: 0 }; 2]; 2];
    launch!(bench, literals(&mut x, Pair { a: 0.0, b: 6.0 }, &mut out), 1, 2);
    assert_eq!(x, [Pair { a: 6.0, b: 4.0 }, Pair { a: 6.0, b: 6.0 }]);
    assert_eq!(out, [[Pair { a: -6, b: 5 }, Pair { a: 7, b: 0 }], [Pair { a: -6, b: 5 }, Pair { a: 3, b: 1 }]]);
}

#[gpu_device]
fn spread<T: Num>(p: Pair<T>) -> T {
    p.a.max(p.b) - p.a.min(p.b)
}

#[gpu_kernel(fmad = false)]
pub fn spreads<T: Num>(x: &[Pair<T>], scale: T, out: &mut [T], sorted: &mut [Pair<T>]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < sorted.len() {
        let p: Pair<T> = Pair { a: x[i].b * scale, b: x[i].a };
        out[i] = spread::<T>(p) + x[i].a;
        if x[i].a > x[i].b {
            sorted[i] = Pair { a: x[i].b, b: x[i].a };
        } else {
            sorted[i] = x[i];
        }
    }
}

fn kernels_are_generic_over_elements_of_structs(bench: &Bench) {
    let (mut out, mut sorted) = (vec![0.0f64; 2], vec![Pair { a: 0.0, b: 0.0 }; 2]);
    let x = vec![Pair { a: 0.5, b: -1.25 }, Pair { a: 1.0, b: 8.0 }];
    bench.launch::<spreads::Kernel<f64>>((&x, 2.0, &mut out, &mut sorted), 1, 2);
    assert_same(&out, &[3.5, 16.0]);
    assert_eq!(sorted, [Pair { a: -1.25, b: 0.5 }, x[1]]);
    let (mut out, mut sorted) = (vec![0u8], vec![Pair { a: 0, b: 0 }]);
    bench.launch::<spreads::Kernel<u8>>((&vec![Pair { a: 9, b: 100 }], 3, &mut out, &mut sorted), 1, 1);
    assert_eq!((out[0], sorted[0]), (44, Pair { a: 9, b: 100 }), "300 wraps to 44, which is 35 more than 9");
}

#[gpu_device]
impl<T: Num> Pair<T> {
    const COUNT: usize = 2;

    fn new(a: T, b: T) -> Self {
        Self { a, b }
    }

    fn total(self) -> T {
        self.a + self.b
    }

    fn scale(&mut self, by: T) {
        self.a *= by;
        self.b = self.b * by;
    }

    fn plus(&self, other: Pair<T>) -> Pair<T> {
        Self { a: self.a + other.a, b: self.b + other.b }
    }
}

#[gpu_device]
impl Pair<bool> {
    fn both(self) -> bool {
        self.a && self.b
    }
}

#[gpu_kernel]
pub fn methods<T: Num>(x: &mut [Pair<T>], by: T, totals: &mut [T], counts: &mut [Pair<u32>], flags: &mut [Pair<bool>]) {
    let i = grid_1d();
    if i < x.len() && i < totals.len() && i < counts.len() && i < flags.len() {
        x[i].scale(by);
        let p: Pair<T> = Pair::<T>::new(by, T::ONE);
        x[i] = x[i].plus(p);
        totals[i] = x[i].total();
        counts[i] = Pair::<u32>::new(7, counts[i].total() + Pair::<u32>::COUNT as u32);
        flags[i].a = flags[i].both();
    }
}

fn methods_are_those_of_the_instance(bench: &Bench) {
    let (mut x, mut totals) = (vec![Pair { a: 1.5f32, b: 2.0 }], vec![0.0]);
    let (mut counts, mut flags) = (vec![Pair { a: 3, b: 4 }], vec![Pair { a: true, b: false }]);
    bench.launch::<methods::Kernel<f32>>((&mut x, 4.0, &mut totals, &mut counts, &mut flags), 1, 1);
    assert_eq!((x[0], totals[0]), (Pair { a: 10.0, b: 9.0 }, 19.0));
    assert_eq!((counts[0], flags[0]), (Pair { a: 7, b: 9 }, Pair { a: false, b: false }));
    assert_eq!(Pair::new(1u8, 2).total(), 3);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Matrix<T, const N: usize> {
    rows: [[T; N]; N],
}

#[gpu_device]
impl<T: Num, const N: usize> Matrix<T, N> {
    fn times(&self, other: Matrix<T, N>) -> Self {
        let mut product: Matrix<T, N> = other;
        for i in 0..N {
            for j in 0..N {
                let mut sum = T::ZERO;
                for k in 0..N {
                    sum += self.rows[i][k] * other.rows[k][j];
                }
                product.rows[i][j] = sum;
            }
        }
        product
    }
}

#[gpu_kernel]
pub fn products<const N: usize>(x: &[Matrix<i32, N>], out: &mut [Matrix<i32, N>]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = x[i].times(out[i]);
        out[i].rows[N - 1][0] += 1;
    }
}

fn matrices_of_constant_size_are_multiplied(bench: &Bench) {
    let mut out = vec![Matrix { rows: [[1, 2], [3, 4]] }];
    bench.launch::<products::Kernel<2>>((&vec![Matrix { rows: [[5, 6], [7, 8]] }], &mut out), 1, 1);
    assert_eq!(out, [Matrix { rows: [[23, 34], [32, 46]] }]);
    let mut out = vec![Matrix { rows: [[1, 2, 3], [4, 5, 6], [7, 8, 9]] }];
    bench.launch::<products::Kernel<3>>((&vec![Matrix { rows: [[0, 0, 1], [0, 1, 0], [1, 0, 0]] }], &mut out), 1, 1);
    assert_eq!(out, [Matrix { rows: [[7, 8, 9], [4, 5, 6], [2, 2, 3]] }]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Nested<T: Num> {
    inner: Pair<T>,
    pairs: [Pair<(T, u8)>; 2],
    place: Pair<Float2>,
}

#[gpu_kernel]
pub fn nest(x: &mut [Nested<f32>]) {
    let mut tile = shared::<[Pair<f32>; 4]>();
    let i = grid_1d();
    if i < x.len() {
        tile[thread_idx().x] = x[i].inner;
        x[i].inner.a = tile[thread_idx().x].b;
        x[i].pairs[1].b.0 += 0.5;
        x[i].pairs[0].a = (2.5, 3);
        x[i].place.b = x[i].place.a * 2.0;
    }
}

fn generic_structs_nest(bench: &Bench) {
    let pair = Pair { a: (1.0, 1), b: (2.0, 2) };
    let start = Nested { inner: Pair { a: 1.0, b: 2.0 }, pairs: [pair; 2], place: Pair { a: Float2::splat(1.0), b: Float2::splat(0.0) } };
    let mut x = vec![start; 2];
    launch!(bench, nest(&mut x), 1, 2);
    let expected = Nested {
        inner: Pair { a: 2.0, b: 2.0 },
        pairs: [Pair { a: (2.5, 3), ..pair }, Pair { b: (2.5, 2), ..pair }],
        place: Pair { a: Float2::splat(1.0), b: Float2::splat(2.0) },
    };
    assert_eq!(x, [expected; 2]);
}
