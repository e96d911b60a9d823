//! Matrices, dense and sparse: products, Fourier transforms, decompositions.

use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Precision, Result, Shape};
use ndarray::{Array2, Array3, Axis};

use super::support::devices;
use super::{array, scrambled};

#[test]
fn products_of_matrices_are_those_of_ndarray() -> Result<()> {
    for device in devices("products_of_matrices_are_those_of_ndarray") {
        // Small whole numbers: every order of additions gives the same sum.
        let matrix =
            |rows, columns, seed| Array2::from_shape_fn((rows, columns), |(i, j)| scrambled(seed + i * columns + j, 17) as f32 - 8.0);
        for (rows, inner, columns) in [(1, 1, 1), (3, 5, 2), (64, 16, 64), (65, 33, 130), (100, 70, 17), (4, 0, 3), (0, 2, 2)] {
            let (a, b) = (matrix(rows, inner, 1), matrix(inner, columns, 1000));
            let expected: Vec<f32> = a.dot(&b).into_iter().collect();
            let (x, y) = (array(&device, [rows, inner], a.as_slice().unwrap()), array(&device, [inner, columns], b.as_slice().unwrap()));
            assert_eq!(x.matmul(&y)?.to_host()?, expected, "{rows} × {inner} × {columns}");
            // The same by transposes, which are not copied on a GPU, and by expressions, which are stored first.
            let transposed = y.view().t().matmul(x.view().t())?;
            assert_eq!(transposed.view().t().to_host()?, expected, "{rows} × {inner} × {columns}, transposed");
            assert_eq!((&x + &x).matmul(-&y)?.to_host()?, expected.iter().map(|x| x * -2.0).collect::<Vec<_>>());
            assert_eq!(x.cast::<i16>().matmul(y.cast::<i16>())?.cast::<f32>().to_host()?, expected);
        }
    }
    Ok(())
}

#[test]
fn vectors_and_batches_are_multiplied_as_in_numpy() -> Result<()> {
    for device in devices("vectors_and_batches_are_multiplied_as_in_numpy") {
        let iota = |shape: Shape| iota(shape).cast::<i64>().on(&device).collect();
        let (a, b): (DeviceArray<i64>, DeviceArray<i64>) = (iota([2, 3].into())?, iota([3, 2].into())?);
        let (x, y) = (a.view().index_axis(0, 1), b.view().index_axis(1, 1));
        assert_eq!((x.matmul(y)?.to_host()?, x.matmul(y)?.shape()), (vec![3 + 4 * 3 + 5 * 5], [].into()));
        assert_eq!(x.matmul(&b)?.to_host()?, [28, 40]);
        assert_eq!(a.matmul(y)?.to_host()?, [13, 40]);
        let batch: DeviceArray<i64> = iota([2, 2, 3].into())?;
        assert_eq!(batch.matmul(&b)?.to_host()?, [10, 13, 28, 40, 46, 67, 64, 94]);
        assert_eq!(batch.matmul(&b)?.shape(), [2, 2, 2]);
        assert_eq!(batch.matmul(y)?.to_host()?, [13, 40, 67, 94]);
        assert_eq!(batch.matmul(batch.view().swap_axes(1, 2))?.to_host()?, [5, 14, 14, 50, 149, 212, 212, 302]);
        assert!(matches!(a.matmul(&a), Err(Error::ShapeMismatch { .. })));
        assert!(matches!(batch.matmul(iota([3, 3, 2].into())?.view()), Err(Error::ShapeMismatch { .. })));
        let huge = array(&device, [1, 2], &[i32::MAX, 2]);
        assert_eq!(huge.matmul(huge.view().t())?.to_host()?, [5]);
    }
    Ok(())
}

/// A grid of a GPU has at most 65,535 blocks along its second and third axis.
#[test]
fn products_need_not_fit_a_grid() -> Result<()> {
    for device in devices("products_need_not_fit_a_grid") {
        let x: DeviceArray<i32> = iota(70_000).cast::<i32>().on(&device).collect()?;
        let products = x.view().reshape([70_000, 1, 1])?.matmul(device.full([1, 1], 3)?.view())?;
        assert_eq!(products.view().reshape([70_000])?.ne(&x * 3).count()?, 0);
        let x: DeviceArray<i32> = iota([65_535 * 64 + 1, 1]).cast::<i32>().on(&device).collect()?;
        assert_eq!(x.matmul(device.full([1, 1], 3)?.view())?.ne(&x * 3).count()?, 0);
    }
    Ok(())
}

/// What a query gets: the mean of the rows of `values`, with weights by the rows of `keys`.
fn attended(query: &[f64], keys: &[&[f64]], values: &[&[f64]], columns: usize) -> Vec<f64> {
    let dot = |key: &&[f64]| query.iter().zip(*key).map(|(x, y)| x * y).sum::<f64>() / (query.len() as f64).sqrt();
    let weights: Vec<f64> = keys.iter().map(|key| dot(key).exp()).collect();
    let total: f64 = weights.iter().sum();
    (0..columns).map(|column| weights.iter().zip(values).map(|(weight, value)| weight * value[column]).sum::<f64>() / total).collect()
}

#[test]
fn attention_is_a_weighted_mean_of_values() -> Result<()> {
    use half::{bf16, f16};

    fn check<T: gpu_runtime::AttentionElement>(
        device: &Device,
        [heads, groups, rows, positions, size, columns]: [usize; 6],
        mask: Mask,
        from: fn(f64) -> T,
        to: fn(T) -> f64,
        tolerance: f64,
    ) -> Result<()> {
        let numbers = |len, seed| (0..len).map(|i| from((scrambled(seed + i, 17) as f64 - 8.0) / 4.0)).collect::<Vec<T>>();
        let (q, k, v) = (numbers(heads * rows * size, 1), numbers(groups * positions * size, 5), numbers(groups * positions * columns, 9));
        let (x, y, z) = (
            array(device, [2, heads / 2, rows, size], &q),
            array(device, [2, groups / 2, positions, size], &k),
            array(device, [2, groups / 2, positions, columns], &v),
        );
        let result = x.attention(&y, &z, mask)?;
        assert_eq!(result.shape(), [2, heads / 2, rows, columns]);
        let [q, k, v] = [q, k, v].map(|host| host.into_iter().map(to).collect::<Vec<f64>>());
        let found = result.to_host()?;
        for (number, (found, query)) in found.chunks(columns).zip(q.chunks(size)).enumerate() {
            let (head, row) = (number / rows, number % rows);
            let seen = match mask {
                Mask::Full => positions,
                Mask::Causal => positions.min(row + 1),
                Mask::CausalFrom(first) => positions.min(first + row + 1),
            };
            let of = |all: &[f64], width: usize| -> Vec<Vec<f64>> {
                all.chunks(width).skip(head / (heads / groups) * positions).take(seen).map(<[f64]>::to_vec).collect()
            };
            let (keys, values) = (of(&k, size), of(&v, columns));
            let (keys, values): (Vec<&[f64]>, Vec<&[f64]>) = (keys.iter().map(|x| &**x).collect(), values.iter().map(|x| &**x).collect());
            for (found, expected) in found.iter().zip(attended(query, &keys, &values, columns)) {
                let difference = (to(*found) - expected).abs();
                assert!(
                    difference <= tolerance,
                    "{heads}/{groups} × {rows} × {positions} × {size} × {columns}, {mask:?}, row {row}: {difference}"
                );
            }
        }
        Ok(())
    }

    for device in devices("attention_is_a_weighted_mean_of_values") {
        for sizes in [
            [2, 2, 1, 1, 1, 1],
            [4, 2, 5, 7, 3, 4],
            [2, 2, 130, 70, 40, 40],
            [4, 2, 129, 257, 64, 64],
            [2, 2, 64, 300, 65, 128],
            [2, 2, 200, 65, 200, 256],
            [2, 2, 3, 9, 300, 8],
        ] {
            for mask in [Mask::Full, Mask::Causal, Mask::CausalFrom(2), Mask::CausalFrom(190)] {
                check::<f32>(&device, sizes, mask, |x| x as f32, f64::from, 2e-5)?;
                check::<f64>(&device, sizes, mask, |x| x, |x| x, 1e-12)?;
                check::<f16>(&device, sizes, mask, f16::from_f64, f64::from, 4e-3)?;
                check::<bf16>(&device, sizes, mask, bf16::from_f64, f64::from, 3e-2)?;
            }
        }
        let (x, none) = (array(&device, [2, 3], &[1.0f32; 6]), device.zeros::<f32>([0, 3])?);
        assert_eq!(x.attention(&none, &none, Mask::Full)?.to_host()?, [0.0; 6]);
        assert_eq!(none.attention(&x, &x, Mask::Causal)?.shape(), [0, 3]);
        for (keys, values) in [([2, 2], [2, 2]), ([2, 3], [3, 3])] {
            let (keys, values) = (device.zeros::<f32>(keys)?, device.zeros::<f32>(values)?);
            assert!(matches!(x.attention(&keys, &values, Mask::Full), Err(Error::ShapeMismatch { .. })));
        }
        let (three, two) = (device.zeros::<f32>([3, 4, 2])?, device.zeros::<f32>([2, 4, 2])?);
        assert!(matches!(three.attention(&two, &two, Mask::Full), Err(Error::ShapeMismatch { .. })));
    }
    Ok(())
}

#[test]
fn floats_halves_and_complex_numbers_are_multiplied_where_they_are() -> Result<()> {
    use half::{bf16, f16};
    use num_complex::Complex;

    for device in devices("floats_halves_and_complex_numbers_are_multiplied_where_they_are") {
        // Small whole numbers again; `step` 2 takes every second column, which no library multiplies where it is.
        let numbers = |len, seed| (0..len).map(|i| scrambled(seed + i, 9) as i32 - 4).collect::<Vec<_>>();
        let (batch, rows, inner, columns) = (3, 33, 20, 70);
        let (of_a, of_b) = (numbers(batch * rows * inner, 5), numbers(batch * inner * columns, 77));
        let a = Array3::from_shape_vec((batch, rows, inner), of_a).unwrap();
        let b = Array3::from_shape_vec((batch, inner, columns), of_b).unwrap();
        let expected: Vec<i32> = (0..batch).flat_map(|n| a.index_axis(Axis(0), n).dot(&b.index_axis(Axis(0), n)).into_iter()).collect();
        let x = array(&device, [batch, rows, inner], a.as_slice().unwrap());
        let y = array(&device, [batch, inner, columns], b.as_slice().unwrap());

        macro_rules! check_floats {
            ($($T:ty)*) => {$(
                let (a, b) = (x.cast::<$T>().collect()?, y.cast::<$T>().collect()?);
                let product = a.matmul(&b)?;
                assert_eq!(product.cast::<i32>().to_host()?, expected, stringify!($T));
                let transposed = b.view().swap_axes(1, 2).matmul(a.view().swap_axes(1, 2))?;
                assert_eq!(transposed.view().swap_axes(1, 2).cast::<i32>().to_host()?, expected, stringify!($T));
                let wide = concatenate([&b, &b], 2)?.reshape([batch, inner, 2, columns])?;
                let interleaved = lazy(wide.view().permute([0, 1, 3, 2])).collect()?.reshape([batch, inner, 2 * columns])?;
                let strided = interleaved.view().slice_axis_step(2, .., 2);
                assert_eq!(a.matmul(strided)?.cast::<i32>().to_host()?, expected, stringify!($T));
                let backwards = a.view().reverse_axis(2).matmul(b.view().reverse_axis(1))?;
                assert_eq!(backwards.cast::<i32>().to_host()?, expected, stringify!($T));
                let upside_down = a.view().reverse_axis(1).matmul(b.view().reverse_axis(2))?;
                assert_eq!(lazy(upside_down.view().reverse_axis(1).reverse_axis(2)).cast::<i32>().to_host()?, expected, stringify!($T));
                // One row of `a`, whose distance to the next is 0, and one column of `b`.
                let row = a.view().slice_axis(1, 2..3).broadcast_to([batch, rows, inner])?.matmul(&b)?;
                assert!(row.eq(product.view().slice_axis(1, 2..3)).all()?);
                let column = a.matmul(b.view().slice_axis(2, 5..6).broadcast_to([batch, inner, columns])?)?;
                assert!(column.eq(product.view().slice_axis(2, 5..6)).all()?);
                // The first matrix of `b` for all of `a`, and an expression of the result.
                let one = a.matmul(b.view().index_axis(0, 0))?;
                let same = a.matmul(b.view().slice_axis(0, ..1).broadcast_to([batch, inner, columns])?)?;
                assert!((one + <$T>::ONE).eq(same + <$T>::ONE).all()?);
            )*};
        }
        check_floats! { f32 f64 f16 bf16 }
        let (a32, b32) = (x.cast::<f32>().collect()?, y.cast::<f32>().collect()?);
        for precision in [Precision::Full, Precision::Tf32] {
            assert_eq!(a32.matmul_with(&b32, precision)?.cast::<i32>().to_host()?, expected);
        }

        // (a + i) · (b - 2i) = a · b + 2 · inner + i · (…)
        let complex = |host: &[i32], im| host.iter().map(|&re| Complex::new(f64::from(re), im)).collect::<Vec<_>>();
        let a = array(&device, [batch, rows, inner], &complex(a.as_slice().unwrap(), 1.0));
        let b = array(&device, [batch, inner, columns], &complex(b.as_slice().unwrap(), -2.0));
        let product = a.matmul(&b)?.to_host()?;
        let real: Vec<i32> = product.iter().map(|z| z.re as i32 - 2 * inner as i32).collect();
        assert_eq!(real, expected);
        let of_row = (0..inner).map(|k| x.view().index_axis(0, 0).index_axis(0, 0).to_host().unwrap()[k]).sum::<i32>();
        let of_column: i32 = y.view().index_axis(0, 0).index_axis(1, 0).sum()?;
        assert_eq!(product[0].im as i32, of_column - 2 * of_row);
        let transposed = b.view().swap_axes(1, 2).matmul(a.view().swap_axes(1, 2))?;
        assert_eq!(transposed.view().swap_axes(1, 2).to_host()?, product);
    }
    Ok(())
}

#[test]
fn einsum_takes_any_labels() -> Result<()> {
    for device in devices("einsum_takes_any_labels") {
        let x = |shape: Shape| ((iota(shape) * 7919) % 23).cast::<i64>().on(&device).collect();
        let (a, b, t): (DeviceArray<i64>, DeviceArray<i64>, DeviceArray<i64>) =
            (x([2, 3].into())?, x([4, 3].into())?, x([2, 3, 4].into())?);
        let at = |array: &DeviceArray<i64>, index: &[usize]| {
            let strides = array.view().strides().to_vec();
            array.to_host().unwrap()[index.iter().zip(strides).map(|(i, stride)| i * stride as usize).sum::<usize>()]
        };
        // The labels, both arrays, and the result by its definition over the extents of `i`, `j`, `k` and `l`.
        let cases: [(&str, &DeviceArray<i64>, &DeviceArray<i64>); 12] = [
            ("ij,kj->ik", &a, &b),
            ("ij, kj -> ki", &a, &b),
            ("ij,kj", &a, &b),
            ("ij,ij->i", &a, &a),
            ("ij,ij->", &a, &a),
            ("ij,kl->jl", &a, &b),
            ("ij,kl->", &a, &b),
            ("ijk,kj->i", &t, &b),
            ("ijk,ij->kji", &t, &a),
            ("ijk,ilk->jl", &t, &t),
            ("ijk,lk->ijl", &t, &x([2, 4].into())?),
            ("ii,ij->j", &x([2, 2].into())?, &a),
        ];
        for (labels, a, b) in cases {
            let text = labels.replace(' ', "");
            let (inputs, out) = text.split_once("->").unwrap_or((&text, "ik"));
            let (of_a, of_b) = inputs.split_once(',').unwrap();
            let mut extents = [1; 4];
            for (labels, array) in [(of_a, a), (of_b, b)] {
                labels.bytes().zip(array.shape().extents()).for_each(|(label, &extent)| extents[(label - b'i') as usize] = extent);
            }
            let of = |labels: &str, index: [usize; 4]| labels.bytes().map(|label| index[(label - b'i') as usize]).collect::<Vec<_>>();
            let shape: Vec<usize> = of(out, extents);
            let mut expected = ndarray::ArrayD::<i64>::zeros(shape.clone());
            for (i, j, k, l) in ndarray::indices(extents.into_iter().collect::<Vec<_>>().as_slice())
                .into_iter()
                .map(|index| (index[0], index[1], index[2], index[3]))
            {
                let index = [i, j, k, l];
                expected[of(out, index).as_slice()] += at(a, &of(of_a, index)) * at(b, &of(of_b, index));
            }
            let found = einsum(labels, a, b)?;
            assert_eq!((found.shape().extents(), found.to_host()?), (&shape[..], expected.into_iter().collect()), "{labels}");
        }
        // Axes of `...` with one element are broadcast, also to none.
        let (row, column, none) = (x([1, 3].into())?, x([2, 1].into())?, x([2, 0].into())?);
        for (labels, a, b, expected) in [
            ("...,...", &a, &row, (&a * &row).collect()?),
            ("...,...", &row, &column, (&row * &column).collect()?),
            ("...,...->", &row, &column, (&row * &column).sum_axis(..)?),
            ("...i,...i->...", &a, &row, (&a * &row).sum_axis(1)?),
            ("...i,...i->i...", &row, &a, lazy((&a * &row).collect()?.view().t()).collect()?),
            ("i...,i...->...", &column, &a, (&a * &column).sum_axis(0)?),
            ("...,...", &column, &none, lazy(&none).collect()?),
        ] {
            let found = einsum(labels, a, b)?;
            assert_eq!((found.shape(), found.to_host()?), (expected.shape(), expected.to_host()?), "{labels}");
        }
        let product = einsum_of("...,...,...", [&row, &a, &column])?;
        assert_eq!(product.to_host()?, (&a * &row * &column).to_host()?);
        // What is summed by itself is not copied along the other array.
        let ones = device.ones::<i64>(1_000_000)?;
        assert_eq!(einsum("i,j->", &ones, &ones)?.to_host()?, [1_000_000_000_000]);
        let four = device.ones::<i64>([1; 4])?;
        assert!(matches!(einsum("abcd,efgh", &four, &four), Err(Error::ResultTooManyAxes { function: "einsum", rank: 8, .. })));
        for (labels, problem) in [
            ("ij", "must be those of two arrays"),
            ("ij,k->i", "there are 1 labels for the second array, which has 2 axes"),
            ("ij,jk->ik", "axes with the label `j` have 3 and 4 elements"),
            ("ij,kj->il", "the result has the label `l`, which no array has"),
            ("ij,kj->ii", "the result has the label `i` twice"),
            ("i1,kj->ik", "the label `1` in `i1,kj->ik` is not a letter"),
            ("0...,...->...", "the label `0` in `0...,...->...` is not a letter"),
            ("......,ij->...", "the label `.` in `......,ij->...` is not a letter"),
            ("...,...", "axes of `...` have 2 and 4 elements"),
        ] {
            let message = einsum(labels, &a, &b).unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("array function `einsum` at {}:", file!()))
                    && message.contains("shapes (2, 3) and (4, 3) do not match: ")
                    && message.contains(problem),
                "{message}"
            );
        }
    }
    Ok(())
}

#[test]
fn sparse_matrices_multiply_as_dense_ones() -> Result<()> {
    use gpu_runtime::CsrMatrix;

    for device in devices("sparse_matrices_multiply_as_dense_ones") {
        for (rows, columns) in [(1, 1), (5, 3), (70, 41), (0, 2)] {
            let dense = Array2::from_shape_fn((rows, columns), |(i, j)| match scrambled(i * columns + j, 5) {
                0 => (i + 2 * j) as f64 - 10.0,
                _ => 0.0,
            });
            let (mut starts, mut indices, mut values) = (vec![0], vec![], vec![]);
            for row in dense.rows() {
                for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    indices.push(column as u32);
                    values.push(value);
                }
                starts.push(values.len() as u32);
            }
            let matrix =
                CsrMatrix::new([rows, columns], device.to_device(&starts)?, device.to_device(&indices)?, device.to_device(&values)?)?;
            assert_eq!(matrix.stored_len(), values.len());
            let x = array(&device, [columns, 4], &rough([columns, 4], 8));
            let expected = array(&device, [rows, columns], &dense.iter().copied().collect::<Vec<_>>()).matmul(&x)?;
            let close = |found: &DeviceArray<f64>, expected: Vec<f64>| -> Result<bool> {
                Ok(found.len() == expected.len() && found.to_host()?.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12))
            };
            let found = matrix.matmul(&x)?;
            assert_eq!(found.shape(), [rows, 4]);
            assert!(close(&found, expected.to_host()?)?);
            let column = x.view().index_axis(1, 2);
            assert!(close(&matrix.matmul(column)?, expected.view().index_axis(1, 2).to_host()?)?);
            assert!(matches!(matrix.matmul(&device.zeros(columns + 1)?), Err(Error::ShapeMismatch { .. })));
        }
        let (starts, indices) = (device.to_device(&[0, 1])?, device.to_device(&[7])?);
        let wrong = CsrMatrix::new([1, 2], starts, indices, device.to_device(&[1.0])?)?;
        let outcome = wrong.matmul(&device.to_device(&[1.0, 2.0])?).and_then(|product| product.to_host());
        assert!(matches!(outcome, Err(Error::KernelFailed(_))), "{outcome:?}");
    }
    Ok(())
}

/// Lists of elements in any order, with several at one place, against a dense matrix that they are added to.
#[test]
fn sparse_matrices_are_made_of_lists_and_dense_ones() -> Result<()> {
    use gpu_runtime::CsrMatrix;

    for device in devices("sparse_matrices_are_made_of_lists_and_dense_ones") {
        for (rows, columns, count) in [(1, 1, 3), (5, 3, 9), (70, 41, 900), (3, 70_000, 500), (4, 2, 0), (0, 2, 0), (2, 0, 0)] {
            let place = |k: usize, seed: usize, len: usize| scrambled(7 * k + seed, len.max(1)) as u32;
            let of_rows: Vec<u32> = (0..count).map(|k| place(k, 1, rows)).collect();
            let of_columns: Vec<u32> = (0..count).map(|k| place(k, 500, columns.min(300))).collect();
            let values: Vec<f64> = (0..count).map(|k| k as f64 + 1.0).collect();
            let mut dense = Array2::<f64>::zeros((rows, columns));
            for k in 0..count {
                dense[[of_rows[k] as usize, of_columns[k] as usize]] += values[k];
            }
            let distinct = dense.iter().filter(|x| **x != 0.0).count();
            let elements = |dense: &Array2<f64>| dense.iter().copied().collect::<Vec<_>>();

            // The places follow the values to their device.
            let matrix = CsrMatrix::from_coo([rows, columns], lazy(&of_rows), lazy(&of_columns), &device.to_device(&values)?)?;
            assert_eq!((matrix.shape(), matrix.stored_len()), ([rows, columns], distinct));
            assert_eq!(matrix.to_dense()?.to_host()?, elements(&dense));
            let transpose = matrix.transpose()?;
            assert_eq!((transpose.shape(), transpose.stored_len()), ([columns, rows], distinct));
            assert_eq!(transpose.to_dense()?.to_host()?, elements(&dense.t().as_standard_layout().into_owned()));

            let of_dense = array(&device, [rows, columns], &elements(&dense));
            let again = CsrMatrix::from_dense(&of_dense)?;
            assert_eq!((again.stored_len(), again.to_dense()?.to_host()?), (distinct, elements(&dense)));
            let turned = CsrMatrix::from_dense(of_dense.view().t())?;
            assert_eq!(turned.to_dense()?.to_host()?, transpose.to_dense()?.to_host()?);
            if columns <= 300 {
                let x = array(&device, [columns, 3], &(0..3 * columns).map(|k| k as f64).collect::<Vec<_>>());
                assert_eq!(matrix.matmul(&x)?.to_host()?, of_dense.matmul(&x)?.to_host()?);
            }
        }

        let (at, values) = (device.to_device(&[0u32, 1, 2])?, device.to_device(&[1.0; 3])?);
        let message = |shape| CsrMatrix::from_coo(shape, &at, &at, &values).unwrap_err().to_string();
        assert!(message([3, 2]).ends_with(": element 2 of the sparse matrix is in row 2 and column 2, but the matrix has shape (3, 2)"));
        assert!(message([1, 9]).ends_with(": element 1 of the sparse matrix is in row 1 and column 1, but the matrix has shape (1, 9)"));
        let short = CsrMatrix::from_coo([3, 3], &at, at.slice(..2), &values).unwrap_err();
        assert!(matches!(short, Error::ShapeMismatch { .. }), "{short}");
        assert!(matches!(CsrMatrix::from_dense(&values), Err(Error::UnsuitableMatrix { .. })));
        let message = CsrMatrix::from_coo([2, usize::MAX], &at, &at, &values).unwrap_err().to_string();
        assert!(message.ends_with("is too large: `CsrMatrix` numbers rows, columns and stored elements by `u32`"), "{message}");
        for (starts, column) in [([0, 1], 7), ([1, 1], 0), ([0, 0], 0)] {
            let [starts, columns] = [device.to_device(&starts)?, device.to_device(&[column])?];
            let wrong = CsrMatrix::new([1, 2], starts, columns, device.to_device(&[1.0])?)?;
            let sums = wrong.sum_axis(0).and_then(|sums| sums.to_host());
            assert!(matches!(sums, Err(Error::KernelFailed(_))), "{device}: {sums:?}");
        }
        assert_eq!(CsrMatrix::from_dense(&device.to_device(&[f32::NAN, -0.0])?.reshape([1, 2])?)?.stored_len(), 1);
    }
    Ok(())
}

/// Sums, products and solutions of sparse matrices, against dense ones.
#[test]
fn sparse_matrices_add_and_multiply() -> Result<()> {
    use gpu_runtime::CsrMatrix;

    for device in devices("sparse_matrices_add_and_multiply") {
        for [rows, inner, columns] in [[1, 1, 1], [5, 3, 4], [40, 31, 50], [0, 2, 3], [2, 0, 3], [3, 2, 0]] {
            let dense = |height: usize, width: usize, seed: usize| -> DeviceArray<f64> {
                let element = |k: usize| if scrambled(k + seed, 4) == 0 { (k % 7) as f64 - 3.0 } else { 0.0 };
                array(&device, [height, width], &(0..height * width).map(element).collect::<Vec<_>>())
            };
            let (a, b, c) = (dense(rows, inner, 1), dense(inner, columns, 2), dense(rows, inner, 3));
            let [sparse_a, sparse_b, sparse_c] = [&a, &b, &c].map(|x| CsrMatrix::from_dense(x).unwrap());
            let product = sparse_a.matmul_sparse(&sparse_b)?;
            assert_eq!(product.shape(), [rows, columns]);
            assert_eq!(product.to_dense()?.to_host()?, a.matmul(&b)?.to_host()?);
            assert_eq!(sparse_a.plus(&sparse_c)?.to_dense()?.to_host()?, (&a + &c).to_host()?);
            assert_eq!(sparse_a.times(&c)?.to_dense()?.to_host()?, (&a * &c).to_host()?);
            if rows > 0 && inner > 0 {
                let (column, row) = (c.part((.., ..1)), c.row(0));
                assert_eq!(sparse_a.times(column)?.to_dense()?.to_host()?, (&a * column).to_host()?);
                assert_eq!(sparse_a.times(row)?.to_dense()?.to_host()?, (&a * row).to_host()?);
                assert_eq!(sparse_a.times(lazy(&[2.0]))?.to_dense()?.to_host()?, (&a * 2.0).to_host()?);
            }
            assert_eq!(sparse_a.with_values(2.0 * sparse_a.values())?.to_dense()?.to_host()?, (&a * 2.0).to_host()?);
            for axis in 0..2 {
                assert_eq!(sparse_a.sum_axis(axis)?.to_host()?, a.sum_axis(axis)?.to_host()?);
            }
            assert_eq!(sparse_a.starts().len(), rows + 1);
            assert_eq!(sparse_a.columns().len(), sparse_a.stored_len());
            assert!(matches!(sparse_a.sum_axis(2), Err(Error::AxisOutOfRange { .. })));
            let taller = CsrMatrix::from_dense(&dense(rows + 1, inner + 1, 0))?;
            assert!(matches!(sparse_a.plus(&taller), Err(Error::ShapeMismatch { .. })));
            assert!(matches!(taller.matmul_sparse(&sparse_b), Err(Error::ShapeMismatch { .. })));
        }
        // The second difference, whose solution for 1 everywhere is a parabola.
        let n = 50;
        let at = |i: usize, j: usize| {
            if i == j {
                2.0
            } else if i.abs_diff(j) == 1 {
                -1.0
            } else {
                0.0
            }
        };
        let matrix = CsrMatrix::from_dense(&array(&device, [n, n], &(0..n * n).map(|k| at(k / n, k % n)).collect::<Vec<_>>()))?;
        let (x, steps) = matrix.cg(&device.ones::<f64>(n)?, 1e-12, 100)?;
        assert!(steps <= 51, "{steps}");
        let parabola = |i: usize| (i + 1) as f64 * (n - i) as f64 / 2.0;
        assert!(x.to_host()?.iter().enumerate().all(|(i, x)| (x - parabola(i)).abs() < 1e-8));
        assert!(matches!(matrix.cg(&device.ones::<f64>(n)?, 1e-12, 3), Err(Error::UnsuitableMatrix { .. })));
    }
    Ok(())
}

/// Elements that are neither whole nor in a pattern.
fn rough(shape: impl Into<Shape>, seed: usize) -> Vec<f64> {
    let len = shape.into().extents().iter().product();
    (0..len).map(|i| scrambled(seed + i, 2001) as f64 / 1000.0 - 1.0).collect()
}

/// The transform along an axis, by its definition.
fn slow_transform(x: &ndarray::ArrayD<num_complex::Complex<f64>>, axis: usize, sign: f64) -> ndarray::ArrayD<num_complex::Complex<f64>> {
    let n = x.shape()[axis];
    let mut out = x.clone();
    for (of_x, mut of_out) in x.lanes(Axis(axis)).into_iter().zip(out.lanes_mut(Axis(axis))) {
        for (k, out) in of_out.iter_mut().enumerate() {
            let turn = |j: usize| sign * std::f64::consts::TAU * (j * k % n) as f64 / n as f64;
            *out = of_x.iter().enumerate().map(|(j, x)| x * num_complex::Complex::cis(turn(j))).sum();
        }
    }
    out
}

#[test]
fn fourier_transforms_are_those_of_the_definition() -> Result<()> {
    use ndarray::ArrayD;
    use num_complex::Complex;

    let close = |found: &[Complex<f64>], expected: &ArrayD<Complex<f64>>, what: &str| {
        assert_eq!(found.len(), expected.len(), "{what}");
        let wrong = found.iter().zip(expected).find(|(a, b)| (*a - *b).norm() > 1e-10);
        assert!(wrong.is_none(), "{what}: {wrong:?}");
    };
    for device in devices("fourier_transforms_are_those_of_the_definition") {
        let cases: [(&[usize], &[usize]); 12] = [
            (&[1], &[0]),
            (&[2], &[0]),
            (&[5], &[0]),
            (&[360], &[0]),
            (&[97], &[0]),
            (&[7, 16], &[1]),
            (&[16, 7], &[0]),
            (&[3, 4, 5], &[1]),
            (&[6, 8], &[0, 1]),
            (&[3, 4, 5], &[2, 0]),
            (&[4, 3, 6, 2], &[0, 1, 2, 3]),
            (&[2, 3, 2, 5], &[3, 1, 2]),
        ];
        for (extents, axes) in cases {
            let what = format!("{extents:?} along {axes:?} on {device}");
            let shape = Shape::from_extents(extents).unwrap();
            let host: Vec<Complex<f64>> =
                rough(shape, 3).into_iter().zip(rough(shape, 9000)).map(|(re, im)| Complex::new(re, im)).collect();
            let x = array(&device, shape, &host);
            let expected = ArrayD::from_shape_vec(extents, host.clone()).unwrap();
            let forward = axes.iter().fold(expected.clone(), |x, &axis| slow_transform(&x, axis, -1.0));
            let all_axes = |axes: &[usize]| -> gpu_runtime::Axes {
                match *axes {
                    [a] => a.into(),
                    [a, b] => [a, b].into(),
                    [a, b, c] => [a, b, c].into(),
                    [a, b, c, d] => [a, b, c, d].into(),
                    _ => unreachable!(),
                }
            };
            let spectrum = x.fft_axes(all_axes(axes))?;
            close(&spectrum.to_host()?, &forward, &what);
            close(&spectrum.ifft_axes(all_axes(axes))?.to_host()?, &expected, &what);
            if axes == [extents.len() - 1] {
                close(&x.fft()?.to_host()?, &forward, &what);
                close(&spectrum.ifft()?.to_host()?, &expected, &what);
            }

            // Floats: the first half along the last of the axes, and back; and by complex numbers.
            let host = rough(shape, 70);
            let x = array(&device, shape, &host);
            let expected = ArrayD::from_shape_vec(extents, host.iter().map(|&re| Complex::from(re)).collect()).unwrap();
            let forward = axes.iter().fold(expected.clone(), |x, &axis| slow_transform(&x, axis, -1.0));
            close(&x.fft_axes(all_axes(axes))?.to_host()?, &forward, &what);
            let (&last, half) = (axes.last().unwrap(), extents[*axes.last().unwrap()] / 2 + 1);
            let spectrum = x.rfft_axes(all_axes(axes))?;
            let expected_half = forward.slice_axis(Axis(last), (0..half).into()).to_owned();
            close(&spectrum.to_host()?, &expected_half, &what);
            let back: Vec<Complex<f64>> =
                spectrum.irfft_axes(all_axes(axes), extents[last])?.to_host()?.into_iter().map(Complex::from).collect();
            close(&back, &expected, &what);
        }
        let x = device.to_device(&[1.0f32, 2.0, 4.0])?;
        let spectrum = lazy(&x).rfft()?;
        assert!((spectrum.to_host()?[1] - Complex::new(-2.0, 3.0f32.sqrt())).norm() < 1e-6);
        assert!(spectrum.irfft(3)?.to_host()?.iter().zip([1.0, 2.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-6));
        // A part that is not aligned as complex numbers are.
        let four = device.to_device(&[9.0f32, 1.0, 2.0, 4.0])?;
        assert_eq!(four.slice(1..).rfft()?.to_host()?, lazy(&device.to_device(&[1.0f32, 2.0, 4.0])?).rfft()?.to_host()?);
        let message = spectrum.irfft(5).unwrap_err().to_string();
        let expected = "shapes (2,) and (5,) do not match: floats with 5 elements along axis 0 have a spectrum with 3";
        assert!(message.starts_with(&format!("array function `irfft` at {}:", file!())) && message.ends_with(expected), "{message}");
        assert!(matches!(x.fft_axes(1), Err(Error::AxisOutOfRange { axis: 1, .. })));
        assert!(matches!(x.fft_axes([0, 0]), Err(Error::RepeatedAxis { .. })));
        // Without an axis, nothing is transformed, and none can have half of the elements.
        assert_eq!(lazy(&x).fft_axes([0; 0])?.view().re().to_host()?, x.to_host()?);
        assert!(matches!(x.rfft_axes([0; 0]), Err(Error::NoAxes { function: "rfft_axes", .. })));
        assert!(matches!(spectrum.irfft_axes([0; 0], 3), Err(Error::NoAxes { function: "irfft_axes", .. })));
        assert!(matches!(device.zeros::<f64>([])?.rfft_axes(..), Err(Error::NoAxes { .. })));
        assert!(matches!(device.zeros::<f64>(0)?.fft(), Err(Error::EmptyReduction { .. })));
        assert_eq!(device.zeros::<f64>([0, 4])?.rfft()?.shape(), [0, 3]);
    }
    Ok(())
}

#[test]
fn decompositions_multiply_to_the_matrix() -> Result<()> {
    use gpu_runtime::MatrixProblem;

    /// Whether the elements of two arrays are equal, but for the rounding of some operations.
    fn assert_close<T: gpu_runtime::support::LinearFloat>(a: &DeviceArray<T>, b: &DeviceArray<T>, what: &str) -> Result<()> {
        assert_eq!(a.shape(), b.shape(), "{what}");
        let tolerance = if size_of::<T>() == 8 { 1e-9 } else { 2e-3 };
        let close = |(a, b): (T, T)| (a.cast::<f64>() - b.cast::<f64>()).abs() < tolerance;
        assert!(a.to_host()?.into_iter().zip(b.to_host()?).all(close), "{what}: {:?} and {:?}", a.to_host()?, b.to_host()?);
        Ok(())
    }

    fn check<T: gpu_runtime::support::LinearFloat>(device: &Device) -> Result<()> {
        let matrix = |rows, columns, seed| -> Result<DeviceArray<T>> {
            let host: Vec<T> = rough([rows, columns], seed).into_iter().map(Num::cast).collect();
            device.to_device(&host)?.reshape([rows, columns])
        };
        for n in [1, 2, 5, 33] {
            let what = format!("{n} × {n} of {} on {device}", std::any::type_name::<T>());
            // Far from singular.
            let a = (matrix(n, n, 1)? + device.eye::<T>(n)? * T::from_i32(9)).collect()?;
            let b = matrix(n, 3, 400)?;
            let x = a.solve(&b)?;
            assert_close(&a.matmul(&x)?, &b, &what)?;
            let column = b.view().index_axis(1, 1);
            assert_close(&a.view().t().solve(column)?, &a.view().t().inv()?.matmul(column)?, &what)?;
            assert_close(&a.matmul(a.inv()?.view())?, &device.eye(n)?, &what)?;
            let symmetric = a.matmul(a.view().t())?;
            let l = symmetric.cholesky()?;
            let both = stack([&a, &symmetric], 0)?;
            assert_close(&both.inv()?, &stack([&a.inv()?, &symmetric.inv()?], 0)?, &what)?;
            assert_close(&both.solve(&b)?, &stack([&x, &symmetric.solve(&b)?], 0)?, &what)?;
            assert_close(&both.solve(column)?, &stack([&a.solve(column)?, &symmetric.solve(column)?], 0)?, &what)?;
            assert_close(&stack([&symmetric, &symmetric], 0)?.cholesky()?, &stack([&l, &l], 0)?, &what)?;
            // Those of larger matrices are no `f32`.
            if n <= 5 {
                let ratios = both.det_each()? / device.to_device(&[a.det()?, symmetric.det()?])?;
                assert_close(&ratios.collect()?, &device.full(2, <T as Num>::ONE)?, &what)?;
            }
            assert_close(&l.matmul(l.view().t())?, &symmetric, &what)?;
            assert_eq!(l.view().index_axis(0, 0).slice_axis(0, 1..).to_host()?, vec![<T as Num>::ZERO; n - 1], "{what}");
            let both = (&a + a.view().t()).collect()?;
            let (values, vectors) = both.eigh()?;
            let scaled = (&vectors * &values).collect()?;
            assert_close(&scaled.matmul(vectors.view().t())?, &both, &what)?;
            assert_close(&vectors.matmul(vectors.view().t())?, &device.eye(n)?, &what)?;
            assert_eq!(values.sort()?.to_host()?, values.to_host()?, "{what}");
        }
        for (rows, columns) in [(1, 1), (5, 3), (3, 5), (1, 4), (40, 17), (17, 40)] {
            let what = format!("{rows} × {columns} of {} on {device}", std::any::type_name::<T>());
            let a = matrix(rows, columns, 5)?;
            let k = rows.min(columns);
            let (q, r) = a.qr()?;
            assert_close(&q.matmul(&r)?, &a, &what)?;
            assert_close(&q.view().t().matmul(&q)?, &device.eye(k)?, &what)?;
            let below = r.view().slice_axis(0, k - 1..).slice_axis(1, ..k - 1).to_host()?;
            assert_eq!(below, vec![<T as Num>::ZERO; k - 1], "{what}");
            let (u, s, vt) = a.svd()?;
            assert_close(&(&u * &s).collect()?.matmul(&vt)?, &a, &what)?;
            assert_close(&u.view().t().matmul(&u)?, &device.eye(k)?, &what)?;
            assert_close(&vt.matmul(vt.view().t())?, &device.eye(k)?, &what)?;
            assert!(s.to_host()?.windows(2).all(|pair| pair[0] >= pair[1]), "{what}");
            // What is left of `b` has no part along the columns, and of several solutions the shortest is one of rows.
            let b = matrix(rows, 2, 700)?;
            let x = a.lstsq(&b)?;
            let left = a.view().t().matmul(a.matmul(&x)? - &b)?;
            assert_close(&left, &device.zeros([columns, 2])?, &what)?;
            assert_close(&a.pinv()?.matmul(&a.matmul(&x)?)?, &x, &what)?;
            assert_close(&a.lstsq(b.view().index_axis(1, 1))?, &lazy(x.view().index_axis(1, 1)).collect()?, &what)?;
        }
        Ok(())
    }

    for device in devices("decompositions_multiply_to_the_matrix") {
        check::<f64>(&device)?;
        check::<f32>(&device)?;
        let a = array(&device, [3, 3], &[2.0, 1.0, 0.0, 0.0, 3.0, 1.0, 1.0, 0.0, -1.0f64]);
        assert!((a.det()? - -5.0).abs() < 1e-12, "{}", a.det()?);
        assert!((a.view().slice_axis(0, ..2).slice_axis(1, ..2).det()? - 6.0).abs() < 1e-12);
        assert!((a.slogdet()?.0, (a.slogdet()?.1 - 5f64.ln()).abs() < 1e-12) == (-1.0, true), "{:?}", a.slogdet()?);
        // A determinant that no `f32` is.
        let large = (device.eye::<f32>(40)? * 1e3).collect()?;
        assert!((large.slogdet()?.0, (large.slogdet()?.1 / (40.0 * 1e3f32.ln()) - 1.0).abs() < 1e-6) == (1.0, true));
        let singular = array(&device, [2, 2], &[1.0, 2.0, 2.0, 4.0f64]);
        assert_eq!(singular.slogdet()?, (0.0, f64::NEG_INFINITY));
        assert_eq!(singular.det()?, 0.0);
        let (line, error) = (line!(), singular.inv().unwrap_err());
        let message = format!("array function `inv` at {}:{line}:", file!());
        assert!(error.to_string().starts_with(&message), "{error} is not {message}");
        assert!(error.to_string().ends_with("the array of shape (2, 2) is singular: pivot 1 is 0"), "{error}");
        let problem = |error: Error| match error {
            Error::UnsuitableMatrix { problem, .. } => problem,
            other => panic!("{other}"),
        };
        assert_eq!(problem(singular.solve(&device.zeros(2)?).unwrap_err()), MatrixProblem::Singular { pivot: 1 });
        // Whatever a library says of these, it must not exchange rows that are none.
        for unsuitable in [f64::NAN, f64::INFINITY, 0.0] {
            let n = 65;
            if let Ok(x) = device.full([n, n], unsuitable)?.solve(&device.full(n, 1.0)?) {
                assert!(x.to_host()?.iter().all(|x| !x.is_finite()), "{unsuitable} on {device}");
            }
        }
        assert_eq!(problem((-device.eye::<f32>(2)?).cholesky().unwrap_err()), MatrixProblem::NotPositiveDefinite);
        assert_eq!(problem(device.zeros::<f64>([2, 3])?.eigh().unwrap_err()), MatrixProblem::NotSquare);
        for (shape, unknown) in [([2, 2], f64::NAN), ([3, 2], f64::INFINITY)] {
            let unknown = Device::cpu().full(shape, unknown)?;
            assert_eq!(problem(unknown.svd().unwrap_err()), MatrixProblem::NotConverged);
        }
        assert_eq!(problem(device.zeros::<f64>(3)?.qr().unwrap_err()), MatrixProblem::NotAMatrix);
        let several = stack([device.eye::<f64>(2)?.view(), singular.view()], 0)?;
        assert_eq!(problem(several.inv().unwrap_err()), MatrixProblem::Singular { pivot: 1 });
        assert_eq!(problem(several.cholesky().unwrap_err()), MatrixProblem::NotPositiveDefinite);
        assert_eq!(problem(singular.det_each().unwrap_err()), MatrixProblem::NotABatch);
        let message = several.solve(&device.zeros(3)?).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("array function `solve` at {}:", file!())) && message.contains("shapes (2, 2, 2) and (3,)"),
            "{message}"
        );
        let message = a.solve(&device.zeros(2)?).unwrap_err().to_string();
        let expected = "shapes (3, 3) and (2,) do not match: the second must be a vector or a matrix with as many rows as the first";
        assert!(message.starts_with(&format!("array function `solve` at {}:", file!())) && message.ends_with(expected), "{message}");
        // One direction for both columns.
        let shortest = singular.lstsq(&device.to_device(&[5.0, 10.0])?)?.to_host()?;
        assert!((shortest[0] - 1.0).abs() < 1e-12 && (shortest[1] - 2.0).abs() < 1e-12, "{shortest:?}");
        assert_eq!(device.zeros::<f64>([2, 3])?.lstsq(&device.ones(2)?)?.to_host()?, [0.0; 3]);
        assert_eq!(device.zeros::<f64>([0, 3])?.pinv()?.shape(), [3, 0]);
        assert!(matches!(a.lstsq(&device.zeros(2)?), Err(Error::ShapeMismatch { .. })));
        let empty = device.zeros::<f64>([0, 0])?;
        assert_eq!((empty.slogdet()?, empty.det()?, empty.inv()?.shape(), empty.eigh()?.0.len()), ((1.0, 0.0), 1.0, [0, 0].into(), 0));
        let (u, s, vt) = device.zeros::<f64>([3, 0])?.svd()?;
        assert_eq!((u.shape(), s.len(), vt.shape()), ([3, 0].into(), 0, [0, 0].into()));
    }
    Ok(())
}
