//! The proofs against brute force: random kernels run on small launches, with lengths and strides that wrap around.

use super::generate::{Random, Statements, random_kernel, random_kernel_with_shared};
use super::interpret::Machine;
use super::launches::is_accepted_by;
use super::*;
use crate::check::clients::shared_memory::prove_shared_memory;
use crate::check::walk::effects::Collective;
use crate::check::walk::walker::walk;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// How many random kernels a test draws.
fn kernels() -> usize {
    250 * effort()
}

/// Quantities at which something happens: small ones, and those whose products wrap around.
const SIZES: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 8, 12, 1 << 32, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];
const LENGTHS: &[u64] = &[0, 1, 2, 4, 6, 9, 16, 36, 1 << 32, (1 << 63) - 1];
const EXTENTS: &[[u64; 3]] = &[[1, 1, 1], [2, 1, 1], [3, 1, 1], [4, 1, 1], [1, 2, 1], [2, 2, 1], [3, 2, 1], [2, 2, 2]];

pub(super) struct Launch {
    /// Lengths of slices and values of scalars, by parameter.
    pub(super) params: Vec<u64>,
    /// Of parameters that are structs, by path: `.size.width`.
    pub(super) fields: Vec<(String, u64)>,
    /// Of views, by parameter.
    pub(super) shapes: Vec<[u64; 3]>,
    /// Of the crate, by name.
    pub(super) constants: Vec<(&'static str, u64)>,
    pub(super) grid: [u64; 3],
    pub(super) block: [u64; 3],
    /// What the atomics hold that some thread has changed, by parameter and element.
    pub(super) atomics: RefCell<HashMap<(usize, Vec<u64>), u64>>,
    /// What arrays hold that no thread writes, and atomics before the launch, differs with it.
    pub(super) salt: u64,
}

impl Launch {
    pub(super) fn random(random: &mut Random, function: &Function) -> Launch {
        let params = function.params.iter().map(|param| match &function.local(param.local).ty {
            Type::Slice { .. } => *random.pick(LENGTHS),
            Type::Scalar(Scalar::U32) => [0, 1, 2, 5, u64::from(u32::MAX)][random.below(5)],
            Type::Scalar(Scalar::I32) => *random.pick(&[0, 1, 3, -1, -2, i32::MIN.into(), i32::MAX.into()].map(i64::cast_unsigned)),
            Type::Scalar(Scalar::Isize) => *random.pick(&[0, 1, 2, 5, -1, -3, i64::MIN, i64::MAX].map(i64::cast_unsigned)),
            _ if random.one_in(2) => random.below(9) as u64,
            _ => *random.pick(SIZES),
        });
        let params = params.collect();
        let shapes = function.params.iter().map(|_| random_shape(random)).collect();
        let constants = vec![("TILE", random_constant(random)), ("HALO", random_constant(random))];
        let (grid, block) = (*random.pick(EXTENTS), *random.pick(EXTENTS));
        Launch { params, fields: Vec::new(), shapes, constants, grid, block, atomics: RefCell::default(), salt: 0 }
    }

    /// Whether the grid and the block have no more axes.
    pub(super) fn has_axes(&self, of_grid: u8, of_block: u8) -> bool {
        let within = |extents: [u64; 3], axes: u8| extents.iter().skip(axes.into()).all(|extent| *extent == 1);
        within(self.grid, of_grid) && within(self.block, of_block)
    }

    /// What the host does with an inequality: checked arithmetic, and anything beyond it is not shown.
    pub(super) fn satisfies(&self, inequality: &Inequality) -> bool {
        let is_below = self.value(&inequality.most).zip(self.value(&inequality.length)).is_some_and(|(most, length)| most < length);
        is_below || !inequality.or.is_empty() && inequality.or.iter().all(|other| self.satisfies(other))
    }

    pub(super) fn value(&self, polynomial: &Polynomial) -> Option<i128> {
        polynomial.terms.iter().try_fold(0i128, |sum, term| {
            let product = term.factors.iter().try_fold(term.coefficient, |product, atom| product.checked_mul(self.atom(atom)?))?;
            sum.checked_add(product)
        })
    }

    fn atom(&self, atom: &Atom) -> Option<i128> {
        Some(match atom {
            Atom::Param(passed) if !passed.members.is_empty() => field(&self.fields, &passed.to_string()).into(),
            Atom::Param(Passed { param: index, .. }) | Atom::Len(index) => self.params[*index].into(),
            Atom::Extent(index, axis) => self.shapes[*index][*axis].into(),
            Atom::GridDim(axis) => self.grid[*axis as usize].into(),
            Atom::BlockDim(axis) => self.block[*axis as usize].into(),
            Atom::Shared(_) => 0,
            // The views of the tests are in C order.
            Atom::Scattered(index) => self.shapes[*index].iter().map(|extent| i128::from(*extent)).product::<i128>() >> 31,
            Atom::Constant(tokens) => self.constant(tokens.text()).into(),
            Atom::Word(sum) => self.value(sum)?.rem_euclid(1 << 64),
            Atom::TrailingZeros(sum) => (self.value(sum)?.rem_euclid(1 << 64) as u64).trailing_zeros().into(),
            Atom::Quotient(parts) => self.value(&parts[0])?.max(0) / self.value(&parts[1]).filter(|divisor| *divisor > 0)?,
        })
    }
}

impl Launch {
    /// A constant, a number, or a quotient of such: `((TILE) as usize / 32)`.
    fn constant(&self, name: &str) -> u64 {
        if let Some((dividend, divisor)) = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')?.rsplit_once(" / ")) {
            let [dividend, divisor] = [dividend, divisor]
                .map(|part| self.constant(part.strip_prefix('(').and_then(|part| part.strip_suffix(") as usize")).unwrap_or(part)));
            return dividend.checked_div(divisor).unwrap_or(0);
        }
        // As another type.
        let name =
            name.strip_prefix('(').and_then(|name| name.split_once(" as ")).map_or(name, |(name, _)| name.trim_matches(['(', ')', ' ']));
        let last = name.rsplit(":: ").next();
        let known = self.constants.iter().find(|(constant, _)| Some(*constant) == last).map(|(_, value)| *value);
        known.or_else(|| name.parse().ok()).expect("a constant of the crate, or a number")
    }
}

/// The number at `path` of a struct.
pub(super) fn field(fields: &[(String, u64)], path: &str) -> u64 {
    fields.iter().find(|(known, _)| known == path).expect("a field of the parameter").1
}

fn random_constant(random: &mut Random) -> u64 {
    if random.one_in(4) { *random.pick(SIZES) } else { random.below(5) as u64 }
}

/// A shape whose elements can be counted, which says little about each extent.
fn random_shape(random: &mut Random) -> [u64; 3] {
    let [rows, columns] = [(); 2].map(|()| if random.one_in(3) { *random.pick(SIZES) } else { random.below(7) as u64 });
    [rows, if rows.checked_mul(columns).is_some() { columns } else { random.below(2) as u64 }, 1]
}

/// Counts of what was tested, so that the test itself can be judged.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) removed_checks: usize,
    /// Of operations that were proved not to overflow.
    pub(super) exact_results: usize,
    /// Of several threads, of which one writes to a parameter.
    pub(super) proved_launches: usize,
    /// Those that touch elements of a `ViewMut`.
    proved_launches_with_views: usize,
    barriers: usize,
    /// Blocks of several threads that write to a shared array.
    pub(super) shared: usize,
}

pub(super) fn try_kernel(source: &str, random: &mut Random, tally: &mut Tally) {
    let function = kernel(source);
    let walk = walk(&function);
    let (bounds, operations) = prove_bounds_and_operations(&function, &walk);
    let proof = prove_race_freedom(&function, &walk);
    for _ in 0..12 {
        let launch = Launch::random(random, &function);
        // One site by itself is a stronger test than all together: more launches satisfy it.
        let held = Held::by(&launch, &bounds, &operations);
        tally.removed_checks += held.unchecked.iter().filter(|unchecked| **unchecked).count();
        let race_free = is_accepted_by(&proof, &launch);
        if race_free || held.unchecked.contains(&true) || !held.exact.is_empty() && random.one_in(8) {
            run_launch(source, &function, &launch, &held, race_free, tally);
        }
    }
}

/// The shared array of a kernel that is proved to be used without races.
fn try_shared(source: &str, random: &mut Random, tally: &mut Tally) {
    let function = kernel(source);
    let walk = walk(&function);
    let proof = prove_shared_memory(&function, &walk);
    let barriers_are_safe = walk.collectives.iter().all(Collective::is_safe);
    if !proof.races.is_empty() || !barriers_are_safe {
        return;
    }
    for _ in 0..12 {
        let launch = Launch::random(random, &function);
        if launch.has_axes(3, proof.block_axes) && proof.conditions.iter().all(|(inequality, _)| launch.satisfies(inequality)) {
            run_shared(source, &function, &launch, &[], tally);
        }
    }
}

/// Runs a launch in which no two threads use an element of a shared array, other than of `racing`, without a barrier between.
pub(super) fn run_shared(source: &str, function: &Function, launch: &Launch, racing: &[LocalId], tally: &mut Tally) {
    let unchecked = vec![false; function.sites.len()];
    for block_idx in positions(launch.grid) {
        let mut users: HashMap<_, Vec<(usize, bool)>> = HashMap::new();
        for (thread, thread_idx) in positions(launch.block).enumerate() {
            let mut machine = Machine::new(function, launch, block_idx, thread_idx, &unchecked);
            machine.run();
            for (barriers, array, element, writes) in machine.shared {
                if !racing.contains(&array) {
                    users.entry((barriers, array, element)).or_default().push((thread, writes));
                }
            }
        }
        tally.shared += usize::from(users.values().any(|users| users.iter().any(|(_, writes)| *writes)) && launch.block != [1; 3]);
        for ((barriers, _, element), users) in users {
            let races = users.iter().any(|(thread, writes)| *writes && users.iter().any(|(other, _)| other != thread));
            assert!(
                !races,
                "threads share the element {element:?} after {barriers} barriers: {users:?}\nparams {:?}, grid {:?}, block {:?}\n{source}",
                launch.params, launch.grid, launch.block
            );
        }
    }
}

/// What is proved of a launch.
pub(super) struct Held {
    /// For each site, whether it is not checked.
    unchecked: Vec<bool>,
    /// The operations that do not overflow.
    exact: HashSet<*const Expr>,
}

impl Held {
    pub(super) fn by(launch: &Launch, bounds: &[Bound], operations: &[ExactOperations]) -> Held {
        let holds = |needs: &[Inequality]| needs.iter().all(|need| launch.satisfies(need));
        Held {
            unchecked: bounds.iter().map(|bound| matches!(bound, Bound::Below(needs) if holds(needs))).collect(),
            exact: operations.iter().filter(|exact| holds(&exact.needs)).flat_map(|exact| &exact.operations).copied().collect(),
        }
    }
}

pub(super) fn run_launch(source: &str, function: &Function, launch: &Launch, held: &Held, race_free: bool, tally: &mut Tally) {
    let describe = || {
        let sites: Vec<String> = prove_bounds(function, &walk(function)).iter().map(|bound| format!("{bound:?}")).collect();
        format!(
            "params {:?}, shapes {:?}, constants {:?}, grid {:?}, block {:?}\n{source}\n{sites:#?}\n{:?}",
            launch.params,
            launch.shapes,
            launch.constants,
            launch.grid,
            launch.block,
            prove_race_freedom(function, &walk(function))
        )
    };
    // By parameter and element: which thread touched it, and whether anyone wrote.
    let mut owners: HashMap<(usize, Vec<u64>), (usize, bool)> = HashMap::new();
    let mut thread = 0;
    for block_idx in positions(launch.grid) {
        let mut reached: Vec<(Vec<SiteId>, bool)> = Vec::new();
        for thread_idx in positions(launch.block) {
            let mut machine = Machine::new(function, launch, block_idx, thread_idx, &held.unchecked);
            machine.exact.clone_from(&held.exact);
            let finished = machine.run();
            tally.exact_results += machine.exact_results;
            if let Some(operation) = machine.overflow {
                panic!("{operation} overflows\n{}", describe());
            }
            if let Some((site, index)) = machine.overrun {
                panic!("site {} reaches {index} without a check\n{}", site.0, describe());
            }
            thread += 1;
            for (param, element, writes) in machine.touched.iter().filter(|_| race_free) {
                let (owner, written) = owners.entry((*param, element.clone())).or_insert((thread, false));
                let shared = *owner != thread;
                assert!(!(shared && (*written || *writes)), "element {element:?} of parameter {param} is shared\n{}", describe());
                *written |= writes;
            }
            reached.push((machine.barriers, finished));
        }
        if race_free {
            check_barriers(&reached, &describe);
            tally.barriers += reached.iter().map(|(barriers, _)| barriers.len()).sum::<usize>();
        }
    }
    let is_view = |param: usize| matches!(function.local(function.params[param].local).ty, Type::View { mutable: true, .. });
    tally.proved_launches += usize::from(race_free && thread > 1 && owners.values().any(|(_, written)| *written));
    tally.proved_launches_with_views += usize::from(race_free && thread > 1 && owners.keys().any(|(param, _)| is_view(*param)));
}

/// Threads that run to the end meet the same barriers; one that ends early meets the first of them.
fn check_barriers(reached: &[(Vec<SiteId>, bool)], describe: &dyn Fn() -> String) {
    for (a, a_finished) in reached {
        for (b, b_finished) in reached {
            let common = a.len().min(b.len());
            assert!(a[..common] == b[..common], "barriers differ\n{}", describe());
            assert!(!(*a_finished && *b_finished) || a.len() == b.len(), "barriers are missed\n{}", describe());
        }
    }
}

pub(super) fn positions(extents: [u64; 3]) -> impl Iterator<Item = [u64; 3]> {
    let [x, y, z] = extents;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

/// Random kernels with these statements.
fn try_kernels(seed: u64, statements: Statements) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for _ in 0..kernels() {
        let source = random_kernel(&mut random, statements);
        try_kernel(&source, &mut random, &mut tally);
    }
    tally
}

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn no_random_kernel_refutes_a_proof() {
    // A test that proves nothing tests nothing.
    let Tally { removed_checks, proved_launches, proved_launches_with_views, barriers, .. } =
        try_kernels(0x9e37_79b9_7f4a_7c15, Statements::Plain);
    assert!(removed_checks > kernels() / 2, "only {removed_checks} checks were removed");
    assert!(proved_launches > kernels() / 10, "only {proved_launches} launches were proved");
    assert!(proved_launches_with_views > kernels() / 40, "only {proved_launches_with_views} launches with views were proved");
    assert!(barriers > kernels() / 10, "only {barriers} barriers were reached");
}

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn no_random_kernel_with_patterns_and_aggregates_refutes_a_proof() {
    let Tally { removed_checks, proved_launches, barriers, .. } = try_kernels(0x2545_f491_4f6c_dd1d, Statements::Values);
    assert!(removed_checks > kernels() / 2, "only {removed_checks} checks were removed");
    assert!(proved_launches > kernels() / 20, "only {proved_launches} launches were proved");
    assert!(barriers > kernels() / 20, "only {barriers} barriers were reached");
}

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn no_random_kernel_with_changing_variables_and_signed_integers_refutes_a_proof() {
    let Tally { removed_checks, proved_launches, .. } = try_kernels(0x1234_5678_9abc_def1, Statements::Flow);
    assert!(removed_checks > kernels() / 2, "only {removed_checks} checks were removed");
    assert!(proved_launches > kernels() / 40, "only {proved_launches} launches were proved");
}

#[test]
fn no_random_kernel_refutes_a_proof_about_shared_memory() {
    let mut random = Random(0xd1b5_4a32_d192_ed03);
    let mut tally = Tally::default();
    for _ in 0..kernels() {
        let source = random_kernel_with_shared(&mut random);
        try_shared(&source, &mut random, &mut tally);
    }
    assert!(tally.shared > kernels() / 10, "only {} blocks wrote to shared memory", tally.shared);
}
