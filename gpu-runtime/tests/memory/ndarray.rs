//! Copies from and to arrays of the crate `ndarray`, on every device of this machine.

use crate::support::devices;
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result};
use ndarray::{Array, Array2, Array3, ArrayD, Axis, IxDyn, array, s};

#[test]
fn arrays_come_back_as_they_went() -> Result<()> {
    for device in devices("arrays_come_back_as_they_went") {
        let vector = array![1.5f64, -2.0, f64::INFINITY];
        assert_eq!(DeviceArray::from_ndarray(&device, &vector)?.to_ndarray()?, vector.into_dyn());
        let cube = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as u16);
        let on_device = DeviceArray::from_ndarray(&device, &cube)?;
        assert_eq!(on_device.shape(), [2, 3, 4]);
        assert_eq!(on_device.to_ndarray()?, cube.into_dyn());
        let scalar = ndarray::arr0(true);
        assert_eq!(DeviceArray::from_ndarray(&device, &scalar)?.to_ndarray()?, scalar.into_dyn());
        let nothing = Array2::<f32>::zeros((0, 3));
        assert_eq!(DeviceArray::from_ndarray(&device, &nothing)?.to_ndarray()?, nothing.into_dyn());
    }
    Ok(())
}

#[test]
fn any_strides_end_up_in_c_order() -> Result<()> {
    for device in devices("any_strides_end_up_in_c_order") {
        let host = Array::from_iter(0..24).into_shape_with_order((4, 6)).unwrap();
        let check = |view: ndarray::ArrayView2<'_, i32>| {
            let array = DeviceArray::from_ndarray(&device, &view)?;
            assert_eq!(array.to_host()?, view.iter().copied().collect::<Vec<_>>());
            assert_eq!(array.to_ndarray()?, view.into_dyn());
            Ok::<(), Error>(())
        };
        check(host.view())?;
        check(host.t())?;
        check(host.slice(s![1..3, ..]))?;
        check(host.slice(s![..;2, 1..5;-3]))?;
        check(host.row(2).broadcast((5, 6)).unwrap())?;
        check(host.slice(s![..0, ..]))?;
    }
    Ok(())
}

#[test]
fn strided_views_come_back_with_their_shape() -> Result<()> {
    for device in devices("strided_views_come_back_with_their_shape") {
        let host = Array::from_iter(0..24).into_shape_with_order((4, 6)).unwrap();
        let mut array = DeviceArray::from_ndarray(&device, &host)?;
        assert_eq!(array.view().t().to_ndarray()?, host.t().into_dyn());
        assert_eq!(array.view_mut().index_axis(1, 3).to_ndarray()?, host.index_axis(Axis(1), 3).into_dyn());
    }
    Ok(())
}

#[test]
fn seven_axes_are_taken_and_eight_refused() -> Result<()> {
    let device = Device::cpu();
    assert_eq!(DeviceArray::from_ndarray(&device, &ArrayD::<i8>::zeros(IxDyn(&[1; 7])))?.shape(), [1; 7]);
    let error = DeviceArray::from_ndarray(&device, &ArrayD::<i8>::zeros(IxDyn(&[1; 8]))).unwrap_err();
    assert!(matches!(error, Error::TooManyAxes { rank: 8 }), "{error}");
    assert!(error.to_string().contains("at most 7"), "{error}");
    Ok(())
}

#[test]
fn views_of_any_strides_are_arguments_of_array_functions() -> Result<()> {
    for device in devices("views_of_any_strides_are_arguments_of_array_functions") {
        let matrix = Array2::from_shape_fn((40, 30), |(i, j)| (i * 30 + j) as i32);
        let row = Array::from_iter(0..30);
        for view in [matrix.view(), matrix.t(), matrix.slice(s![..;2, 1..29;3]), matrix.slice(s![..;-1, ..])] {
            let found = (lazy(&view) + 1).on(&device).collect()?.to_ndarray()?;
            assert_eq!(found, (&view + 1).into_dyn());
        }
        let repeated = row.broadcast((40, 30)).expect("rows repeat");
        let found = (lazy(&repeated) + &matrix).on(&device).collect()?.to_ndarray()?;
        assert_eq!(found, (&repeated + &matrix).into_dyn());
    }
    Ok(())
}

/// What NumPy 2 writes for `np.save(path, np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]], np.int32)))`.
fn file_in_fortran_order() -> Vec<u8> {
    let header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }";
    let elements = [1i32, 4, 2, 5, 3, 6].map(i32::to_le_bytes);
    [b"\x93NUMPY\x01\x00v\x00", format!("{header:<117}\n").as_bytes(), elements.as_flattened()].concat()
}

#[test]
fn files_of_numpy_are_read_in_c_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    std::fs::write(&path, file_in_fortran_order()).unwrap();
    let x = DeviceArray::<i32>::read_npy(&Device::cpu(), &path).unwrap();
    assert_eq!((x.shape().extents(), x.to_host().unwrap()), (&[2, 3][..], vec![1, 2, 3, 4, 5, 6]));
    x.write_npy(&path).unwrap();
    let written = std::fs::read(&path).unwrap();
    assert!(
        written.starts_with(b"\x93NUMPY") && written.ends_with(&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0])
    );
}

#[test]
fn files_of_several_arrays_have_them_by_name() {
    let (folder, device) = (tempfile::tempdir().unwrap(), Device::cpu());
    let path = folder.path().join("several.npz");
    let (x, flags) = (device.to_device(&[0.5, -1.5]).unwrap(), device.to_device(&[true, false, true]).unwrap());
    let mut file = gpu_runtime::NpzFile::create(&path).unwrap();
    file.add("x", &x).unwrap();
    file.add("twice", 2.0 * &x).unwrap();
    file.add("flags", flags.slice(1..)).unwrap();
    file.finish().unwrap();
    let read = |name| DeviceArray::<f64>::read_npz(&device, &path, name).and_then(|array| array.to_host());
    assert_eq!((read("x").unwrap(), read("twice").unwrap()), (vec![0.5, -1.5], vec![1.0, -3.0]));
    assert_eq!(DeviceArray::<bool>::read_npz(&device, &path, "flags").unwrap().to_host().unwrap(), [false, true]);
    for name in ["flags", "y"] {
        let error = read(name).unwrap_err().to_string();
        assert!(error.contains("several.npz") && error.contains(name), "{error}");
    }
    let error = DeviceArray::<f64>::read_npy(&device, folder.path().join("none.npy")).unwrap_err().to_string();
    assert!(error.starts_with("the file of arrays ") && error.contains("none.npy"), "{error}");
}
