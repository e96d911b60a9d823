//! The facts at a point of the program: comparisons that are true there.
//!
//! A fact is about [`Value`]s, which never change, so a true fact stays true. The walk drops the facts of a branch when it leaves the
//! branch only because other paths do not go through the branch.

use super::value::{Kind, Value};
use crate::model::BinaryOp;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Less,
    LessEqual,
    Equal,
    NotEqual,
}

/// `left relation right`, of unsigned integers.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) left: Value,
    pub(super) relation: Relation,
    pub(super) right: Value,
}

/// The facts at a point: a list that shares its tail with the points before.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    fact: Fact,
    rest: Facts,
}

impl Facts {
    pub(super) fn add(&mut self, left: &Value, relation: Relation, right: &Value) {
        let fact = Fact { left: left.clone(), relation, right: right.clone() };
        *self = Facts(Some(Rc::new(Link { fact, rest: self.clone() })));
    }

    /// Adds the facts that follow if `condition` is `truth`.
    pub(super) fn assume(&mut self, condition: &Value, truth: bool) {
        match &condition.kind {
            Kind::Not(inner) => self.assume(inner, !truth),
            Kind::And(a, b) if truth => {
                self.assume(a, true);
                self.assume(b, true);
            }
            Kind::Or(a, b) if !truth => {
                self.assume(a, false);
                self.assume(b, false);
            }
            Kind::Compare(op, left, right) => {
                use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
                match (op, truth) {
                    (Less, true) | (GreaterEqual, false) => self.add(left, Relation::Less, right),
                    (LessEqual, true) | (Greater, false) => self.add(left, Relation::LessEqual, right),
                    (Greater, true) | (LessEqual, false) => self.add(right, Relation::Less, left),
                    (GreaterEqual, true) | (Less, false) => self.add(right, Relation::LessEqual, left),
                    (Equal, true) | (NotEqual, false) => self.add(left, Relation::Equal, right),
                    (NotEqual, true) | (Equal, false) => self.add(left, Relation::NotEqual, right),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The facts, latest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Fact> {
        std::iter::successors(self.0.as_deref(), |link| link.rest.0.as_deref()).map(|link| &link.fact)
    }
}
