//! Where the ranks of a communicator meet before each call: what the hub decides, without its connections.
//!
//! Every rank sends a description of its call. When all have come and the descriptions are equal, all may continue. Otherwise the room fails:
//! once, for the first reason that the hub learns of, and every rank gets the same failure. So whoever waits always gets an answer, and all
//! ranks blame the same one.

use std::collections::HashMap;

use super::failure::{ClusterCause, ClusterFailure, MeetingId, seconds};
use super::wire::{ToHub, ToRank};

pub(super) struct Room {
    members: Vec<Option<Member>>,
    meetings: HashMap<MeetingId, Vec<Arrival>>,
    failure: Option<ClusterFailure>,
}

struct Member {
    /// Its host and process.
    name: String,
    /// Its last call, with its description.
    last: Option<(MeetingId, String)>,
    has_left: bool,
}

struct Arrival {
    rank: usize,
    description: String,
    payload: Vec<u8>,
}

/// Messages to send, each with the rank that gets it.
pub(super) type Replies = Vec<(usize, ToRank)>;

impl Room {
    pub(super) fn new(size: usize) -> Self {
        Self { members: (0..size).map(|_| None).collect(), meetings: HashMap::new(), failure: None }
    }

    /// Lets a process in as `rank`. If that is not possible, the error is for this process alone.
    pub(super) fn enter(&mut self, rank: usize, size: usize, name: &str) -> Result<Replies, ClusterFailure> {
        let refusal = |message| ClusterFailure { rank, call: 0, cause: ClusterCause::Mismatch, message };
        if size != self.members.len() || rank >= size {
            let known = self.members.len();
            return Err(refusal(format!("rank {rank} ({name}) counts {size} ranks, and the others {known}")));
        }
        if let Some(member) = &self.members[rank] {
            return Err(refusal(format!("two processes have rank {rank}: {} and {name}", member.name)));
        }
        self.members[rank] = Some(Member { name: name.to_owned(), last: None, has_left: false });
        let failure = self.failure.clone().map(ToRank::Fail);
        Ok(std::iter::once(ToRank::Welcome).chain(failure).map(|reply| (rank, reply)).collect())
    }

    /// Answers a message of a rank.
    pub(super) fn handle(&mut self, rank: usize, message: ToHub) -> Replies {
        if let ToHub::Leave = message {
            return self.leave(rank);
        }
        if let Some(failure) = &self.failure {
            return vec![(rank, ToRank::Fail(failure.clone()))];
        }
        match message {
            ToHub::Call { id, description, payload } => self.arrive(id, Arrival { rank, description, payload }),
            ToHub::Overdue { id, waited } => self.overdue(id, &seconds(waited)),
            ToHub::Report(failure) => self.fail(failure),
            ToHub::Hello { .. } | ToHub::Leave => Vec::new(),
        }
    }

    /// The connection to a rank is lost. Whoever has left may close it.
    pub(super) fn lose(&mut self, rank: usize) -> Replies {
        let has_left = self.members[rank].as_ref().is_some_and(|member| member.has_left);
        if has_left || self.failure.is_some() {
            self.note_left(rank);
            return Vec::new();
        }
        let pending = self.meetings.keys().filter(|id| id.includes(rank)).min_by_key(|id| id.number()).copied();
        let id = pending.unwrap_or_else(|| self.next_call());
        let replies = self.blame(rank, ClusterCause::Ended, id, "ended before");
        self.note_left(rank);
        replies
    }

    /// Whether nobody is left who could come again.
    pub(super) fn is_over(&self) -> bool {
        self.members.iter().flatten().all(|member| member.has_left)
    }

    fn note_left(&mut self, rank: usize) {
        if let Some(member) = &mut self.members[rank] {
            member.has_left = true;
        }
    }

    fn leave(&mut self, rank: usize) -> Replies {
        self.note_left(rank);
        match self.meetings.keys().find(|id| id.includes(rank)).copied() {
            Some(id) if self.failure.is_none() => self.blame(rank, ClusterCause::Left, id, "dropped its communicator before"),
            _ => Vec::new(),
        }
    }

    fn arrive(&mut self, id: MeetingId, arrival: Arrival) -> Replies {
        let (rank, size) = (arrival.rank, self.members.len());
        if let Some(member) = &mut self.members[rank] {
            member.last = Some((id, arrival.description.clone()));
        }
        let arrivals = self.meetings.entry(id).or_default();
        let first = arrivals.first().map(|first| (first.rank, first.description.clone()));
        let description = arrival.description.clone();
        arrivals.push(arrival);
        if let Some((first, expected)) = first.filter(|(_, expected)| *expected != description) {
            let message = format!("{id} differs: rank {first} calls {expected}, and rank {rank} calls {description}");
            return self.fail(ClusterFailure { rank, call: id.number(), cause: ClusterCause::Mismatch, message });
        }
        let gone = self.members.iter().position(|member| member.as_ref().is_some_and(|member| member.has_left));
        if let Some(gone) = gone.filter(|gone| id.includes(*gone)) {
            return self.blame(gone, ClusterCause::Left, id, "dropped its communicator before");
        }
        if self.meetings[&id].len() < id.size(size) {
            return Vec::new();
        }
        let mut arrivals = self.meetings.remove(&id).unwrap_or_default();
        arrivals.sort_by_key(|arrival| arrival.rank);
        let ranks: Vec<usize> = arrivals.iter().map(|arrival| arrival.rank).collect();
        let payloads: Vec<_> = arrivals.into_iter().map(|arrival| arrival.payload).collect();
        ranks.into_iter().map(|rank| (rank, ToRank::Go { id, payloads: payloads.clone() })).collect()
    }

    /// Somebody has waited too long. If the others have come meanwhile, its answer is on the way.
    fn overdue(&mut self, id: MeetingId, waited: &str) -> Replies {
        let Some(arrivals) = self.meetings.get(&id) else { return Vec::new() };
        let has_come = |rank: &usize| arrivals.iter().any(|arrival| arrival.rank == *rank);
        let missing: Vec<usize> = (0..self.members.len()).filter(|rank| id.includes(*rank) && !has_come(rank)).collect();
        let Some(&first) = missing.first() else { return Vec::new() };
        let what = self.description_of(id) + if arrivals.is_empty() { "" } else { "," };
        let who = match missing.len() {
            1 => format!("rank {first}{}", self.name_of(first)),
            count if count <= 8 => format!("ranks {}", missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
            count => format!("{count} ranks, the first of them rank {first},"),
        };
        let last = match self.members[first].as_ref().map(|member| &member.last) {
            None => "; it never connected".to_owned(),
            Some(None) => String::new(),
            Some(Some((id, description))) => format!("; its last call was {id}, {description}"),
        };
        let message = format!("{who} did not reach {id}{what} within {waited}{last}");
        self.fail(ClusterFailure { rank: first, call: id.number(), cause: ClusterCause::Absent, message })
    }

    fn blame(&mut self, rank: usize, cause: ClusterCause, id: MeetingId, did: &str) -> Replies {
        let message = format!("rank {rank}{} {did} {id}{}", self.name_of(rank), self.description_of(id));
        self.fail(ClusterFailure { rank, call: id.number(), cause, message })
    }

    fn fail(&mut self, failure: ClusterFailure) -> Replies {
        let failure = self.failure.get_or_insert(failure).clone();
        self.meetings.clear();
        let present = |member: &Option<Member>| member.as_ref().is_some_and(|member| !member.has_left);
        let ranks = self.members.iter().enumerate().filter(|(_, member)| present(member)).map(|(rank, _)| rank);
        ranks.map(|rank| (rank, ToRank::Fail(failure.clone()))).collect()
    }

    fn name_of(&self, rank: usize) -> String {
        self.members[rank].as_ref().map_or(String::new(), |member| format!(" ({})", member.name))
    }

    /// `, all_reduce of 10 f32`, if a rank waits for this call.
    fn description_of(&self, id: MeetingId) -> String {
        let first = self.meetings.get(&id).and_then(|arrivals| arrivals.first());
        first.map_or(String::new(), |first| format!(", {}", first.description))
    }

    /// The first call that not all ranks have made.
    fn next_call(&self) -> MeetingId {
        let last = |member: &Member| match member.last {
            Some((MeetingId::Collective(number), _)) => number,
            _ => 0,
        };
        MeetingId::Collective(self.members.iter().flatten().map(last).max().unwrap_or(0) + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A room with all ranks in it.
    fn room(size: usize) -> Room {
        let mut room = Room::new(size);
        for rank in 0..size {
            assert_eq!(room.enter(rank, size, &format!("host:{rank}")), Ok(vec![(rank, ToRank::Welcome)]));
        }
        room
    }

    fn call(number: u64, description: &str) -> ToHub {
        ToHub::Call { id: MeetingId::Collective(number), description: description.to_owned(), payload: Vec::new() }
    }

    /// The ranks that get a failure, all of them the same, and its message.
    fn failed(replies: &Replies) -> (Vec<usize>, &str) {
        let mut all: Vec<(usize, &ClusterFailure)> = Vec::new();
        for (rank, reply) in replies {
            match reply {
                ToRank::Fail(failure) => all.push((*rank, failure)),
                ToRank::Go { .. } | ToRank::Welcome => panic!("rank {rank} goes on"),
            }
        }
        assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].1));
        (all.iter().map(|(rank, _)| *rank).collect(), &all[0].1.message)
    }

    #[test]
    fn nobody_goes_on_before_the_last_one_has_come() {
        let mut room = room(3);
        assert_eq!(room.handle(2, call(1, "barrier")), []);
        assert_eq!(room.handle(0, call(1, "barrier")), []);
        let replies = room.handle(1, call(1, "barrier"));
        assert_eq!(replies.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(replies.iter().all(|(_, reply)| matches!(reply, ToRank::Go { payloads, .. } if payloads.len() == 3)));
    }

    #[test]
    fn another_call_fails_on_all_ranks_and_so_do_later_calls() {
        let mut room = room(3);
        room.handle(0, call(1, "all_reduce of 10 f32, sum"));
        let replies = room.handle(2, call(1, "all_reduce of 11 f32, sum"));
        let expected = "call 1 differs: rank 0 calls all_reduce of 10 f32, sum, and rank 2 calls all_reduce of 11 f32, sum";
        assert_eq!(failed(&replies), (vec![0, 1, 2], expected));
        assert_eq!(failed(&room.handle(1, call(1, "barrier"))), (vec![1], expected));
    }

    #[test]
    fn a_rank_that_ends_is_blamed_at_once_whether_anybody_waits_or_not() {
        let mut idle = room(3);
        assert_eq!(failed(&idle.lose(1)), (vec![0, 1, 2], "rank 1 (host:1) ended before call 1"));
        assert_eq!(idle.lose(2), [], "who ends after the failure is not blamed");
        let mut waiting = room(2);
        waiting.handle(0, call(1, "barrier"));
        assert_eq!(failed(&waiting.lose(1)).1, "rank 1 (host:1) ended before call 1, barrier");
    }

    #[test]
    fn a_rank_may_leave_unless_others_call_again() {
        let mut room = room(2);
        assert_eq!(room.handle(1, ToHub::Leave), []);
        assert_eq!(room.lose(1), []);
        assert_eq!(
            failed(&room.handle(0, call(1, "barrier"))),
            (vec![0], "rank 1 (host:1) dropped its communicator before call 1, barrier")
        );
        assert!(!room.is_over());
        room.handle(0, ToHub::Leave);
        assert!(room.is_over());
    }

    #[test]
    fn who_is_missing_is_named_with_its_last_call() {
        let mut room = room(3);
        (0..3).for_each(|rank| drop(room.handle(rank, call(1, "broadcast of 3 i32"))));
        room.handle(0, call(2, "barrier"));
        room.handle(1, call(2, "barrier"));
        let overdue = ToHub::Overdue { id: MeetingId::Collective(2), waited: Duration::from_millis(1500) };
        let expected = "rank 2 (host:2) did not reach call 2, barrier, within 1.5 s; its last call was call 1, broadcast of 3 i32";
        assert_eq!(failed(&room.handle(0, overdue)), (vec![0, 1, 2], expected));
    }

    #[test]
    fn a_time_out_that_comes_after_the_last_rank_is_nothing() {
        let mut room = room(2);
        (0..2).for_each(|rank| drop(room.handle(rank, call(1, "barrier"))));
        assert_eq!(room.handle(0, ToHub::Overdue { id: MeetingId::Collective(1), waited: Duration::ZERO }), []);
    }

    #[test]
    fn a_transfer_needs_two_ranks_only() {
        let mut room = room(3);
        let transfer = |number| ToHub::Call {
            id: MeetingId::Transfer { from: 2, to: 0, number },
            description: "transfer of 3 f32".to_owned(),
            payload: Vec::new(),
        };
        assert_eq!(room.handle(1, ToHub::Leave), []);
        assert_eq!(room.handle(2, transfer(1)), []);
        assert_eq!(room.handle(0, transfer(1)).len(), 2);
    }

    #[test]
    fn a_rank_that_is_taken_is_refused_and_the_others_go_on() {
        let mut room = room(2);
        assert_eq!(room.enter(1, 2, "other:7").unwrap_err().message, "two processes have rank 1: host:1 and other:7");
        assert_eq!(room.enter(2, 3, "other:7").unwrap_err().message, "rank 2 (other:7) counts 3 ranks, and the others 2");
        room.handle(0, call(1, "barrier"));
        assert_eq!(room.handle(1, call(1, "barrier")).len(), 2);
    }
}
