//! Guards of or-patterns. Rust tries the guard for each alternative that matches, with the names bound by that alternative:
//!
//! ```c
//! u32 way = 0;
//! if (the first way matches) {
//!   if (guard) way = 1;
//! }
//! if (way == 0 && the second way matches) {
//!   if (guard) way = 2;
//! }
//! if (way != 0) { the arm } else { the rest }
//! ```

use super::Emitter;
use super::code::{Binding, Code};
use super::matching::Taken;
use super::pattern::{Subject, all};
use super::text::c;
use crate::model::*;

/// An alternative of a pattern: its tests, and the places that its names are bound to.
#[derive(Clone, Default)]
struct Way {
    tests: Vec<Code>,
    bound: Vec<(LocalId, Code)>,
}

/// An or-pattern in another, behind `depth` tests of a variant.
struct Choice<'p> {
    depth: usize,
    alternatives: &'p [Pattern],
    subject: Subject,
}

impl Way {
    fn and(&self, other: &Way) -> Way {
        Way { tests: [&self.tests[..], &other.tests].concat(), bound: [&self.bound[..], &other.bound].concat() }
    }
}

/// Whether it makes a difference that the guard is tried more than once.
pub(super) fn is_tried_again(guard: &Expr, pattern: &Pattern) -> bool {
    let has_effects = guard.writes();
    let mut found = false;
    pattern.walk(&mut |part| found |= is_choice(part, has_effects));
    found
}

fn is_choice(pattern: &Pattern, has_effects: bool) -> bool {
    matches!(pattern.kind, PatternKind::Or(_)) && (has_effects || !pattern.bindings().is_empty())
}

impl Emitter<'_> {
    /// When an arm is taken whose guard [is tried again](is_tried_again). `nested`: the statements will stand in a block of their own.
    pub(super) fn alternatives_condition(&mut self, pattern: &Pattern, guard: &Expr, subject: &Subject, nested: bool) -> Taken {
        let ways = self.ways(pattern, subject, guard.writes());
        let outer = self.writer.begin_capture();
        (0..usize::from(nested)).for_each(|_| self.writer.indent());
        let name = self.namer.temporary("way");
        self.writer.line(format!("u32 {name} = 0;"));
        for (i, way) in ways.iter().enumerate() {
            let not_yet = (i > 0).then(|| Code::bound(Binding::Comparison, format!("{name} == 0")));
            let test = all(not_yet.into_iter().chain(way.tests.iter().cloned()));
            self.writer.line(c!["if (", test.map_or_else(|| "true".into(), |test| test.text), ") {"]);
            self.writer.indent();
            let guard = self.guard(guard, &way.bound);
            self.writer.line(c!["if (", guard.text, ") ", name, " = ", i + 1, ";"]);
            self.writer.dedent();
            self.writer.line("}");
        }
        (0..usize::from(nested)).for_each(|_| self.writer.dedent());
        let statements = self.writer.end_capture(outer);
        let condition = Some(Code::bound(Binding::Comparison, format!("{name} != 0")));
        Taken { statements, condition, bound: Some(picked(&ways, &name)) }
    }

    /// The ways in which `subject` may match, in the order in which rustc tries them. Or-patterns that are no [choice](is_choice) are
    /// tests like others.
    fn ways(&mut self, pattern: &Pattern, subject: &Subject, has_effects: bool) -> Vec<Way> {
        let (mut common, mut choices) = (Way::default(), Vec::new());
        self.take_apart(pattern, subject, 0, has_effects, &mut common, &mut choices);
        // The choices in a variant come after those next to it.
        choices.sort_by_key(|choice| choice.depth);
        let mut ways = vec![common];
        for Choice { alternatives, subject, .. } in choices {
            let mut others = Vec::new();
            for alternative in alternatives {
                others.extend(self.ways(alternative, &subject, has_effects));
            }
            ways = ways.iter().flat_map(|way| others.iter().map(|other| way.and(other))).collect();
        }
        ways
    }

    /// Puts the parts that all alternatives share into `common`, and the others into `choices`.
    fn take_apart<'p>(
        &mut self,
        pattern: &'p Pattern,
        subject: &Subject,
        depth: usize,
        has_effects: bool,
        common: &mut Way,
        choices: &mut Vec<Choice<'p>>,
    ) {
        match &pattern.kind {
            PatternKind::Refused => unreachable!("what was refused is not emitted"),
            PatternKind::Or(alternatives) if is_choice(pattern, has_effects) => {
                choices.push(Choice { depth, alternatives, subject: subject.clone() });
            }
            PatternKind::Bind { local, sub } => {
                common.bound.push((*local, subject.code(self, &pattern.ty)));
                if let Some(sub) = sub {
                    self.take_apart(sub, subject, depth, has_effects, common, choices);
                }
            }
            PatternKind::Tuple(_) | PatternKind::Array(_) | PatternKind::Struct(_) | PatternKind::Variant { .. } => {
                let test = self.test_of_variant(pattern, subject);
                let depth = depth + usize::from(test.is_some());
                common.tests.extend(test);
                for (part, subject) in self.parts(pattern, subject) {
                    self.take_apart(part, &subject, depth, has_effects, common, choices);
                }
            }
            PatternKind::Wildcard | PatternKind::Value(_) | PatternKind::Range { .. } | PatternKind::Or(_) => {
                common.tests.extend(self.test(pattern, subject));
            }
        }
    }
}

/// The values of the names in the way whose number, from 1, is in the variable `way`.
fn picked(ways: &[Way], way: &str) -> Vec<(LocalId, Code)> {
    let Some((last, others)) = ways.split_last() else { return Vec::new() };
    let value_in = |found: &Way, local: LocalId| found.bound.iter().find(|(other, _)| *other == local).map(|(_, value)| value.clone());
    let pick = |(local, value): &(LocalId, Code)| {
        let picked = others.iter().enumerate().rev().fold(value.clone(), |rest, (i, other)| match value_in(other, *local) {
            Some(value) if value.text != rest.text => Code::atom(c!["(", way, " == ", i + 1, " ? ", value.text, " : ", rest.text, ")"]),
            _ => rest,
        });
        (*local, picked)
    };
    last.bound.iter().map(pick).collect()
}
