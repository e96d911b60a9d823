//! Kernels as functions of a shared library.

use std::any::TypeId;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gpu_runtime::__private::{ELEMENTS_PER_THREAD, FORALL_BLOCK, KernelDefinition, LaunchDims, Shown, Site, SiteKind};
use gpu_runtime::{BlockDim, Device, FailureCause, GridDim};

use super::source::{self, Variants};
use super::{Compiler, Sanitizer};
use crate::bench::{Arguments, Failure, HostArguments, Program, Value};

/// Which of a kernel's variants a launch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Every check is there.
    Checked,
    /// As on a GPU: the checks that the launch shows to be redundant are gone, a `usize` has 32 bits where they suffice, and a thread of `forall` does several elements where that
    /// makes no difference, however few there are.
    AsLaunched,
}

/// Programs that the host's compiler has compiled.
pub struct Code {
    entries: HashMap<TypeId, Entry>,
    /// The shim keeps its state in globals: one launch at a time.
    running: Mutex<()>,
    _code: libloading::Library,
}

/// Compiled programs, for launches of one selection.
pub struct Library {
    code: Arc<Code>,
    selection: Selection,
    unchecked_launches: AtomicUsize,
    launches_with_several_elements: AtomicUsize,
    narrow_launches: AtomicUsize,
    narrow_checked_launches: AtomicUsize,
}

struct Entry {
    checked: EntryPoint,
    unchecked: EntryPoint,
    several_elements: Option<EntryPoint>,
    narrow: Option<EntryPoint>,
    narrow_checked: Option<EntryPoint>,
    kernel: &'static str,
    sites: Vec<Site>,
}

type EntryPoint =
    unsafe extern "C" fn(arguments: *mut *mut c_void, grid: *const [u32; 3], block: *const [u32; 3], failure: *mut RawFailure);

/// `shim_failure` in `cuda.h`.
#[derive(Default)]
#[repr(C)]
struct RawFailure {
    failed: u32,
    site: u32,
    values: [u64; 2],
    block: [u32; 3],
    thread: [u32; 3],
}

impl Code {
    /// Compiles `programs` in all variants that launches run.
    ///
    /// # Panics
    ///
    /// If the compiler refuses one.
    pub fn compile(programs: &[Program], compiler: &Compiler, sanitizer: Sanitizer) -> Arc<Self> {
        // A library that is loaded does not need its file any more.
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("the source is written");
        write("cuda.h", include_str!("cuda.h"));
        write("runtime.cpp", include_str!("runtime.cpp"));
        write("math.cpp", include_str!("math.cpp"));
        write("rounding.cpp", include_str!("rounding.cpp"));
        let programs: Vec<(&Program, Variants<'_>)> = programs.iter().map(|program| (program, Variants::of(program))).collect();
        let mut sources = vec!["runtime.cpp".to_owned(), "math.cpp".to_owned(), "rounding.cpp".to_owned()];
        for (part, text) in source::write_all(programs.iter().map(|(_, variants)| variants)).into_iter().enumerate() {
            let name = format!("part{part}.cpp");
            write(&name, &text);
            sources.push(name);
        }
        let path = folder.path().join("kernels.so");
        compiler.build(folder.path(), &sources, sanitizer, &path);

        // SAFETY: the library was just built from the sources above; loading it runs nothing but C++'s own start-up code.
        let code = unsafe { libloading::Library::new(&path) }.expect("the library loads");
        let find = |variant: &str, number: usize| {
            // SAFETY: `write_all` defines the function with this signature.
            *unsafe { code.get::<EntryPoint>(source::name_to_run(variant, number).as_bytes()) }.expect("the program is in the library")
        };
        let entries = programs.into_iter().enumerate().map(|(number, (program, variants))| {
            let checked = find("checked", number);
            let unchecked = variants.unchecked.map_or(checked, |_| find("unchecked", number));
            let several_elements = variants.several_elements.map(|_| find("several_elements", number));
            let narrow = variants.narrow.map(|_| find("narrow", number));
            let narrow_checked = variants.narrow_checked.map(|_| find("narrow_checked", number));
            let (kernel, sites) = (program.kernel, program.sites.clone());
            (program.id, Entry { checked, unchecked, several_elements, narrow, narrow_checked, kernel, sites })
        });
        Arc::new(Self { entries: entries.collect(), running: Mutex::new(()), _code: code })
    }
}

impl Library {
    /// Launches of this `selection` run what was compiled.
    pub fn new(code: Arc<Code>, selection: Selection) -> Self {
        let [unchecked_launches, launches_with_several_elements, narrow_launches, narrow_checked_launches] =
            [const { AtomicUsize::new(0) }; 4];
        Self { code, selection, unchecked_launches, launches_with_several_elements, narrow_launches, narrow_checked_launches }
    }

    /// How many launches ran without the checks that they made redundant.
    pub fn unchecked_launches(&self) -> usize {
        self.unchecked_launches.load(Ordering::Relaxed)
    }

    /// In how many launches a `usize` had 32 bits.
    pub fn narrow_launches(&self) -> usize {
        self.narrow_launches.load(Ordering::Relaxed)
    }

    /// In how many launches it had 32 bits, and checks remained that others make redundant.
    pub fn narrow_checked_launches(&self) -> usize {
        self.narrow_checked_launches.load(Ordering::Relaxed)
    }

    /// In how many launches each thread did several elements.
    pub fn launches_with_several_elements(&self) -> usize {
        self.launches_with_several_elements.load(Ordering::Relaxed)
    }

    /// Whether launches run the variants that they would run on a GPU.
    pub fn runs_as_launched(&self) -> bool {
        self.selection == Selection::AsLaunched
    }

    /// Runs `K` on the arguments where they are.
    pub fn launch<K>(&self, arguments: &mut HostArguments<'_, K>, grid: GridDim, block: BlockDim) -> Result<(), Failure>
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        let entry = self.entry::<K>();
        let dims = LaunchDims { grid: extents(grid.extents()), block: extents(block.extents()) };
        let shown = shown::<K>(arguments, &dims);
        let run = if self.runs_as_launched() && shown.in_bounds() {
            self.unchecked_launches.fetch_add(1, Ordering::Relaxed);
            match entry.narrow.filter(|_| shown.is_narrow) {
                Some(narrow) => {
                    self.narrow_launches.fetch_add(1, Ordering::Relaxed);
                    narrow
                }
                None => entry.unchecked,
            }
        } else {
            // With all checks, for every launch that has any.
            match entry.narrow_checked.filter(|_| self.runs_as_launched() && shown.is_narrow_with_checks) {
                Some(narrow_checked) => {
                    self.narrow_checked_launches.fetch_add(1, Ordering::Relaxed);
                    narrow_checked
                }
                None => entry.checked,
            }
        };
        self.run::<K>(run, arguments, &dims)
    }

    /// Runs `K` for `n` elements on the arguments where they are, and says whether each thread did several.
    pub fn forall<K>(&self, arguments: &mut HostArguments<'_, K>, n: usize) -> Result<bool, Failure>
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        if n == 0 {
            return Ok(false);
        }
        let block = K::META.block.map_or(FORALL_BLOCK, |[x, ..]| x);
        let blocks = n.div_ceil(block as usize);
        let groups = u32::try_from(blocks).expect("cases launch grids that exist").div_ceil(ELEMENTS_PER_THREAD);
        let group = LaunchDims { grid: [groups, 1, 1], block: [block, 1, 1] };
        let one_element = LaunchDims { grid: [groups * ELEMENTS_PER_THREAD, 1, 1], ..group };
        let several_elements = self.entry::<K>().several_elements.filter(|_| self.runs_as_launched());
        match several_elements.filter(|_| shown::<K>(arguments, &one_element).in_bounds()) {
            Some(run) => {
                self.launches_with_several_elements.fetch_add(1, Ordering::Relaxed);
                self.run::<K>(run, arguments, &group).map(|()| true)
            }
            None => self.launch::<K>(arguments, blocks.into(), block.into()).map(|()| false),
        }
    }

    fn entry<K: KernelDefinition>(&self) -> &Entry {
        self.code.entries.get(&TypeId::of::<K>()).unwrap_or_else(|| panic!("`{}` was not recorded", K::META.name))
    }

    fn run<K>(&self, run: EntryPoint, arguments: &mut HostArguments<'_, K>, dims: &LaunchDims) -> Result<(), Failure>
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        let mut values = Vec::new();
        K::Args::push_values(arguments, &mut values);
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(Value::as_mut_ptr).collect();
        let mut failure = RawFailure::default();
        // Behind the parameters, for a kernel whose grid waits: the address of the grid's state. For a product of tiles: the grid, which is not read.
        let mut state = [0_u64; 2];
        let mut grid = [state.as_mut_ptr(); 2];
        pointers.push((&raw mut grid).cast());
        {
            let _alone = self.code.running.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the values are those of the kernel's parameters, in order, and its arrays are borrowed by `arguments`. The
            // shim's state is this thread's while the lock is held.
            unsafe { run(pointers.as_mut_ptr(), &dims.grid, &dims.block, &mut failure) };
        }
        if failure.failed == 0 { Ok(()) } else { Err(self.entry::<K>().explain(&failure)) }
    }
}

impl Entry {
    fn explain(&self, failure: &RawFailure) -> Failure {
        let site = self.sites[failure.site as usize];
        let cause = match (site.kind(), failure.values) {
            (SiteKind::Index, [index, len]) => FailureCause::IndexOutOfBounds { index, len },
            (SiteKind::AxisIndex(axis), [index, extent]) => FailureCause::AxisOutOfBounds { axis, index, extent },
            (SiteKind::Division, [0, _]) => FailureCause::DivisionByZero,
            (SiteKind::Division, _) => FailureCause::DivisionOverflow,
            (SiteKind::Panic(message), _) => FailureCause::Panic { message },
            (SiteKind::Assert(message), _) => FailureCause::Assertion { message },
            (SiteKind::GridBarrier, [other, _]) => {
                let other = self.sites[other as usize];
                let (file, line, column) = (other.file(), other.line(), other.column());
                FailureCause::DivergentGridBarrier { other_file: file, other_line: line, other_column: column }
            }
            (SiteKind::Barrier | SiteKind::Warp | SiteKind::Print(_), _) => {
                unreachable!("a GPU does not notice threads that miss each other, and printing does not fail")
            }
        };
        Failure { kernel: self.kernel.to_owned(), line: site.line(), cause, block: failure.block, thread: failure.thread }
    }
}

fn extents(extents: [i64; 3]) -> [u32; 3] {
    extents.map(|extent| u32::try_from(extent).expect("cases launch grids and blocks that exist"))
}

/// What a launch shows.
pub fn shown<K>(arguments: &HostArguments<'_, K>, dims: &LaunchDims) -> Shown
where
    K: KernelDefinition<Args<'static>: Arguments>,
{
    let mut uploaded = K::Args::upload(arguments, &Device::cpu());
    // SAFETY: the arguments are gone at the end of the expression.
    K::shown(&unsafe { K::Args::bind(&mut uploaded) }, dims)
}
