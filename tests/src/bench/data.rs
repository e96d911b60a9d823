//! Inputs of cases, the same in every run.

/// `n` whole numbers from -4 to 4, as floats: their sums and products are exact, in every order and with fused operations.
pub fn whole(n: usize) -> Vec<f32> {
    below(9, n).into_iter().map(|number| number as f32 - 4.0).collect()
}

/// `n` positive floats below 2.
pub fn positive(n: usize) -> Vec<f32> {
    below(1000, n).into_iter().map(|number| (number + 1) as f32 / 512.0).collect()
}

/// `n` numbers below `bound`.
pub fn below(bound: u32, n: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_u32;
    let next = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        (state >> 12) % bound
    };
    std::iter::repeat_with(next).take(n).collect()
}

/// The bytes of [`below`].
pub fn bytes_below(bound: u8, n: usize) -> Vec<u8> {
    below(bound.into(), n).into_iter().map(|number| number as u8).collect()
}
