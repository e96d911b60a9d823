//! Random arguments.

use fastrand::Rng;

/// A source of random arguments: the same ones for the same seed.
#[derive(Clone)]
pub struct Values(Rng);

impl Values {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    /// A value, often one at an edge of its type.
    pub fn value<T: Random>(&mut self) -> T {
        T::random(&mut self.0)
    }

    /// Small whole numbers.
    pub fn numbers<T: From<i8>>(&mut self, len: usize) -> Vec<T> {
        (0..len).map(|_| self.0.i8(-4..=4).into()).collect()
    }

    pub fn array<T: Random>(&mut self, len: usize) -> Vec<T> {
        (0..len).map(|_| self.value()).collect()
    }
}

/// A type of arguments.
pub trait Random {
    fn random(rng: &mut Rng) -> Self;
}

macro_rules! integers {
    ($($T:ident)*) => {$(
        impl Random for $T {
            fn random(rng: &mut Rng) -> Self {
                match rng.u8(..10) {
                    0 => $T::MIN,
                    1 => $T::MAX,
                    2 => $T::MAX - 1,
                    3 => $T::MIN + 1,
                    4 | 5 => rng.$T(..),
                    _ => rng.$T(..20),
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($T:ident)*) => {$(
        impl Random for $T {
            fn random(rng: &mut Rng) -> Self {
                const EDGES: [$T; 14] = [
                    0.0, -0.0, 1.0, -1.5, 0.3, 255.7, -129.0, 3e9, 1e19, 1e-40, $T::NAN, $T::INFINITY, $T::NEG_INFINITY, $T::MAX,
                ];
                match rng.u8(..3) {
                    0 => rng.$T() * 200.0 - 100.0,
                    _ => EDGES[rng.usize(..EDGES.len())],
                }
            }
        }
    )*};
}

floats!(f32 f64);

impl<T: Random, const N: usize> Random for [T; N] {
    fn random(rng: &mut Rng) -> Self {
        std::array::from_fn(|_| T::random(rng))
    }
}

impl Random for bool {
    fn random(rng: &mut Rng) -> Self {
        rng.bool()
    }
}
