//! NVML, NVIDIA's management library, which comes with the driver. It is loaded at run time.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

use libloading::Library;

use crate::Result;
use crate::sample::{Process, Sample};

const LIBRARY: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

/// `nvmlDevice_t`.
type Device = *mut c_void;

#[repr(C)]
#[derive(Default)]
struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

#[repr(C)]
#[derive(Default)]
struct Memory {
    total: c_ulonglong,
    free: c_ulonglong,
    used: c_ulonglong,
}

/// `nvmlProcessInfo_t` of version 2 and later.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ProcessInfo {
    pid: c_uint,
    memory: c_ulonglong,
    instances: [c_uint; 2],
}

/// A table of the library's functions, by their names.
macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)*) => {
        #[allow(non_snake_case)]
        struct Functions {
            $($name: unsafe extern "C" fn($($type),*) -> c_int,)*
        }

        impl Functions {
            fn of(library: &Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the library's function of this name has these parameters.
                    $($name: *unsafe { library.get::<unsafe extern "C" fn($($type),*) -> c_int>(stringify!($name).as_bytes()) }?,)*
                })
            }
        }
    };
}

functions! {
    fn nvmlInit_v2();
    fn nvmlShutdown();
    fn nvmlDeviceGetCount_v2(count: *mut c_uint);
    fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut Device);
    fn nvmlDeviceGetName(device: Device, name: *mut c_char, length: c_uint);
    fn nvmlDeviceGetUtilizationRates(device: Device, utilization: *mut Utilization);
    fn nvmlDeviceGetMemoryInfo(device: Device, memory: *mut Memory);
    fn nvmlDeviceGetClockInfo(device: Device, clock: c_uint, mhz: *mut c_uint);
    fn nvmlDeviceGetPowerUsage(device: Device, milliwatts: *mut c_uint);
    fn nvmlDeviceGetEnforcedPowerLimit(device: Device, milliwatts: *mut c_uint);
    fn nvmlDeviceGetTemperature(device: Device, sensor: c_uint, degrees: *mut c_uint);
    fn nvmlDeviceGetPcieThroughput(device: Device, counter: c_uint, kilobytes: *mut c_uint);
    fn nvmlDeviceGetComputeRunningProcesses_v3(device: Device, count: *mut c_uint, processes: *mut ProcessInfo);
}

/// The library, initialized as long as this lives.
pub(crate) struct Nvml {
    functions: Functions,
    _library: Library,
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: it was initialized once. An error cannot be reported.
        unsafe { (self.functions.nvmlShutdown)() };
    }
}

impl Nvml {
    pub(crate) fn load() -> Result<Self> {
        // SAFETY: the library's initializers have no preconditions.
        let library = unsafe { Library::new(LIBRARY) }.map_err(|error| format!("there is no {LIBRARY} of an NVIDIA driver: {error}"))?;
        let functions = Functions::of(&library)?;
        // SAFETY: the function has no preconditions.
        check("nvmlInit", unsafe { (functions.nvmlInit_v2)() })?;
        Ok(Self { functions, _library: library })
    }

    /// A sample of each GPU.
    pub(crate) fn samples(&self) -> Result<Vec<Sample>> {
        let mut count = 0;
        // SAFETY: the call writes one number.
        check("nvmlDeviceGetCount", unsafe { (self.functions.nvmlDeviceGetCount_v2)(&mut count) })?;
        (0..count).map(|index| self.sample(index)).collect()
    }

    fn sample(&self, index: u32) -> Result<Sample> {
        let functions = &self.functions;
        let mut device = std::ptr::null_mut();
        // SAFETY: the call writes one handle.
        check("nvmlDeviceGetHandleByIndex", unsafe { (functions.nvmlDeviceGetHandleByIndex_v2)(index, &mut device) })?;
        // SAFETY of all: the device was just found, and each call writes one value of its parameter's type.
        let utilization = value(|to| unsafe { (functions.nvmlDeviceGetUtilizationRates)(device, to) });
        // SAFETY: as above.
        let memory = value(|to| unsafe { (functions.nvmlDeviceGetMemoryInfo)(device, to) });
        // SAFETY: as above; 0 and 2 are the clocks of the multiprocessors and of the memory.
        let clocks = [0, 2].map(|clock| value(|to| unsafe { (functions.nvmlDeviceGetClockInfo)(device, clock, to) }));
        // SAFETY: as above.
        let power = value(|to| unsafe { (functions.nvmlDeviceGetPowerUsage)(device, to) });
        // SAFETY: as above.
        let limit = value(|to| unsafe { (functions.nvmlDeviceGetEnforcedPowerLimit)(device, to) });
        // SAFETY: as above; 0 is the sensor of the GPU.
        let temperature = value(|to| unsafe { (functions.nvmlDeviceGetTemperature)(device, 0, to) });
        // SAFETY: as above; 1 counts what the GPU receives, and 0 what it sends.
        let traffic = [1, 0].map(|counter| value(|to| unsafe { (functions.nvmlDeviceGetPcieThroughput)(device, counter, to) }));
        Ok(Sample {
            index,
            name: self.name(device),
            utilization: utilization.map(|Utilization { gpu, .. }| gpu),
            memory: memory.map(|Memory { used, total, .. }| (used, total)),
            clocks,
            power: [power, limit].map(|milliwatts: Option<u32>| milliwatts.map(|milliwatts| f64::from(milliwatts) / 1e3)),
            temperature,
            traffic,
            processes: self.processes(device),
        })
    }

    fn name(&self, device: Device) -> String {
        let mut name = [0 as c_char; 96];
        // SAFETY: the call writes at most as many bytes, the last of them null.
        match unsafe { (self.functions.nvmlDeviceGetName)(device, name.as_mut_ptr(), name.len() as c_uint) } {
            // SAFETY: the text ends with a null byte.
            0 => unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned(),
            _ => "-".to_owned(),
        }
    }

    fn processes(&self, device: Device) -> Vec<Process> {
        let mut processes = vec![ProcessInfo::default(); 64];
        let mut count = processes.len() as c_uint;
        // SAFETY: there is room for `count` processes, and the call writes no more.
        let status = unsafe { (self.functions.nvmlDeviceGetComputeRunningProcesses_v3)(device, &mut count, processes.as_mut_ptr()) };
        // With more processes than that, the call writes none.
        processes.truncate(if status == 0 { count as usize } else { 0 });
        let process =
            |ProcessInfo { pid, memory, .. }| Process { pid, name: name_of(pid), memory: Some(memory).filter(|&bytes| bytes != u64::MAX) };
        processes.into_iter().map(process).collect()
    }
}

/// What a call writes, if the GPU supports it.
fn value<T: Default>(call: impl FnOnce(*mut T) -> c_int) -> Option<T> {
    let mut value = T::default();
    (call(&mut value) == 0).then_some(value)
}

fn check(call: &str, status: c_int) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(format!("{call} failed with status {status}").into()) }
}

/// The name of a process, where the system tells.
fn name_of(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).map_or_else(|_| "-".to_owned(), |name| name.trim().to_owned())
}
