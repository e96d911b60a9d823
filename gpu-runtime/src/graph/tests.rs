//! What graphs ask of the driver. The fake driver has no compiler, so the operations here are the clearing of new arrays, and kernels
//! that are put on the queue by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::backend::cuda::fake::{Call, take_calls};
use crate::backend::cuda::fake_kernel_node;
use crate::backend::{self, Access, Usage};
use crate::memory::DeviceArray;

fn device() -> Device {
    Device::of_queue(backend::Queue::of_fake_gpu())
}

/// Puts a kernel on the queue of `on` that reads `x` and writes `y`.
fn kernel(on: &Device, x: &DeviceArray<u32>, y: &mut DeviceArray<u32>) -> Result<()> {
    let uses = [x.slice(..).memory_use(Access::Read), y.slice(..).memory_use(Access::Write)];
    on.queue().ordered(&uses, || on.queue().dispatch(|| unreachable!("a GPU"), fake_kernel_node))
}

/// The nodes that were added since the last call, each with those that it follows, both counted from the first one; and the other calls.
fn calls() -> (Vec<Vec<usize>>, Vec<Call>) {
    let mut first = None;
    let (mut nodes, mut others) = (Vec::<Vec<usize>>::new(), Vec::new());
    for call in take_calls() {
        match call {
            Call::Node { node, after } => {
                let first = *first.get_or_insert(node);
                nodes.push(after.into_iter().map(|other| other - first).collect());
            }
            // It is that of the last node.
            Call::EarlyEdge { from, .. } => {
                let first = first.expect("an edge has nodes");
                nodes.last_mut().expect("an edge has nodes").push(from - first);
            }
            call => others.push(call),
        }
    }
    (nodes, others)
}

#[test]
fn nodes_follow_the_data_whatever_the_streams() {
    let device = device();
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    let (x, mut y, mut z) = (device.zeros(8).unwrap(), device.zeros(8).unwrap(), device.zeros(8).unwrap());
    take_calls();
    let mut graph = Graph::record(&device, (&x, &mut y, &mut z), |(x, y, z)| {
        kernel(&device, x, y)?;
        kernel(&device, x, z)?; // independent of the first, on the same stream
        kernel(&streams[0], y, z)?; // after both, on another stream
        kernel(&streams[1], z, y)
    })
    .unwrap();
    assert_eq!(calls(), (vec![vec![], vec![], vec![0, 1], vec![2]], vec![Call::Instantiate]));
    graph.launch((&x, &mut y, &mut z)).unwrap();
    graph.launch((&x, &mut y, &mut z)).unwrap();
    let launch = || Call::LaunchGraph { stream: 1 };
    assert_eq!(calls(), (vec![], vec![launch(), launch()]), "no call besides the launch");
}

#[test]
fn a_kernel_that_follows_one_kernel_alone_starts_early() {
    let device = device();
    let arrays = || device.zeros::<u32>(8).unwrap();
    let (x, mut y, mut z, mut w) = (arrays(), arrays(), arrays(), arrays());
    take_calls();
    let _graph = Graph::record(&device, (&x, &mut y, &mut z, &mut w), |(x, y, z, w)| {
        let mut cleared = device.zeros(8)?;
        kernel(&device, x, y)?; // 1
        kernel(&device, y, z)?; // 2, early
        kernel(&device, y, w)?; // 3: another is early behind 1 already
        kernel(&device, w, z)?; // 4 follows 2 and 3
        kernel(&device, &cleared, w)?; // 5 follows 4 and the clearing
        kernel(&device, w, &mut cleared)?; // 6, early
        kernel(&device, &cleared, w) // 7, early
    })
    .unwrap();
    let calls = take_calls();
    let first = calls.iter().find_map(|call| if let Call::Node { node, .. } = call { Some(*node) } else { None }).unwrap();
    let edges =
        calls.iter().filter_map(|call| if let Call::EarlyEdge { from, to } = call { Some((from - first, to - first)) } else { None });
    assert_eq!(edges.collect::<Vec<_>>(), [(1, 2), (5, 6), (6, 7)]);
}

#[test]
fn a_launch_waits_for_other_streams_that_use_its_arguments() {
    let device = device();
    let stream = device.stream().unwrap();
    let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
    let mut graph = Graph::record(&stream, (&x, &mut y), |(x, y)| kernel(&device, x, y)).unwrap();
    take_calls();
    graph.launch((&x, &mut y)).unwrap();
    let waits = |event, stream| [Call::Record { event, stream: 3 - stream }, Call::Wait { stream, event }];
    assert_eq!(take_calls(), [&waits(1, 2)[..], &[Call::LaunchGraph { stream: 2 }]].concat());
    device.queue().ordered(&[y.slice(..).memory_use(Access::Read)], || Ok(())).unwrap();
    assert_eq!(take_calls(), waits(2, 1), "who reads the result waits for the graph");
}

#[test]
fn other_arguments_change_the_graph_in_place_if_it_has_the_same_nodes() {
    let device = device();
    let (x, mut y, mut other) = (device.zeros(8).unwrap(), device.zeros(8).unwrap(), device.zeros(8).unwrap());
    let mut graph =
        Graph::record(&device, (&x, &mut y, 1usize), |(x, y, steps)| (0..steps).try_for_each(|_| kernel(&device, x, y))).unwrap();
    take_calls();
    let launch = || Call::LaunchGraph { stream: 1 };
    graph.launch((&x, &mut other, 1)).unwrap();
    assert_eq!(calls(), (vec![vec![]], vec![Call::Update, launch()]));
    graph.launch((&x, &mut other, 2)).unwrap();
    assert_eq!(calls(), (vec![vec![], vec![0]], vec![Call::Instantiate, Call::DestroyGraph, launch()]));
    graph.launch((&x, &mut other, 2)).unwrap();
    assert_eq!(calls(), (vec![], vec![launch()]));
    drop(graph);
    assert_eq!(calls(), (vec![], vec![Call::DestroyGraph]));
}

#[test]
fn arrays_that_the_code_drops_share_the_memory_of_the_graph() {
    let device = device();
    let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
    take_calls();
    let graph = Graph::record(&device, (&x, &mut y), |(x, y)| {
        for _ in 0..3 {
            let mut scratch = device.zeros(8)?;
            kernel(&device, x, &mut scratch)?;
            kernel(&device, &scratch, y)?;
        }
        Ok(())
    })
    .unwrap();
    let (nodes, others) = calls();
    // Clear, fill, use; the next array takes the memory when it is no longer used.
    assert_eq!(nodes, [vec![], vec![0], vec![1], vec![2], vec![3], vec![4], vec![5], vec![6], vec![7]]);
    let [Call::Allocate { address, .. }, Call::Instantiate] = others[..] else { panic!("{others:?}") };
    drop(graph);
    assert_eq!(calls().1, [Call::DestroyGraph, Call::Free { stream: 1, address }]);
}

/// What a library works in, with a number for each graph that asks for it.
struct Plan(Arc<AtomicUsize>);

impl Drop for Plan {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn what_a_library_needs_lives_as_long_as_the_graph() {
    let device = device();
    let alive = Arc::new(AtomicUsize::new(0));
    let plan = || {
        let make = |_: &'static _| {
            alive.fetch_add(1, Ordering::Relaxed);
            Ok(Plan(Arc::clone(&alive)))
        };
        backend::recording::gpu::kept(|_: &Plan| true, make)
    };
    let alive = || alive.load(Ordering::Relaxed);
    let mut graph = Graph::record(&device, (1,), |(_,)| {
        let (one, same) = (plan()?, plan()?);
        assert!(Arc::ptr_eq(&one, &same), "calls of a graph share it");
        Ok(())
    })
    .unwrap();
    assert_eq!(alive(), 1);
    graph.launch((1,)).unwrap();
    graph.launch((2,)).unwrap();
    assert_eq!(alive(), 1, "that of the recording before is gone");
    drop(graph);
    assert_eq!(alive(), 0);
}

#[test]
fn nothing_is_left_of_a_recording_that_fails() {
    let device = device();
    let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
    take_calls();
    for panics in [false, true] {
        let record = || {
            Graph::record(&device, (&x, &mut y), |(x, y)| {
                let mut scratch = device.zeros(8)?;
                kernel(&device, x, &mut scratch)?;
                assert!(!panics, "on purpose");
                device.synchronize()?;
                kernel(&device, &scratch, y)
            })
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(record));
        assert_eq!(outcome.is_err(), panics);
        drop(outcome.map(|recorded| assert!(recorded.is_err())));
        let (_, others) = calls();
        assert!(matches!(others[..], [Call::Allocate { address: new, .. }, Call::Free { address, .. }] if new == address), "{others:?}");
    }
    device.synchronize().unwrap();
}

#[test]
fn an_array_that_the_code_keeps_outlives_the_recording_and_cannot_be_used() {
    let device = device();
    let kept = std::sync::Mutex::new(None);
    let recorded = Graph::record(&device, (), |()| {
        *kept.lock().unwrap() = Some(device.zeros::<u32>(8)?);
        Ok(())
    })
    .map(drop);
    assert!(matches!(recorded, Err(Error::KeptByGraph { arrays: 1 })));
    let mut kept = kept.into_inner().unwrap().unwrap();
    let x = device.zeros(8).unwrap();
    take_calls();
    // Nothing has cleared it.
    assert!(matches!(kernel(&device, &x, &mut kept), Err(Error::KeptByGraph { arrays: 1 })));
    assert!(matches!(kept.to_host(), Err(Error::KeptByGraph { arrays: 1 })));
    assert_eq!(take_calls(), []);
    drop(kept);
    assert!(matches!(take_calls()[..], [Call::Free { stream: 1, .. }]));
}

#[test]
fn other_threads_cannot_use_an_array_that_the_code_creates() {
    let device = device();
    let (x, mut y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
    let stream = device.stream().unwrap();
    let graph = Graph::record(&device, (&x, &mut y), |(x, y)| {
        let mut scratch = device.zeros(8)?;
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| (scratch.to_host(), kernel(&stream, x, &mut scratch))).join());
        let (read, written) = elsewhere.unwrap();
        // The graph would neither have filled it before nor wait afterwards.
        assert!(matches!(read, Err(Error::KeptByGraph { arrays: 1 })));
        assert!(matches!(written, Err(Error::KeptByGraph { arrays: 1 })));
        kernel(&device, &scratch, y)
    });
    assert!(graph.is_ok(), "the array is dropped here");
}

/// Another thread has dropped an array of the code, and got its memory again: what the recording thread drops then is no array of the code,
/// although its address is that of one.
#[test]
fn a_graph_keeps_no_memory_of_others() {
    let device = device();
    take_calls();
    let recorded = Graph::record(&device, (), |()| {
        let dropped_elsewhere = std::mem::ManuallyDrop::new(device.zeros::<u32>(8)?);
        let pointer = dropped_elsewhere.as_ptr().cast_mut().cast();
        // SAFETY: the array is not dropped.
        unsafe { device.queue().free(pointer, 32, &Usage::unused()) };
        assert!(matches!(take_calls()[..], [Call::Allocate { address, .. }, .., Call::Free { address: freed, .. }] if address == freed));
        Ok(())
    });
    assert!(matches!(recorded.map(drop), Err(Error::KeptByGraph { arrays: 1 })));
}

#[test]
fn an_argument_that_the_code_replaces_is_refused() {
    let device = device();
    let (x, mut y, mut other) = (device.zeros(8).unwrap(), device.zeros(8).unwrap(), device.zeros(8).unwrap());
    let others = std::sync::Mutex::new(Vec::new());
    let mut graph = Graph::record(&device, (&x, &mut y), |(x, y)| {
        kernel(&device, x, y)?;
        if let Some(other) = others.lock().unwrap().pop() {
            *y = other; // what the kernel writes is freed
        }
        Ok(())
    })
    .unwrap();
    others.lock().unwrap().push(device.zeros(8).unwrap());
    take_calls();
    let refused = graph.launch((&x, &mut other)).unwrap_err();
    assert_eq!(refused.to_string(), "a graph cannot record an array in place of an argument: copy the elements, such as `x.copy_from(&y)`");
    assert!(!take_calls().iter().any(|call| matches!(call, Call::LaunchGraph { .. })));
    graph.launch((&x, &mut other)).unwrap();
}

#[test]
fn what_a_graph_captures_is_read_by_every_launch_and_passed_to_none() {
    let device = device();
    let stream = device.stream().unwrap();
    let (weights, bias, mut y, mut z) =
        (vec![device.zeros(8).unwrap()], device.zeros(8).unwrap(), device.zeros(8).unwrap(), device.zeros(8).unwrap());
    let runs = AtomicUsize::new(0);
    let mut graph = Graph::record_with(&stream, (&weights, &bias), (&mut y,), |(weights, bias), (y,)| {
        runs.fetch_add(1, Ordering::Relaxed);
        kernel(&stream, &weights[0], y)?;
        kernel(&stream, bias, y)
    })
    .unwrap();
    graph.launch((&mut y,)).unwrap();
    graph.launch((&mut y,)).unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    graph.launch((&mut z,)).unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 2, "another argument");
    drop(graph);
    take_calls();
    let (mut weights, mut bias) = (weights, bias);
    let other = device.stream().unwrap();
    for (on, captured) in [(&device, &mut weights[0]), (&other, &mut bias)] {
        on.queue().ordered(&[captured.slice(..).memory_use(Access::Write)], || Ok(())).unwrap();
        assert!(take_calls().iter().any(|call| matches!(call, Call::Wait { .. })), "who writes it then waits for the launches");
    }
}

#[test]
fn what_a_graph_captures_is_not_written() {
    let device = device();
    let (x, y) = (device.zeros(8).unwrap(), device.zeros(8).unwrap());
    let write = |array: &DeviceArray<u32>| {
        let uses = [array.slice(..).memory_use(Access::Write)];
        device.queue().ordered(&uses, || device.queue().dispatch(|| unreachable!("a GPU"), fake_kernel_node))
    };
    assert!(matches!(Graph::record_with(&device, &x, (), |x, ()| write(x)), Err(Error::NotGivenToGraph { writes: true, .. })));
    assert!(matches!(Graph::record_with(&device, &x, (), |_, ()| write(&y)), Err(Error::NotGivenToGraph { writes: true, .. })));
}

#[test]
fn what_an_operation_allocates_is_used_by_all_of_its_nodes() {
    let device = device();
    let mut y = device.zeros::<u32>(8).unwrap();
    take_calls();
    // As a scan does: its kernel waits for words that must be zero when it begins.
    let scan = |y: &mut DeviceArray<u32>| {
        device.queue().ordered(&[y.slice(..).memory_use(Access::Write)], || {
            let words = device.zeros::<u64>(4)?;
            device.queue().dispatch(|| unreachable!("a GPU"), fake_kernel_node)?;
            drop(words);
            Ok(())
        })
    };
    let mut z = device.zeros::<u32>(8).unwrap();
    take_calls();
    Graph::record(&device, (&mut y, &mut z), |(y, z)| {
        scan(y)?;
        scan(z)
    })
    .unwrap();
    // Clear and kernel of each; the second one clears the same words when the first one no longer needs them.
    assert_eq!(calls().0, [vec![], vec![0], vec![1], vec![2]]);
}

#[test]
fn an_operation_within_another_ends_alone() {
    let device = device();
    let (x, mut y, mut z) = (device.zeros(8).unwrap(), device.zeros(8).unwrap(), device.zeros(8).unwrap());
    take_calls();
    Graph::record(&device, (&x, &mut y, &mut z), |(x, y, z)| {
        device.queue().ordered(&[y.slice(..).memory_use(Access::Write)], || {
            kernel(&device, x, z)?;
            device.queue().dispatch(|| unreachable!("a GPU"), fake_kernel_node)
        })?;
        kernel(&device, y, z)
    })
    .unwrap();
    assert_eq!(calls().0, [vec![], vec![0], vec![1]]);
}

#[test]
fn a_copy_by_itself_is_refused_while_a_graph_is_recorded() {
    let device = device();
    let mut y = device.zeros::<u32>(8).unwrap();
    let refused = Graph::record(&device, (&mut y,), |(y,)| {
        let (host, target) = ([1u32; 8], y.slice_mut(..).pointer());
        // SAFETY: both have that many bytes.
        unsafe { device.queue().upload(host.as_ptr().cast(), target.cast(), size_of_val(&host)) }
    });
    assert!(matches!(refused.map(drop), Err(Error::NotRecordable { .. })));
}
