//! Traits of std that users' types implement.

use gpu_runtime::prelude::*;

/// Traits of std that kernels do not use.
mod traits_of_std {
    use super::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(C)]
    struct Length {
        metres: f32,
    }

    #[gpu_device]
    impl Length {
        fn round(self) -> f32 {
            self.metres.round()
        }

        fn ceil(&mut self) -> Self { //~
            self.metres = 0.0;
            *self
        }

        fn cmp(&self, other: &Self) -> bool { //~
            self.metres < other.metres
        }
    }

    #[gpu_kernel]
    fn rounded(lengths: &[Length], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let length = lengths[i];
            length.round(); //~
        }
    }

    #[gpu_device]
    impl PartialOrd for Length {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            self.metres.partial_cmp(&other.metres)
        }
        fn lt(&self, _: &Self) -> bool { //~
            true
        }
    }

    #[gpu_device]
    impl From<f32> for Length {
        fn from(metres: f32) -> Self {
            Length { metres: metres.gamma() } //~
        }
    }

    #[gpu_kernel]
    fn callers(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = Length::from(1.0f32).metres;
        }
    }
}

/// An index gives a reference to what is in the value, and what threads share is changed as an array that the proofs know.
mod indices {
    use super::*;
    use std::ops::{Index, IndexMut};

    const ZERO: f32 = 0.0;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Row {
        x: [f32; 4],
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Padded {
        x: [f32; 4],
    }

    #[gpu_device]
    impl Index<usize> for Row {
        type Output = f32;
        fn index(&self, i: usize) -> &f32 {
            &self.x[i]
        }
    }

    #[gpu_device]
    impl IndexMut<usize> for Row {
        fn index_mut(&mut self, i: usize) -> &mut f32 {
            &mut self.x[i]
        }
    }

    #[gpu_device]
    impl Index<usize> for Padded {
        type Output = f32;
        fn index(&self, i: usize) -> &f32 {
            if i < 4 { &self.x[i] } else { &ZERO } //~
        }
    }

    #[gpu_kernel]
    fn shared_among_threads(rows: &mut [Row]) {
        let i = grid_1d();
        rows[0][i] = 1.0; //~
    }

    #[gpu_kernel]
    fn without_index_mut(padded: &[Padded], out: &mut [f32]) {
        let i = grid_1d();
        if i < padded.len() && i < out.len() {
            let mut p = padded[i];
            p[0] = 1.0; //~
            out[i] = p[1];
        }
    }
}

fn main() {}
