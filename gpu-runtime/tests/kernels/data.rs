//! Structs of arrays as parameters of kernels.

use gpu_runtime::prelude::*;

type Result = gpu_runtime::Result<()>;

#[derive(KernelData)]
struct Bodies {
    x: DeviceArray<f32>,
    v: DeviceArray<f32>,
    mass: f32,
    #[allow(dead_code)]
    names: Vec<String>,
}

impl Bodies {
    fn new(device: &Device) -> gpu_runtime::Result<Self> {
        let (x, v) = (device.to_device(&[1.0, 2.0, 3.0])?, device.to_device(&[10.0, 20.0, 30.0])?);
        Ok(Bodies { x, v, mass: 2.0, names: Vec::new() })
    }
}

/// Moves bodies.
#[gpu_kernel(block = 64)]
fn step(b: &mut Bodies, dt: f32) {
    let i = grid_1d();
    if i < b.x.len() && i < b.v.len() {
        b.x[i] += b.v[i] * dt / b.mass;
    }
}

#[test]
fn a_kernel_takes_a_struct_and_its_launch_is_safe() -> Result {
    let mut bodies = Bodies::new(&Device::cpu())?;
    step(&mut bodies, 0.5).forall(3)?;
    step(&mut bodies, 0.5).launch(1, 64)?;
    assert_eq!(bodies.x.to_host()?, [6.0, 12.0, 18.0]);
    Ok(())
}

/// The arrays are what separate parameters would be: only the one that is written is mutable, and the compiler knows that they differ.
#[test]
fn cuda_c_has_a_parameter_for_each_field() {
    let source = step::cuda_source();
    for part in ["f32* __restrict__ b_x", "const f32* __restrict__ b_v", "f32 b_mass"] {
        assert!(source.contains(part), "no `{part}` in {source}");
    }
    assert!(step::findings().is_empty());
}

/// Writes to another thread's element. It is looked at and not launched.
#[gpu_kernel]
#[allow(dead_code)]
fn shift(b: &mut Bodies) {
    let i = grid_1d();
    if i + 1 < b.x.len() {
        b.x[i + 1] = b.x[i];
    }
}

#[test]
fn a_data_race_in_a_field_is_found() {
    assert!(!shift::findings().is_empty());
}

#[derive(KernelData)]
struct Mesh<'m> {
    indices: DeviceArray<u32>,
    weights: DeviceSlice<'m, f32>,
    width: usize,
    sums: DeviceArray<f32>,
}

#[gpu_device]
fn total(x: &[f32]) -> f32 {
    x.iter().sum()
}

#[gpu_device]
fn double(x: &mut [f32]) {
    for v in x.iter_mut() {
        *v *= 2.0;
    }
}

/// What is in an index is read, also where the element is written, and so is a slice that is passed on.
#[gpu_kernel]
fn scatter(m: &mut Mesh<'_>, out: &mut [f32]) {
    if grid_1d() == 0 {
        for row in 0..2 {
            out[row * m.width + m.indices[row] as usize] += total(&m.weights);
            m.sums[m.indices[row] as usize] = m.weights[row];
            let last = &mut (m.sums[2]);
            *last += 1.0;
        }
    }
}

/// Passes an array on, which its proof does not follow. It is looked at and not launched.
#[gpu_kernel]
#[allow(dead_code)]
fn double_sums(m: &mut Mesh<'_>) {
    if grid_1d() == 0 {
        double(&mut m.sums);
    }
}

#[test]
fn fields_in_indices_are_only_read() -> Result {
    let device = Device::cpu();
    let weights = device.to_device(&[1.0, 2.0, 4.0])?;
    let (indices, sums) = (device.to_device(&[1, 0])?, device.zeros(3)?);
    let (mut mesh, mut out) = (Mesh { indices, weights: weights.slice(..2), width: 2, sums }, device.zeros::<f32>(4)?);
    scatter(&mut mesh, &mut out).forall(1)?;
    assert_eq!((out.to_host()?, mesh.sums.to_host()?), (vec![0.0, 3.0, 3.0, 0.0], vec![2.0, 1.0, 2.0]));
    assert!(scatter::cuda_source().contains("const u32* __restrict__ m_indices"));
    assert!(double_sums::cuda_source().contains("(m_sums, m_sums_len"), "{}", double_sums::cuda_source());
    Ok(())
}

#[gpu_kernel]
fn beyond(b: &Bodies, i: usize, out: &mut [f32]) {
    if grid_1d() == 0 {
        out[0] = b.x[i];
    }
}

#[test]
fn an_index_out_of_bounds_fails() -> Result {
    let device = Device::cpu();
    let (bodies, mut out) = (Bodies::new(&device)?, device.zeros::<f32>(1)?);
    beyond(&bodies, 2, &mut out).forall(1)?;
    assert_eq!(out.to_host()?, [3.0]);
    let error = beyond(&bodies, 3, &mut out).forall(1).and_then(|_| out.to_host()).expect_err("it is out of bounds");
    assert!(error.to_string().contains("beyond"), "{error}");
    Ok(())
}

mod shapes {
    use gpu_runtime::prelude::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(crate) struct Point {
        pub(crate) x: f32,
        pub(crate) y: f32,
    }

    #[derive(KernelData)]
    pub(crate) struct Rows<'a, T: Num, const N: usize> {
        pub(crate) values: &'a str,
        pub(crate) read: DeviceSlice<'a, T>,
        pub(crate) written: DeviceSliceMut<'a, [T; N]>,
        pub(crate) points: DeviceArray<self::Point>,
        pub(crate) r#type: T,
    }
}

mod user {
    use super::shapes::{self, Point};
    use gpu_runtime::prelude::*;

    /// Two structs, one of them generic and named by a path, between other parameters.
    #[gpu_kernel]
    pub(super) fn mix<T: Num>(by: T, rows: &mut shapes::Rows<'_, T, 2>, first: usize, b: &super::Bodies) {
        let i = grid_1d();
        if i < rows.written.len() && first + i < rows.read.len() && b.x.len() == 3 {
            rows.written[i] = [rows.read[first + i] * by + rows.r#type, rows.read[0]];
        }
    }

    use shapes::Rows;

    #[gpu_kernel]
    pub(super) fn swap(rows: &mut Rows<'_, f32, 2>) {
        let i = grid_1d();
        if i < rows.points.len() {
            let Point { x, y } = rows.points[i];
            rows.points[i].x = y;
            rows.points[i] = Point { y: x, ..rows.points[i] };
        }
    }
}

#[test]
fn structs_are_generic_and_have_paths() -> Result {
    let device = Device::cpu();
    let bodies = Bodies::new(&device)?;
    let (read, mut written) = (device.to_device(&[1.0f32, 2.0, 3.0])?, device.zeros::<[f32; 2]>(2)?);
    let points = device.to_device(&[shapes::Point { x: 1.0, y: 2.0 }])?;
    let mut rows = shapes::Rows { values: "", read: read.slice(..), written: written.slice_mut(..), points, r#type: 100.0 };
    assert_eq!(rows.values, "");
    user::mix(10.0, &mut rows, 1, &bodies).forall(2)?;
    user::swap(&mut rows).forall(1)?;
    let point = rows.points.to_host()?[0];
    assert_eq!((point.x, point.y), (2.0, 1.0));
    assert_eq!(written.to_host()?, [[120.0, 1.0], [130.0, 1.0]]);
    Ok(())
}

/// A struct and a kernel that a macro writes, in a function.
#[test]
fn macros_write_structs_and_kernels() -> Result {
    macro_rules! double {
        ($Data:ident, $kernel:ident, $b:ident, $x:ident) => {
            #[derive(KernelData)]
            struct $Data {
                $x: DeviceArray<f32>,
            }

            #[gpu_kernel]
            fn $kernel($b: &mut $Data) {
                let i = grid_1d();
                if i < $b.$x.len() {
                    $b.$x[i] *= 2.0;
                }
            }
        };
    }
    double!(Data, double, data, values);
    let mut data = Data { values: Device::cpu().to_device(&[1.0, 2.0])? };
    double(&mut data).forall(2)?;
    assert_eq!(data.values.to_host()?, [2.0, 4.0]);
    Ok(())
}

/// Names that mean something else where the kernel is.
mod hostile {
    #![allow(dead_code, non_camel_case_types)]

    use gpu_runtime::prelude::{KernelData, gpu_kernel, grid_1d};

    struct DeviceSlice;
    struct Launch;
    trait IntoDeviceSliceMut {}
    fn b_x() {}

    #[derive(KernelData)]
    pub(super) struct Option {
        pub(super) x: gpu_runtime::DeviceArray<f32>,
    }

    #[gpu_kernel]
    pub(super) fn clear(b: &mut Option) {
        let i = grid_1d();
        if i < b.x.len() {
            b.x[i] = 0.0;
        }
    }
}

#[test]
fn other_names_do_not_matter() -> Result {
    let mut data = hostile::Option { x: Device::cpu().ones(2)? };
    hostile::clear(&mut data).forall(2)?;
    assert_eq!(data.x.to_host()?, [0.0, 0.0]);
    Ok(())
}

#[derive(KernelData, GraphData)]
struct Both {
    x: DeviceArray<f32>,
}

#[gpu_kernel]
fn increase(both: &mut Both) {
    let i = grid_1d();
    if i < both.x.len() {
        both.x[i] += 1.0;
    }
}

#[test]
fn a_graph_of_a_struct_launches_kernels_of_it() -> Result {
    let device = Device::cpu();
    let mut both = Both { x: device.zeros(4)? };
    let mut graph = Graph::record(&device, (&mut both,), |(both,)| increase(both).forall(4).map(drop))?;
    graph.launch((&mut both,))?;
    graph.launch((&mut both,))?;
    assert_eq!(both.x.to_host()?, [2.0; 4]);
    Ok(())
}
