//! A model of a GPU for tests: it runs operations at random times, in any order that streams and events allow, and detects when its data
//! was changed too early.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};

use super::Address;
use super::engine::{Driver, Event, Stream};
use crate::{Error, Result};

/// What overwrites memory whose contents must not matter any more.
const POISON: u8 = 0xA5;

pub(super) struct Model(RefCell<State>);

struct State {
    random: Random,
    streams: [VecDeque<Operation>; 3],
    /// The last recording of each event.
    recorded: HashMap<Event, usize>,
    recordings: usize,
    done: HashSet<usize>,
    /// Calls until one fails.
    calls_to_failure: Option<usize>,
}

enum Operation {
    CopyIn { source: *const u8, target: Address, expected: Vec<u8> },
    CopyOut { source: Address, target: *mut u8, bytes: usize },
    Kernel(Box<dyn FnOnce()>),
    Record(usize),
    Wait(usize),
}

impl Model {
    /// A GPU whose order of work depends on `seed`. The call number `failing` fails, if there is one.
    pub(super) fn new(seed: u64, failing: Option<usize>) -> Self {
        Self(RefCell::new(State {
            random: Random(seed),
            streams: Default::default(),
            recorded: HashMap::new(),
            recordings: 0,
            done: HashSet::new(),
            calls_to_failure: failing,
        }))
    }

    /// Puts a kernel on the compute stream.
    pub(super) fn launch(&self, kernel: impl FnOnce() + 'static) {
        self.0.borrow_mut().streams[Stream::Compute as usize].push_back(Operation::Kernel(Box::new(kernel)));
    }

    pub(super) fn is_idle(&self) -> bool {
        self.0.borrow().streams.iter().all(VecDeque::is_empty)
    }

    fn ask(&self, stream: Stream, operation: impl FnOnce(&mut State) -> Operation) -> Result<()> {
        let mut state = self.0.borrow_mut();
        state.count_call()?;
        let operation = operation(&mut state);
        state.streams[stream as usize].push_back(operation);
        // A fast GPU is ahead of the host.
        if state.random.below(4) == 0 {
            state.progress(8);
        }
        Ok(())
    }
}

impl State {
    fn count_call(&mut self) -> Result<()> {
        match &mut self.calls_to_failure {
            Some(0) => return Err(Error::NoGpu),
            Some(calls) => *calls -= 1,
            None => {}
        }
        Ok(())
    }

    /// Does up to so many operations of streams drawn at random.
    fn progress(&mut self, most: usize) {
        for _ in 0..self.random.below(most + 1) {
            let stream = self.random.below(3);
            self.step(stream);
        }
    }

    /// Does the next operation of a stream, unless it has none or must wait.
    fn step(&mut self, stream: usize) -> bool {
        match self.streams[stream].front() {
            None => return false,
            Some(Operation::Wait(recording)) if !self.done.contains(recording) => return false,
            Some(_) => {}
        }
        match self.streams[stream].pop_front().expect("looked at above") {
            Operation::CopyIn { source, target, expected } => {
                assert!(self.done.contains(&0), "a copy to device memory came before its allocation");
                // SAFETY: the engine keeps both ranges for its copies.
                let source = unsafe { std::slice::from_raw_parts(source, expected.len()) };
                assert!(source == expected, "a slot was filled again before it was copied");
                // SAFETY: as above.
                unsafe { source.as_ptr().copy_to_nonoverlapping(device(target), source.len()) };
            }
            // SAFETY: as above.
            Operation::CopyOut { source, target, bytes } => unsafe { device(source).copy_to_nonoverlapping(target, bytes) },
            Operation::Kernel(kernel) => kernel(),
            Operation::Record(recording) => _ = self.done.insert(recording),
            Operation::Wait(_) => {}
        }
        true
    }
}

impl Driver for Model {
    unsafe fn copy_in(&self, source: *const u8, target: Address, bytes: usize) -> Result<()> {
        // SAFETY: the caller guarantees the range.
        let expected = unsafe { std::slice::from_raw_parts(source, bytes) }.to_vec();
        self.ask(Stream::CopyIn, |_| Operation::CopyIn { source, target, expected })
    }

    unsafe fn copy_out(&self, source: Address, target: *mut u8, bytes: usize) -> Result<()> {
        // Whoever still reads the slot now reads nonsense.
        // SAFETY: the caller guarantees the range.
        unsafe { target.write_bytes(POISON, bytes) };
        self.ask(Stream::CopyOut, |_| Operation::CopyOut { source, target, bytes })
    }

    fn record(&self, event: Event) -> Result<()> {
        self.ask(event.stream(), |state| {
            let recording = state.recordings;
            assert!(recording > 0 || event == Event::Allocated);
            state.recordings += 1;
            state.recorded.insert(event, recording);
            Operation::Record(recording)
        })
    }

    fn wait_for(&self, stream: Stream, event: Event) -> Result<()> {
        self.ask(stream, |state| Operation::Wait(*state.recorded.get(&event).expect("waits for an event that was never recorded")))
    }

    fn is_done(&self, event: Event) -> Result<bool> {
        let mut state = self.0.borrow_mut();
        state.count_call()?;
        state.progress(2);
        let recording = *state.recorded.get(&event).expect("asks for an event that was never recorded");
        Ok(state.done.contains(&recording))
    }

    fn finish(&self) {
        let mut state = self.0.borrow_mut();
        while (0..3).filter(|&stream| state.step(stream)).count() > 0 {}
        assert!(state.streams.iter().all(VecDeque::is_empty), "the streams wait for each other");
    }
}

/// The memory that an address stands for: that of the host.
pub(super) fn device(address: Address) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// Numbers that look random: xorshift*.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        // Zero would stay zero.
        self.0 = self.0.max(1);
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 33) % end as u64) as usize
    }
}
