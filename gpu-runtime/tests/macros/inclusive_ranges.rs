//! `0..=n` with the largest number as its end: Rust refuses the part of a slice, and a loop has as many rounds as the shorter side.

use gpu_runtime::prelude::*;

#[gpu_device]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for v in x {
        sum += *v;
    }
    sum
}

#[gpu_kernel]
fn length_of_part(x: &[u32], n: usize, out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        let part = &x[0..=n];
        out[i] = part.len();
    }
}

#[gpu_kernel]
fn total_of_part(x: &[u32], n: usize, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = total(&x[..=n]);
    }
}

#[gpu_kernel]
fn zipped(x: &[u32], first: usize, last: usize, out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0;
        for (v, k) in x.iter().zip(0..=last) {
            sum += *v as usize + k;
        }
        for (v, k) in x.iter().zip(first..=last) {
            sum += *v as usize + (k - first);
        }
        for (v, k) in x.iter().zip((2..=last).rev()) {
            sum += *v as usize + (last - k);
        }
        out[i] = sum;
    }
}

const X: [u32; 4] = [1, 20, 300, 4000];

#[test]
fn a_part_up_to_the_largest_number_is_out_of_bounds() {
    let device = Device::cpu();
    let x = device.to_device(&X).unwrap();
    for n in [0, 3, 4, usize::MAX - 1, usize::MAX] {
        let mut lengths = device.zeros::<usize>(1).unwrap();
        let mut totals = device.zeros::<u32>(1).unwrap();
        // A failure is reported where the result is read.
        length_of_part(&x, n, &mut lengths).launch(1, 1).unwrap();
        let length = lengths.to_host().ok();
        total_of_part(&x, n, &mut totals).launch(1, 1).unwrap();
        let total = totals.to_host().ok();
        let expected = X.get(..n.saturating_add(1)).filter(|_| n < X.len());
        assert_eq!(length, expected.map(|part| vec![part.len()]), "{n}");
        assert_eq!(total, expected.map(|part| vec![part.iter().sum()]), "{n}");
    }
}

#[test]
fn a_loop_next_to_a_range_up_to_the_largest_number_has_its_rounds() {
    let device = Device::cpu();
    let x = device.to_device(&X).unwrap();
    let sum = |numbers: &mut dyn Iterator<Item = usize>, from: &dyn Fn(usize) -> usize| -> usize {
        X.iter().zip(numbers).map(|(v, k)| *v as usize + from(k)).sum()
    };
    for (first, last) in [(0, usize::MAX), (usize::MAX - 1, usize::MAX), (usize::MAX, usize::MAX), (3, 2), (3, 3), (3, 4), (2, 1), (1, 0)] {
        let mut sums = device.zeros::<usize>(1).unwrap();
        zipped(&x, first, last, &mut sums).launch(1, 1).unwrap();
        let expected = sum(&mut (0..=last), &|k| k) + sum(&mut (first..=last), &|k| k - first) + sum(&mut (2..=last).rev(), &|k| last - k);
        assert_eq!(sums.to_host().unwrap()[0], expected, "{first}..={last}");
    }
}
