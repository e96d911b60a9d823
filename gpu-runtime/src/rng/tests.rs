//! Against the sequences that others publish.

use super::*;

/// From Numba 0.68's simulator: `NUMBA_ENABLE_CUDASIM=1`, `create_xoroshiro128p_states(3, seed, subsequence_start)`, then four times
/// `xoroshiro128p_next(states, i)` in thread `i`.
#[test]
fn xoroshiro_has_numbas_states_and_numbers() {
    let states = xoroshiro128p_states(3, 1, 0);
    #[rustfmt::skip]
    assert_eq!(states, [
        0x910a2dec89025cc1, 0x910a2dec89025cc1,
        0x73c19a5348fc9098, 0x6c96c932f21d71ee,
        0x0b3d0cd6ddfa7a4c, 0xd3c2c33e9b8e707a,
    ]);
    let mut later = xoroshiro128p_states(3, 12345, 3);
    #[rustfmt::skip]
    assert_eq!(later, [
        0x81677962ecc05fc7, 0x6ad0e4dab75ad20b,
        0xbefa25f3118b9bbf, 0x6c72b22d7db22783,
        0x31bd3ad7bb6686a0, 0x986b232c0e34383e,
    ]);
    let raw: [[u64; 4]; 3] = [0, 1, 2].map(|i| [0; 4].map(|_: u64| xoroshiro128p_next(&mut later, i)));
    #[rustfmt::skip]
    assert_eq!(raw, [
        [0xec385e3da41b31d2, 0xa8c215b10519c968, 0x0cb0ba6e7979bc5f, 0x092dc39631f8fda9],
        [0x2b6cd8208f3dc342, 0xec3c35902347f7d7, 0x229c5839a60abc28, 0x7b9e8f1ff83d985f],
        [0xca285e03c99abede, 0xd4dc141d0e8a2d98, 0xf96347425ba443ae, 0xa739e4a77d97bb7e],
    ]);
}

/// The known answers that come with Random123, Salmon's own implementation.
#[test]
fn philox_has_the_known_answers() {
    let ones = u32::MAX;
    assert_eq!(philox4x32(0, 0, 0, 0, 0, 0), (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
    assert_eq!(philox4x32(ones, ones, ones, ones, ones, ones), (0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
    assert_eq!(
        philox4x32(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0),
        (0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1)
    );
}

#[test]
fn uniform_numbers_fill_the_unit_interval() {
    let n = 20_000u64;
    for stream in 0..3 {
        let x: Vec<f64> = (0..n).map(|i| random_uniform_f64(9, stream, i)).collect();
        assert!(x.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = x.iter().sum::<f64>() / n as f64;
        // Five deviations of the mean.
        assert!((mean - 0.5).abs() < 5.0 / (12.0 * n as f64).sqrt(), "{mean}");
        let single: Vec<f32> = (0..n).map(|i| random_uniform_f32(9, stream, i)).collect();
        assert!(single.iter().all(|x| (0.0..1.0).contains(x)));
    }
}

#[test]
fn normal_numbers_have_mean_0_and_deviation_1() {
    let n = 20_000u64;
    let check = |x: Vec<f64>| {
        let mean = x.iter().sum::<f64>() / n as f64;
        let square = x.iter().map(|x| x * x).sum::<f64>() / n as f64;
        let beyond = x.iter().filter(|x| x.abs() > 1.959_964).count() as f64 / n as f64;
        assert!(mean.abs() < 5.0 / (n as f64).sqrt(), "{mean}");
        assert!((square - 1.0).abs() < 5.0 * (2.0 / n as f64).sqrt(), "{square}");
        assert!((beyond - 0.05).abs() < 5.0 * (0.05 * 0.95 / n as f64).sqrt(), "{beyond}");
    };
    check((0..n).map(|i| random_normal_f64(9, 0, i)).collect());
    check((0..n).map(|i| random_normal_f32(9, 1, i).into()).collect());
    let mut states = xoroshiro128p_states(1, 9, 0);
    check((0..n).map(|_| xoroshiro128p_normal_f64(&mut states, 0)).collect());
    check((0..n).map(|_| xoroshiro128p_normal_f32(&mut states, 0).into()).collect());
}
