//! Printing from GPU threads to the host's standard output.
//!
//! Each GPU has a ring of words in its memory. A thread that prints reserves a piece of it, and writes there the number of the `println!`
//! and of its program, and the values. The next call that waits for the GPU reads the ring and formats it with std's own `format!`, in code
//! that the macro has generated. A flag in pinned host memory shows whether the ring has content, so that programs that do not print only
//! pay for reading the flag.
//!
//! Kernels of other streams may run at the same time, so whoever reads the ring waits for all streams first. Threads reuse the part that was
//! read only after the copy that releases it. Lines of a kernel that another host thread launches meanwhile may be lost.
//!
//! The layout is shared with `compile/snippets/print.cu`.

use std::ffi::CStr;
use std::mem::size_of;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Queue;
use super::driver::{check, read};
use super::mapped::Mapped;
use super::sys;
use super::variable;
use crate::Result;
use crate::source::{PrintValue, Site, SiteKind};

/// The variable of a loaded module that is a [`Printer`].
pub(super) const TARGET: &CStr = c"gr_print_target";

/// How many words the ring has: 1 MiB, some 25,000 lines of a number each.
const CAPACITY: u64 = 1 << 17;

/// `gr_print_ring`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Ring {
    written: u64,
    read: u64,
    lost: u64,
}

/// `gr_printer`.
#[repr(C)]
struct Printer {
    ring: u64,
    words: u64,
    capacity: u64,
    printed: u64,
    program: u32,
}

const _: () = assert!(size_of::<Ring>() == 24 && size_of::<Printer>() == 40);

/// The lines that are yet to be read.
#[derive(Default)]
pub(super) struct PrintBuffer {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Made for the first program that prints.
    memory: Option<Memory>,
    /// The sites of the programs that print, by the number that they write.
    programs: Vec<Vec<Site>>,
    /// How many lines were reported as lost.
    lost: u64,
}

/// Lines on their way from the ring to standard output.
///
/// They are shown when no lock of ours is held any more: a thread that has locked standard output may be waiting for one.
#[must_use = "nobody reads it again"]
pub(super) struct Printout {
    text: String,
    /// How many lines there was no room for.
    lost: u64,
}

impl Printout {
    pub(super) fn show(self) {
        let Self { text, lost } = self;
        print!("{text}");
        if lost > 0 {
            eprintln!("{lost} more lines were printed by kernels than fit between two waits for the GPU, and are lost");
        }
    }
}

struct Memory {
    ring: sys::CUdeviceptr,
    words: sys::CUdeviceptr,
    printed: Mapped<u32>,
}

impl PrintBuffer {
    /// Tells a freshly loaded module where to print.
    ///
    /// # Safety
    ///
    /// `module` must be loaded in the current context, from a program with these `sites` that prints.
    pub(super) unsafe fn connect(&self, module: sys::CUmodule, sites: Vec<Site>) -> Result<()> {
        // SAFETY: the caller guarantees the module.
        let Some(address) = (unsafe { variable::find::<Printer>(module, TARGET)? }) else { return Ok(()) };
        let mut state = self.lock();
        let State { memory, programs, .. } = &mut *state;
        let Memory { ring, words, printed } = match memory {
            Some(memory) => memory,
            None => memory.insert(Memory::new()?),
        };
        programs.push(sites);
        // No process loads 2³² modules.
        let program = (programs.len() - 1) as u32;
        let printer = Printer { ring: *ring, words: *words, capacity: CAPACITY, printed: printed.device(), program };
        // SAFETY: the variable was just found.
        unsafe { variable::set(address, &printer) }
    }

    /// What threads have printed since it was last asked for. `queue` must just have been waited for.
    pub(super) fn take(&self, queue: &Queue) -> Result<Option<Printout>> {
        let mut state = self.lock();
        let State { memory: Some(memory), programs, lost } = &mut *state else { return Ok(None) };
        // SAFETY: the flag lives forever; GPUs write it behind the compiler's back, hence the volatile accesses.
        if unsafe { memory.printed.host().read_volatile() } == 0 {
            return Ok(None);
        }
        // The kernels of other queues may be writing lines.
        queue.gpu().queues().into_iter().try_for_each(Queue::wait)?;
        // SAFETY: as above. What is printed from here on sets it again.
        unsafe { memory.printed.host().write_volatile(0) };
        let ring = memory.copy_ring(queue)?;
        let end = ring.written.min(ring.read + CAPACITY);
        let words = memory.copy_words(queue, ring.read, end)?;
        memory.set_read(queue, ring.written)?;
        let newly_lost = ring.lost - *lost;
        *lost = ring.lost;
        Ok(Some(Printout { text: text(&words, ring.read, programs), lost: newly_lost }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// An empty ring in the current context.
    fn new() -> Result<Self> {
        let allocate = |bytes: usize| -> Result<sys::CUdeviceptr> {
            // SAFETY: the memory is never freed.
            let memory = read("cuMemAlloc", 0, |memory| unsafe { sys::call!(cuMemAlloc_v2(memory, bytes)) })?;
            // SAFETY: the memory has this many bytes.
            check("cuMemsetD8", unsafe { sys::call!(cuMemsetD8_v2(memory, 0, bytes)) })?;
            Ok(memory)
        };
        let (ring, words) = (allocate(size_of::<Ring>())?, allocate(CAPACITY as usize * size_of::<u64>())?);
        Ok(Self { ring, words, printed: Mapped::new(0)? })
    }

    fn copy_ring(&self, queue: &Queue) -> Result<Ring> {
        let mut ring = Ring::default();
        // SAFETY: the ring has this size, and the copy is over before `ring` is used.
        unsafe {
            check(
                "cuMemcpyDtoHAsync",
                sys::call!(cuMemcpyDtoHAsync_v2((&raw mut ring).cast(), self.ring, size_of::<Ring>(), queue.stream)),
            )?;
        }
        queue.wait()?;
        Ok(ring)
    }

    /// The words from place `start` of the sequence up to `end`.
    fn copy_words(&self, queue: &Queue, start: u64, end: u64) -> Result<Vec<u64>> {
        let mut words = vec![0u64; (end - start) as usize];
        let (first, wrapped) = (start % CAPACITY, words.len() as u64);
        let before_the_end = wrapped.min(CAPACITY - first) as usize;
        for (place, part) in [(first, 0..before_the_end), (0, before_the_end..words.len())] {
            let target = &mut words[part];
            if !target.is_empty() {
                let source = self.words + place * size_of::<u64>() as u64;
                // SAFETY: the part lies within the ring's words; the copy is over before `words` is used.
                unsafe {
                    check(
                        "cuMemcpyDtoHAsync",
                        sys::call!(cuMemcpyDtoHAsync_v2(target.as_mut_ptr().cast(), source, size_of_val(target), queue.stream)),
                    )?;
                }
            }
        }
        queue.wait()?;
        Ok(words)
    }

    /// Gives the words before place `read` back to the threads.
    fn set_read(&self, queue: &Queue, read: u64) -> Result<()> {
        let address = self.ring + size_of::<u64>() as u64;
        // SAFETY: the address is that of the ring's second word; the source is there until the copy is over.
        unsafe {
            check(
                "cuMemcpyHtoDAsync",
                sys::call!(cuMemcpyHtoDAsync_v2(address, (&raw const read).cast(), size_of::<u64>(), queue.stream)),
            )?;
        };
        queue.wait()
    }
}

/// The lines in `words`, the first of which has the place `start`.
fn text(words: &[u64], start: u64, programs: &[Vec<Site>]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    // A line for which there was no room is a gap at the end.
    while let [place, which, count, values @ ..] = &words[at..]
        && *place == start + at as u64 + 1
    {
        let count = *count as usize;
        let (program, site) = ((which >> 32) as usize, *which as u32 as usize);
        let values: Vec<PrintValue> =
            values[..2 * count].chunks_exact(2).filter_map(|pair| PrintValue::from_bits(pair[0], pair[1])).collect();
        if let SiteKind::Print(format) = programs[program][site].kind() {
            text.push_str(&format.format(&values));
        }
        at += 3 + 2 * count;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::PrintFormat;

    #[test]
    fn lines_are_read_up_to_the_first_gap() {
        let greeting = SiteKind::Print(PrintFormat(|values| format!("{} and {}\n", values[0], values[1])));
        let programs = [vec![], vec![Site::of_test("a.rs", 1, 1, greeting)]];
        let line = |place: u64, a: u64, b: u64| [place + 1, 1 << 32, 2, 2, a, 9, b];
        let mut words: Vec<u64> = [line(40, 7, 1.5f64.to_bits()), line(47, -1i64 as u64, 0.0f64.to_bits())].concat();
        // What an older line left behind.
        words.extend(line(3, 0, 0));
        assert_eq!(text(&words, 40, &programs), "7 and 1.5\n-1 and 0\n");
        assert_eq!(text(&[], 40, &programs), "");
    }
}
