//! Graphs: a launch does what the recorded code does.

use gpu_runtime::gradient::{constant, variable};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result};

use crate::support::devices;
use crate::{LEN, add_scaled};

type Arrays = Vec<DeviceArray<f64>>;

/// Code with everything that can be recorded: kernels, array functions, new arrays, reductions along an axis, streams.
fn work(device: &Device, stream: &Stream, x: &DeviceArray<f64>, out: &mut DeviceArray<f64>, by: f64, steps: usize) -> Result<()> {
    let mut scratch = device.zeros_like(out)?;
    for step in 0..steps {
        add_scaled(x, by, &mut scratch).forall(LEN)?;
        let doubled = (scratch.lazy() * 2.0).on(stream).collect()?;
        let sums = doubled.view().reshape([LEN / 10, 10])?.sum_axis(1)?;
        add_scaled(&doubled, by + step as f64, &mut *out).on(stream).forall(LEN)?;
        (out.view().reshape([LEN / 10, 10])? + sums.view().insert_axis(1)).collect_into(scratch.view_mut().reshape([LEN / 10, 10])?)?;
    }
    scratch.lazy().collect_into(out)
}

fn arrays(device: &Device) -> Arrays {
    (0..4).map(|n| device.to_device(&vec![f64::from(n); LEN]).unwrap()).collect()
}

fn values(arrays: &Arrays) -> Vec<Vec<f64>> {
    arrays.iter().map(|array| array.to_host().unwrap()).collect()
}

#[test]
fn a_launch_does_what_the_code_does_with_its_arguments() {
    for device in devices("a_launch_does_what_the_code_does_with_its_arguments") {
        let stream = device.stream().unwrap();
        let (mut direct, mut replayed) = (arrays(&device), arrays(&device));
        let [x, out, ..] = replayed.as_mut_slice() else { unreachable!() };
        let code = |(x, out, by, steps): (&DeviceArray<f64>, &mut DeviceArray<f64>, f64, usize)| work(&device, &stream, x, out, by, steps);
        let mut graph = Graph::record(&device, (&*x, &mut *out, 0.5, 3usize), code).unwrap();
        assert_eq!(values(&replayed), values(&direct), "{device}: nothing happens when it is recorded");

        // The same arguments again and again, other numbers, other arrays, another course of the code, and what it was first.
        let launches = [(0, 1, 0.5, 3), (0, 1, 0.5, 3), (0, 1, 0.25, 3), (2, 3, 0.25, 3), (3, 1, 0.25, 1), (0, 1, 0.5, 3)];
        for (round, (from, to, by, steps)) in launches.into_iter().enumerate() {
            let [x, out] = direct.get_disjoint_mut([from, to]).unwrap();
            work(&device, &stream, x, out, by, steps).unwrap();
            let [x, out] = replayed.get_disjoint_mut([from, to]).unwrap();
            graph.launch((&*x, out, by, steps)).unwrap();
            assert_eq!(values(&replayed), values(&direct), "{device}, launch {round}");
        }
    }
}

#[derive(GraphData)]
struct Layer<T: gpu_runtime::DeviceType>(DeviceArray<T>, Option<DeviceArray<T>>);

#[derive(GraphData)]
pub(crate) struct Model {
    name: String,
    layers: Vec<Layer<f64>>,
    pairs: [(DeviceArray<f64>, u32); 1],
    rate: f64,
}

/// A launch with a struct does what the code does, also after its arrays and numbers have changed.
#[test]
fn structs_of_arrays_are_arguments() {
    for device in devices("structs_of_arrays_are_arguments") {
        let ones = || device.ones::<f64>(LEN).unwrap();
        let model = || Model {
            name: "a".to_owned(),
            layers: vec![Layer(ones(), None), Layer(ones(), Some(ones()))],
            pairs: [(ones(), 3)],
            rate: 0.5,
        };
        let step = |model: &mut Model, out: &mut DeviceArray<f64>| -> Result<()> {
            for layer in &mut model.layers {
                add_scaled(&*out, model.rate, &mut layer.0).forall(LEN)?;
                add_scaled(&layer.0, 1.0, &mut *out).forall(LEN)?;
                if let Some(bias) = &layer.1 {
                    add_scaled(bias, f64::from(model.pairs[0].1) + model.name.len() as f64, &mut *out).forall(LEN)?;
                }
            }
            add_scaled(&model.pairs[0].0, 1.0, out).forall(LEN)
        };
        let (mut direct, mut of_direct, mut replayed, mut of_replayed) = (model(), ones(), model(), ones());
        let mut graph = Graph::record(&device, (&mut replayed, &mut of_replayed), |(model, out)| step(model, out)).unwrap();
        for round in 0..6 {
            for model in [&mut direct, &mut replayed] {
                match round {
                    2 => model.rate = 0.25,
                    3 => model.layers[0].1 = Some(ones()),
                    4 => model.layers.push(Layer(ones(), None)),
                    5 => model.name.push('b'),
                    _ => {}
                }
            }
            step(&mut direct, &mut of_direct).unwrap();
            graph.launch((&mut replayed, &mut of_replayed)).unwrap();
            assert_eq!(of_replayed.to_host().unwrap(), of_direct.to_host().unwrap(), "{device}, launch {round}");
            assert_eq!(replayed.layers[1].0.to_host().unwrap(), direct.layers[1].0.to_host().unwrap(), "{device}, launch {round}");
        }
        let outcome = Graph::record(&device, (&mut replayed,), |(model,)| {
            model.layers.pop();
            Ok(())
        });
        assert!(matches!(outcome, Err(Error::NotRecordable { .. })), "{device}: {:?}", outcome.err());
    }
}

#[test]
fn numbers_that_compare_equal_are_different_arguments() {
    for device in devices("numbers_that_compare_equal_are_different_arguments") {
        let mut out = device.zeros::<f64>(1).unwrap();
        let mut graph = Graph::record(&device, (&mut out, 0.0f64), |(out, value)| out.fill(value)).unwrap();
        for value in [0.0f64, -0.0, f64::NAN, 0.0] {
            graph.launch((&mut out, value)).unwrap();
            assert_eq!(out.to_host().unwrap()[0].to_bits(), value.to_bits(), "{device}");
        }
    }
}

#[test]
fn a_graph_is_in_order_with_other_work_and_reports_failures_to_its_stream() {
    for device in devices("a_graph_is_in_order_with_other_work_and_reports_failures_to_its_stream") {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut out) = (device.to_device(&vec![1.0; LEN]).unwrap(), device.zeros::<f64>(LEN).unwrap());
        let mut graph = Graph::record(&stream, (&x, &mut out, LEN), |(x, out, n)| {
            if n > LEN {
                return Err(Error::PartOfVector { len: n, lanes: LEN });
            }
            add_scaled(x.slice(..n), 1.0, out).forall(LEN)
        })
        .unwrap();
        let mut expected = 0.0;
        for _ in 0..20 {
            add_scaled(&x, 2.0, &mut out).on(&other).forall(LEN).unwrap();
            graph.launch((&x, &mut out, LEN)).unwrap();
            expected = (expected * 0.5 + 2.0) * 0.5 + 1.0;
        }
        assert_eq!(out.to_host().unwrap(), vec![expected; LEN], "{device}");
        // Arguments that cannot be recorded leave the graph as it was.
        let outcome = graph.launch((&x, &mut out, LEN + 1));
        assert!(matches!(outcome, Err(Error::PartOfVector { .. })), "{device}: {outcome:?}");
        graph.launch((&x, &mut out, LEN)).unwrap();
        assert_eq!(out.to_host().unwrap(), vec![expected * 0.5 + 1.0; LEN], "{device}");
        graph.launch((&x, &mut out, 10)).unwrap();
        other.synchronize().unwrap();
        let outcome = stream.synchronize();
        assert!(matches!(&outcome, Err(Error::KernelFailed(failure)) if failure.kernel == "add_scaled"), "{device}: {outcome:?}");
        stream.synchronize().unwrap();
    }
}

#[test]
fn a_graph_moves_to_another_thread() {
    for device in devices("a_graph_moves_to_another_thread") {
        let mut out = device.zeros::<f64>(10).unwrap();
        let mut graph = Graph::record(&device, (&mut out,), |(out,)| (out.lazy() + 1.0).collect()?.lazy().collect_into(out)).unwrap();
        let out = std::thread::spawn(move || {
            (0..100).try_for_each(|_| graph.launch((&mut out,))).unwrap();
            out
        });
        assert_eq!(out.join().unwrap().to_host().unwrap(), [100.0; 10], "{device}");
    }
}

/// What is recorded wrong, and what is said of it.
type Mistake = (fn(&Device, &DeviceArray<f64>, &mut DeviceArray<f64>) -> Result<()>, &'static str);

const MISTAKES: &[Mistake] = &[
    (|_, x, _| x.to_host().map(drop), "a graph cannot record a result on the host: store it in an array"),
    (|_, x, _| x.lazy().sum().map(drop), "a graph cannot record a result on the host"),
    (|_, x, _| (x.lazy() + 1.0).to_host().map(drop), "a graph cannot record a result on the host"),
    (|device, _, _| device.to_device(&[1.0]).map(drop), "a graph cannot record a copy from the host: copy before"),
    (|_, _, out| out.copy_from_host(&[0.0; LEN]), "a graph cannot record a copy from the host"),
    (|_, x, out| (x.lazy() + &[1.0; LEN]).collect_into(out), "a graph cannot record a copy from the host"),
    (|device, _, out| out.copy_from_pinned(&device.pinned(LEN)?), "a graph cannot record a copy from the host"),
    (|device, x, _| x.copy_to_pinned(&mut device.pinned(LEN)?), "a graph cannot record a result on the host"),
    (|_, x, _| x.view().reshape([LEN / 10, 10])?.slice_axis(0, ..10).solve(x.slice(..10)).map(drop), "a graph cannot record"),
    (|device, _, _| device.synchronize(), "a graph cannot record a wait for the device: wait after `launch`"),
    (|device, _, _| device.stream()?.synchronize(), "a graph cannot record a wait"),
    (|device, _, _| device.finished().map(drop), "a graph cannot record a wait"),
    (|device, _, _| device.record().map(drop), "a graph cannot record an event"),
    (|device, _, _| device.time(|| Ok(())).map(drop), "a graph cannot record an event"),
    (|device, _, out| Graph::record(device, (out,), |_| Ok(())).map(drop), "a graph cannot record another graph"),
    (
        |_, x, out| std::thread::scope(|scope| scope.spawn(|| add_scaled(x, 1.0, out).forall(LEN)).join().unwrap()),
        "a graph cannot record work of another thread",
    ),
    (|device, _, _| device.zeros::<f64>(3).map(std::mem::forget), "keeps 1 of the arrays that it creates"),
];

#[test]
fn what_cannot_be_recorded_is_an_error_that_says_what_to_do() {
    for device in devices("what_cannot_be_recorded_is_an_error_that_says_what_to_do") {
        let (x, mut out) = (device.zeros::<f64>(LEN).unwrap(), device.zeros::<f64>(LEN).unwrap());
        for (mistake, expected) in MISTAKES {
            let recorded = Graph::record(&device, (&x, &mut out), |(x, out)| mistake(&device, x, out));
            let error = recorded.map(drop).unwrap_err().to_string();
            assert!(error.contains(expected), "{device}: {error}");
        }
        // After all that, everything works as before.
        add_scaled(&x, 1.0, &mut out).forall(LEN).unwrap();
        device.synchronize().unwrap();
    }
}

#[test]
fn all_arrays_are_arguments_of_the_same_device() {
    for device in devices("all_arrays_are_arguments_of_the_same_device") {
        let (x, mut out) = (device.zeros::<f64>(LEN).unwrap(), device.zeros::<f64>(LEN).unwrap());
        let record = |code: &(dyn Fn(&mut DeviceArray<f64>) -> Result<()> + Sync)| {
            Graph::record(&device, (&mut device.zeros::<f64>(LEN)?,), |(out,)| code(out)).map(drop)
        };
        let (line, error) = (line!(), record(&|out| add_scaled(&x, 1.0, out).forall(LEN)).unwrap_err());
        let expected = format!(
            "the recorded code at {}:{line} reads an array on {device} that is not an argument of the graph; \
             pass the array to `Graph::record` and to `launch`, or to `Graph::record_with` as what the code only reads",
            file!()
        );
        assert_eq!(error.to_string(), expected);
        let shared = std::sync::Mutex::new(device.zeros::<f64>(LEN).unwrap());
        let error = record(&|_| (x.lazy() + 1.0).collect_into(&mut *shared.lock().unwrap())).unwrap_err();
        assert!(matches!(error, Error::NotGivenToGraph { writes: false, .. }), "{error}");
        let square = device.zeros::<f64>([8, 8]).unwrap();
        let error = record(&|_| square.matmul(&square).map(drop)).unwrap_err();
        assert!(matches!(error, Error::NotGivenToGraph { writes: false, .. }), "{error}");
        let error = record(&|out| out.lazy().collect_into(&mut *shared.lock().unwrap())).unwrap_err();
        assert!(error.to_string().ends_with("and to `launch`, as `&mut array`"), "{error}");
        out.fill(1.0).unwrap();
        if device.is_gpu() {
            let error = Graph::record(&Device::cpu(), (&x,), |_| Ok(())).map(drop).unwrap_err();
            assert!(matches!(error, Error::GraphOfOtherDevice { .. }), "{error}");
        }
    }
}

/// Each thread adds what its neighbour has written before the barrier.
#[gpu_kernel]
fn add_neighbour(x: &mut [f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        x[i] += 1.0;
    }
    sync_grid();
    if i < out.len() {
        out[i] = x[(i + 33) % x.len()];
    }
}

#[test]
fn grid_barriers_and_products_of_matrices_are_recorded() {
    for device in devices("grid_barriers_and_products_of_matrices_are_recorded") {
        let (mut x, mut y) = (device.zeros::<f64>(64).unwrap(), device.zeros::<f64>(64).unwrap());
        let (mut out, mut other) = (device.zeros::<f64>(64).unwrap(), device.zeros::<f64>(64).unwrap());
        let mut graph = Graph::record(&device, (&mut x, &mut y, &mut out, &mut other), |(x, y, out, other)| {
            // SAFETY: the barrier is between the writes and the reads of other threads.
            unsafe {
                add_neighbour(&mut *x, &mut *out).launch_unchecked(2, 32)?;
                add_neighbour(&mut *y, &mut *other).launch_unchecked(2, 32)?; // independent of the first
                add_neighbour(&mut *out, &mut *x).launch_unchecked(2, 32)?;
            }
            let product = x.view().reshape([8, 8])?.matmul(other.view().reshape([8, 8])?)?;
            product.view().reshape(64)?.lazy().collect_into(y)
        })
        .unwrap();
        let (mut of_x, mut of_y) = (0.0, 0.0);
        for round in 0..5 {
            graph.launch((&mut x, &mut y, &mut out, &mut other)).unwrap();
            let of_other = of_y + 1.0;
            of_x += 2.0;
            of_y = 8.0 * of_x * of_other;
            assert_eq!(x.to_host().unwrap(), [of_x; 64], "{device}, round {round}");
            assert_eq!(y.to_host().unwrap(), [of_y; 64], "{device}, round {round}");
        }
    }
}

type Square = DeviceArray<f32>;

/// Array functions that take several launches, or calls of a library.
type Function = (&'static str, fn(&Square, &mut Square) -> Result<()>);

const SIDE: usize = 72;

const FUNCTIONS: &[Function] = &[
    ("matmul", |x, out| x.matmul(x)?.lazy().collect_into(out)),
    ("matmul, twice", |x, out| x.view().t().matmul(&x.matmul(x)?)?.lazy().collect_into(out)),
    ("matmul of f64", |x, out| {
        let wide = x.cast::<f64>().collect()?;
        wide.matmul(&wide)?.cast::<f32>().collect_into(out)
    }),
    ("fft, twice by one plan", |x, out| x.fft()?.fft()?.view().re().lazy().collect_into(out)),
    ("fft along two axes", |x, out| x.fft_axes([0, 1])?.ifft_axes([0, 1])?.view().re().lazy().collect_into(out)),
    ("rfft", |x, out| x.rfft()?.irfft(SIDE)?.lazy().collect_into(out)),
    ("sort of rows", |x, out| x.sort()?.lazy().collect_into(out)),
    ("sort of columns", |x, out| x.sort_axis(0)?.lazy().collect_into(out)),
    ("sort of all", |x, out| x.view().reshape(SIDE * SIDE)?.sort()?.reshape([SIDE, SIDE])?.lazy().collect_into(out)),
    ("argsort of all", |x, out| x.view().reshape(SIDE * SIDE)?.argsort()?.reshape([SIDE, SIDE])?.cast::<f32>().collect_into(out)),
    ("sort_with and take", |x, out| {
        let flat = x.view().reshape(SIDE * SIDE)?;
        let (_, order) = flat.sort_with(iota(SIDE * SIDE).cast::<u32>().on(x.device()))?;
        flat.take(&order)?.reshape([SIDE, SIDE])?.lazy().collect_into(out)
    }),
    ("top_k and searchsorted", |x, out| {
        let flat = x.view().reshape(SIDE * SIDE)?;
        let (values, _) = flat.top_k(SIDE)?;
        (flat.sort()?.searchsorted(&values)?.cast::<f32>() + x).collect_into(out)
    }),
    ("scans", |x, out| {
        let sums = x.view().reshape(SIDE * SIDE)?.cumsum()?.reshape([SIDE, SIDE])?;
        (x.cumsum_axis(0)? + &sums + x.exclusive_sum()?).collect_into(out)
    }),
    ("reductions along axes", |x, out| {
        let (sums, places) = (x.sum_axis(0)?, x.argmax_axis(1)?.cast::<f32>().collect()?);
        (&sums + places.view().insert_axis(1) + x.max_axis(..)? + x.mean_axis([0, 1])?).collect_into(out)
    }),
    ("histogram", |x, out| (x.histogram(SIDE, -12.0..=12.0)?.cast::<f32>() + x).collect_into(out)),
    ("random numbers", |x, out| (x.device().random(7).uniform::<f32>([SIDE, SIDE])? + x).collect_into(out)),
];

#[test]
fn array_functions_of_several_launches_and_of_libraries_are_recorded() {
    for device in devices("array_functions_of_several_launches_and_of_libraries_are_recorded") {
        let square = |factor: usize| -> Vec<f32> { (0..SIDE * SIDE).map(|i| (i * factor % 23) as f32 - 11.0).collect() };
        let on_device = |factor| device.to_device(&square(factor)).unwrap().reshape([SIDE, SIDE]).unwrap();
        let (x, y) = (on_device(7919), on_device(104_729));
        for &(name, function) in FUNCTIONS {
            let direct = [&x, &y].map(|x| {
                let mut out = device.zeros::<f32>([SIDE, SIDE]).unwrap();
                function(x, &mut out).unwrap_or_else(|error| panic!("{device}, {name}: {error}"));
                out.to_host().unwrap()
            });
            assert_ne!(direct[0], direct[1], "{device}, {name}");
            let mut out = device.zeros::<f32>([SIDE, SIDE]).unwrap();
            let recorded = Graph::record(&device, (&x, &mut out), |(x, out)| function(x, out));
            let mut graph = recorded.unwrap_or_else(|error| panic!("{device}, {name}: {error}"));
            assert_eq!(out.to_host().unwrap(), [0.0; SIDE * SIDE], "{device}, {name}: nothing happens when it is recorded");
            for round in [0, 0, 1, 0] {
                // The same work outside of the graph, which must not disturb it: what it works in is the graph's own.
                let stream = device.stream().unwrap();
                let mut other = stream.zeros::<f32>([SIDE, SIDE]).unwrap();
                function(&y, &mut other).unwrap();
                graph.launch(([&x, &y][round], &mut out)).unwrap();
                assert_eq!(out.to_host().unwrap(), direct[round], "{device}, {name}");
                assert_eq!(other.to_host().unwrap(), direct[1], "{device}, {name}, outside");
            }
        }
    }
}

#[test]
fn graphs_that_come_and_go_leave_no_memory_behind() {
    for device in devices("graphs_that_come_and_go_leave_no_memory_behind") {
        let (x, mut out) = (device.zeros::<f64>(1 << 16).unwrap(), device.zeros::<f64>(1 << 16).unwrap());
        let mut after_the_first = None;
        for number in 0..1000 {
            let code = |(x, out, by): (&DeviceArray<f64>, &mut DeviceArray<f64>, f64)| (x.lazy() + by).collect()?.lazy().collect_into(out);
            let mut graph = Graph::record(&device, (&x, &mut out, 1.0), code).unwrap();
            graph.launch((&x, &mut out, 1.0)).unwrap();
            graph.launch((&x, &mut out, f64::from(number))).unwrap();
            drop(graph);
            let memory = device.memory().unwrap();
            let first = *after_the_first.get_or_insert(memory);
            // Other tests have a few arrays on the CPU. If each graph left an array, there would be 500 MB.
            assert!(memory.live <= first.live + (64 << 20), "{device}, graph {number}: {} bytes", memory.live);
            // The driver frees the memory of a graph when its launches are done, and takes more meanwhile.
            if number % 100 == 99 {
                device.synchronize().unwrap();
                assert!(memory.reserved <= first.reserved + (256 << 20), "{device}, graph {number}: {} bytes", memory.reserved);
            }
        }
        assert_eq!(out.to_host().unwrap(), vec![999.0; 1 << 16], "{device}");
    }
}

#[test]
fn a_step_along_a_gradient_is_recorded() -> Result<()> {
    for device in devices("a_step_along_a_gradient_is_recorded") {
        let x = (device.arange(1.0f64, 13.0, 1.0)? * 0.1).collect()?.reshape([4, 3])?;
        let step = |x: &DeviceArray<f64>, w: &mut DeviceArray<f64>, loss: &mut DeviceArray<f64>| -> Result<()> {
            let by_w = {
                let w = variable(&*w);
                let value = (constant(x).matmul(&w)? - 1.0).square().mean()?;
                loss.copy_from(&value.value()?)?;
                value.gradient(&w)?
            };
            *w -= by_w * 0.01;
            Ok(())
        };
        let (mut w, mut loss) = (device.zeros(3)?, device.zeros([])?);
        let (mut direct, mut of_direct) = (device.zeros(3)?, device.zeros([])?);
        let mut graph = Graph::record(&device, (&x, &mut w, &mut loss), |(x, w, loss)| step(x, w, loss))?;
        for _ in 0..3 {
            graph.launch((&x, &mut w, &mut loss))?;
            step(&x, &mut direct, &mut of_direct)?;
            assert_eq!((w.to_host()?, loss.to_host()?), (direct.to_host()?, of_direct.to_host()?), "{device}");
        }
        assert!(loss.to_host()?[0] < 1.0);
    }
    Ok(())
}

/// CUDA has no atomic operation for it, and it is not associative.
#[vectorize]
fn mixed(element: u64, value: u64) -> u64 {
    element.wrapping_mul(31).wrapping_add(value)
}

#[guvectorize("(n)->()")]
fn total(x: &[u64]) -> u64 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

#[test]
fn operations_of_several_kernels_use_what_they_have_made() -> Result<()> {
    for device in devices("operations_of_several_kernels_use_what_they_have_made") {
        type Results<'r> = [&'r mut DeviceArray<u64>; 4];
        let work = |keys: &DeviceArray<u32>, x: &DeviceArray<u64>, [groups, sums, others, totals]: Results<'_>| -> Result<()> {
            mixed::at(&mut *groups, keys, x)?; // by pairs that were sorted before
            sums.copy_from(&x.cumsum()?)?; // blocks that wait for words, which are cleared
            others.copy_from(&sums.cumsum()?)?; // the same words
            total::map(x.view().reshape([LEN / 10, 10])? * 2u64).collect_into(totals) // of a copy
        };
        let keys = device.to_device(&(0..LEN as u32).map(|i| i.wrapping_mul(7919) % 50).collect::<Vec<_>>())?;
        let x = device.to_device(&(0..LEN as u64).collect::<Vec<_>>())?;
        let new = || -> Result<[DeviceArray<u64>; 4]> {
            Ok([device.zeros(50)?, device.zeros(LEN)?, device.zeros(LEN)?, device.zeros(LEN / 10)?])
        };
        let (mut direct, mut replayed) = (new()?, new()?);
        let [a, b, c, d] = &mut replayed;
        let mut graph =
            Graph::record(&device, (&keys, &x, &mut *a, &mut *b, &mut *c, &mut *d), |(keys, x, a, b, c, d)| work(keys, x, [a, b, c, d]))?;
        for launch in 0..5 {
            let [a, b, c, d] = &mut replayed;
            graph.launch((&keys, &x, a, b, c, d))?;
            work(&keys, &x, direct.each_mut())?;
            for (replayed, direct) in replayed.iter().zip(&direct) {
                assert_eq!(replayed.to_host()?, direct.to_host()?, "{device}, launch {launch}");
            }
        }
    }
    Ok(())
}
