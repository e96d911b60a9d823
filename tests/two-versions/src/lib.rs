//! Two versions of the runtime in one process, as a program has them whose dependencies want different ones. They share the GPU and its
//! memory, NVRTC and the folder of compiled kernels, and nothing else.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// The same kernels and functions, by the runtime of this name.
macro_rules! version {
    ($version:ident) => {
        mod $version {
            use $version::prelude::*;

            #[gpu_kernel(crate = ::$version)]
            pub(crate) fn scale(x: &mut [f32], by: f32) {
                let i = grid_1d();
                if i < x.len() {
                    x[i] *= by;
                }
            }

            /// Fails in one thread.
            #[gpu_kernel(crate = ::$version)]
            pub(crate) fn fail(x: &mut [f32], at: usize) {
                let i = grid_1d();
                if i < x.len() {
                    x[i] = if i == at { x[i + x.len()] } else { 1.0 };
                }
            }

            /// The sum of `0 + 1 + … + n - 1`, times `by`: on a stream of its own.
            pub(crate) fn scaled_sum(n: usize, by: f32) -> ::$version::Result<f32> {
                let device = Device::best()?;
                let stream = device.stream()?;
                let mut x = device.to_device(&(0..n).map(|i| i as f32).collect::<Vec<_>>())?;
                for _ in 0..20 {
                    scale(&mut x, by).on(&stream).forall(n)?;
                    scale(&mut x, 1.0 / by).on(&stream).forall(n)?;
                }
                scale(&mut x, by).on(&stream).forall(n)?;
                x.sum()
            }

            /// What the failing kernel reports, on a stream of its own: a report goes to whoever waits for the stream first.
            pub(crate) fn failure() -> ::$version::Result<String> {
                let device = Device::best()?;
                let (stream, mut x) = (device.stream()?, device.zeros::<f32>(100)?);
                let launched = fail(&mut x, 7).on(&stream).forall(100).and_then(|()| stream.synchronize());
                Ok(launched.expect_err("one thread reads beyond the end").to_string())
            }
        }
    };
}

version!(gpu_runtime);
version!(other);

/// Calls `run` in eight threads, with their numbers.
fn in_threads(run: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn({
                let run = &run;
                move || run(number)
            });
        }
    });
}

#[test]
fn the_versions_differ() {
    let names = [std::any::type_name::<::gpu_runtime::Device>(), std::any::type_name::<::other::Device>()];
    let ids = [std::any::TypeId::of::<::gpu_runtime::Device>(), std::any::TypeId::of::<::other::Device>()];
    assert_eq!(names[0], names[1]);
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn both_compute_at_the_same_time() {
    let sum = |by: f32| 1000.0 * 999.0 / 2.0 * by;
    in_threads(|number| {
        for _ in 0..10 {
            if number % 2 == 0 {
                assert_eq!(gpu_runtime::scaled_sum(1000, 4.0).unwrap(), sum(4.0));
            } else {
                assert_eq!(other::scaled_sum(1000, 2.0).unwrap(), sum(2.0));
            }
        }
    });
}

#[test]
fn failures_of_one_are_not_those_of_the_other() {
    in_threads(|number| match number % 4 {
        0 => assert!(gpu_runtime::failure().unwrap().contains("fail")),
        1 => assert!(other::failure().unwrap().contains("fail")),
        2 => assert_eq!(gpu_runtime::scaled_sum(10, 4.0).unwrap(), 180.0),
        _ => assert_eq!(other::scaled_sum(10, 4.0).unwrap(), 180.0),
    });
}

#[test]
fn an_array_of_one_is_used_in_place_by_the_other() {
    let (device, others) = (::gpu_runtime::Device::best().unwrap(), ::other::Device::best().unwrap());
    let mut x = device.to_device(&[1.0f32, 2.0, 3.0]).unwrap();
    gpu_runtime::scale(&mut x, 2.0).forall(3).unwrap();
    device.synchronize().unwrap();
    let (pointer, len) = (x.as_mut_ptr(), x.len());
    // SAFETY: it is memory of the same device, nothing else uses it any more, and it is freed after the array.
    let mut of_other = unsafe { ::other::DeviceArray::from_raw(&others, pointer, len, x) };
    other::scale(&mut of_other, 10.0).forall(len).unwrap();
    assert_eq!(of_other.to_host().unwrap(), [20.0, 40.0, 60.0]);
}

#[test]
fn both_compile_into_one_cache() {
    let required = std::env::var("GPU_RUNTIME_REQUIRE").unwrap_or_default().contains("nvrtc");
    let one = gpu_runtime::scale::handle().cubin("sm_90").map_err(|error| error.to_string());
    let two = other::scale::handle().cubin("sm_90").map_err(|error| error.to_string());
    match one.and_then(|one| Ok([one, two?])) {
        Ok(cubins) => assert!(cubins.iter().all(|cubin| cubin.starts_with(b"\x7fELF"))),
        Err(error) if required => panic!("{error}"),
        Err(error) => eprintln!("skipped: {error}"),
    }
}

/// In a process of its own: the profile is written when it ends.
#[test]
fn each_writes_a_profile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(format!("profile-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let trace = folder.join("run.json");
    let test = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "both_compute_at_the_same_time"])
        .env("GPU_RUNTIME_PROFILE", &trace)
        .output()
        .unwrap();
    assert!(test.status.success(), "{test:?}");
    for file in ["run.json", "run.2.json"] {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text.contains("scale"), "{file}: {text}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
