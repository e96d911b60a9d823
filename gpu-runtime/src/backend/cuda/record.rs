//! The failure record: how a thread of a kernel reports a failure to the host.
//!
//! Each GPU has one record in pinned host memory that kernels can write, and one flag in device memory. A failing thread reads the flag and
//! tries to set it; the first one fills the record, and every failing thread ends itself with PTX `exit`. The flag keeps a hundred million
//! failing threads off the bus: they see that it is set and exit.
//!
//! A thread that exits does not harm the context, so device memory survives, and the failure is reported by the next
//! call that waits for the GPU: it finds the record filled, translates it with the table of the kernel's sites, and
//! clears record and flag for the kernels to come.
//!
//! The first call that waits gets the report, possibly on a different host thread than the one whose kernel failed. This is documented for
//! launches. But a call that launches and waits must not succeed in that case, so reports are counted: the call fails if a report was taken
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
use std::sync::atomic::{Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Queue;
use super::driver::{check, read};
use super::mapped::Mapped;
use super::sys;
use super::variable;
use crate::Result;
use crate::failure::{FailureCause, KernelFailure, Work};
use crate::source::{Site, SiteKind};

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

/// `gr_panic_target`: where a loaded module finds record and flag, and its own number.
#[repr(C)]
struct PanicTarget {
    record: u64,
    flag: u64,
    kernel: u32,
}

// Any other layout would have the kernel and the host read different things.
const _: () = {
    assert!(offset_of!(Record, site) == 8 && offset_of!(Record, values) == 16);
    assert!(offset_of!(Record, block) == 32 && offset_of!(Record, thread) == 44 && size_of::<Record>() == 56);
    assert!(offset_of!(PanicTarget, flag) == 8 && offset_of!(PanicTarget, kernel) == 16 && size_of::<PanicTarget>() == 24);
};

/// The record of one GPU.
pub(super) struct FailureRecord {
    record: Mapped<Record>,
    flag: sys::CUdeviceptr,
    /// Locked while a report is taken.
    reports: Mutex<Reports>,
}

#[derive(Default)]
struct Reports {
    /// The programs that may fail, by the number they write.
    programs: Vec<FailingProgram>,
    /// How many failures were reported.
    count: u64,
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
struct FailingProgram {
    kernel: &'static str,
    work: Work,
    sites: Vec<Site>,
}

impl FailureRecord {
    /// A clear record in the current context.
    pub(super) fn new() -> Result<Self> {
        let record = Mapped::new(Record::default())?;
        // SAFETY: the memory is never freed.
        let flag = read("cuMemAlloc", 0, |flag| unsafe { sys::cuMemAlloc_v2(flag, size_of::<u32>()) })?;
        // SAFETY: the flag is four bytes of device memory.
        check("cuMemsetD8", unsafe { sys::cuMemsetD8_v2(flag, 0, size_of::<u32>()) })?;
        Ok(Self { record, flag, reports: Mutex::default() })
    }

    /// Tells a freshly loaded module where to report. In a module without `gr_target` nothing can fail.
    ///
    /// # Safety
    ///
    /// `module` must be loaded in the current context, from the program of `kernel` with these `sites`.
    pub(super) unsafe fn connect(&self, module: sys::CUmodule, kernel: &'static str, work: Work, sites: Vec<Site>) -> Result<()> {
        // SAFETY: the caller guarantees the module.
        let Some(address) = (unsafe { variable::find::<PanicTarget>(module, TARGET)? }) else { return Ok(()) };
        let number = {
            let programs = &mut self.lock().programs;
            programs.push(FailingProgram { kernel, work, sites });
            programs.len() - 1
        };
        // No process loads 2³² modules.
        let target = PanicTarget { record: self.record.device(), flag: self.flag, kernel: number as u32 };
        // SAFETY: the variable was just found.
        unsafe { variable::set(address, &target) }
    }

    /// The failure that was recorded, if any, as an error; clears it. `queue` must just have been waited for.
    #[inline]
    pub(super) fn take(&self, queue: &Queue) -> Result<()> {
        if self.is_clear() { Ok(()) } else { self.report(queue) }
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
        let program = &reports.programs[record.kernel as usize];
        let site = program.sites[record.site as usize];
        let failure = if site.kind() == SiteKind::GridBarrier {
            let cause = FailureCause::divergence(site, program.sites[record.values[0] as usize]);
            KernelFailure::new(program.kernel, program.work, site, cause, record.block, record.thread)
        } else {
            KernelFailure::from_site(program.kernel, program.work, site, record.values, record.block, record.thread)
        };
        reports.note(&failure);
        // SAFETY: as above. The flag goes last: it is what lets the next failing thread write.
        unsafe {
            (&raw mut (*self.record.host()).state).write_volatile(0);
            check("cuMemsetD8Async", sys::cuMemsetD8Async(self.flag, 0, size_of::<u32>(), queue.stream))?;
        }
        Err(failure.into())
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
    use super::*;

    fn failure(site: Site) -> KernelFailure {
        KernelFailure::from_site("add", Work::Kernel, site, [7, 5], [0; 3], [0; 3])
    }

    #[test]
    fn a_call_learns_of_failures_that_were_reported_to_others_after_it_began() {
        let site = |line| Site::of_test("a.rs", line, 1, SiteKind::Index);
        let mut reports = Reports::default();
        reports.since(0).unwrap();
        reports.note(&failure(site(1)));
        let before = reports.count;
        reports.since(before).unwrap();
        reports.note(&failure(site(2)));
        assert!(reports.since(before).unwrap_err().to_string().contains("a.rs:2:1"));
        reports.since(reports.count).unwrap();
    }
}
