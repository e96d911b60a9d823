//! A generalised function as `#[guvectorize]` expands it, written by hand.

use super::*;
use crate::compile::nvrtc::testing::nvrtc_or_skip;
use crate::compile::{Architecture, Options};
use crate::device::Device;
use crate::kernel::Segment;
use crate::memory::Shape;
use crate::ufunc::IntoLazy;
use crate::ufunc::cuda::Form;
use crate::ufunc::item::Component;
use crate::ufunc::plan::Plan;

/// `#[guvectorize("(m,n),(n)->(m)")] fn matvec(a: &[f32], x: &[f32], out: &mut [f32], n: usize)`
struct Matvec;

// SAFETY: the CUDA C takes what the signature says.
unsafe impl GeneralizedFunction for Matvec {
    type Output = f32;
    const SIGNATURE: &'static Signature = &Signature {
        text: "(m,n),(n)->(m)",
        dimensions: &[Dimension { name: "m", extent: None }, Dimension { name: "n", extent: None }],
        operands: &[
            CoreOperand { name: "a", element: Component::of::<f32>(), core: &[0, 1] },
            CoreOperand { name: "x", element: Component::of::<f32>(), core: &[1] },
            CoreOperand { name: "out", element: Component::of::<f32>(), core: &[0] },
        ],
        inputs: 2,
        extent_parameters: &[1],
        returns_last: false,
    };
    const NAME: &'static str = "matvec";
    const FMAD: bool = true;

    fn source() -> &'static SourceUnit {
        static UNIT: SourceUnit = SourceUnit {
            name: "matvec",
            file: file!(),
            prototype: &[
                Segment::Text("static __device__ void "),
                Segment::OwnName,
                Segment::Text("(const f32* a, usize a_len, const f32* x, usize x_len, f32* out, usize out_len, usize n)"),
            ],
            body: &[
                Segment::Text("static __device__ void "),
                Segment::OwnName,
                Segment::Text(
                    "(const f32* a, usize a_len, const f32* x, usize x_len, f32* out, usize out_len, usize n) {\n\
                     for (usize i = 0; i < out_len; ++i) { f32 sum = 0; for (usize k = 0; k < n; ++k) sum += a[i * n + k] * x[k]; out[i] = sum; }\n\
                     }\n",
                ),
            ],
            snippets: &[],
            sites: &[],
        };
        &UNIT
    }

    unsafe fn call(_: &Thread<'_>, operands: &[*mut u8], extents: &[usize]) -> Result<(), Stop> {
        let &[m, n] = extents else { unreachable!("there are two dimensions") };
        // SAFETY: the caller vouches for the operands.
        let (a, x, out) = unsafe {
            (
                std::slice::from_raw_parts(operands[0].cast::<f32>(), m * n),
                std::slice::from_raw_parts(operands[1].cast::<f32>(), n),
                std::slice::from_raw_parts_mut(operands[2].cast::<f32>(), m),
            )
        };
        for (out, row) in out.iter_mut().zip(a.chunks(n)) {
            *out = row.iter().zip(x).map(|(a, x)| a * x).sum();
        }
        Ok(())
    }
}

fn matvec<'a, A, X>(a: A, x: X) -> Batch<'a, Matvec>
where
    A: IntoLazy<f32, Expression: 'a>,
    X: IntoLazy<f32, Expression: 'a>,
{
    Batch::new().argument(a.into_lazy()).argument(x.into_lazy())
}

#[test]
fn a_matrix_is_applied_to_each_of_several_vectors() {
    let device = Device::cpu();
    let a = device.to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap().reshape([2, 3]).unwrap();
    let x = device.to_device(&[1.0f32, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap().reshape([2, 3]).unwrap();
    let result = matvec(&a, &x).collect().unwrap();
    assert_eq!((result.shape(), result.to_host().unwrap()), (Shape::from([2, 2]), vec![1.0, 4.0, 6.0, 15.0]));
    let mut out = device.zeros::<f32>([2, 2]).unwrap();
    matvec(&a, &x).collect_into(&mut out).unwrap();
    assert_eq!(out.to_host().unwrap(), [1.0, 4.0, 6.0, 15.0]);
    assert!(matvec(&a, &x).collect_into(&mut device.zeros::<f32>(4).unwrap()).is_err());
}

#[test]
fn core_arrays_that_are_no_slices_are_copied() {
    let device = Device::cpu();
    let stored = device.to_device(&[1.0f32, 4.0, 2.0, 5.0, 3.0, 6.0]).unwrap().reshape([3, 2]).unwrap();
    let vec = matvec(stored.view().t(), &[1.0, 1.0, 1.0]).to_vec().unwrap();
    assert_eq!(vec, [6.0, 15.0]);
    let reversed = device.to_device(&[3.0f32, 2.0, 1.0]).unwrap();
    assert_eq!(matvec(stored.view().t(), reversed.view().reverse_axis(0)).to_vec().unwrap(), [14.0, 32.0]);
}

#[test]
fn shapes_that_break_the_signature_are_refused() {
    let device = Device::cpu();
    let a = device.zeros::<f32>([2, 3]).unwrap();
    let error = matvec(&a, &[1.0; 4]).to_vec().unwrap_err().to_string();
    assert!(error.contains("`matvec`") && error.contains("`n` is 3 in `a`"), "{error}");
    assert!(matvec(a.slice(..), &[1.0; 6]).to_vec().unwrap_err().to_string().contains("needs at least 2 axes"));
}

#[test]
fn the_kernels_of_every_form_compile() {
    let Some(nvrtc) = nvrtc_or_skip("the_kernels_of_every_form_compile") else { return };
    use crate::memory::Layout;
    let layout = |extents: &[usize], strides: &[isize]| Layout::new(Shape::from_extents(extents).unwrap(), strides);
    for (shape, layouts) in [
        ([].into(), [layout(&[], &[]), layout(&[], &[]), layout(&[], &[])]),
        ([10, 4].into(), [layout(&[], &[]), layout(&[4], &[3]), layout(&[10, 4], &[8, 2])]),
    ] {
        let form = Form::of_operands(&Plan::new(shape, layouts.iter()));
        let source = crate::compile::readable_source(run::write_batch::<Matvec>(&form).unit, crate::compile::Variant::Checked);
        if let Err(error) = nvrtc.compile("batch.cu", &source, Architecture { major: 9, minor: 0 }, &Options { fmad: true }) {
            panic!("{error}\n{error:?}\n{source}");
        }
    }
}
