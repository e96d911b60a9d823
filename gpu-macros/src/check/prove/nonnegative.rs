//! Whether a sum is never negative, given other sums that are not.
//!
//! Variables are natural numbers, so a sum without negative terms is not negative. A negative term is removed by subtracting a multiple of a
//! known bound `K >= 0` that has the same term: if `P - m * K >= 0` with a natural `m`, then `P >= 0`. Where the coefficient does not fit,
//! `P >= 0` is the same as `c * P + c - 1 >= 0`, because `P` is an integer. What is left over quantities of the launch can become a condition
//! on the launch.

use super::common::{Common, Variables};
use super::conditions::Needs;
use super::sum::{Monomial, Sum, Variable, gcd};
use crate::model::Atom;
use crate::vec_map::VecMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// `sum >= 0` on launches that satisfy `needs`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bound {
    pub(super) sum: Sum,
    pub(super) needs: Needs,
}

/// What is known not to be negative.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds {
    list: Vec<Bound>,
    /// The positions of those that are tried last: how long one array is says little about another.
    of_checks: Vec<usize>,
    /// The negative terms, each with the position of its bound; of the latest bounds first. Empty if the bounds have changed since.
    negative: OnceCell<Rc<[(Monomial, i128, usize)]>>,
    /// What they say is at least 1, whatever the launch.
    positive: OnceCell<Rc<[Variable]>>,
    /// The answers to questions about these bounds.
    answers: RefCell<VecMap<(Sum, Allowed, usize), Option<Needs>>>,
}

impl Bounds {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Bound> {
        self.list.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds a bound that is not there.
    pub(super) fn add(&mut self, bound: Bound) {
        if !self.list.contains(&bound) {
            self.list.push(bound);
            self.forget();
        }
    }

    /// Adds what the check of another index says.
    pub(super) fn add_of_check(&mut self, bound: Bound) {
        if !self.list.contains(&bound) {
            self.of_checks.push(self.list.len());
            self.add(bound);
        }
    }

    /// Changes the bounds that `change` accepts, and forgets the others.
    pub(super) fn change(&mut self, change: impl FnMut(&mut Bound) -> bool) {
        self.list.retain_mut(change);
        self.forget();
    }

    fn forget(&mut self) {
        self.negative = OnceCell::new();
        self.positive = OnceCell::new();
        self.answers.get_mut().clear();
    }

    fn negative(&self) -> Rc<[(Monomial, i128, usize)]> {
        let negative = self.negative.get_or_init(|| {
            let bounds = self.list.iter().enumerate().rev();
            bounds.flat_map(|(at, bound)| bound.sum.terms().filter(|(_, x)| *x < 0).map(move |(term, x)| (term, x, at))).collect()
        });
        Rc::clone(negative)
    }

    fn positive(&self) -> &[Variable] {
        self.positive.get_or_init(|| {
            let less_one = self.list.iter().filter(|bound| bound.needs.is_empty() && bound.sum.constant_part() == -1);
            less_one.filter_map(|bound| bound.sum.plus_constant(1)?.as_variable()).collect()
        })
    }
}

/// Which conditions on the launch may be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Allowed {
    None,
    /// That an extent of the block is at most something.
    Block,
    /// Also on constants, which are the same for all launches.
    Constants,
    /// Also that a row is at least as long as what the kernel compares its column with.
    Pitches,
    /// Also that it is at least as long as what the launch's blocks use of it.
    Rows,
    All,
    /// To leave out a check, on the launches where it is redundant: comparisons of sizes that some launches satisfy.
    Sizes,
    /// Also with the extents of the launch.
    Extents,
    /// The same, and they are the first bounds of coordinates that are taken.
    ByExtents,
    /// The same, and bounds that are numbers are the first that are taken.
    ByNumbers,
    /// Also what only holds for small launches.
    Small,
}

impl Allowed {
    /// Whether the conditions are those of leaving out a check.
    fn is_of_sizes(self) -> bool {
        matches!(self, Allowed::Sizes | Allowed::Extents | Allowed::ByExtents | Allowed::ByNumbers | Allowed::Small)
    }
}

pub(super) const NOTHING: &[Allowed] = &[Allowed::None];
/// Where a launch may only have to have small blocks.
pub(super) const BLOCKS: &[Allowed] = &[Allowed::None, Allowed::Block];
/// Where the kernel may also be written for blocks of one shape.
pub(super) const SHAPE: &[Allowed] = &[Allowed::None, Allowed::Block, Allowed::Constants];
/// Where the kernel does not compare a column with the length of a row.
pub(super) const ROWS: &[Allowed] = &[Allowed::None, Allowed::Block, Allowed::Constants, Allowed::Pitches, Allowed::Rows];
/// To exclude sizes for which the kernel makes no sense, or its indices wrap around.
pub(super) const ALL: &[Allowed] = &[Allowed::None, Allowed::All];
/// To leave out a check on some launches.
pub(super) const LAUNCH: &[Allowed] = &[Allowed::None, Allowed::Sizes, Allowed::Extents, Allowed::Small];
/// The same by the extents of the launch.
pub(super) const BY_EXTENTS: &[Allowed] = &[Allowed::None, Allowed::ByExtents];
/// The same by numbers.
pub(super) const BY_NUMBERS: &[Allowed] = &[Allowed::None, Allowed::ByNumbers];
/// The same for what must hold besides.
pub(super) const BESIDES: &[Allowed] = &[Allowed::None, Allowed::Sizes, Allowed::Extents];

/// How many bounds may be combined.
const DEPTH: usize = 5;
/// The same against wrap-around, where each factor of each term has a bound of its own.
const DEPTH_AGAINST_WRAP: usize = 8;
/// How many sums a search may look at.
const FUEL: usize = 40;
/// The same of one thread, where words and quotients are variables of their own.
const DEPTH_OF_ONE_THREAD: usize = 10;
const FUEL_OF_ONE_THREAD: usize = 120;
/// How many ways to remove a term are tried, the most promising ones.
const MOST_WAYS: usize = 4;
/// A larger number comes from 2^64: the sum excludes wrap-around.
const AGAINST_WRAP: i128 = 1 << 62;
/// Such a number comes from 2^32 or, where there is a sign, from 2^31: the same of 32 bits.
const AGAINST_WRAP_OF_32_BITS: std::ops::RangeInclusive<i128> = (1 << 31) - LONGEST_HALO..=1 << 32;

fn is_against_wrap(sum: &Sum) -> bool {
    let constant = sum.constant_part();
    constant > AGAINST_WRAP || AGAINST_WRAP_OF_32_BITS.contains(&constant)
}
/// A larger number is that of a type.
const LARGEST_SIZE: u64 = 1 << 20;
/// Along two axes of a block of 1024 threads each, which is no block.
const LARGEST_THREAD_OF_TWO_AXES: u128 = 1024 * 1024 - 1;
/// What is added to the threads along an axis to get the length of a row; a larger number comes from the most threads there can be.
const LONGEST_HALO: i128 = 1 << 16;

/// How many bounds may be combined, and how many sums looked at.
#[derive(Clone, Copy)]
struct Reach {
    depth: usize,
    fuel: usize,
}

struct Search {
    allowed: Allowed,
    fuel: Cell<usize>,
    /// By fingerprint, at which depth a sum has been looked at.
    seen: RefCell<Vec<(u64, usize)>>,
}

impl Search {
    /// Whether no sum with this fingerprint has been looked at, or with less depth. Two sums with one fingerprint only cost a proof.
    fn is_new(&self, fingerprint: u64, depth: usize) -> bool {
        let mut seen = self.seen.borrow_mut();
        match seen.iter_mut().find(|(known, _)| *known == fingerprint) {
            Some((_, known)) if *known >= depth => return false,
            Some((_, known)) => *known = depth,
            None => seen.push((fingerprint, depth)),
        }
        true
    }
}

pub(super) struct Prover<'a> {
    pub(super) variables: &'a Variables,
    pub(super) bounds: &'a Bounds,
    /// Tried in this order.
    pub(super) allowed: &'a [Allowed],
    /// Whether what is made of other variables is removed before them.
    pub(super) latest_first: bool,
}

impl Prover<'_> {
    /// The conditions under which `sum` is never negative.
    pub(super) fn not_negative(&self, sum: &Sum) -> Option<Needs> {
        let near = Reach { depth: if is_against_wrap(sum) { DEPTH_AGAINST_WRAP } else { DEPTH }, fuel: FUEL };
        let Some((Allowed::Small, others)) = self.allowed.split_last() else { return self.within(sum, self.allowed, near) };
        // A check that only small launches leave out is the last choice.
        let far = Reach { depth: DEPTH_OF_ONE_THREAD, fuel: FUEL_OF_ONE_THREAD };
        let small = self.answer(sum, Allowed::Small, near);
        let found = if small.is_some() { self.within(sum, others, near) } else { None };
        found.or_else(|| self.within(sum, others, far)).or(small)
    }

    fn within(&self, sum: &Sum, allowed: &[Allowed], reach: Reach) -> Option<Needs> {
        // Most questions have no proof: one look with everything allowed says so.
        let (most, less) = allowed.split_last()?;
        let conditional = self.answer(sum, *most, reach)?;
        Some(less.iter().filter(|_| !conditional.is_empty()).find_map(|allowed| self.answer(sum, *allowed, reach)).unwrap_or(conditional))
    }

    fn answer(&self, sum: &Sum, allowed: Allowed, reach: Reach) -> Option<Needs> {
        let question = (sum.clone(), allowed, reach.depth);
        if let Some(known) = self.bounds.answers.borrow().get(&question) {
            return known.clone();
        }
        let search = Search { allowed, fuel: Cell::new(reach.fuel), seen: RefCell::default() };
        let answer = self.search(sum, reach.depth, &search);
        self.bounds.answers.borrow_mut().insert(question, answer.clone());
        answer
    }

    fn search(&self, sum: &Sum, depth: usize, search: &Search) -> Option<Needs> {
        search.fuel.set(search.fuel.get().checked_sub(1)?);
        if !search.is_new(sum.fingerprint(), depth) {
            return None;
        }
        let Some((product, coefficient)) = sum.first_negative(self.latest_first) else { return Some(Needs::default()) };
        if !product.is_named() {
            return self.remove(sum, product, coefficient, depth, search).or_else(|| self.drop_group(sum, product, depth, search));
        }
        if product.is_one() {
            // A number alone is at least what a bound says, not what the launch would have to make it.
            let unconditional = Search { allowed: Allowed::None, fuel: search.fuel.clone(), seen: RefCell::default() };
            let removed = self.remove(sum, product, coefficient, depth, &unconditional);
            search.fuel.set(unconditional.fuel.get());
            if removed.is_some() {
                return removed;
            }
        } else if search.allowed.is_of_sizes() {
            // Of what the host knows, it compares as little as possible, and words that may have wrapped around last.
            let condition = || self.condition(search.allowed, sum.filter(Monomial::is_named));
            let remove = || self.remove(sum, product, coefficient, depth, search);
            let is_word = |variable: Variable| matches!(self.variables.atom(variable), Some(Atom::Word(_)));
            return if product.factors().any(is_word) { remove().or_else(condition) } else { condition().or_else(remove) };
        } else if let Some(needs) = self.remove(sum, product, coefficient, depth, search) {
            return Some(needs);
        }
        // What is positive and has no name only helps.
        self.condition(search.allowed, sum.filter(Monomial::is_named))
    }

    /// Removes the negative term of `product` by a bound that has the same, or by the largest value of a factor.
    fn remove(&self, sum: &Sum, product: Monomial, coefficient: i128, depth: usize, search: &Search) -> Option<Needs> {
        let depth = depth.checked_sub(1)?;
        let nothing = Needs::default();
        // What is left, the conditions, by what the sum was multiplied, and whether it says little or is not what is asked for first.
        let mut ways: Vec<(Sum, &Needs, i128, bool)> = Vec::new();
        let (mut numbers, mut passed_over) = (0, false);
        for (term, x, at) in self.bounds.negative().iter().copied() {
            // The sum is scaled by what is missing in its factors.
            let (multiple, missing) = if term == product {
                (Monomial::ONE, Monomial::ONE)
            } else if self.latest_first && !product.is_named() && term.is_named() && !term.is_one() {
                // Another size of the launch in place of one.
                continue;
            } else if term.is_one() && self.latest_first && self.has_multiple(sum, at, product) {
                (product, Monomial::ONE)
            } else if term.is_one() || product.is_one() || term.as_variable().and(product.as_variable()).is_some() {
                continue;
            } else if let Some(multiple) = product.without(term) {
                (multiple, Monomial::ONE)
            } else if let Some(missing) = term.without(product).filter(|missing| missing.all(|factor| self.is_positive(factor))) {
                (Monomial::ONE, missing)
            } else {
                continue;
            };
            if !self.variables.work(1) {
                return None;
            }
            let bound = &self.bounds.list[at];
            let divisor = gcd(coefficient, x);
            let (scale, times) = (x.abs() / divisor, coefficient.abs() / divisor);
            let factor = Sum::term(missing, scale);
            let scaled = if scale == 1 && missing.is_one() {
                Some(sum.clone())
            } else {
                sum.times(&factor).and_then(|sum| sum.plus(&factor)?.plus_constant(-1))
            };
            let is_number = bound.sum.terms().all(|(other, _)| other == term || other.all(|factor| self.is_constant(factor)));
            // Two bounds may remove a half of it each.
            let half = if times == 2 { Some(1) } else { None };
            for times in half.into_iter().chain([times]) {
                let rest = scaled.as_ref().and_then(|sum| sum.plus_scaled(&bound.sum, -times, multiple));
                numbers += usize::from(is_number);
                let is_last = match search.allowed {
                    Allowed::ByNumbers => !is_number,
                    Allowed::ByExtents if !self.has_extent(&bound.sum) => true,
                    _ => self.bounds.of_checks.contains(&at),
                };
                ways.extend(rest.map(|rest| (rest, &bound.needs, scale, is_last)));
            }
        }
        // Where the block may be assumed to be of one shape, the ceiling of a coordinate says less than its extent.
        let has_extent =
            !ways.is_empty() && matches!(search.allowed, Allowed::Block | Allowed::Constants | Allowed::Pitches | Allowed::Rows);
        for factor in product.factors() {
            let ceiling = self.variables.ceiling(factor);
            // No size is compared with the largest value of a type or of the threads of all launches.
            let is_of_type = search.allowed.is_of_sizes() && (ceiling > LARGEST_SIZE || self.variables.is_coordinate(factor));
            if ceiling == u64::MAX || factor.is_named() || is_of_type || has_extent && self.variables.is_thread_idx(factor) {
                continue;
            }
            numbers += 1;
            if search.allowed.is_of_sizes() && search.allowed != Allowed::ByNumbers && !ways.is_empty() {
                passed_over = true;
                continue;
            }
            let least = Sum::constant(ceiling.into()).minus(&Sum::variable(factor));
            let rest =
                least.zip(product.without(Monomial::of(factor))).and_then(|(least, rest)| sum.plus_scaled(&least, coefficient, rest));
            ways.extend(rest.map(|rest| (rest, &nothing, 1, self.latest_first)));
        }
        if passed_over || numbers > 0 && numbers < ways.len() {
            self.variables.pass_over_number();
        }
        // The closer to the end, the sooner. A bound that needs no scaling is the closer one for integers.
        ways.sort_by_cached_key(|(rest, needs, scale, is_last)| (*is_last, rest.negative_terms(), *scale, needs.iter().count()));
        ways.truncate(MOST_WAYS);
        ways.into_iter().find_map(|(rest, needs, ..)| Some(self.search(&rest, depth, search)?.and(needs)))
    }

    /// Whether a positive term of the bound, multiplied by `product`, is in `sum`.
    fn has_multiple(&self, sum: &Sum, at: usize, product: Monomial) -> bool {
        let is_in_sum = |term: Monomial| term.times(product).is_some_and(|term| sum.terms().any(|(own, x)| own == term && x > 0));
        !product.is_one() && self.bounds.list[at].sum.terms().any(|(term, x)| x > 0 && is_in_sum(term))
    }

    /// Removes all terms with the same factors that only one thread has: together they are a multiple of something that the launch knows.
    fn drop_group(&self, sum: &Sum, product: Monomial, depth: usize, search: &Search) -> Option<Needs> {
        let group = product.own();
        if group.is_one() {
            return None;
        }
        let is_in_group = |product: Monomial| product.own() == group;
        let multiple = sum.filter(is_in_group).split(&Sum::term(group, 1)).0;
        let is_condition = multiple.terms().any(|(_, x)| x > 0) && multiple.terms().all(|(product, _)| product.is_named());
        let allowed = search.allowed.min(Allowed::Constants);
        let needs = if is_condition { self.condition(allowed, multiple)? } else { return None };
        let rest = self.search(&sum.filter(|product| !is_in_group(product)), depth.checked_sub(1)?, search)?;
        Some(needs.and(&rest))
    }

    fn floor(&self, variable: Variable) -> u64 {
        matches!(self.variables.atom(variable), Some(Atom::BlockDim(_) | Atom::GridDim(_))).into()
    }

    /// Whether it is known to be at least 1.
    fn is_positive(&self, variable: Variable) -> bool {
        self.floor(variable) > 0 || self.bounds.positive().contains(&variable)
    }

    /// `sum` is at least this, whatever the launch.
    pub(super) fn least_by_ceilings(&self, sum: &Sum) -> Option<i128> {
        sum.terms().try_fold(0i128, |least, (product, x)| {
            let extreme = |factor: Variable| if x < 0 { self.variables.ceiling(factor) } else { self.floor(factor) };
            let term = product.factors().try_fold(x, |product, factor| product.checked_mul(extreme(factor).into()))?;
            least.checked_add(term)
        })
    }

    /// `sum`, of quantities that the host knows, as a condition on the launch.
    fn condition(&self, allowed: Allowed, sum: Sum) -> Option<Needs> {
        if self.least_by_ceilings(&sum).is_some_and(|least| least >= 0) {
            return Some(Needs::default());
        }
        if allowed == Allowed::None {
            return None;
        }
        if allowed.is_of_sizes() {
            let sum = match sum.divisor() {
                // A half of 2^31 does not look like the end of a type.
                divisor @ 2.. if !sum.is_ceiling() && !AGAINST_WRAP_OF_32_BITS.contains(&sum.constant_part()) => {
                    sum.divided_by_number(divisor)
                }
                _ => sum,
            };
            return self.admits_size(allowed, &sum).then(|| Needs::one(sum));
        }
        let atoms = |sign: i128| {
            let terms = sum.terms().filter(|(_, coefficient)| coefficient.signum() == sign);
            let factors: Vec<Variable> = terms.flat_map(|(product, _)| product.factors().collect::<Vec<_>>()).collect();
            factors.into_iter().filter_map(|factor| self.variables.atom(factor)).collect::<Vec<_>>()
        };
        let (positive, negative) = (atoms(1), atoms(-1));
        let is_constant = |atom: &Atom| matches!(atom, Atom::Constant(_));
        let is_of_launch = |atom: &Atom| matches!(atom, Atom::BlockDim(_) | Atom::GridDim(_));
        // The shape that the kernel is written for, in a declared block or without one, fits.
        let is_one_extent = match negative[..] {
            [Atom::BlockDim(_) | Atom::Constant(_)] => !sum.terms().any(|(product, x)| x < -1 && !product.is_one()),
            _ => false,
        };
        // A finding about shared memory must not become a condition that a launch or rustc has to refuse.
        let is_own_shape =
            self.variables.common == Common::Launch || matches!(negative[..], [Atom::BlockDim(_)]) && positive.iter().all(is_constant);
        let on_block = is_one_extent && is_own_shape && !positive.iter().any(is_of_launch);
        // That a stride is at least as large as a number of the kernel.
        let on_stride = self.variables.common == Common::Launch
            && negative.is_empty()
            && (-LONGEST_HALO..-1).contains(&sum.constant_part())
            && !positive.iter().any(is_of_launch);
        // No array is too long, unless indices wrap around in it.
        if !is_against_wrap(&sum) && negative.iter().any(|atom| matches!(atom, Atom::Len(_) | Atom::Extent(..))) {
            return None;
        }
        let on_constants = || on_block || on_stride || positive.iter().chain(&negative).all(is_constant);
        let admitted = match allowed {
            Allowed::None | Allowed::Sizes | Allowed::Extents | Allowed::ByExtents | Allowed::ByNumbers | Allowed::Small => false,
            Allowed::Block => on_block,
            Allowed::Constants => on_constants(),
            Allowed::Pitches => on_constants() || self.is_pitch(&sum),
            Allowed::Rows => on_constants() || self.is_pitch(&sum) || !positive.iter().any(is_of_launch) && self.is_row(&sum),
            Allowed::All => true,
        };
        let is_size = |product: Monomial| product.degree() <= 1 || allowed == Allowed::Rows && self.is_blocks(product);
        (admitted && is_plausible(&sum, is_size)).then(|| Needs::one(sum))
    }

    /// Whether a check may be left out where `sum`, of quantities that the host knows, is not negative.
    fn admits_size(&self, allowed: Allowed, sum: &Sum) -> bool {
        // A multiple of it is not subtracted.
        let negative = || sum.terms().filter(|(_, x)| *x < 0);
        let is_more = |product: Monomial, x: i128| {
            negative().any(|(other, y)| -y >= x && other.without(product).is_some_and(|rest| rest.all(|factor| self.floor(factor) > 0)))
        };
        let may_be_large = sum.terms().any(|(product, x)| x > 0 && !product.is_one() && !is_more(product, x));
        // What is subtracted is at least 1 where it is an extent.
        let least = |product: Monomial| i128::from(product.all(|factor| self.floor(factor) > 0));
        let largest = || sum.terms().map(|(product, x)| if product.is_one() { x } else { x * least(product) }).sum::<i128>();
        match allowed {
            _ if sum.constant_part() < -(1 << 30) => false,
            // So large a factor is the largest value of something.
            _ if sum.terms().any(|(product, x)| !product.is_one() && x.unsigned_abs() > 1 << 32) => false,
            _ if is_against_wrap(sum) => true,
            // The extents of a block are not so large at once.
            _ if sum.terms().any(|(product, x)| !product.is_one() && x.unsigned_abs() >= LARGEST_THREAD_OF_TWO_AXES) => false,
            Allowed::Sizes => may_be_large && !self.has_extent(sum),
            Allowed::Extents | Allowed::ByExtents | Allowed::ByNumbers => may_be_large,
            _ => may_be_large || negative().count() + 1 >= sum.terms().count() && largest() >= 0,
        }
    }

    fn has_extent(&self, sum: &Sum) -> bool {
        let is_extent = |atom: &Atom| matches!(atom, Atom::BlockDim(_) | Atom::GridDim(_));
        sum.variables().any(|variable| self.variables.atom(variable).is_some_and(|atom| atom.any(&is_extent)))
    }

    /// Whether only rustc knows it.
    pub(super) fn is_constant(&self, variable: Variable) -> bool {
        matches!(self.variables.atom(variable), Some(Atom::Constant(_)))
    }

    /// Whether `product` is the number of blocks along an axis, times constants.
    fn is_blocks(&self, product: Monomial) -> bool {
        let atoms = || product.factors().map(|factor| self.variables.atom(factor));
        atoms().filter(|atom| matches!(atom, Some(Atom::GridDim(_)))).count() == 1
            && atoms().all(|atom| matches!(atom, Some(Atom::GridDim(_) | Atom::Constant(_))))
    }

    /// Whether it is the length of a row, less another number that is passed: what the kernel compares a column with.
    fn is_pitch(&self, sum: &Sum) -> bool {
        let of_launch = || sum.terms().filter(|(product, _)| !product.is_one());
        let is_passed = |product: Monomial| {
            let atom = product.as_variable().and_then(|variable| self.variables.atom(variable));
            matches!(atom, Some(Atom::Param(_)))
        };
        self.variables.common == Common::Launch
            && sum.constant_part() > -LONGEST_HALO
            && (of_launch().map(|(_, x)| x).eq([-1, 1]) || of_launch().map(|(_, x)| x).eq([1, -1]))
            && of_launch().all(|(product, _)| is_passed(product))
    }

    /// Whether it is the length of a row, less what blocks of a declared shape use of it. Where the launch chooses the block too, the kernel
    /// has to compare the column with the length.
    fn is_row(&self, sum: &Sum) -> bool {
        let is_constant = |product: Monomial| product.factors().all(|factor| self.is_constant(factor));
        let parts = |sign: i128| sum.terms().filter(move |(product, x)| x.signum() == sign && !product.is_one());
        let mut rows = parts(1).filter(|(product, _)| !is_constant(*product));
        matches!((rows.next(), rows.next()), (Some((row, 1)), None) if row.as_variable().is_some())
            && parts(-1).any(|(product, _)| self.is_blocks(product))
            && sum.constant_part() > -LONGEST_HALO
    }
}

/// Whether launches of ordinary sizes can satisfy the condition: it asks for something to be large, or for what must be small to be below a
/// number that leaves it a choice.
fn is_plausible(sum: &Sum, is_size: impl Fn(Monomial) -> bool) -> bool {
    let of_launch = || sum.terms().filter(|(product, _)| !product.is_one());
    // Against wrap-around; a larger coefficient is a negative one in disguise. Else both sides are sizes or few times that.
    let (is_against_wrap, largest) = if is_against_wrap(sum) { (true, 1 << 48) } else { (false, 1 << 10) };
    if sum.constant_part() < -(1 << 30) || of_launch().any(|(_, x)| x.unsigned_abs() > largest) {
        return false;
    }
    // A product of sizes is larger than a size.
    if !is_against_wrap && of_launch().any(|(product, x)| x < 0 && !is_size(product)) {
        return false;
    }
    let negative: i128 = of_launch().map(|(_, x)| x.min(0)).sum();
    of_launch().any(|(_, coefficient)| coefficient > 0) || sum.constant_part() >= negative.saturating_mul(-2).max(1)
}
