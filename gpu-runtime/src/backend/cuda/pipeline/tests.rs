//! The engine against a model of a GPU, in many orders of events.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::engine::{self, Slots};
use super::model::{Model, Random, device};
use super::plan::{Plan, Settings};
use super::{Address, Chunk, HostInput, HostOutput};
use crate::{Error, Result};

/// The elements of a chunk: as few as a plan makes.
const CHUNK: usize = 1024;

fn settings(slots: usize, workers: usize) -> Settings {
    Settings { chunk_bytes: 1, slots, workers: Some(workers), streaming_fill: workers > 0, populate: true, short_bytes: 0 }
}

/// What a test streams: bytes, as the engine knows no types.
struct Case {
    plan: Plan,
    settings: Settings,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
    /// A byte for each element that a kernel saw, as if it went to memory that stays on the device.
    kept: Rc<RefCell<Vec<u8>>>,
}

impl Case {
    fn new(seed: u64, len: usize, inputs: &[usize], outputs: &[usize], settings: Settings) -> Self {
        let plan = Plan::new(len, inputs.iter().copied(), outputs.iter().copied(), &settings);
        let mut random = Random(seed);
        let inputs = inputs.iter().map(|size| (0..len * size).map(|_| random.next() as u8).collect()).collect();
        let outputs = outputs.iter().map(|size| vec![0; len * size]).collect();
        Self { plan, settings, inputs, outputs, kept: Rc::default() }
    }

    /// Streams through `model`, asking `before` at each chunk before its kernel is launched.
    fn run(&mut self, model: &Model, mut before: impl FnMut(&Chunk<'_>) -> Result<()>) -> Result<()> {
        let Self { plan, settings, inputs, outputs, kept } = self;
        let memory = |fill: u8| [&plan.inputs, &plan.outputs].map(|side| vec![fill; plan.slots * side.slot_bytes]);
        let (mut staged, mut on_device) = (memory(0xEE), memory(0xDD));
        let [staged_in, staged_out] = staged.each_mut().map(Vec::as_mut_ptr);
        let [device_in, device_out] = on_device.each_mut().map(|memory| memory.as_mut_ptr().expose_provenance() as Address);
        let (input_sizes, output_sizes) = (&plan.inputs.element_sizes, &plan.outputs.element_sizes);
        let host_inputs: Vec<_> = inputs
            .iter()
            .zip(input_sizes)
            .map(|(host, &element_size)| HostInput { bytes: host.as_ptr(), element_size, elements: PhantomData })
            .collect();
        let host_outputs: Vec<_> = outputs
            .iter_mut()
            .zip(output_sizes)
            .map(|(host, &element_size)| HostOutput { bytes: host.as_mut_ptr(), element_size, fresh: true, elements: PhantomData })
            .collect();
        let mut next = 0;
        let mut launch = |chunk: Chunk<'_>| {
            assert_eq!(chunk.first, next, "chunks come in order");
            next += chunk.len;
            before(&chunk)?;
            let pair = |addresses: &[Address], sizes: &[usize]| addresses.iter().copied().zip(sizes.iter().copied()).collect::<Vec<_>>();
            let (inputs, outputs) = (pair(chunk.inputs, input_sizes), pair(chunk.outputs, output_sizes));
            let (first, len) = (chunk.first, chunk.len);
            let kept = Rc::clone(kept);
            model.launch(move || kernel(first, len, &inputs, &outputs, &mut kept.borrow_mut()));
            Ok(())
        };
        let slots = Slots { staged_in, staged_out, device_in, device_out };
        // SAFETY: the slots are as the plan wants, and live until the engine is done, as do the arrays.
        let outcome = unsafe { engine::run(model, plan, settings, slots, &host_inputs, &host_outputs, &mut launch) };
        assert!(outcome.is_err() || next == plan.len, "every element was launched");
        outcome
    }

    fn assert_result(&self) {
        let digests: Vec<u8> = (0..self.plan.len).map(|element| self.digest(element)).collect();
        for (output, (found, &size)) in self.outputs.iter().zip(&self.plan.outputs.element_sizes).enumerate() {
            for (index, &byte) in found.iter().enumerate() {
                let element = index / size;
                assert_eq!(
                    byte,
                    mix(digests[element], element, output, index % size),
                    "output {output}, element {element} of {:?}",
                    self.plan
                );
            }
        }
        let kept: Vec<u8> = digests.iter().enumerate().map(|(element, &digest)| mix(digest, element, KEPT, 0)).collect();
        assert!(*self.kept.borrow() == kept, "every kernel saw its own inputs: {:?}", self.plan);
    }

    fn digest(&self, element: usize) -> u8 {
        let inputs = self.inputs.iter().zip(&self.plan.inputs.element_sizes);
        digest(inputs.map(|(input, size)| &input[element * size..][..*size]))
    }
}

/// Stands for an output that is kept on the device.
const KEPT: usize = 99;

/// Computes the outputs of a chunk, given as addresses and element sizes, and what is kept.
fn kernel(first: usize, len: usize, inputs: &[(Address, usize)], outputs: &[(Address, usize)], kept: &mut Vec<u8>) {
    for element in 0..len {
        // SAFETY: the chunk's inputs are in the device's slot until its kernels are done.
        let values = inputs.iter().map(|&(from, size)| unsafe { std::slice::from_raw_parts(device(from).add(element * size), size) });
        let digest = digest(values);
        for (output, &(to, size)) in outputs.iter().enumerate() {
            for byte in 0..size {
                // SAFETY: so are its outputs.
                unsafe { device(to).add(element * size + byte).write(mix(digest, first + element, output, byte)) };
            }
        }
        kept.push(mix(digest, first + element, KEPT, 0));
    }
}

/// What an element is computed from: it depends on every byte of every input there.
fn digest<'a>(inputs: impl Iterator<Item = &'a [u8]>) -> u8 {
    let mut sum = 0_u8;
    for input in inputs {
        for &byte in input {
            sum = sum.rotate_left(3) ^ byte;
        }
    }
    sum
}

/// A byte of an output: it depends on where it is, and on its element's inputs.
fn mix(digest: u8, element: usize, output: usize, byte: usize) -> u8 {
    digest ^ (element.wrapping_mul(31) ^ (output << 5) ^ byte) as u8
}

#[test]
fn every_order_of_events_gives_the_same_result() {
    for seed in 1..150 {
        let mut random = Random(seed);
        // Between no whole chunk and many.
        let len = 1 + random.below(CHUNK * 9);
        let settings = settings(1 + random.below(4), 0);
        let mut case = Case::new(seed, len, &[1, 4], &[2], settings);
        case.run(&Model::new(seed, None), |_| Ok(())).unwrap();
        case.assert_result();
        let mut without_outputs = Case::new(seed, len, &[1, 4], &[], settings);
        without_outputs.run(&Model::new(seed, None), |_| Ok(())).unwrap();
        without_outputs.assert_result();
    }
}

#[test]
fn threads_that_fill_and_drain_give_the_same_result() {
    for seed in 1..8 {
        for workers in [1, 5] {
            let mut case = Case::new(seed, CHUNK * 30, &[8, 2], &[4], settings(3, workers));
            case.run(&Model::new(seed, None), |_| Ok(())).unwrap();
            case.assert_result();
        }
    }
}

#[test]
fn lengths_around_the_boundaries_of_chunks_come_out_right() {
    for chunks in [1, 2, 4, 5, 8] {
        for len in [chunks * CHUNK - 1, chunks * CHUNK, chunks * CHUNK + 1] {
            let mut case = Case::new(len as u64, len, &[2], &[1], settings(4, 0));
            case.run(&Model::new(len as u64, None), |_| Ok(())).unwrap();
            case.assert_result();
        }
    }
}

#[test]
fn arrays_of_every_number_and_element_size_come_out_right() {
    let sides: [&[usize]; 5] = [&[], &[1], &[16, 1], &[2, 8, 4], &[3, 12]];
    for inputs in sides {
        for outputs in sides {
            for seed in 1..4 {
                let mut case = Case::new(seed, CHUNK * 5 + 3, inputs, outputs, settings(2, 0));
                case.run(&Model::new(seed, None), |_| Ok(())).unwrap();
                case.assert_result();
            }
        }
    }
}

#[test]
fn an_error_of_a_launch_ends_the_call_with_nothing_in_flight() {
    for seed in 1..40 {
        let mut case = Case::new(seed, CHUNK * 9, &[4], &[4], settings(3, 0));
        let model = Model::new(seed, None);
        let failing = seed as usize % 9;
        let outcome = case.run(&model, |chunk| {
            assert!(chunk.first <= failing * CHUNK, "no chunk is launched after the one that failed");
            if chunk.first == failing * CHUNK { Err(Error::NoGpu) } else { Ok(()) }
        });
        assert!(matches!(outcome, Err(Error::NoGpu)) && model.is_idle());
    }
}

#[test]
fn a_panic_of_a_launch_passes_with_nothing_in_flight_and_every_thread_gone() {
    for workers in [0, 3] {
        let mut case = Case::new(7, CHUNK * 6, &[1], &[1], settings(3, workers));
        let model = Model::new(7, None);
        let panic =
            catch_unwind(AssertUnwindSafe(|| case.run(&model, |chunk| if chunk.first > 0 { panic!("of the test") } else { Ok(()) })));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"of the test"));
        assert!(model.is_idle());
    }
}

#[test]
fn an_error_of_any_driver_call_ends_the_call_with_nothing_in_flight() {
    let mut calls = 0;
    loop {
        let mut case = Case::new(5, CHUNK * 6, &[4], &[4], settings(2, 0));
        let model = Model::new(5, Some(calls));
        let outcome = case.run(&model, |_| Ok(()));
        assert!(model.is_idle());
        if outcome.is_ok() {
            break;
        }
        calls += 1;
    }
    assert!(calls > 6 * 9, "a chunk takes nine calls, and then some: {calls}");
}
