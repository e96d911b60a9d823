//! What the macros expand to, written by hand: the contract between `gpu-macros` and `gpu-runtime`.
//!
//! One kernel without a barrier, one with, a device function and a generic one. Run on the CPU here; the same shapes are generated.
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
    pub struct __Instance(::core::marker::PhantomData<()>);
    // SAFETY: the CUDA C touches no array.
    unsafe impl ::gpu_runtime::calls::DeviceInstance for __Instance {
        const UNIT: &'static ::gpu_runtime::__private::SourceUnit = {
            &::gpu_runtime::__private::SourceUnit {
                name: "scale",
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
                sites: &::gpu_runtime::__private::Sites::none_in(::core::file!()),
                several_elements: true,
            }
        };
    }
    // Every call means the one instance, whatever it knows of its types.
    // SAFETY: as above.
    unsafe impl<__Explicit, __Evidence> ::gpu_runtime::calls::DeviceFunction<__Explicit, __Evidence> for scale::gpu_device {
        type Output = f32;
        type Instance = __Instance;
    }
};

// ---- #[gpu_device] fn blend<T: Float>(a: T, b: T) -> T { a * T::from_f64(0.5) + b } --------------------------------
fn blend<T: Float>(a: T, b: T) -> T {
    ::gpu_runtime::__private::on_host(|__thread| blend::gpu_device::call(__thread, a, b))
}
#[doc(hidden)]
mod blend {
    pub struct gpu_device;
}
const _: () = {
    impl blend::gpu_device {
        #[inline]
        pub fn call<T: ::gpu_runtime::Float>(
            __thread: &::gpu_runtime::__private::Thread<'_>,
            a: T,
            b: T,
        ) -> ::core::result::Result<T, ::gpu_runtime::__private::Stop> {
            Ok(::gpu_runtime::__private::ops::add(::gpu_runtime::__private::ops::mul(a, <T as ::gpu_runtime::Float>::from_f64(0.5f64)), b))
        }
    }
    // The function with a type for its type parameter.
    pub struct __Instance<T>(::core::marker::PhantomData<(T,)>);
    // SAFETY: the CUDA C touches no array.
    unsafe impl<T: ::gpu_runtime::Float> ::gpu_runtime::calls::DeviceInstance for __Instance<T> {
        const UNIT: &'static ::gpu_runtime::__private::SourceUnit = {
            &::gpu_runtime::__private::SourceUnit {
                name: "blend",
                prototype: &[
                    ::gpu_runtime::__private::Segment::Text("static __device__ "),
                    ::gpu_runtime::__private::Segment::Type(::gpu_runtime::__private::c_type::<T>),
                    ::gpu_runtime::__private::Segment::Text(" "),
                    ::gpu_runtime::__private::Segment::OwnName,
                    ::gpu_runtime::__private::Segment::Text("("),
                    ::gpu_runtime::__private::Segment::Type(::gpu_runtime::__private::c_type::<T>),
                    ::gpu_runtime::__private::Segment::Text(" a, "),
                    ::gpu_runtime::__private::Segment::Type(::gpu_runtime::__private::c_type::<T>),
                    ::gpu_runtime::__private::Segment::Text(" b)"),
                ],
                body: &[
                    ::gpu_runtime::__private::Segment::Text("static __device__ "),
                    ::gpu_runtime::__private::Segment::Type(::gpu_runtime::__private::c_type::<T>),
                    ::gpu_runtime::__private::Segment::Text(" "),
                    ::gpu_runtime::__private::Segment::OwnName,
                    ::gpu_runtime::__private::Segment::Text("("),
                    ::gpu_runtime::__private::Segment::Type(::gpu_runtime::__private::c_type::<T>),
                    ::gpu_runtime::__private::Segment::Text(" a, "),
                    ::gpu_runtime::__private::Segment::Type(::gpu_runtime::__private::c_type::<T>),
                    ::gpu_runtime::__private::Segment::Text(" b) {\n  return gr_wrapping_add(gr_wrapping_mul(a, "),
                    ::gpu_runtime::__private::Segment::Constant(|| ::gpu_runtime::__private::literal(T::from_f64(0.5f64))),
                    ::gpu_runtime::__private::Segment::Text("), b);\n}\n"),
                ],
                snippets: &["ops"],
                sites: &::gpu_runtime::__private::Sites::none_in(::core::file!()),
                several_elements: true,
            }
        };
    }
    // `T` is what the call names, or the first type that it knows of `a`, of `b` and of the result.
    // SAFETY: as above.
    unsafe impl<__Explicit: ::gpu_runtime::calls::Explicit, __Output, __A0, __A1, T: ::gpu_runtime::Float>
        ::gpu_runtime::calls::DeviceFunction<__Explicit, (__Output, __A0, __A1)> for blend::gpu_device
    where
        (<__Explicit as ::gpu_runtime::calls::Explicit>::P0, (__A0, (__A1, (__Output, ())))): ::gpu_runtime::calls::Evidence<Type = T>,
    {
        type Output = T;
        type Instance = __Instance<T>;
    }
};

// ---- #[gpu_kernel] fn scaled_add(x: &[f32], k: f32, out: &mut [f32]) { let i = grid_1d(); if i < out.len() { out[i] = scale(x[i]) + k; } }
fn scaled_add<'a>(
    x: impl ::gpu_runtime::__private::IntoDeviceSlice<'a, f32>,
    k: f32,
    out: impl ::gpu_runtime::__private::IntoDeviceSliceMut<'a, f32>,
) -> ::gpu_runtime::Launch<'a, scaled_add::Kernel> {
    ::gpu_runtime::Launch::new((x.into_device_slice(), k, out.into_device_slice_mut()))
}
mod scaled_add {
    pub struct Kernel;
    // Also generated here: pub fn cuda_source() -> String { ::gpu_runtime::KernelHandle::of::<Kernel>().cuda_source() } and friends.
}
const _: () = {
    static __SITES: ::gpu_runtime::__private::Sites = ::gpu_runtime::__private::Sites::new(::core::file!(), "52:120i 52:110i", &[]);
    // SAFETY: source and twin take the arguments that `Args` binds, and check their indices.
    unsafe impl ::gpu_runtime::__private::KernelDefinition for scaled_add::Kernel {
        type Args<'a> = (::gpu_runtime::DeviceSlice<'a, f32>, f32, ::gpu_runtime::DeviceSliceMut<'a, f32>);
        const META: &'static ::gpu_runtime::__private::KernelMeta = &::gpu_runtime::__private::KernelMeta {
            name: "scaled_add",
            params: &["x", "k", "out"],
            block: ::core::option::Option::None,
            proved_for: ::gpu_runtime::__private::ProvedFor { grid_axes: 1, block_axes: 1 },
            fmad: true,
            findings: &[],
            remaining_checks: &[],
            index_width: &[],
            loops: &[],
            conditions: &[],
            unit: &::gpu_runtime::__private::SourceUnit {
                name: "scaled_add",
                prototype: &[],
                body: &[::gpu_runtime::__private::Segment::Template {
                    text: "extern \"C\" __global__ void `name`(const f32* __restrict__ x, usize x_len, f32 k, f32* __restrict__ out, \
                           usize out_len) {\n`line 52`  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < out_len) {\n\
                           `checked 1`    if (i >= x_len) gr_panic(`site 0`, i, x_len);\n`}`    out[i] = `0`(x[i]) + k;\n  }\n}\n",
                    holes: &[::gpu_runtime::__private::Segment::Function(
                        <scale::gpu_device as ::gpu_runtime::calls::DeviceFunction<
                            (),
                            (::gpu_runtime::calls::Known<f32>, ::gpu_runtime::calls::Known<f32>),
                        >>::callee,
                    )],
                }],
                snippets: &["panic"],
                sites: &__SITES,
                several_elements: false,
            },
        };
        fn shown(__args: &Self::Args<'_>, __dims: &::gpu_runtime::__private::LaunchDims) -> ::gpu_runtime::__private::Shown {
            let (x, _, out) = __args;
            ::gpu_runtime::__private::Shown::of([(out.len() as i128 - 1) < x.len() as i128], false)
        }
        fn run_blocks(
            __args: &Self::Args<'_>,
            __blocks: ::gpu_runtime::__private::Blocks<'_>,
        ) -> ::core::result::Result<(), ::gpu_runtime::__private::Stop> {
            // SAFETY: the runtime calls this only for arrays in host memory, which the launch keeps borrowed.
            let (x, k, out) = unsafe { ::gpu_runtime::__private::Arguments::host(__args) };
            __blocks.for_each_thread(|__thread| {
                // SAFETY: each thread writes the element of its position, or one of a block that of its block.
                let mut out = unsafe { out.of_thread() };
                let i = grid_1d::__intrinsic(__thread);
                if i < out.len() {
                    {
                        let __value = scale::gpu_device::call(
                            __thread,
                            x[{
                                if __thread.stops_at_read(i, &x, 0) {
                                    return ::gpu_runtime::__private::STOPPED;
                                }
                                i
                            }],
                        )? + k;
                        if __thread.stops_at_write(i, &out, 1) {
                            return ::gpu_runtime::__private::STOPPED;
                        }
                        let __index0 = i;
                        out[__index0] = __value;
                    }
                }
                ::core::result::Result::Ok(())
            })
        }
    }
    // SAFETY: each thread writes the element of its position.
    unsafe impl ::gpu_runtime::RaceFree for scaled_add::Kernel {}
};

// ---- A kernel with shared memory and a barrier: block sums by tree reduction; one writer per block. ----------------
fn block_sum<'a>(
    x: impl ::gpu_runtime::__private::IntoDeviceSlice<'a, f64>,
    out: impl ::gpu_runtime::__private::IntoDeviceSliceMut<'a, f64>,
) -> ::gpu_runtime::Launch<'a, block_sum::Kernel> {
    ::gpu_runtime::Launch::new((x.into_device_slice(), out.into_device_slice_mut()))
}
mod block_sum {
    pub struct Kernel;
}
static BLOCK_SUM_SITES: ::gpu_runtime::__private::Sites = ::gpu_runtime::__private::Sites::new(::core::file!(), "1:1i", &[]);
const _: () = {
    // SAFETY: source and twin take the arguments that `Args` binds, and check their indices.
    unsafe impl ::gpu_runtime::__private::KernelDefinition for block_sum::Kernel {
        type Args<'a> = (::gpu_runtime::DeviceSlice<'a, f64>, ::gpu_runtime::DeviceSliceMut<'a, f64>);
        const META: &'static ::gpu_runtime::__private::KernelMeta = &::gpu_runtime::__private::KernelMeta {
            name: "block_sum",
            params: &["x", "out"],
            block: ::core::option::Option::None,
            proved_for: ::gpu_runtime::__private::ProvedFor { grid_axes: 3, block_axes: 3 },
            fmad: true,
            findings: &[],
            remaining_checks: &[],
            index_width: &[],
            loops: &[],
            conditions: &[],
            // It runs on the CPU only. All of its places are the only one of the table.
            unit: &::gpu_runtime::__private::SourceUnit { sites: &BLOCK_SUM_SITES, ..::gpu_runtime::__private::SourceUnit::NONE },
        };
        fn run_blocks(
            __args: &Self::Args<'_>,
            __blocks: ::gpu_runtime::__private::Blocks<'_>,
        ) -> ::core::result::Result<(), ::gpu_runtime::__private::Stop> {
            // SAFETY: the runtime calls this only for arrays in host memory, which the launch keeps borrowed.
            let (x, out) = unsafe { ::gpu_runtime::__private::Arguments::host(__args) };
            // The closure gets the thread by value: each future owns its own.
            __blocks.for_each_thread_async(|__thread| async move {
                let __thread = &__thread;
                // SAFETY: each thread writes the element of its position, or one of a block that of its block.
                let mut out = unsafe { out.of_thread() };
                // The second argument numbers the shared arrays of a kernel.
                // SAFETY: references to elements last for one statement.
                let mut tile = unsafe { shared::__intrinsic::<[f64; 256]>(__thread, 0) };
                let t = thread_idx::__intrinsic(__thread).x;
                let i = grid_1d::__intrinsic(__thread);
                const SITE: u32 = 0;
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
    // The compiler prints this where a launch requires `RaceFree`.
    #[diagnostic::on_unimplemented(
        message = "the kernel `block_sum` is not proved free of data races",
        label = "line 201: `out[block_idx().x]`: …"
    )]
    pub trait NoDataRace {}
    // SAFETY: it holds only where `NoDataRace` does, which nothing implements.
    unsafe impl<By_: NoDataRace> ::gpu_runtime::RaceFree<By_> for block_sum::Kernel {}
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
    unsafe { block_sum(&x, &mut out).launch_unchecked(40, 256)? };
    assert_eq!(out.to_host()?.iter().sum::<f64>(), f64::from(n) * f64::from(n - 1) / 2.0);
    Ok(())
}

#[test]
fn a_call_finds_its_instance_by_what_it_knows() {
    use gpu_runtime::__private::Segment;
    use gpu_runtime::calls::{DeviceFunction, Known, Unknown};
    fn callee<Explicit, Evidence>() -> (std::any::TypeId, Vec<String>)
    where
        blend::gpu_device: DeviceFunction<Explicit, Evidence>,
    {
        let callee = <blend::gpu_device as DeviceFunction<Explicit, Evidence>>::callee();
        let holes = callee.unit.body.iter().filter_map(|segment| match segment {
            Segment::Type(name) => Some(name().to_string()),
            Segment::Constant(value) => Some(value()),
            _ => None,
        });
        (callee.id, holes.collect())
    }
    let single = callee::<(), (Known<f32>, Known<f32>, Known<f32>)>();
    assert_eq!(single.1, ["f32", "f32", "f32", "0.5f"]);
    let double = callee::<(), (Unknown, Unknown, Known<f64>)>();
    assert_eq!(double.1, ["f64", "f64", "f64", "0.5"]);
    assert_ne!(single.0, double.0);
    assert_eq!(single, callee::<(), (Known<f32>, Unknown, Unknown)>());
    assert_eq!(double, callee::<(Known<f64>,), (Unknown, Unknown, Unknown)>());
    assert_eq!(blend(2.0f32, 1.0), 2.0);
}
