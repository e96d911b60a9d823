//! What the ranks do.

use std::io::Read;

use gpu_runtime::cluster::{ClusterError, Communicator, Operation, Reducible};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result};
use half::{bf16, f16};

/// Runs a program as the rank that the environment says, and prints why a call failed.
pub(crate) fn run(program: &str) {
    let outcome = Communicator::from_env().and_then(|ranks| {
        match program {
            "calls" => {
                calls(&ranks)?;
                another(&ranks)?;
            }
            "prints its rank" => println!("rank {} of {}", ranks.rank(), ranks.size()),
            "sends too much" => sends_too_much(&ranks)?,
            "has another type of that name" => has_another_type_of_that_name(&ranks)?,
            "waits for another" => waits_for_another(&ranks)?,
            _ if program.starts_with("dies while sending") => dies_while_sending(&ranks, program)?,
            _ => {
                ranks.barrier()?;
                fails(&ranks, program)?;
            }
        }
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(Error::Cluster(ClusterError::Failed(failure))) => println!("failure: {failure}"),
        // What the rank itself has done wrong.
        Err(error @ Error::KernelFailed(_)) if program == "fails" => println!("own error: {error}"),
        Err(other) => panic!("{other}"),
    }
}

/// Not every byte of the one type is a value of the other.
fn has_another_type_of_that_name(ranks: &Communicator) -> Result<()> {
    if ranks.rank() == 0 {
        #[derive(Clone, Copy, PartialEq, DeviceType)]
        #[repr(u8)]
        enum Switch {
            Off = 0,
            On = 1,
        }
        let mut x = ranks.device().to_device(&[Switch::Off, Switch::On])?;
        ranks.broadcast(&mut x, 1)
    } else {
        #[derive(Clone, Copy, PartialEq, DeviceType)]
        #[repr(u8)]
        enum Switch {
            Off = 0,
            Broken = 7,
        }
        let mut x = ranks.device().to_device(&[Switch::Off, Switch::Broken])?;
        ranks.broadcast(&mut x, 1)
    }
}

/// All ranks sum three numbers up, except for one.
fn fails(ranks: &Communicator, program: &str) -> Result<()> {
    let mut x = ranks.device().to_device(&[1.0f32, 2.0, 3.0])?;
    if ranks.rank() == 2.min(ranks.size() - 1) {
        match program {
            "other length" => ranks.all_reduce(&mut ranks.device().zeros::<f32>(4)?, Operation::Sum)?,
            "other type" => ranks.all_reduce(&mut ranks.device().zeros::<f64>(3)?, Operation::Sum)?,
            "other call" => ranks.broadcast(&mut x, 0)?,
            "other operation" => ranks.all_reduce(&mut x, Operation::Max)?,
            "dies" => std::process::abort(),
            "leaves" => return Ok(()),
            "fails" => out_of_bounds(&mut x).launch(1, 1)?,
            _ => {}
        }
    }
    if ranks.rank() == 3 && program == "comes late" {
        std::io::stdin().read_to_end(&mut Vec::new()).expect("the input of this process");
    }
    // A call between GPUs may return before it fails.
    let outcome = ranks.all_reduce(&mut x, Operation::Sum).and_then(|()| ranks.barrier());
    let again = ranks.barrier();
    if let (Err(Error::Cluster(first)), Err(Error::Cluster(again))) = (&outcome, &again) {
        assert_eq!(first, again, "a later call fails in the same way");
    }
    outcome
}

#[gpu_kernel]
fn out_of_bounds(x: &mut [f32]) {
    let i = x.len() + grid_1d();
    if grid_1d() == 0 {
        x[i] = 1.0;
    }
}

/// The rank and the call are the last words of the program's name.
fn dies_while_sending(ranks: &Communicator, program: &str) -> Result<()> {
    let mut x = ranks.device().zeros::<f64>(200_000)?;
    let words: Vec<usize> = program.split(' ').filter_map(|word| word.parse().ok()).collect();
    for call in 0.. {
        if words == [ranks.rank(), call] {
            std::thread::spawn(|| std::process::abort());
        }
        ranks.all_reduce(&mut x, Operation::Sum)?;
    }
    Ok(())
}

fn sends_too_much(ranks: &Communicator) -> Result<()> {
    match ranks.rank() {
        1 => ranks.recv(&mut ranks.device().zeros::<f32>(3)?, 2)?,
        2 => ranks.send(&ranks.device().zeros::<f32>(4)?, 1)?,
        _ => {}
    }
    ranks.barrier()
}

/// Two ranks, each of which waits for something else.
fn waits_for_another(ranks: &Communicator) -> Result<()> {
    match ranks.rank() {
        1 => ranks.recv(&mut ranks.device().zeros::<f32>(3)?, 2),
        _ => ranks.barrier(),
    }
}

/// Another communicator of the same environment, while the first one is used too, and after it.
fn another(ranks: &Communicator) -> Result<()> {
    let again = Communicator::from_env()?;
    for ranks in [&again, ranks, &again] {
        let mut x = ranks.device().to_device(&[ranks.rank()])?;
        ranks.all_reduce(&mut x, Operation::Max)?;
        assert_eq!(x.to_host()?, [ranks.size() - 1]);
    }
    drop(again);
    Communicator::from_env()?.barrier()
}

/// Numbers of elements: none, fewer than ranks, not a multiple of their number, more than the buffers of a connection have room for.
const LENGTHS: [usize; 5] = [0, 1, 3, 1001, 300_007];

pub(crate) fn calls(ranks: &Communicator) -> Result<()> {
    for len in LENGTHS {
        reductions(ranks, len, |x: usize| x as f64)?;
        movements(ranks, len)?;
    }
    reductions(ranks, 5, |x| x as i8)?;
    reductions(ranks, 5, |x| x as u8)?;
    reductions(ranks, 5, |x| x as i32)?;
    reductions(ranks, 5, |x| x as u32)?;
    reductions(ranks, 5, |x| x as i64)?;
    reductions(ranks, 5, |x| x as u64)?;
    reductions(ranks, 5, |x| x as isize)?;
    reductions(ranks, 5, |x| x)?;
    reductions(ranks, 5, |x| x as f32)?;
    reductions(ranks, 5, |x| f16::from_f32(x as f32))?;
    reductions(ranks, 5, |x| bf16::from_f32(x as f32))?;
    order(ranks)?;
    types(ranks)?;
    transfers(ranks)?;
    parts(ranks)?;
    splits(ranks)?;
    graphs(ranks)?;
    random_calls(ranks)?;
    mistakes(ranks)?;
    println!("all calls are right");
    Ok(())
}

/// Element `i` of rank `r` is `i % 5 + r + 1`.
fn reductions<T: Reducible + PartialEq + std::fmt::Debug>(ranks: &Communicator, len: usize, number: impl Fn(usize) -> T) -> Result<()> {
    let (rank, size, device) = (ranks.rank(), ranks.size(), ranks.device());
    let of = |rank: usize| (0..len).map(|i| number(i % 5 + rank + 1)).collect::<Vec<T>>();
    for (operation, expected) in [
        (Operation::Sum, (0..len).map(|i| number((0..size).map(|rank| i % 5 + rank + 1).sum())).collect::<Vec<T>>()),
        (Operation::Min, (0..len).map(|i| number(i % 5 + 1)).collect()),
        (Operation::Max, (0..len).map(|i| number(i % 5 + size)).collect()),
    ] {
        let mut x = device.to_device(&of(rank))?;
        ranks.all_reduce(&mut x, operation)?;
        assert_eq!(x.to_host()?, expected, "all_reduce, {operation}, {len} elements");

        let mut x = device.to_device(&of(rank))?;
        ranks.reduce(&mut x, operation, size - 1)?;
        assert_eq!(x.to_host()?, if rank == size - 1 { expected.clone() } else { of(rank) }, "reduce, {operation}");

        // Part `r` has the elements of `expected` that are `r` further on.
        let all: Vec<T> =
            (0..size).flat_map(|part| (0..len).map(move |i| (part, i))).map(|(part, i)| number((i + part) % 5 + rank + 1)).collect();
        let mut own = device.zeros::<T>(len)?;
        ranks.reduce_scatter(&device.to_device(&all)?, &mut own, operation)?;
        let combined = |i: usize| match operation {
            Operation::Sum => (0..size).map(|other| (i + rank) % 5 + other + 1).sum(),
            Operation::Min => (i + rank) % 5 + 1,
            _ => (i + rank) % 5 + size,
        };
        assert_eq!(own.to_host()?, (0..len).map(|i| number(combined(i))).collect::<Vec<T>>(), "reduce_scatter, {operation}");
    }
    let mut x = device.to_device(&[number(rank + 1)])?;
    ranks.all_reduce(&mut x, Operation::Product)?;
    assert_eq!(x.to_host()?, [number((1..=size).product())]);
    Ok(())
}

fn movements(ranks: &Communicator, len: usize) -> Result<()> {
    let (rank, size, device) = (ranks.rank(), ranks.size(), ranks.device());
    let of = |rank: usize| (0..len).map(|i| (i * 10 + rank) as u32).collect::<Vec<u32>>();
    for root in 0..size {
        let mut x = device.to_device(&of(rank))?;
        ranks.broadcast(&mut x, root)?;
        assert_eq!(x.to_host()?, of(root));
    }
    let (x, mut all) = (device.to_device(&of(rank))?, device.zeros::<u32>(len * size)?);
    ranks.all_gather(&x, &mut all)?;
    assert_eq!(all.to_host()?, (0..size).flat_map(of).collect::<Vec<u32>>());

    let to = |from: usize, to: usize| (0..len).map(move |i| (i * 100 + from * 10 + to) as u32);
    let source = device.to_device(&(0..size).flat_map(|other| to(rank, other)).collect::<Vec<_>>())?;
    let mut target = device.zeros_like(&source)?;
    ranks.all_to_all(&source, &mut target)?;
    assert_eq!(target.to_host()?, (0..size).flat_map(|other| to(other, rank)).collect::<Vec<_>>());
    Ok(())
}

/// Elements are added in the order of the ranks, on CPUs.
fn order(ranks: &Communicator) -> Result<()> {
    let terms = [1e8f32, 1.0, -1e8, 1.0];
    if ranks.device().is_gpu() {
        return Ok(());
    }
    let terms = &terms[..ranks.size()];
    let mut x = ranks.device().to_device(&[terms[ranks.rank()]; 9])?;
    ranks.all_reduce(&mut x, Operation::Sum)?;
    let sum = terms.iter().copied().reduce(|a, b| a + b).expect("a rank");
    assert_eq!(x.to_host()?, [sum; 9]);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    charge: i32,
    is_alive: bool,
    unused: [u8; 3],
}

/// What is not combined has any type without padding.
fn types(ranks: &Communicator) -> Result<()> {
    let (rank, device) = (ranks.rank(), ranks.device());
    let particle =
        |rank: usize| Particle { position: [rank as f64; 3], charge: -(rank as i32), is_alive: rank.is_multiple_of(2), unused: [0; 3] };
    let mut all = device.to_device(&vec![particle(9); ranks.size()])?;
    ranks.all_gather(&device.to_device(&[particle(rank)])?, &mut all)?;
    assert_eq!(all.to_host()?, (0..ranks.size()).map(particle).collect::<Vec<_>>());
    let mut flags = device.to_device(&[rank == 1, false, true])?;
    ranks.broadcast(&mut flags, 1)?;
    assert_eq!(flags.to_host()?, [true, false, true]);
    Ok(())
}

fn transfers(ranks: &Communicator) -> Result<()> {
    let (rank, size, device) = (ranks.rank(), ranks.size(), ranks.device());
    for len in LENGTHS {
        let x = device.to_device(&vec![rank as i64; len])?;
        let (mut left, mut right) = (device.zeros_like(&x)?, device.zeros_like(&x)?);
        let (before, after) = ((rank + size - 1) % size, (rank + 1) % size);
        ranks.group().send(&x, after).send(&x, before).recv(&mut left, before).recv(&mut right, after).run()?;
        assert_eq!(left.to_host()?, vec![before as i64; len]);
        assert_eq!(right.to_host()?, vec![after as i64; len]);
    }
    let mut x = device.to_device(&[rank as f32])?;
    let last = size - 1;
    match rank {
        0 => ranks.recv(&mut x, last)?,
        rank if rank == last => ranks.send(&x, 0)?,
        _ => {}
    }
    assert_eq!(x.to_host()?, [if rank == 0 { last as f32 } else { rank as f32 }]);
    // Two arrays for the same rank arrive in order.
    let (one, two) = (device.to_device(&[1u8])?, device.to_device(&[2u8, 3])?);
    let (mut first, mut second) = (device.zeros::<u8>(1)?, device.zeros::<u8>(2)?);
    match rank {
        1 => ranks.group().send(&one, 0).send(&two, 0).run()?,
        0 => ranks.group().recv(&mut first, 1).recv(&mut second, 1).run()?,
        _ => {}
    }
    if rank == 0 {
        assert_eq!((first.to_host()?, second.to_host()?), (vec![1], vec![2, 3]));
    }
    Ok(())
}

/// Parts of arrays, on a stream.
fn parts(ranks: &Communicator) -> Result<()> {
    let stream = ranks.device().stream()?;
    let mut x = ranks.device().to_device(&[1, 1, 1, 1])?;
    ranks.all_reduce(x.slice_mut(1..3).on(&stream), Operation::Sum)?;
    let size = ranks.size() as i32;
    assert_eq!(x.to_host()?, [1, size, size, 1]);
    ranks.all_reduce(x.view_mut().slice_axis(0, 3..).as_slice_mut().expect("contiguous"), Operation::Sum)?;
    assert_eq!(x.to_host()?, [1, size, size, size]);
    Ok(())
}

/// Calls of any kind and length, one after the other, against a model that has the elements of all ranks.
fn random_calls(ranks: &Communicator) -> Result<()> {
    let (rank, size, device) = (ranks.rank(), ranks.size(), ranks.device());
    let mut state = 88172645463325252u64; // the same on all ranks
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for call in 0..100 {
        let len = [0, 1, 2, 7, 64, 1001][random(6)];
        let (kind, root, shift) = (random(7), random(size), random(size));
        let operation = [Operation::Sum, Operation::Product, Operation::Min, Operation::Max][random(4)];
        let combine = |a: i64, b: i64| match operation {
            Operation::Sum => a.wrapping_add(b),
            Operation::Product => a.wrapping_mul(b),
            Operation::Min => a.min(b),
            Operation::Max => a.max(b),
        };
        let of: Vec<Vec<i64>> = (0..size).map(|_| (0..len * size).map(|_| random(1000) as i64 - 500).collect()).collect();
        let combined: Vec<i64> = (0..len * size).map(|i| of.iter().map(|x| x[i]).reduce(combine).expect("a rank")).collect();
        let part = rank * len..(rank + 1) * len;
        let (mut x, mut y) = (device.to_device(&of[rank])?, device.zeros::<i64>(len * size)?);
        let (found, expected) = match kind {
            0 => {
                ranks.all_reduce(&mut x, operation)?;
                (&x, combined)
            }
            1 => {
                ranks.reduce(&mut x, operation, root)?;
                (&x, if rank == root { combined } else { of[rank].clone() })
            }
            2 => {
                ranks.broadcast(&mut x, root)?;
                (&x, of[root].clone())
            }
            3 => {
                ranks.all_gather(x.slice(..len), &mut y)?;
                (&y, of.iter().flat_map(|x| &x[..len]).copied().collect())
            }
            4 => {
                ranks.reduce_scatter(&x, y.slice_mut(part.clone()), operation)?;
                (&y, (0..len * size).map(|i| if part.contains(&i) { combined[i] } else { 0 }).collect())
            }
            5 => {
                ranks.all_to_all(&x, &mut y)?;
                (&y, of.iter().flat_map(|x| &x[part.clone()]).copied().collect())
            }
            _ if shift == 0 => (&x, of[rank].clone()),
            _ => {
                ranks.group().send(&x, (rank + shift) % size).recv(&mut y, (rank + size - shift) % size).run()?;
                (&y, of[(rank + size - shift) % size].clone())
            }
        };
        assert_eq!(found.to_host()?, expected, "call {call}: kind {kind}, {operation}, {len} elements, rank {root}, shift {shift}");
    }
    Ok(())
}

/// Calls in a graph do at each launch what they do without one.
fn graphs(ranks: &Communicator) -> Result<()> {
    let (rank, size, device) = (ranks.rank(), ranks.size(), ranks.device());
    let (before, after) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut sum = device.to_device(&[rank + 1; 5])?;
    let (own, mut received) = (device.to_device(&[rank as f64; 3])?, device.zeros::<f64>(3)?);
    let mut graph = Graph::record(device, (&mut sum, &own, &mut received), |(sum, own, received)| {
        ranks.all_reduce(&mut *sum, Operation::Sum)?;
        *sum += 1;
        ranks.group().send(own, after).recv(&mut *received, before).run()?;
        *sum *= 2;
        ranks.all_reduce(&mut *sum, Operation::Max)
    })?;
    assert_eq!((sum.to_host()?, received.to_host()?), (vec![rank + 1; 5], vec![0.0; 3]), "nothing is done yet");
    let mut expected = size * (size + 1) / 2 * 2 + 2;
    for launch in 0..3 {
        graph.launch((&mut sum, &own, &mut received))?;
        assert_eq!(sum.to_host()?, [expected; 5], "launch {launch}");
        expected = (size * expected + 1) * 2;
    }
    assert_eq!(received.to_host()?, [before as f64; 3]);
    let (mut other, own) = (device.to_device(&[1usize; 5])?, device.to_device(&[-1.0; 3])?);
    graph.launch((&mut other, &own, &mut received))?;
    assert_eq!((other.to_host()?, received.to_host()?), (vec![2 * size + 2; 5], vec![-1.0; 3]), "with other arrays");
    drop(graph);
    let refused = Graph::record(device, (&mut sum,), |_| ranks.barrier());
    assert!(matches!(refused, Err(Error::NotRecordable { .. })), "nobody waits in a graph");
    Ok(())
}

/// Rank 0 has a transfer in its second graph, and rank 1 in its first: NCCL would pair each with what comes next. On GPUs only, as the launch of a
/// graph compares its calls on CPUs.
pub(crate) fn records_in_another_graph(ranks: &Communicator) -> Result<()> {
    let device = ranks.device();
    let (own, mut received) = (device.zeros::<f32>(10)?, device.zeros::<f32>(10)?);
    for turn in 0..2 {
        Graph::record(device, (&own, &mut received), |(own, received)| {
            let group = match (ranks.rank(), turn) {
                (0, 1) => ranks.group().send(own, 1),
                (1, 0) => ranks.group().recv(&mut *received, 0),
                _ => ranks.group(),
            };
            group.run()
        })?;
    }
    Ok(())
}

fn splits(ranks: &Communicator) -> Result<()> {
    let (rank, size) = (ranks.rank(), ranks.size());
    // Odd and even ranks, the last one first.
    let half = ranks.split(rank % 2, size - rank)?;
    let same: Vec<usize> = (0..size).filter(|other| other % 2 == rank % 2).collect();
    assert_eq!((half.rank(), half.size()), (same.iter().filter(|other| **other > rank).count(), same.len()));
    let mut x = half.device().to_device(&[rank])?;
    half.all_reduce(&mut x, Operation::Sum)?;
    assert_eq!(x.to_host()?, [same.iter().sum::<usize>()]);
    let alone = ranks.split(rank, 0)?;
    assert_eq!(alone.size(), 1);
    reductions_alone(&alone)?;
    if ranks.device().is_gpu() {
        return Ok(());
    }
    // On CPUs, threads may use communicators in another order on each rank.
    let others = [ranks.split(0, rank)?, ranks.split(0, rank)?];
    std::thread::scope(|scope| {
        for turn in 0..2 {
            let ranks = &others[(turn + rank) % 2];
            scope.spawn(move || {
                let mut x = ranks.device().to_device(&[1.0f32; 10]).expect("an array");
                (0..20).for_each(|_| ranks.all_reduce(&mut x, Operation::Max).expect("all ranks are there"));
            });
        }
    });
    Ok(())
}

fn reductions_alone(ranks: &Communicator) -> Result<()> {
    let mut x = ranks.device().to_device(&[1, 2])?;
    ranks.all_reduce(&mut x, Operation::Sum)?;
    ranks.broadcast(&mut x, 0)?;
    let mut y = ranks.device().zeros::<i32>(2)?;
    ranks.all_gather(&x, &mut y)?;
    assert_eq!(y.to_host()?, [1, 2]);
    y.copy_from_host(&[0, 0])?;
    ranks.all_to_all(&x, &mut y)?;
    ranks.reduce_scatter(&y, &mut x, Operation::Sum)?;
    assert_eq!(x.to_host()?, [1, 2]);
    ranks.barrier()
}

/// Mistakes that need no other rank to be noticed.
fn mistakes(ranks: &Communicator) -> Result<()> {
    let device = ranks.device();
    let (x, mut y) = (device.zeros::<f32>(3)?, device.zeros::<f32>(11)?);
    let message = |outcome: Result<()>| outcome.expect_err("a mistake").to_string();
    let size = ranks.size();
    let parts = format!("`all_gather` over {size} ranks needs an array of {size} × 3 elements, not 11");
    assert_eq!(message(ranks.all_gather(&x, &mut y)), parts);
    let missing = |rank| format!("there is no rank {rank}: the communicator has {size}, numbered from 0");
    assert_eq!(message(ranks.broadcast(&mut y, size)), missing(size));
    assert_eq!(message(ranks.send(&x, 7)), missing(7));
    let own = format!("rank {} cannot send to itself or receive from itself; copy the array", ranks.rank());
    assert_eq!(message(ranks.send(&x, ranks.rank())), own);
    ranks.barrier()
}
