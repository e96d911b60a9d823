//! Finding NVIDIA's driver, and converting its errors.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::OnceLock;

use super::sys;
use crate::{Error, Result, fork};

/// The first CUDA version whose driver is supported: memory pools, and cubins of NVRTC 12, work from there on.
const NEEDED: (u32, u32) = (12, 0);

/// Why there is no GPU to use: the reasons that make a program run on the CPU instead.
#[derive(Debug, Clone)]
pub(crate) enum Absence {
    DriverNotFound { searched: Vec<String> },
    DriverIsStub,
    DriverTooOld { found: (u32, u32) },
    NoGpu,
}

impl From<Absence> for Error {
    fn from(absence: Absence) -> Self {
        match absence {
            Absence::DriverNotFound { searched } => Self::DriverNotFound { searched },
            Absence::DriverIsStub => Self::DriverIsStub,
            Absence::DriverTooOld { found } => Self::DriverTooOld { found, needed: NEEDED },
            Absence::NoGpu => Self::NoGpu,
        }
    }
}

/// How many GPUs the driver shows to this process, at least one. Initialises the driver on first use.
pub(crate) fn gpu_count() -> Result<std::result::Result<usize, Absence>> {
    static INITIALISED: OnceLock<std::result::Result<(), Absence>> = OnceLock::new();
    let initialised = match INITIALISED.get() {
        Some(known) => known,
        None => {
            let outcome = initialise()?;
            INITIALISED.get_or_init(|| outcome)
        }
    };
    if let Err(absence) = initialised {
        return Ok(Err(absence.clone()));
    }
    // SAFETY: the driver is initialised.
    let count = read("cuDeviceGetCount", 0, |count| unsafe { sys::call!(cuDeviceGetCount(count)) })?;
    Ok(if count > 0 { Ok(count.unsigned_abs() as usize) } else { Err(Absence::NoGpu) })
}

fn initialise() -> Result<std::result::Result<(), Absence>> {
    let found = match driver_version()? {
        Ok(version) => version,
        Err(absence) => return Ok(Err(absence)),
    };
    if found < NEEDED {
        return Ok(Err(Absence::DriverTooOld { found }));
    }
    // SAFETY: the call has no preconditions; its only parameter must be 0.
    let status = unsafe { sys::call!(cuInit(0)) };
    if status == sys::CUresult::CUDA_ERROR_NO_DEVICE {
        return Ok(Err(Absence::NoGpu));
    }
    fork::note_use();
    check("cuInit", status).map(Ok)
}

/// The CUDA version that the driver supports: major, minor.
pub(crate) fn driver_version() -> Result<std::result::Result<(u32, u32), Absence>> {
    if !sys::is_present() {
        return Ok(Err(Absence::DriverNotFound { searched: sys::LIBRARY_NAMES.iter().map(|&name| name.to_owned()).collect() }));
    }
    let mut version = 0;
    // SAFETY: the call writes one int; it is allowed before `cuInit`.
    let status = unsafe { sys::call!(cuDriverGetVersion(&mut version)) };
    if status == sys::CUresult::CUDA_ERROR_STUB_LIBRARY {
        return Ok(Err(Absence::DriverIsStub));
    }
    check("cuDriverGetVersion", status)?;
    let version = version.unsigned_abs();
    Ok(Ok((version / 1000, version % 1000 / 10)))
}

/// The error of a driver call that returned `status`, if it failed.
#[inline]
pub(super) fn check(call: &'static str, status: sys::Status) -> Result<()> {
    match status {
        sys::Status::SUCCESS => Ok(()),
        failed => Err(driver_error(call, failed)),
    }
}

/// What a driver call writes to its output parameter, which holds `value` before.
pub(super) fn read<T: Copy>(call: &'static str, mut value: T, function: impl FnOnce(&mut T) -> sys::Status) -> Result<T> {
    check(call, function(&mut value))?;
    Ok(value)
}

#[cold]
pub(super) fn driver_error(call: &'static str, status: sys::Status) -> Error {
    if fork::is_fork() {
        return Error::Forked;
    }
    // SAFETY: the calls write the address of a constant of the driver, or null.
    let name = text(|text| unsafe { sys::call!((cuGetErrorName: sys::Describe)(status, text)) });
    // SAFETY: as above.
    let message = text(|text| unsafe { sys::call!((cuGetErrorString: sys::Describe)(status, text)) });
    Error::Driver { call, code: status.0, name, message }
}

/// What the driver says of a status.
fn text(describe: impl FnOnce(*mut *const c_char) -> sys::Status) -> String {
    let mut text = ptr::null();
    if describe(&mut text) != sys::Status::SUCCESS || text.is_null() {
        return "unknown error".to_owned();
    }
    // SAFETY: the driver's texts end with a null byte and live as long as the driver, which is never unloaded.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The error of a cubin that the driver did not load.
#[cold]
pub(super) fn load_error(status: sys::Status) -> Error {
    let mut explained = driver_error("cuModuleLoadData", status);
    if let (Error::Driver { message, .. }, Ok(Ok(driver))) = (&mut explained, driver_version()) {
        message.push_str(&advice_on_image(status, driver));
    }
    explained
}

/// What to do about machine code that the driver does not understand. NVRTC compiles without asking the driver, whose words
/// for code from its future are that the image is invalid.
fn advice_on_image(status: sys::Status, (major, minor): (u32, u32)) -> String {
    if status != sys::CUresult::CUDA_ERROR_INVALID_IMAGE && status != sys::CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU {
        return String::new();
    }
    format!(
        "; the driver supports CUDA {major}.{minor}: if NVRTC is of a later CUDA, update the driver, or install NVRTC {major} \
         and name it in GPU_RUNTIME_NVRTC"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_from_a_later_cuda_is_explained_with_the_version_of_the_driver() {
        let advice = advice_on_image(sys::Status(sys::CUresult::CUDA_ERROR_INVALID_IMAGE as u32), (12, 4));
        assert!(advice.contains("supports CUDA 12.4") && advice.contains("install NVRTC 12 and name it in GPU_RUNTIME_NVRTC"), "{advice}");
        assert_eq!(advice_on_image(sys::Status(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32), (12, 4)), "");
    }
}
