//! The failure record: how a thread of a kernel reports a failure to the host.
//!
//! Each queue has one record in pinned host memory that kernels can write, and in device memory one flag and a count. A failing thread adds
//! to the count, reads the flag and tries to set it; the first one fills the record, and every failing thread ends itself with PTX `exit`.
//! The flag keeps a hundred million failing threads off the bus: they see that it is set and exit.
//!
//! A thread finds the record of its queue in a variable of its module. So a program that can fail is loaded once for each queue that
//! launches it ([`instances`](super::instances)). The address could be a parameter of the kernel instead, but all functions that can fail
//! would have to pass it on, or each block would have to keep it in shared memory.
//!
//! A thread that exits does not harm the context, so device memory survives, and the failure is reported by the next
//! call that waits for the GPU: it finds the record filled, translates it with the table of the kernel's sites, and
//! clears record and flag for the kernels to come.
//!
//! The first call that waits for the queue gets the report. If several host threads share a stream, this may be another one than the one
//! whose kernel failed. This is documented for launches. But a call that launches and waits must not succeed in that case, so reports are counted: the call fails if a report was taken
//! since it started ([`Queue::with_failures_of_others`]). The recorded failure may be of another kernel; but a thread of this kernel may
//! have failed second, without a record.
//!
//! The failing thread stores `state` last, with release semantics at system scope, and the host reads it first. Two things can tell the
//! host that a record is there. A wait for the kernel that wrote it makes all of that kernel's writes visible. A wait for other work, while
//! the kernel still runs, does not: then a `state` of 1 is read from the release store itself, and the acquire fence after it makes the
//! rest of the record visible. Nothing that the thread does after the store matters to the host, so a release is enough.
//!
//! The layout is shared with `compile/snippets/panic.cu`.

use std::ffi::CStr;
use std::mem::{offset_of, size_of};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Queue;
use super::driver::{check, read};
use super::instances::Image;
use super::mapped::Mapped;
use super::sys;
use super::variable;
use crate::failure::{Call, FailureCause, KernelFailure, Work};
use crate::source::{Site, SiteKind, SourceUnit};
use crate::{Result, compile};

/// The variable of a loaded module that is a [`PanicTarget`].
pub(super) const TARGET: &CStr = c"gr_target";

/// `gr_record`: what a failing thread writes, `state` last.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Record {
    state: u32,
    kernel: u32,
    site: u32,
    pad: u32,
    values: [u64; 2],
    block: [u32; 3],
    thread: [u32; 3],
}

/// `gr_panic_target`: where a loaded module finds the record and the flags, and its own number.
#[repr(C)]
struct PanicTarget {
    record: u64,
    flags: u64,
    kernel: u32,
}

/// In device memory: whether a thread has reported, and how many have failed since the queue was made.
type Flags = [u32; 2];

// Any other layout would have the kernel and the host read different things.
const _: () = {
    assert!(offset_of!(Record, site) == 8 && offset_of!(Record, values) == 16);
    assert!(offset_of!(Record, block) == 32 && offset_of!(Record, thread) == 44 && size_of::<Record>() == 56);
    assert!(offset_of!(PanicTarget, flags) == 8 && offset_of!(PanicTarget, kernel) == 16 && size_of::<PanicTarget>() == 24);
};

/// The record of one queue.
pub(super) struct FailureRecord {
    record: Mapped<Record>,
    flags: sys::CUdeviceptr,
    /// Whether calls were noted since the last wait.
    has_calls: AtomicBool,
    /// Locked while a report is taken.
    reports: Mutex<Reports>,
}

#[derive(Default)]
struct Reports {
    /// The programs that may fail, by the number they write.
    programs: Vec<FailingProgram>,
    /// How many failures were reported.
    count: u64,
    /// How many threads had failed at the last report.
    threads: u32,
    last: Option<KernelFailure>,
}

impl Reports {
    fn note(&mut self, failure: &KernelFailure) {
        self.count += 1;
        self.last = Some(failure.clone());
    }

    /// The last failure, if there was one since there were `before`.
    fn since(&self, before: u64) -> Result<()> {
        match &self.last {
            Some(failure) if self.count != before => Err(failure.clone().into()),
            _ => Ok(()),
        }
    }
}

/// What is needed to translate a record.
pub(super) struct FailingProgram {
    kernel: &'static str,
    work: Work,
    sites: Vec<Site>,
    root: &'static SourceUnit,
    /// What has launched it since the last wait, each once, and one more than [`MOST_CALLS`] if there were too many.
    calls: Vec<Call>,
}

impl FailingProgram {
    pub(super) fn of(image: &Image) -> Self {
        let &Image { kernel, work, ref sites, root, .. } = image;
        Self { kernel, work, sites: sites.clone(), root, calls: Vec::new() }
    }
}

/// So many lines a report names.
const MOST_CALLS: usize = 8;

impl FailureRecord {
    /// A clear record in the current context.
    pub(super) fn new() -> Result<Self> {
        let record = Mapped::new(Record::default())?;
        // SAFETY: the memory is never freed.
        let flags = read("cuMemAlloc", 0, |flags| unsafe { sys::call!(cuMemAlloc_v2(flags, size_of::<Flags>())) })?;
        // SAFETY: the memory has this size.
        check("cuMemsetD8", unsafe { sys::call!(cuMemsetD8_v2(flags, 0, size_of::<Flags>())) })?;
        Ok(Self { record, flags, has_calls: AtomicBool::new(false), reports: Mutex::default() })
    }

    /// Tells a freshly loaded module where to report: its number here. In a module without `gr_target` nothing can fail.
    ///
    /// # Safety
    ///
    /// `module` must be loaded in the current context, from this program.
    pub(super) unsafe fn connect(&self, module: sys::CUmodule, program: FailingProgram) -> Result<Option<u32>> {
        // SAFETY: the caller guarantees the module.
        let Some(address) = (unsafe { variable::find::<PanicTarget>(module, TARGET)? }) else { return Ok(None) };
        let number = {
            let programs = &mut self.lock().programs;
            programs.push(program);
            // No process loads 2³² modules.
            programs.len() as u32 - 1
        };
        let target = PanicTarget { record: self.record.device(), flags: self.flags, kernel: number };
        // SAFETY: the variable was just found.
        unsafe { variable::set(address, &target)? };
        Ok(Some(number))
    }

    /// Notes that the program with this number is launched by a line of the program. A failing thread does not say in which launch it is.
    pub(super) fn note_call(&self, program: u32, line: &'static Location<'static>) {
        let call = Call::of_line(line);
        let calls = &mut self.lock().programs[program as usize].calls;
        if calls.len() <= MOST_CALLS && !calls.contains(&call) {
            calls.push(call);
        }
        self.has_calls.store(true, Ordering::Relaxed);
    }

    /// Forgets the calls, for whose work the queue was waited. What another thread launches meanwhile is forgotten too: should that fail, its
    /// line is not told.
    #[cold]
    fn forget_calls(&self) {
        self.has_calls.store(false, Ordering::Relaxed);
        self.lock().programs.iter_mut().for_each(|program| program.calls.clear());
    }

    /// The failure that was recorded, if any, as an error; clears it. `queue` must just have been waited for.
    #[inline]
    pub(super) fn take(&self, queue: &Queue) -> Result<()> {
        match self.is_clear() {
            true if self.has_calls.load(Ordering::Relaxed) => self.forget_calls(),
            true => {}
            false => self.report(queue)?,
        }
        Ok(())
    }

    #[inline]
    fn is_clear(&self) -> bool {
        // SAFETY: the record lives forever; the GPU writes it behind the compiler's back, hence the volatile read.
        unsafe { (&raw const (*self.record.host()).state).read_volatile() == 0 }
    }

    #[cold]
    fn report(&self, queue: &Queue) -> Result<()> {
        let mut reports = self.lock();
        // Again under the lock: another thread may have been here for the same failure.
        if self.is_clear() {
            return Ok(());
        }
        // The other half of the kernel's release store: what follows is read after `state`. Another thread's kernel may be writing it
        // at this moment, for which this thread has not waited.
        fence(Ordering::Acquire);
        // SAFETY: `state` was written after the rest, and no thread writes until the flag is cleared below.
        let record = unsafe { self.record.host().read_volatile() };
        let program = &mut reports.programs[record.kernel as usize];
        let site = program.sites[record.site as usize];
        let mut failure = if site.kind() == SiteKind::GridBarrier {
            let cause = FailureCause::divergence(site, program.sites[record.values[0] as usize]);
            KernelFailure::new(program.kernel, program.work, site.place(), cause, record.block, record.thread)
        } else {
            KernelFailure::from_site(program.kernel, program.work, site, record.values, record.block, record.thread)
        };
        failure = compile::at_call(failure, program.root);
        let calls = std::mem::take(&mut program.calls);
        if calls.len() <= MOST_CALLS {
            failure = failure.of_calls(&calls);
        }
        // SAFETY: as above. The flag goes last: it is what lets the next failing thread write.
        let cleared = unsafe {
            (&raw mut (*self.record.host()).state).write_volatile(0);
            check("cuMemsetD8Async", sys::call!(cuMemsetD8Async(self.flags, 0, size_of::<u32>(), queue.stream)))
        };
        // Threads that failed while the flag was set have left no record, so they are counted after it is cleared. No failure is lost where
        // the count cannot be read.
        let threads = cleared.and_then(|()| self.count_threads(queue));
        failure.failed_threads = threads.as_ref().map_or(1, |threads| threads.wrapping_sub(reports.threads).max(1));
        reports.threads = *threads.as_ref().unwrap_or(&reports.threads);
        reports.note(&failure);
        threads?;
        Err(failure.into())
    }

    /// How many threads have failed so far, on the whole.
    fn count_threads(&self, queue: &Queue) -> Result<u32> {
        let mut flags: Flags = [0; 2];
        // SAFETY: the memory has this size, and the copy is over before `flags` is used.
        check("cuMemcpyDtoHAsync", unsafe {
            sys::call!(cuMemcpyDtoHAsync_v2((&raw mut flags).cast(), self.flags, size_of::<Flags>(), queue.stream))
        })?;
        queue.wait()?;
        Ok(flags[1])
    }

    /// How many failures were reported so far.
    ///
    /// With the lock, so that a report is either counted, and the flag cleared in front of whatever the calling thread launches next,
    /// or still to be counted.
    pub(super) fn count(&self) -> u64 {
        self.lock().count
    }

    /// The last failure that was reported, to whichever thread, if there was one since [`count`](Self::count) told `before`. What
    /// might have failed must have been waited for, and the record been [taken](Self::take).
    pub(super) fn since(&self, before: u64) -> Result<()> {
        self.lock().since(before)
    }

    fn lock(&self) -> MutexGuard<'_, Reports> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::device::Device;
    use crate::failure::called;
    use crate::{Error, backend};

    fn site(line: u32) -> Site {
        Site::of_test("a.rs", line, 1, SiteKind::Index)
    }

    fn failure(site: Site) -> KernelFailure {
        KernelFailure::from_site("add", Work::Kernel, site, [7, 5], [0; 3], [0; 3])
    }

    fn queue(device: &Device) -> &'static Queue {
        device.queue().dispatch(|| unreachable!("a GPU"), |queue| queue)
    }

    /// A GPU of the fake driver, whose record knows a program.
    fn device() -> Device {
        let device = Device::of_queue(backend::Queue::of_fake_gpu());
        connect(&device);
        device
    }

    fn connect(device: &Device) {
        connect_work(device, Work::Kernel);
    }

    fn connect_work(device: &Device, work: Work) {
        let program = FailingProgram { kernel: "add", work, sites: vec![site(1), site(2)], root: &SourceUnit::NONE, calls: Vec::new() };
        // SAFETY: the fake driver has no modules.
        let number = unsafe { queue(device).record.connect(ptr::null_mut(), program) }.unwrap();
        assert_eq!(number, Some(0));
    }

    /// Does what `threads` failing threads of a kernel on the queue do.
    fn fail(device: &Device, site: u32, threads: u32) {
        let FailureRecord { record, flags, .. } = &queue(device).record;
        // SAFETY: the memory of the fake driver is that of the host.
        unsafe {
            record.host().write(Record { state: 1, site, values: [7, 5], ..Record::default() });
            let flags = ptr::with_exposed_provenance_mut::<Flags>(*flags as usize);
            let [_, before] = flags.read();
            flags.write([1, before + threads]);
        }
    }

    /// The line and the number of threads of a failure.
    fn reported(outcome: Result<()>) -> Option<(u32, u32)> {
        match outcome {
            Ok(()) => None,
            Err(Error::KernelFailed(failure)) => Some((failure.line, failure.failed_threads)),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_call_learns_of_failures_that_were_reported_to_others_after_it_began() {
        let mut reports = Reports::default();
        reports.since(0).unwrap();
        reports.note(&failure(site(1)));
        let before = reports.count;
        reports.since(before).unwrap();
        reports.note(&failure(site(2)));
        assert!(reports.since(before).unwrap_err().to_string().contains("a.rs:2:1"));
        reports.since(reports.count).unwrap();
    }

    #[test]
    fn a_failure_is_reported_once_by_the_stream_of_its_launch_with_the_number_of_threads() {
        let device = device();
        let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
        connect(&one);
        connect(&other);
        fail(&one, 0, 1000);
        fail(&other, 1, 3);
        assert_eq!(reported(other.synchronize()), Some((2, 3)));
        assert_eq!(reported(other.synchronize()), None);
        assert_eq!(reported(one.synchronize()), Some((1, 1000)));
        assert_eq!(reported(device.synchronize()), None);
        fail(&one, 1, 5);
        assert_eq!(reported(device.synchronize()), Some((2, 5)), "the next failure counts from zero");
        assert_eq!(reported(one.synchronize()), None);
    }

    #[test]
    fn a_failure_is_one_of_the_array_functions_that_were_called() {
        let device = Device::of_queue(backend::Queue::of_fake_gpu());
        connect_work(&device, Work::Fold);
        let record = &queue(&device).record;
        let line = Location::caller();
        for name in ["sum_by", "sum_by", "mean_by"] {
            let _call = called(name);
            let _inner = called("sum");
            record.note_call(0, line);
        }
        fail(&device, 0, 1);
        let Err(Error::KernelFailed(failure)) = device.synchronize() else { panic!("it did not fail") };
        assert_eq!((failure.kernel, &*failure.calls), ("sum_by or mean_by", [line; 2].as_slice()));
        record.note_call(0, line);
        fail(&device, 0, 1);
        let Err(Error::KernelFailed(failure)) = device.synchronize() else { panic!("it did not fail") };
        assert_eq!((failure.kernel, &*failure.calls), ("add", [line].as_slice()), "no function has its name");
    }

    #[test]
    fn who_reads_an_array_gets_the_failure_of_the_stream_that_wrote_it() {
        let device = device();
        let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
        connect(&one);
        let (mut x, y) = (device.zeros::<f32>(3).unwrap(), other.zeros::<f32>(3).unwrap());
        x.on_mut(&one).copy_from_host(&[0.0; 3]).unwrap();
        fail(&one, 0, 1);
        y.to_host().unwrap();
        assert_eq!(reported(x.to_host().map(drop)), Some((1, 1)));
        assert_eq!(reported(one.synchronize()), None);
    }

    #[test]
    fn the_failure_of_a_dropped_stream_is_not_that_of_the_next_one() {
        let device = device();
        let stream = device.stream().unwrap();
        connect(&stream);
        fail(&stream, 1, 1);
        drop(stream);
        let next = device.stream().unwrap();
        assert_eq!(reported(next.synchronize()), None);
        assert_eq!(reported(device.synchronize()), Some((2, 1)));
        assert_eq!(reported(device.synchronize()), None);
    }
}
