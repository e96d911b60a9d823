//! Which checks are redundant, of indices, divisors and limits, and on which launches.

use crate::check::prove::point::{needs_below, needs_below_by_extents, needs_below_with_dividends};
use crate::check::values::value::Value;
use crate::check::walk::effects::{Access, AxisIndex, Effects, Requirement};
use crate::check::walk::facts::{Fact, Facts, Relation};
use crate::model::*;
use std::collections::HashMap;

/// For each site, when its check is redundant.
///
/// The launch drops the checks whose inequalities hold. Of several bounds of one index the most likely one is taken: one that always holds, then one from a guard that the user wrote, then one from the launch's extents.
pub(crate) fn prove_bounds(function: &Function, walk: &Effects<'_>) -> Vec<Bound> {
    prove_bounds_of(function, walk, &|_| true)
}

/// The same of the sites that are `asked` for.
pub(crate) fn prove_bounds_of<'e, 'f>(function: &Function, walk: &'e Effects<'f>, asked: &dyn Fn(SiteId) -> bool) -> Vec<Bound> {
    // What a device function is called with is not known at launch: there only what always holds counts.
    let at_launch = matches!(function.kind, FunctionKind::Kernel(_));
    let mut bounds = vec![Bound::Unknown; function.sites.len()];
    // Of a range, the elements are not checked one by one.
    let indices = |accesses: &'e [Access<'f>]| {
        let indices = accesses.iter().flat_map(|access| access.indices.iter().map(|index| (index, &access.facts)));
        indices.filter(|(index, _)| asked(index.site) && !matches!(function.site(index.site).kind, SiteKind::Assert(_)))
    };
    let needs_of = |index: &AxisIndex<'_>, facts: &Facts| match function.site(index.site).kind {
        SiteKind::Unchecked => Some(Vec::new()),
        _ => bound_of(function, index, facts).filter(|needs| at_launch || needs.is_empty()),
    };
    for (index, facts) in indices(&walk.accesses) {
        bounds[index.site.0] = needs_of(index, facts).map_or(Bound::Unknown, Bound::Below);
    }
    // Each call of a closure must be in bounds, and each evaluation of an operation satisfy what it requires.
    let mut of_all: HashMap<SiteId, Option<Vec<Inequality>>> = HashMap::new();
    let mut add = |site: SiteId, needs: Option<Vec<Inequality>>| {
        let all = of_all.entry(site).or_insert_with(|| Some(Vec::new()));
        *all = all.take().and_then(|all| Some([all, needs?].concat()));
    };
    for (index, facts) in indices(&walk.of_calls) {
        add(index.site, needs_of(index, facts));
    }
    for Requirement { site, value, limit, facts } in walk.requirements.iter().filter(|requirement| asked(requirement.site)) {
        add(*site, bound_of_value(value, limit, facts).filter(|needs| at_launch || needs.is_empty()));
    }
    for (site, needs) in of_all {
        if let Some(needs) = needs.and_then(open_inequalities) {
            bounds[site.0] = Bound::Below(needs);
        }
    }
    bounds
}

/// Takes those bounds for unknown that depend on what is false of the [numbers](Function::numbers) of constants: no launch satisfies them, so
/// they prove nothing, and another proof may.
pub(crate) fn drop_refuted(function: &Function, bounds: &mut [Bound]) {
    let value = |polynomial: &Polynomial| with_numbers(function, polynomial)?.as_constant();
    let is_refuted =
        |need: &Inequality| need.or.is_empty() && value(&need.most).zip(value(&need.length)).is_some_and(|(most, length)| most >= length);
    for bound in bounds {
        if matches!(bound, Bound::Below(needs) if needs.iter().any(is_refuted)) {
            *bound = Bound::Unknown;
        }
    }
}

/// `polynomial` with the [numbers](Function::numbers) of constants.
fn with_numbers(function: &Function, polynomial: &Polynomial) -> Option<Polynomial> {
    polynomial.terms.iter().try_fold(Polynomial::default(), |sum, term| {
        let product = term.factors.iter().try_fold(Polynomial::constant(term.coefficient), |product, atom| {
            let number = match atom {
                Atom::Constant(constant) => function.numbers.iter().find(|known| known.name == constant.text()),
                _ => None,
            };
            product.times(&number.map_or_else(|| Polynomial::atom(atom.clone()), |known| Polynomial::constant(known.number.into())))
        })?;
        sum.plus(&product)
    })
}

/// The conditions of a launch have a bit each.
const MOST_CONDITIONS: usize = 32;

/// The inequalities under which checks are redundant, each once: with the first site that needs it.
pub(crate) struct Conditions(Vec<(Inequality, SiteId)>);

impl Conditions {
    pub(crate) fn of(bounds: &[Bound]) -> Self {
        let mut conditions = Conditions(Vec::new());
        for (site, bound) in bounds.iter().enumerate() {
            if let Bound::Below(needs) = bound {
                conditions.add(needs, SiteId(site));
            }
        }
        conditions
    }

    /// Adds what `site` needs.
    pub(crate) fn add(&mut self, needs: &[Inequality], site: SiteId) {
        for need in needs {
            if !self.0.iter().any(|(known, _)| known == need) {
                self.0.push((need.clone(), site));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order of their bits. The last bit is set where all of its group hold.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[(Inequality, SiteId)]> {
        let (own, rest) = self.0.split_at(self.0.len().min(MOST_CONDITIONS - 1));
        own.chunks(1).chain((!rest.is_empty()).then_some(rest))
    }

    /// The bits of those that `needs` has.
    pub(crate) fn bits_of(&self, needs: &[Inequality]) -> u32 {
        let is_needed = |group: &[(Inequality, SiteId)]| group.iter().any(|(condition, _)| needs.contains(condition));
        self.groups().enumerate().fold(0, |bits, (index, group)| bits | u32::from(is_needed(group)) << index)
    }
}

fn bound_of(function: &Function, index: &AxisIndex<'_>, facts: &Facts) -> Option<Vec<Inequality>> {
    weakest_bound(&index.value, index.length.as_ref()?, facts, &|surplus| with_numbers(function, &surplus))
}

/// When `value` is below `length`.
pub(crate) fn bound_of_value(value: &Value, length: &Polynomial, facts: &Facts) -> Option<Vec<Inequality>> {
    weakest_bound(value, length, facts, &Some)
}

/// The same by what `known` makes of the difference of two conditions, of which the weaker one is taken.
fn weakest_bound(
    value: &Value,
    length: &Polynomial,
    facts: &Facts,
    known: &dyn Fn(Polynomial) -> Option<Polynomial>,
) -> Option<Vec<Inequality>> {
    let is_weaker = |others: &[Inequality], needs: &[Inequality]| follow(others, needs, known);
    let needs = bound_by(value, length, facts, || needs_below(value, length, facts, is_weaker))?;
    // A guard may allow more of a coordinate than the launch has, or less.
    let by_extents = if needs.is_empty() { None } else { needs_below_by_extents(value, length, facts).and_then(open_inequalities) };
    Some(match by_extents {
        Some(others) if others.iter().any(|need| need.any(&|atom| matches!(atom, Atom::GridDim(_)))) => either(needs, &others),
        _ => needs,
    })
}

/// When all of `needs` hold, or all of `others`. (One with an alternative keeps that.)
pub(crate) fn either(mut needs: Vec<Inequality>, others: &[Inequality]) -> Vec<Inequality> {
    let rest: Vec<Inequality> = others.iter().filter(|other| !needs.contains(other)).cloned().collect();
    if rest.is_empty() {
        return others.to_vec();
    }
    // What both need is needed in any case.
    needs.iter_mut().filter(|need| need.or.is_empty() && !others.contains(need)).for_each(|need| need.or.clone_from(&rest));
    needs
}

/// When `value` is below `limit`, where [dividends](needs_below_with_dividends) must be as well.
pub(crate) fn bound_below_limit(value: &Value, limit: &Polynomial, facts: &Facts) -> Option<Vec<Inequality>> {
    bound_by(value, limit, facts, || needs_below_with_dividends(value, limit, facts))
}

fn bound_by(value: &Value, length: &Polynomial, facts: &Facts, needs: impl FnOnce() -> Option<Vec<Inequality>>) -> Option<Vec<Inequality>> {
    let integers = facts.interval(value);
    if integers.is_natural() && length.as_constant().is_some_and(|length| integers.most < length) {
        return Some(Vec::new());
    }
    if is_said_to_be_below(value, length, facts) {
        return Some(Vec::new());
    }
    open_inequalities(needs()?)
}

/// Whether a fact says that `value`, or more, is below `length`: a guard, or a check that the thread has passed. Most accesses need no
/// other proof.
fn is_said_to_be_below(value: &Value, length: &Polynomial, facts: &Facts) -> bool {
    facts.iter().any(|Fact { left, relation, right, .. }| {
        *relation == Relation::Less && left.form.has_part(&value.form) && right.form.to_quantity().as_ref() == Some(length)
    })
}

/// The inequalities that depend on the launch; `None` when one never holds.
pub(crate) fn open_inequalities(inequalities: Vec<Inequality>) -> Option<Vec<Inequality>> {
    let mut open = Vec::new();
    for inequality in inequalities {
        let slack = inequality.slack()?;
        if slack.is_always_negative() && inequality.or.is_empty() {
            return None;
        }
        if !slack.is_never_negative() && !open.contains(&inequality) {
            open.push(inequality);
        }
    }
    // Those that do not follow from another one.
    let follows = |at: usize, from: usize| follows(&open[at], &open[from], &Some);
    let is_needed = |at: &usize| !(0..open.len()).any(|from| from != *at && follows(*at, from) && (from < *at || !follows(from, *at)));
    Some((0..open.len()).filter(is_needed).map(|at| open[at].clone()).collect())
}

/// Whether all of `needs` hold wherever all of `others` do, by what `known` makes of the difference of two.
fn follow(needs: &[Inequality], others: &[Inequality], known: &dyn Fn(Polynomial) -> Option<Polynomial>) -> bool {
    needs.iter().all(|need| others.iter().any(|other| follows(need, other, known)))
}

fn follows(inequality: &Inequality, other: &Inequality, known: &dyn Fn(Polynomial) -> Option<Polynomial>) -> bool {
    let surplus = || known(inequality.slack()?.minus(&other.slack()?)?);
    other.or.is_empty() && surplus().is_some_and(|surplus| surplus.is_never_negative())
}
