//! Which events and waits are put on streams: with a driver that records them, and by a model of what they order.

use std::ops::Range;

use super::fake::{Call, note, take_calls};
use super::usage::Mark;
use super::{Access, MemoryUse, Queue, Usage};
use crate::device::Device;
use crate::prelude::*;
use crate::{Error, Stream};

/// A GPU of the fake driver, whose own stream is the first one.
fn device() -> Device {
    let device = Device::of_queue(crate::backend::Queue::of_fake_gpu());
    take_calls();
    device
}

fn queue(device: &Device) -> &'static Queue {
    device.queue().dispatch(|| unreachable!("a GPU"), |queue| queue)
}

/// Notes work.
fn submit(stream: usize) -> crate::Result<()> {
    note(Call::Work { stream });
    Ok(())
}

/// Puts work on a stream that uses memory.
fn work(stream: &Device, uses: &[MemoryUse<'_>]) {
    let stream = queue(stream);
    let number = stream.stream.addr();
    stream.ordered(uses, || submit(number)).unwrap();
}

fn read<T: DeviceType>(array: &DeviceArray<T>) -> MemoryUse<'_> {
    array.slice(..).memory_use(Access::Read)
}

fn write<T: DeviceType>(array: &mut DeviceArray<T>) -> MemoryUse<'_> {
    array.view().memory_use(Access::Write)
}

/// What the driver was asked for since the last time, without work, copies and memory.
fn waits() -> Vec<Call> {
    let calls = take_calls().into_iter();
    calls.filter(|call| matches!(call, Call::Record { .. } | Call::Wait { .. } | Call::Synchronize { .. })).collect()
}

#[test]
fn a_mark_that_one_thread_stores_late_does_not_replace_a_later_one_of_another() {
    let device = device();
    let stream = device.stream().unwrap();
    let (own, other) = (queue(&device), queue(&stream));
    let usage = Usage::unused();
    assert!(usage.add_to_only(other.mark()));
    for epoch in [4, 3] {
        usage.add_to_several(own, &own.passed_marks(), Mark::new(own.id(), epoch), (&(0..100), Access::Read));
    }
    assert_eq!(usage.marks(own), [other.mark(), Mark::new(own.id(), 4)]);
}

#[test]
fn a_program_with_one_stream_has_no_events() {
    let device = device();
    let mut x = device.zeros::<f32>(100).unwrap();
    let y = device.to_device(&[1.0f32; 100]).unwrap();
    work(&device, &[read(&y), write(&mut x)]);
    work(&device, &[read(&x)]);
    drop(x);
    assert_eq!(y.to_host().unwrap(), [1.0; 100]);
    drop(y);
    // The copies wait for the stream.
    assert_eq!(waits(), [Call::Synchronize { stream: 1 }, Call::Synchronize { stream: 1 }]);
}

#[test]
fn a_copy_to_another_gpu_comes_after_the_source_is_written_and_before_it_is_overwritten() {
    let (one, other) = (device(), device());
    let mut x = one.to_device(&[1.0f32, 2.0, 3.0]).unwrap();
    let (of_one, of_other) = (queue(&one).stream.addr(), queue(&other).stream.addr());
    take_calls();
    let y = x.to(&other).unwrap();
    let calls = take_calls();
    let order: Vec<_> = calls.iter().filter(|call| !matches!(call, Call::Allocate { .. })).collect();
    let [
        Call::Record { event: written, stream: a },
        Call::Wait { stream: b, event: waited },
        Call::PeerCopy { stream: c },
        Call::Record { event: copied, stream: d },
        Call::Wait { stream: e, event: over },
    ] = order[..]
    else {
        panic!("{order:?}")
    };
    assert_eq!([*a, *b, *c, *d, *e], [of_one, of_other, of_other, of_other, of_one]);
    assert_eq!((written, copied), (waited, over));
    x.copy_from_host(&[0.0; 3]).unwrap();
    assert_eq!(y.to_host().unwrap(), [1.0, 2.0, 3.0]);
    let z = y.to(&other).unwrap();
    assert_eq!(waits(), [Call::Synchronize { stream: of_one }, Call::Synchronize { stream: of_other }], "a copy on one GPU needs no event");
    drop(z);
}

#[test]
fn a_use_on_another_stream_records_one_event_and_waits_for_it_once() {
    let device = device();
    let (second, third) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.zeros::<f32>(100).unwrap();
    work(&second, &[read(&x)]);
    assert_eq!(waits(), [Call::Record { event: 1, stream: 1 }, Call::Wait { stream: 2, event: 1 }]);
    work(&second, &[read(&x)]);
    assert_eq!(waits(), [], "it has waited already");
    work(&third, &[read(&x)]);
    assert_eq!(waits(), [Call::Wait { stream: 3, event: 1 }], "the event is in place");
    work(&third, &[write(&mut x)]);
    let read_on_second = [Call::Record { event: 2, stream: 2 }, Call::Wait { stream: 3, event: 2 }];
    assert_eq!(waits(), read_on_second, "the other reader is the only one to wait for");
    work(&third, &[write(&mut x)]);
    work(&third, &[read(&x)]);
    assert_eq!(waits(), [], "the memory is one stream's again");
    work(&second, &[read(&x)]);
    assert_eq!(waits(), [Call::Record { event: 3, stream: 3 }, Call::Wait { stream: 2, event: 3 }]);
}

#[test]
fn waiting_for_a_stream_is_waiting_for_what_it_has_waited_for() {
    let device = device();
    let (second, third) = (device.stream().unwrap(), device.stream().unwrap());
    let (mut x, mut y) = (device.zeros::<f32>(100).unwrap(), device.zeros::<f32>(100).unwrap());
    work(&device, &[write(&mut x), write(&mut y)]);
    work(&second, &[write(&mut x)]);
    work(&third, &[read(&x)]);
    waits();
    work(&third, &[read(&y)]);
    assert_eq!(waits(), [], "the second stream had waited for the first");
}

#[test]
fn what_the_host_has_waited_for_needs_no_event() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.to_device(&[1.0f32; 100]).unwrap();
    let other = device.zeros::<f32>(100).unwrap();
    work(&device, &[read(&other)]);
    waits();
    work(&stream, &[write(&mut x)]);
    assert_eq!(waits(), [], "the copy was over when the call returned");
}

#[test]
fn parts_of_an_array_are_independent() {
    let device = device();
    let (second, third) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = device.zeros::<f32>(100).unwrap();
    work(&second, &[write(&mut x)]);
    waits();
    {
        let (left, right) = x.split_at_mut(50);
        work(&third, &[right.memory_use(Access::Write)]);
        waits();
        work(&second, &[left.memory_use(Access::Write)]);
        work(&third, &[right.memory_use(Access::Write)]);
        assert_eq!(waits(), []);
        work(&second, &[right.memory_use(Access::Read)]);
        assert_eq!(waits(), [Call::Record { event: 3, stream: 3 }, Call::Wait { stream: 2, event: 3 }]);
    }
    work(&device, &[read(&x)]);
    let second_after_third = [Call::Record { event: 2, stream: 2 }, Call::Wait { stream: 1, event: 2 }];
    assert_eq!(waits(), second_after_third);
}

#[test]
fn memory_is_freed_after_its_last_uses() {
    let device = device();
    let (second, third) = (device.stream().unwrap(), device.stream().unwrap());
    let x = device.zeros::<f32>(100).unwrap();
    let address = x.slice(..).address();
    work(&second, &[read(&x)]);
    work(&third, &[read(&x)]);
    take_calls();
    drop(x);
    let free = Call::Free { stream: 3, address };
    assert_eq!(take_calls(), [Call::Record { event: 2, stream: 2 }, Call::Wait { stream: 3, event: 2 }, free]);
}

#[test]
fn an_array_that_another_stream_has_used_alone_is_freed_there() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.zeros::<f32>(100).unwrap();
    let address = x.slice(..).address();
    work(&stream, &[write(&mut x)]);
    take_calls();
    drop(x);
    assert_eq!(take_calls(), [Call::Free { stream: 2, address }]);
}

#[test]
fn copies_and_array_functions_run_where_they_are_told_to() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.zeros::<f32>(3).unwrap();
    take_calls();
    x.on_mut(&stream).copy_from_host(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(x.on(&stream).to_host().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(x.view().t().on(&stream).to_host().unwrap(), [1.0, 2.0, 3.0]);
    let copies = take_calls().into_iter().filter(|call| matches!(call, Call::Upload { .. } | Call::Download { .. })).collect::<Vec<_>>();
    assert_eq!(copies, [Call::Upload { stream: 2 }, Call::Download { stream: 2 }, Call::Download { stream: 2 }]);
    let on_stream = stream.zeros::<f32>(3).unwrap();
    assert!(matches!(take_calls()[0], Call::Allocate { stream: 2, .. }));
    on_stream.to_host().unwrap();
    assert!(take_calls().contains(&Call::Download { stream: 2 }), "an array is used on the stream that created it");
}

#[test]
fn a_stream_takes_the_place_of_a_dropped_one() {
    let device = device();
    let stream = device.stream().unwrap();
    let array = stream.zeros::<f32>(3).unwrap();
    drop(stream);
    let other = device.stream().unwrap();
    assert_eq!(queue(&other).stream.addr(), 3, "the array keeps the second stream");
    drop(array);
    let again = device.stream().unwrap();
    assert_eq!(queue(&again).stream.addr(), 2);
    let urgent = device.stream_with_priority(1).unwrap();
    drop(again);
    assert_eq!(queue(&device.stream_with_priority(1).unwrap()).stream.addr(), 5, "another priority needs another stream");
    drop(urgent);
}

#[test]
fn events_order_what_shares_no_memory() {
    let device = device();
    let (second, third) = (device.stream().unwrap(), device.stream().unwrap());
    let mut x = second.zeros::<f32>(3).unwrap();
    work(&second, &[write(&mut x)]);
    let start = second.record().unwrap();
    third.wait(&start).unwrap();
    assert_eq!(waits(), [Call::Record { event: 1, stream: 2 }, Call::Wait { stream: 3, event: 1 }]);
    work(&third, &[read(&x)]);
    assert_eq!(waits(), [], "the program has ordered them");
    let end = third.record().unwrap();
    assert_eq!(end.elapsed(&start).unwrap().as_micros(), 1500);
    assert!(end.elapsed(&Device::cpu().record().unwrap()).is_err());
}

#[test]
fn a_wait_for_the_device_waits_for_all_streams_and_one_for_a_stream_for_that() {
    let device = device();
    let stream = device.stream().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(waits(), [Call::Synchronize { stream: 2 }]);
    device.synchronize().unwrap();
    assert_eq!(waits(), [Call::Synchronize { stream: 1 }, Call::Synchronize { stream: 2 }]);
}

#[test]
fn memory_is_counted_whatever_stream_it_is_of() {
    let device = device();
    let stream = device.stream().unwrap();
    let (x, y) = (device.zeros::<f32>(1000).unwrap(), stream.zeros::<u8>(500).unwrap());
    let both = device.memory().unwrap();
    assert_eq!((both.live, both.peak), (4500, 4500));
    assert!(both.reserved >= 4500);
    drop(x);
    let one = stream.memory().unwrap();
    assert_eq!((one.live, one.peak), (500, 4500));
    drop(y);
    device.trim_memory().unwrap();
    assert_eq!(device.memory().unwrap().live, 0);
}

#[test]
fn arrays_have_no_more_memory_than_the_limit() {
    let device = device();
    let x = device.zeros::<u8>(600).unwrap();
    device.set_memory_limit(Some(1000));
    let refused = device.zeros::<u8>(401).unwrap_err();
    assert!(matches!(refused, Error::OutOfMemory { bytes: 401, .. }), "{refused}");
    assert_eq!(device.memory().unwrap().live, 600);
    let y = device.stream().unwrap().zeros::<u8>(400).unwrap();
    assert_eq!(device.memory().unwrap().peak, 1000);
    drop(x);
    device.zeros::<u8>(600).unwrap();
    drop(y);
    device.set_memory_limit(None);
    device.zeros::<u8>(5000).unwrap();
}

/// How many works of each stream come before something.
type Before = Vec<usize>;

fn join(to: &mut Before, from: &Before) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = (*from).max(*to));
}

/// A work of a random program: its stream, its number there, what comes before it, and the bytes of each array that it uses.
struct Done {
    stream: usize,
    number: usize,
    before: Before,
    uses: Vec<(usize, Range<u64>, Access)>,
}

/// What events and waits order: for each stream, each event and the host.
struct Model {
    streams: Vec<Before>,
    events: Vec<Before>,
    host: Before,
}

impl Model {
    fn new(streams: usize) -> Self {
        let nothing = vec![0; streams + 1];
        Self { streams: vec![nothing.clone(); streams + 1], events: vec![nothing.clone(); streams + 1], host: nothing }
    }

    /// Follows the calls, of which one may be work: what comes before it.
    fn follow(&mut self, calls: &[Call], is_exact: bool) -> Option<(usize, Before)> {
        let mut work = None;
        for call in calls {
            match *call {
                Call::Record { event, stream } => self.events[event] = self.streams[stream].clone(),
                Call::Wait { stream, event } => {
                    let before = self.streams[stream].clone();
                    join(&mut self.streams[stream], &self.events[event]);
                    join(&mut self.streams[stream], &self.host);
                    let known = |before: &Before| before.iter().zip(&self.host).map(|(a, b)| *a.max(b)).collect::<Vec<_>>();
                    assert!(!is_exact || known(&before) != self.streams[stream], "a wait that orders nothing");
                }
                Call::Synchronize { stream } => join(&mut self.host, &self.streams[stream]),
                Call::Work { stream } => {
                    join(&mut self.streams[stream], &self.host);
                    work = Some((stream, self.streams[stream].clone()));
                    self.streams[stream][stream] += 1;
                }
                _ => {}
            }
        }
        work
    }
}

#[test]
fn whatever_a_program_does_conflicting_uses_are_in_order() {
    const STREAMS: usize = 4;
    const ARRAYS: usize = 5;
    let device = device();
    let streams: Vec<Stream> = (1..STREAMS).map(|_| device.stream().unwrap()).collect();
    let queues: Vec<&'static Queue> = std::iter::once(&device).chain(streams.iter().map(|stream| &**stream)).map(queue).collect();
    let mut state = 88172645463325252u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut model = Model::new(STREAMS);
    let mut waits = 0;
    for round in 0..200 {
        let is_settled = round % 2 == 0;
        let mut allocate = || {
            let queue = queues[random(STREAMS)];
            model.streams[queue.stream.addr()][queue.stream.addr()] += 1;
            let usage = Usage::of_new(queue, 0..100);
            if is_settled {
                usage.settle(queue);
            }
            usage
        };
        let usages: Vec<Usage> = (0..ARRAYS).map(|_| allocate()).collect();
        let mut program: Vec<Done> = Vec::new();
        for _ in 0..40 {
            let queue = queues[random(STREAMS)];
            if random(12) == 0 {
                queue.wait().unwrap();
                model.follow(&take_calls(), is_settled);
            }
            let mut uses = Vec::new();
            for array in 0..ARRAYS {
                if random(3) == 0 {
                    let access = if random(2) == 0 { Access::Read } else { Access::Write };
                    let bytes = if random(2) == 0 { 0..100 } else { 25 * random(4) as u64..100 };
                    uses.push((array, bytes, access));
                }
            }
            let of_memory = |&(array, ref bytes, access): &(usize, Range<u64>, Access)| MemoryUse {
                usage: &usages[array],
                bytes: bytes.clone(),
                access,
            };
            let memory: Vec<MemoryUse<'_>> = uses.iter().map(of_memory).collect();
            let number = queue.stream.addr();
            queue.ordered(&memory, || submit(number)).unwrap();
            let calls = take_calls();
            waits += calls.iter().filter(|call| matches!(call, Call::Wait { .. })).count();
            let (stream, before) = model.follow(&calls, is_settled).expect("a work");
            for earlier in &program {
                let conflict = uses.iter().any(|(array, bytes, access)| {
                    earlier.uses.iter().any(|(other, other_bytes, other_access)| {
                        let both_read = *access == Access::Read && *other_access == Access::Read;
                        array == other && !both_read && bytes.start < other_bytes.end && other_bytes.start < bytes.end
                    })
                });
                assert!(
                    !conflict || before[earlier.stream] > earlier.number,
                    "{:?} on {} and then {uses:?} on {stream}",
                    earlier.uses,
                    earlier.stream
                );
            }
            program.push(Done { stream, number: before[stream], before, uses });
        }
        assert!(program.iter().all(|done| done.before[done.stream] == done.number));
    }
    assert!(waits > 1000, "the programs have few dependencies: {waits}");
}
