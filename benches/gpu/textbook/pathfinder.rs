//! The cheapest path down a wall of 101 rows and 1,000,000 columns, twenty rows in a launch: a block computes a trapezium in shared
//! memory, whose halo shrinks by one element on each side with every row.

use gpu_benches::by_hand::Arguments;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use gpu_benches::beside::{ByHand, Gpu, noise};
use gpu_benches::report::Report;

const COLUMNS: usize = 1_000_000;
const ROWS: usize = 100;
const BLOCK: usize = 256;
const ROWS_PER_LAUNCH: usize = 20;
/// The columns whose last row a block computes.
const INNER: usize = BLOCK - 2 * ROWS_PER_LAUNCH;

/// Adds the rows of `wall` from `start` on to the costs in `from`.
#[gpu_kernel(block = BLOCK)]
fn pathfinder(wall: &[i32], from: &[i32], to: &mut [i32], start: usize) {
    let mut before = shared::<[i32; BLOCK]>();
    let mut after = shared::<[i32; BLOCK]>();
    let t = thread_idx().x;
    let columns = to.len();
    let column = (block_idx().x * INNER + t) as isize - ROWS_PER_LAUNCH as isize;
    let is_inside = column >= 0 && column < columns as isize;
    // Beside the wall's edges, nothing is cheap.
    before[t] = if is_inside { from[column as usize] } else { i32::MAX };
    sync_threads();
    for step in 0..ROWS_PER_LAUNCH {
        if t > step && t < BLOCK - 1 - step {
            let cheapest = before[t - 1].min(before[t]).min(before[t + 1]);
            after[t] = if is_inside { cheapest + wall[(start + step) * columns + column as usize] } else { i32::MAX };
        }
        sync_threads();
        if t > step && t < BLOCK - 1 - step {
            before[t] = after[t];
        }
        sync_threads();
    }
    if t >= ROWS_PER_LAUNCH && t < BLOCK - ROWS_PER_LAUNCH && is_inside {
        to[column as usize] = before[t];
    }
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    let mut random = noise(2);
    let host: Vec<i32> = (0..COLUMNS * ROWS).map(|_| (random() % 10) as i32).collect();
    let first: Vec<i32> = (0..COLUMNS).map(|_| (random() % 10) as i32).collect();
    let (wall, start) = (gpu.device.to_device(&host)?, gpu.device.to_device(&first)?);
    let mut costs = [gpu.device.zeros::<i32>(COLUMNS)?, gpu.device.zeros::<i32>(COLUMNS)?];
    let grid = COLUMNS.div_ceil(INNER);

    let (hand_wall, hand_start) = (gpu.cuda.upload(&host)?, gpu.cuda.upload(&first)?);
    let hand_costs = [gpu.cuda.zeros::<i32>(COLUMNS)?, gpu.cuda.zeros::<i32>(COLUMNS)?];
    let kernel = gpu.cuda.compile(include_str!("pathfinder.cu"), "pathfinder")?;
    let mut launches: Vec<ByHand> = (0..ROWS / ROWS_PER_LAUNCH)
        .map(|launch| {
            let from = if launch == 0 { hand_start.address() } else { hand_costs[(launch + 1) % 2].address() };
            let start = launch * ROWS_PER_LAUNCH;
            let values = [hand_wall.address(), from, hand_costs[launch % 2].address(), COLUMNS as u64, start as u64];
            ByHand { kernel, grid: [grid as u32, 1], block: [BLOCK as u32, 1], arguments: Arguments::new(&values) }
        })
        .collect();

    let last = (ROWS / ROWS_PER_LAUNCH - 1) % 2;
    let figure = gpu.compare(
        "pathfinder",
        10,
        0.98,
        || {
            for launch in 0..ROWS / ROWS_PER_LAUNCH {
                let [even, odd] = &mut costs;
                let (from, to) = if launch % 2 == 0 { (&*odd, even) } else { (&*even, odd) };
                let from = if launch == 0 { &start } else { from };
                // SAFETY: each block writes its own inner columns.
                unsafe { pathfinder(&wall, from, to, launch * ROWS_PER_LAUNCH).launch_unchecked(grid, BLOCK)? };
            }
            Ok(())
        },
        || launches.iter_mut().try_for_each(|by_hand| gpu.launch(by_hand)),
    )?;
    let expected = cheapest_paths(&host, &first);
    let mut hand_result = vec![0; COLUMNS];
    gpu.cuda.download(&hand_costs[last], 0, &mut hand_result)?;
    check(hand_result == expected, "the path by hand")?;
    check(costs[last].to_host()? == expected, "our path")?;
    report.add(figure);
    Ok(())
}

fn cheapest_paths(wall: &[i32], first: &[i32]) -> Vec<i32> {
    wall.chunks(COLUMNS).fold(first.to_vec(), |before, row| {
        let cheapest = |column: usize| *before[column.saturating_sub(1)..(column + 2).min(COLUMNS)].iter().min().expect("not empty");
        row.iter().enumerate().map(|(column, cost)| cheapest(column) + cost).collect()
    })
}
