//! NVTX ranges: what the runtime does, and parts that a program names, on the time line of Nsight Systems.
//!
//! NVTX is a protocol between a process and a tool, and no library that must be installed. A tool that runs the process names a library of its
//! own in `NVTX_INJECTION64_PATH`. The process loads it, and calls its `InitializeInjectionNvtx2` with a function that returns tables. The tool
//! finds the addresses of function pointers there, and stores its functions in those that it has. Without a tool, none of this happens.
//!
//! ```text
//! get_export_table(CALLBACKS) ──▶ get_module_function_table(module) ──▶ table[number] ──▶ the pointer that the tool sets
//! ```

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

/// The functions of each module, with the number 0, which is none. Modules are numbered from 1: core, CUDA, OpenCL, the CUDA runtime, core 2,
/// synchronization.
const SIZES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
const LARGEST: usize = 16;

const CORE: usize = 1;
/// `nvtxRangePushA` and `nvtxRangePop`.
const RANGE_PUSH: usize = 9;
const RANGE_POP: usize = 11;

/// Which table a tool asks for.
const CALLBACKS: u32 = 1;
const VERSION: u32 = 3;

/// The address of a function of the tool. Null if the tool does not have it.
type Pointer = AtomicPtr<c_void>;
type Table = [AtomicPtr<Pointer>; LARGEST + 1];
type GetExportTable = unsafe extern "C" fn(u32) -> *const c_void;

static POINTERS: [[Pointer; LARGEST]; SIZES.len()] = [const { [const { AtomicPtr::new(ptr::null_mut()) }; LARGEST] }; SIZES.len()];
/// Of each module, where the pointers are.
static TABLES: [Table; SIZES.len()] = [const { [const { AtomicPtr::new(ptr::null_mut()) }; LARGEST + 1] }; SIZES.len()];

#[repr(C)]
struct Callbacks {
    bytes: usize,
    get_module_function_table: unsafe extern "C" fn(c_uint, *mut *const Table, *mut c_uint) -> c_int,
}

static CALLBACKS_TABLE: Callbacks = Callbacks { bytes: size_of::<Callbacks>(), get_module_function_table };

#[repr(C)]
struct VersionInfo {
    bytes: usize,
    version: u32,
    reserved: u32,
    set_version_of_tool: unsafe extern "C" fn(u32),
}

static VERSION_TABLE: VersionInfo = VersionInfo { bytes: size_of::<VersionInfo>(), version: 3, reserved: 0, set_version_of_tool };

unsafe extern "C" fn set_version_of_tool(_version: u32) {}

unsafe extern "C" fn get_export_table(table: u32) -> *const c_void {
    match table {
        CALLBACKS => (&raw const CALLBACKS_TABLE).cast(),
        VERSION => (&raw const VERSION_TABLE).cast(),
        _ => ptr::null(),
    }
}

/// # Safety
///
/// `table` and `size` are writable or null.
unsafe extern "C" fn get_module_function_table(module: c_uint, table: *mut *const Table, size: *mut c_uint) -> c_int {
    let module = module as usize;
    if module == 0 || module >= SIZES.len() {
        return 0;
    }
    // SAFETY: the caller guarantees both.
    unsafe {
        if !table.is_null() {
            table.write(&raw const TABLES[module]);
        }
        if !size.is_null() {
            size.write(SIZES[module] as c_uint);
        }
    }
    1
}

/// The tool's functions for ranges.
#[derive(Clone, Copy)]
struct Tool {
    push: unsafe extern "C" fn(*const c_char) -> c_int,
    pop: unsafe extern "C" fn() -> c_int,
}

static TOOL: OnceLock<Option<Tool>> = OnceLock::new();

/// Whether a tool wants ranges. The first call loads its library.
pub(super) fn are_wanted() -> bool {
    TOOL.get_or_init(|| std::env::var_os("NVTX_INJECTION64_PATH").filter(|path| !path.is_empty()).and_then(load)).is_some()
}

fn load(path: std::ffi::OsString) -> Option<Tool> {
    // SAFETY: whoever has set the variable wants the library to be loaded, whose initialisers have no preconditions.
    let library = std::mem::ManuallyDrop::new(unsafe { Library::new(path) }.ok()?);
    // SAFETY: NVTX says that the library's function of this name has this parameter.
    let initialize = unsafe { library.get::<unsafe extern "C" fn(GetExportTable) -> c_int>(b"InitializeInjectionNvtx2\0") }.ok()?;
    // SAFETY: as above.
    attach(|get| unsafe { initialize(get) })
}

/// Lets a tool set its functions: those that it has for ranges.
fn attach(initialize: impl FnOnce(GetExportTable) -> c_int) -> Option<Tool> {
    for ((table, pointers), size) in TABLES.iter().zip(&POINTERS).zip(SIZES) {
        for number in 1..size {
            table[number].store((&raw const pointers[number]).cast_mut(), Ordering::Relaxed);
        }
    }
    if initialize(get_export_table) == 0 {
        return None;
    }
    let of = |number: usize| Some(POINTERS[CORE][number].load(Ordering::Acquire)).filter(|function| !function.is_null());
    let (push, pop) = (of(RANGE_PUSH)?, of(RANGE_POP)?);
    // SAFETY: a tool sets functions with the parameters of NVTX's functions of these numbers.
    Some(unsafe {
        Tool {
            push: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(push),
            pop: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(pop),
        }
    })
}

/// A range of the calling thread, until it is dropped there.
pub(super) struct Range {
    pop: unsafe extern "C" fn() -> c_int,
    /// A range begins and ends on one thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl Range {
    /// Begins one, if a tool wants it.
    pub(super) fn begin(name: &str) -> Option<Self> {
        TOOL.get().copied().flatten().map(|tool| Self::of(tool, name))
    }

    fn of(Tool { push, pop }: Tool, name: &str) -> Self {
        let name = CString::new(name.replace('\0', " ")).expect("there is no null byte left");
        // SAFETY: the tool reads the text during the call.
        unsafe { push(name.as_ptr()) };
        Self { pop, _thread: std::marker::PhantomData }
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: this thread has begun the range.
        unsafe { (self.pop)() };
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ffi::CStr;

    use super::*;

    thread_local! {
        static EVENTS: RefCell<Vec<String>> = RefCell::default();
    }

    unsafe extern "C" fn push(name: *const c_char) -> c_int {
        // SAFETY: the name ends with a null byte.
        let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_owned();
        EVENTS.with_borrow_mut(|events| events.push(name));
        0
    }

    unsafe extern "C" fn pop() -> c_int {
        EVENTS.with_borrow_mut(|events| events.push("end".to_owned()));
        0
    }

    /// What the library of a tool does, by the offsets of C.
    fn initialize(get: GetExportTable) -> c_int {
        // SAFETY: the tables have the layout of NVTX's header.
        unsafe {
            let version = get(VERSION).cast::<u32>().add(2).read();
            assert_eq!((get(VERSION).cast::<usize>().read(), version), (24, 3));
            let callbacks = get(CALLBACKS).cast::<usize>();
            assert_eq!(callbacks.read(), 16);
            type GetTable = unsafe extern "C" fn(c_uint, *mut *mut *mut *mut c_void, *mut c_uint) -> c_int;
            let get_table = callbacks.add(1).cast::<GetTable>().read();
            let (mut table, mut size) = (ptr::null_mut(), 0);
            assert_eq!(get_table(7, &mut table, &mut size), 0);
            assert_eq!((get_table(5, ptr::null_mut(), &mut size), size), (1, 16));
            assert_eq!((get_table(1, &mut table, &mut size), size), (1, 16));
            assert!(table.read().is_null() && table.add(16).read().is_null());
            for (number, function) in [(9, push as *mut c_void), (11, pop as *mut c_void)] {
                table.add(number).read().write(function);
            }
        }
        1
    }

    #[test]
    fn a_tool_gets_ranges_that_are_nested() {
        assert!(attach(|_| 0).is_none(), "a tool that does not want to");
        let tool = attach(initialize).unwrap();
        let outer = Range::of(tool, "outer");
        drop(Range::of(tool, "in\0ner"));
        drop(outer);
        assert_eq!(EVENTS.take(), ["outer", "in ner", "end", "end"]);
    }
}
