//! What the macros expand to, written by hand: the contract between `gpu-macros` and `gpu-runtime`.
//!
//! One kernel without a barrier, one with, one device function. Run on the CPU here; the same shapes are generated.
#![allow(non_camel_case_types, unreachable_pub, unused_variables, unused_mut, private_interfaces, clippy::all)]

use gpu_runtime::prelude::*;

// ---- #[gpu_device] fn scale(x: f32) -> f32 { x * FACTOR } ----------------------------------------------------------
const FACTOR: f32 = 2.0;

fn scale(x: f32) -> f32 {
    ::gpu_runtime::__private::on_host(|__thread| scale::gpu_device::call(__thread, x))
}
#[doc(hidden)]
mod scale {
    pub struct gpu_device;
}
const _: () = {
    impl scale::gpu_device {
        #[inline]
        pub fn call(
            __thread: &::gpu_runtime::__private::Thread<'_>,
            x: f32,
        ) -> ::core::result::Result<f32, ::gpu_runtime::__private::Stop> {
            Ok(x * FACTOR)
        }
    }
    // SAFETY: source and twin take the arguments that `bind` hands over, and check their indices.
    unsafe impl ::gpu_runtime::__private::DeviceFunction for scale::gpu_device {
        fn source() -> &'static ::gpu_runtime::__private::SourceUnit {
            static UNIT: ::gpu_runtime::__private::SourceUnit = ::gpu_runtime::__private::SourceUnit {
                name: "scale",
                file: ::core::file!(),
                prototype: &[
                    ::gpu_runtime::__private::Segment::Text("static __device__ f32 "),
                    ::gpu_runtime::__private::Segment::OwnName,
                    ::gpu_runtime::__private::Segment::Text("(f32 x)"),
                ],
                body: &[
                    ::gpu_runtime::__private::Segment::Text("static __device__ f32 "),
                    ::gpu_runtime::__private::Segment::OwnName,
                    ::gpu_runtime::__private::Segment::Text("(f32 x) {\n  return x * "),
                    ::gpu_runtime::__private::Segment::Constant(|| ::gpu_runtime::__private::literal(FACTOR)),
                    ::gpu_runtime::__private::Segment::Text(";\n}\n"),
                ],
                snippets: &[],
                sites: &[],
                several_elements: false,
            };
            &UNIT
        }
    }
};

// ---- #[gpu_kernel] fn scaled_add(x: &[f32], k: f32, out: &mut [f32]) { let i = grid_1d(); if i < out.len() { out[i] = scale(x[i]) + k; } }
fn scaled_add<'a>(
    x: impl ::gpu_runtime::__private::IntoDeviceSlice<'a, f32>,
    k: f32,
    out: impl ::gpu_runtime::__private::IntoDeviceSliceMut<'a, f32>,
) -> ::gpu_runtime::Launch<'a, scaled_add::Kernel, ::gpu_runtime::Proved> {
    ::gpu_runtime::Launch::new((x.into_device_slice(), k, out.into_device_slice_mut()))
}
mod scaled_add {
    pub struct Kernel;
    // Also generated here: pub fn cuda_source() -> String { ::gpu_runtime::__private::cuda_source::<Kernel>() } and friends.
}
const _: () = {
    // SAFETY: source and twin take the arguments that `bind` hands over, and check their indices.
    unsafe impl ::gpu_runtime::__private::KernelDefinition for scaled_add::Kernel {
        type Args<'a> = (::gpu_runtime::DeviceSlice<'a, f32>, f32, ::gpu_runtime::DeviceSliceMut<'a, f32>);
        const META: &'static ::gpu_runtime::__private::KernelMeta = &::gpu_runtime::__private::KernelMeta {
            name: "scaled_add",
            params: &["x", "k", "out"],
            block: ::core::option::Option::None,
            proved_for: ::gpu_runtime::__private::ProvedFor { grid_axes: 1, block_axes: 1 },
            fmad: true,
        };
        fn source() -> &'static ::gpu_runtime::__private::SourceUnit {
            static UNIT: ::gpu_runtime::__private::SourceUnit = ::gpu_runtime::__private::SourceUnit {
                name: "scaled_add",
                file: ::core::file!(),
                prototype: &[],
                body: &[
                    ::gpu_runtime::__private::Segment::Text("extern \"C\" __global__ void "),
                    ::gpu_runtime::__private::Segment::OwnName,
                    ::gpu_runtime::__private::Segment::Text(
                        "(const f32* __restrict__ x, usize x_len, f32 k, f32* __restrict__ out, usize out_len) {\n",
                    ),
                    ::gpu_runtime::__private::Segment::Line(52),
                    ::gpu_runtime::__private::Segment::Text(
                        "  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < out_len) {\n",
                    ),
                    ::gpu_runtime::__private::Segment::Checked(&[
                        ::gpu_runtime::__private::Segment::Text("    if (i >= x_len) gr_panic("),
                        ::gpu_runtime::__private::Segment::Site(0),
                        ::gpu_runtime::__private::Segment::Text(", i, x_len);\n"),
                    ]),
                    ::gpu_runtime::__private::Segment::Text("    out[i] = "),
                    ::gpu_runtime::__private::Segment::Function(<scale::gpu_device as ::gpu_runtime::__private::DeviceFunction>::source),
                    ::gpu_runtime::__private::Segment::Text("(x[i]) + k;\n  }\n}\n"),
                ],
                snippets: &["panic"],
                sites: &[::gpu_runtime::__private::Site {
                    file: ::core::file!(),
                    line: 52,
                    column: 120,
                    kind: ::gpu_runtime::__private::SiteKind::Index,
                }],
                several_elements: false,
            };
            &UNIT
        }
        fn bind(__args: &Self::Args<'_>, __binder: &mut ::gpu_runtime::__private::ArgumentBinder<'_>) {
            let (x, k, out) = __args;
            __binder.slice(x);
            __binder.scalar(*k);
            __binder.slice_mut(out);
        }
        fn in_bounds(__args: &Self::Args<'_>, __dims: &::gpu_runtime::__private::LaunchDims) -> bool {
            // out.len() - 1 < x.len(); overflow anywhere means "not shown".
            let (x, k, out) = __args;
            ::gpu_runtime::__private::polynomial(&[(1, &[out.len() as i128]), (-1, &[])])
                .zip(::gpu_runtime::__private::polynomial(&[(1, &[x.len() as i128])]))
                .is_some_and(|(most, len)| most < len)
        }
        fn run_blocks(
            __args: &Self::Args<'_>,
            __blocks: ::gpu_runtime::__private::Blocks<'_>,
        ) -> ::core::result::Result<(), ::gpu_runtime::__private::Stop> {
            let (x, k, out) = __args;
            // SAFETY: the runtime calls this only for arrays in host memory, which the launch keeps borrowed.
            let (x, k, out) = unsafe { (x.as_host(), *k, out.as_host_mut()) };
            __blocks.for_each_thread(|__thread| {
                let mut out = out;
                let i = grid_1d::__intrinsic(__thread);
                if i < out.len() {
                    {
                        let __value = scale::gpu_device::call(
                            __thread,
                            x[__thread.index(
                                i,
                                x.len(),
                                const {
                                    &::gpu_runtime::__private::Site {
                                        file: ::core::file!(),
                                        line: 52,
                                        column: 120,
                                        kind: ::gpu_runtime::__private::SiteKind::Index,
                                    }
                                },
                            )?],
                        )? + k;
                        let __index = __thread.index(
                            i,
                            out.len(),
                            const {
                                &::gpu_runtime::__private::Site {
                                    file: ::core::file!(),
                                    line: 52,
                                    column: 110,
                                    kind: ::gpu_runtime::__private::SiteKind::Index,
                                }
                            },
                        )?;
                        out[__index] = __value;
                    }
                }
                ::core::result::Result::Ok(())
            })
        }
    }
};

// ---- A kernel with shared memory and a barrier: block sums by tree reduction; one writer per block. ----------------
fn block_sum<'a>(
    x: impl ::gpu_runtime::__private::IntoDeviceSlice<'a, f64>,
    out: impl ::gpu_runtime::__private::IntoDeviceSliceMut<'a, f64>,
) -> ::gpu_runtime::Launch<'a, block_sum::Kernel, ::gpu_runtime::Unproved> {
    ::gpu_runtime::Launch::new((x.into_device_slice(), out.into_device_slice_mut()))
}
mod block_sum {
    pub struct Kernel;
}
const _: () = {
    // SAFETY: source and twin take the arguments that `bind` hands over, and check their indices.
    unsafe impl ::gpu_runtime::__private::KernelDefinition for block_sum::Kernel {
        type Args<'a> = (::gpu_runtime::DeviceSlice<'a, f64>, ::gpu_runtime::DeviceSliceMut<'a, f64>);
        const META: &'static ::gpu_runtime::__private::KernelMeta = &::gpu_runtime::__private::KernelMeta {
            name: "block_sum",
            params: &["x", "out"],
            block: ::core::option::Option::None,
            proved_for: ::gpu_runtime::__private::ProvedFor { grid_axes: 3, block_axes: 3 },
            fmad: true,
        };
        fn source() -> &'static ::gpu_runtime::__private::SourceUnit {
            unreachable!("runs on the CPU only")
        }
        fn bind(__args: &Self::Args<'_>, __binder: &mut ::gpu_runtime::__private::ArgumentBinder<'_>) {
            let (x, out) = __args;
            __binder.slice(x);
            __binder.slice_mut(out);
        }
        fn in_bounds(_: &Self::Args<'_>, _: &::gpu_runtime::__private::LaunchDims) -> bool {
            true
        }
        fn run_blocks(
            __args: &Self::Args<'_>,
            __blocks: ::gpu_runtime::__private::Blocks<'_>,
        ) -> ::core::result::Result<(), ::gpu_runtime::__private::Stop> {
            let (x, out) = __args;
            // SAFETY: the runtime calls this only for arrays in host memory, which the launch keeps borrowed.
            let (x, out) = unsafe { (x.as_host(), out.as_host_mut()) };
            // The closure gets the thread by value: each future owns its own.
            __blocks.for_each_thread_async(|__thread| async move {
                let __thread = &__thread;
                let mut out = out;
                // The second argument numbers the shared arrays of a kernel.
                let mut tile = shared::__intrinsic::<[f64; 256]>(__thread, 0);
                let t = thread_idx::__intrinsic(__thread).x;
                let i = grid_1d::__intrinsic(__thread);
                const SITE: &::gpu_runtime::__private::Site = &::gpu_runtime::__private::Site {
                    file: ::core::file!(),
                    line: 1,
                    column: 1,
                    kind: ::gpu_runtime::__private::SiteKind::Index,
                };
                tile[__thread.index(t, 256, SITE)?] = if i < x.len() { x[__thread.index(i, x.len(), SITE)?] } else { 0.0 };
                sync_threads::__intrinsic(__thread, SITE).await;
                let mut stride = ::gpu_runtime::__private::ops::div(__thread, block_dim::__intrinsic(__thread).x, 2usize, SITE)?;
                while stride > 0usize {
                    if t < stride {
                        {
                            let __value = tile[__thread.index(t.wrapping_add(stride), 256, SITE)?];
                            let __index = __thread.index(t, 256, SITE)?;
                            tile[__index] = tile[__index] + __value;
                        }
                    }
                    sync_threads::__intrinsic(__thread, SITE).await;
                    stride = ::gpu_runtime::__private::ops::div(__thread, stride, 2usize, SITE)?;
                }
                if t == 0usize {
                    let __value = tile[__thread.index(0usize, 256, SITE)?];
                    let __index = __thread.index(block_idx::__intrinsic(__thread).x, out.len(), SITE)?;
                    out[__index] = __value;
                }
                ::core::result::Result::Ok::<(), ::gpu_runtime::__private::Stop>(())
            })
        }
    }
};

#[test]
fn plain_kernel_runs_on_the_cpu() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1.0f32, 2.0, 3.0])?;
    let mut out = device.zeros::<f32>(3)?;
    scaled_add(&x, 0.5, &mut out).launch(1, 128)?;
    assert_eq!(out.to_host()?, [2.5, 4.5, 6.5]);
    scaled_add(&x, 1.5, &mut out).forall(3)?;
    assert_eq!(out.to_host()?, [3.5, 5.5, 7.5]);
    assert_eq!(scale(4.0), 8.0);
    Ok(())
}

#[test]
fn a_failed_index_is_reported_and_the_next_launch_works() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1.0f32, 2.0])?;
    let mut out = device.zeros::<f32>(3)?;
    scaled_add(&x, 0.5, &mut out).launch(1, 128)?;
    let error = device.synchronize().unwrap_err().to_string();
    assert!(error.contains("scaled_add") && error.contains("index 2") && error.contains("length 2"), "{error}");
    scaled_add(&x, 0.5, out.slice_mut(0..2)).launch(1, 128)?;
    assert_eq!(out.to_host()?[..2], [2.5, 4.5]);
    Ok(())
}

#[test]
fn barrier_kernel_runs_on_the_cpu() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let n = 10_000;
    let x = device.to_device(&(0..n).map(f64::from).collect::<Vec<_>>())?;
    let mut out = device.zeros::<f64>(40)?;
    // SAFETY: each block writes its own element.
    unsafe { block_sum(&x, &mut out).launch(40, 256)? };
    assert_eq!(out.to_host()?.iter().sum::<f64>(), f64::from(n) * f64::from(n - 1) / 2.0);
    Ok(())
}
