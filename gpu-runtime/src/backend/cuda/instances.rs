//! The instances of a program: each queue that launches a program which can fail has loaded it for itself.
//!
//! A failing thread finds the record of its queue in a variable of its module, so a module belongs to one queue. Programs that cannot fail
//! are loaded once for the GPU. The first instance is that of the device's own queue, for which a launch compares two numbers. The others
//! are in a list that only grows, so finding one takes no lock. Loading one takes about 0.1 ms, as the machine code is kept.

use std::ffi::CString;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::driver::{load_error, read};
use super::record::FailingProgram;
use super::{Queue, sys, variable};
use crate::Result;
use crate::failure::Work;
use crate::observe::{self, Activity};
use crate::source::{Site, SourceUnit};

/// What a program is loaded from.
pub(super) struct Image {
    /// Linked machine code.
    pub(super) code: Vec<u8>,
    pub(super) entry: CString,
    pub(super) kernel: &'static str,
    pub(super) work: Work,
    pub(super) sites: Vec<Site>,
    pub(super) root: &'static SourceUnit,
    pub(super) can_fail: bool,
    pub(super) prints: bool,
    /// The variable that says how much shared memory the tiles of a block need.
    pub(super) tile_memory: Option<CString>,
    /// The variable that says whether a block does what several do.
    pub(super) tile_tasks: Option<CString>,
}

/// The functions of the driver that a program has become. Never unloaded.
pub(super) struct Instances {
    first: Instance,
    /// Kept if other queues need instances of their own.
    image: Option<Image>,
    /// Locked while one is loaded.
    loading: Mutex<()>,
}

pub(super) struct Instance {
    queue: u16,
    pub(super) function: sys::CUfunction,
    /// Its number in the failure record of the queue, if it can fail.
    pub(super) number: Option<u32>,
    /// The shared memory that the tiles of a block need, in bytes.
    pub(super) tile_bytes: u32,
    /// For a kernel whose last parameter is the grid that the program asked for: whether a block does what several of that grid do.
    pub(super) does_several_blocks: Option<bool>,
    next: OnceLock<Box<Instance>>,
}

// SAFETY: the driver's handle may be used from any thread once the context is current there.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Instances {
    /// Loads the first one, for the device's own `queue`, whose context is current.
    pub(super) fn new(queue: &Queue, image: Image) -> Result<Self> {
        let first = Instance::load(queue, &image)?;
        Ok(Self { first, image: image.can_fail.then_some(image), loading: Mutex::default() })
    }

    /// The first one, which needs what all of them need.
    pub(super) fn function(&self) -> sys::CUfunction {
        self.first.function
    }

    /// The shared memory that the tiles of a block need, in bytes.
    pub(super) fn tile_bytes(&self) -> u32 {
        self.first.tile_bytes
    }

    /// For a kernel whose last parameter is the grid that the program asked for: whether a block does what several of that grid do.
    pub(super) fn does_several_blocks(&self) -> Option<bool> {
        self.first.does_several_blocks
    }

    /// The one for launches on `queue`. A new one is passed to `prepare` first.
    #[inline]
    pub(super) fn on(&self, queue: &Queue, prepare: impl FnOnce(sys::CUfunction) -> Result<()>) -> Result<&Instance> {
        match &self.image {
            Some(image) if self.first.queue != queue.id() => self.find_or_load(queue, image, prepare),
            _ => Ok(&self.first),
        }
    }

    fn find_or_load(&self, queue: &Queue, image: &Image, prepare: impl FnOnce(sys::CUfunction) -> Result<()>) -> Result<&Instance> {
        if let Ok(instance) = self.find(queue) {
            return Ok(instance);
        }
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        match self.find(queue) {
            Ok(instance) => Ok(instance),
            Err(end) => {
                queue.gpu().make_current()?;
                let instance = Instance::load(queue, image)?;
                prepare(instance.function)?;
                Ok(end.get_or_init(|| Box::new(instance)))
            }
        }
    }

    /// The one of the queue, or the end of the list.
    fn find(&self, queue: &Queue) -> std::result::Result<&Instance, &OnceLock<Box<Instance>>> {
        let mut next = &self.first.next;
        while let Some(instance) = next.get() {
            if instance.queue == queue.id() {
                return Ok(instance);
            }
            next = &instance.next;
        }
        Err(next)
    }

    /// One without a function, for tests.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        let first =
            Instance { queue: 1, function: ptr::null_mut(), number: None, tile_bytes: 0, does_several_blocks: None, next: OnceLock::new() };
        Self { first, image: None, loading: Mutex::default() }
    }
}

impl Instance {
    /// Loads the program for `queue`, whose context is current.
    fn load(queue: &Queue, image: &Image) -> Result<Self> {
        let _observed = observe::begin(Activity::Load, image.kernel, 0);
        let mut module = ptr::null_mut();
        // SAFETY: the image is a whole cubin; the driver copies it during the call.
        let module = match unsafe { sys::call!(cuModuleLoadData(&mut module, image.code.as_ptr().cast())) } {
            sys::Status::SUCCESS => module,
            failed => return Err(load_error(failed)),
        };
        let function = read("cuModuleGetFunction", ptr::null_mut(), |function| {
            // SAFETY: the module was just loaded.
            unsafe { sys::call!(cuModuleGetFunction(function, module, image.entry.as_ptr())) }
        })?;
        if image.prints {
            // SAFETY: the module was loaded in this GPU's context, from this program.
            unsafe { queue.gpu().prints.connect(module, image.sites.clone()) }?;
        }
        let number = match image.can_fail {
            // SAFETY: the module was loaded in this GPU's context, from this program.
            true => unsafe { queue.record.connect(module, FailingProgram::of(image)) }?,
            false => None,
        };
        let number_of = |name: &Option<CString>| match name {
            // SAFETY: the module was loaded in this GPU's context.
            Some(name) => unsafe { variable::number(module, name) },
            None => Ok(None),
        };
        let tile_bytes = number_of(&image.tile_memory)?.unwrap_or(0);
        let does_several_blocks = number_of(&image.tile_tasks)?.map(|does| does != 0);
        Ok(Self { queue: queue.id(), function, number, tile_bytes, does_several_blocks, next: OnceLock::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Call, take_calls};
    use super::*;
    use crate::backend;

    fn image(can_fail: bool) -> Image {
        Image {
            code: vec![0],
            entry: c"k".to_owned(),
            kernel: "k",
            work: Work::Kernel,
            sites: Vec::new(),
            root: &SourceUnit::NONE,
            can_fail,
            prints: false,
            tile_memory: None,
            tile_tasks: None,
        }
    }

    #[test]
    fn each_queue_that_launches_a_program_loads_it_once_if_it_can_fail() {
        for (can_fail, loaded) in [(false, 1), (true, 3)] {
            let device = backend::Queue::of_fake_gpu();
            let streams = [device.stream(0).unwrap(), device.stream(0).unwrap(), device.clone()];
            let queues = streams.each_ref().map(|queue| queue.dispatch(|| unreachable!("a GPU"), |queue| queue));
            let instances = Instances::new(queues[2], image(can_fail)).unwrap();
            let mut prepared = Vec::new();
            for queue in [queues, queues].as_flattened() {
                let prepare = |function| {
                    prepared.push(function);
                    Ok(())
                };
                let function = instances.on(queue, prepare).unwrap().function;
                assert_eq!(function == instances.function(), !can_fail || queue.id() == 1);
            }
            assert_eq!(prepared.len(), loaded - 1, "each new one is prepared");
            assert_eq!(take_calls().iter().filter(|call| matches!(call, Call::Load)).count(), loaded);
        }
    }
}
