//! Sessions of users in a log, ordered by user and time.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![gaps_part_sessions];

/// A line of the log.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Visit {
    user: u32,
    seconds: i64,
}

#[gpu_device]
impl Visit {
    /// Whether a session begins at `self`, the visit after `before`.
    fn begins(self, before: Visit, gap: i64) -> bool {
        self.user != before.user || self.seconds - before.seconds > gap
    }
}

/// Marks each visit that begins a session with its own number.
#[gpu_kernel]
pub fn mark(visits: &[Visit], gap: i64, session: &mut [Option32]) {
    let i = grid_1d();
    if i < session.len() && i < visits.len() {
        let visit = visits[i];
        let begins = i == 0 || visit.begins(visits[i - 1], gap);
        session[i] = if begins { Option32 { some: true, value: i as u32 } } else { Option32 { some: false, value: 0 } };
    }
}

/// A number or none, in an array.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Option32 {
    some: bool,
    value: u32,
}

#[gpu_device]
impl Option32 {
    fn number(&self) -> Option<u32> {
        if self.some { Some(self.value) } else { None }
    }
}

/// Hands the number of each session on to the visits that follow in it, and says how long the session was, at its first visit.
#[gpu_kernel]
pub fn spread(marks: &[Option32], visits: &[Visit], session: &mut [u32], lengths: &mut [i64]) {
    let i = grid_1d();
    if i >= marks.len() {
        return;
    }
    let Some(number) = marks[i].number() else {
        lengths[i] = -1;
        return;
    };
    session[i] = number;
    let mut end = i + 1;
    while end < marks.len() && matches!(marks[end].number(), None) {
        session[end] = number;
        end += 1;
    }
    lengths[i] = visits[end - 1].seconds - visits[i].seconds;
}

fn gaps_part_sessions(bench: &Bench) {
    let gap = 30;
    let mut visits = Vec::new();
    let mut seconds = 1_700_000_000i64 << 4;
    for i in 0..1000u32 {
        // Some gaps are exactly as long as one may be.
        seconds += i64::from(i * 7919 % 101 % 33) - i64::from(i % 50 == 0) * 500;
        visits.push(Visit { user: i / 50, seconds });
    }
    let n = visits.len();
    let mut marks = vec![Option32 { some: false, value: 9 }; n];
    launch!(bench, mark(&visits, gap, &mut marks), n.div_ceil(128) as u32, 128);
    let (mut session, mut lengths) = (vec![u32::MAX; n], vec![0; n]);
    launch!(bench, spread(&marks, &visits, &mut session, &mut lengths), n.div_ceil(128) as u32, 128);

    let mut sessions: Vec<Vec<usize>> = Vec::new();
    for i in 0..n {
        match sessions.last_mut() {
            Some(last) if visits[i].user == visits[i - 1].user && visits[i].seconds <= visits[i - 1].seconds + gap => last.push(i),
            _ => sessions.push(vec![i]),
        }
    }
    assert!((30..300).contains(&sessions.len()), "{} sessions show little", sessions.len());
    for visits_of_it in &sessions {
        let (first, last) = (visits_of_it[0], visits_of_it[visits_of_it.len() - 1]);
        assert_eq!(lengths[first], visits[last].seconds - visits[first].seconds);
        for &i in visits_of_it {
            assert_eq!(session[i], first as u32, "visit {i}");
            assert!(i == first || lengths[i] == -1, "visit {i}");
        }
    }
}
