//! The hub: threads of the process of rank 0, to which every rank has a connection.
//!
//! They live as long as the process, so that other ranks can continue when rank 0 has dropped its communicator.

use std::collections::HashMap;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::failure::{ClusterCause, ClusterFailure};
use super::room::{Replies, Room};
use super::wire::{Connection, ToHub, ToRank, send};

/// How long a connection may take to say who it is, and a rank to take a message.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stack of a thread that only passes messages.
const STACK: usize = 128 << 10;

struct Hub {
    job: String,
    /// What the ranks of this process call themselves.
    own_name: String,
    rooms: Mutex<HashMap<u64, Arc<Mutex<Meeting>>>>,
}

/// A room, and the connections to the ranks in it.
struct Meeting {
    room: Room,
    ranks: HashMap<usize, TcpStream>,
    /// The rank of this process.
    own: Option<usize>,
}

/// Starts the hub of a job. The ranks of this process have this name.
pub(super) fn start(listener: TcpListener, job: String, own_name: String) -> std::io::Result<()> {
    let hub = Arc::new(Hub { job, own_name, rooms: Mutex::default() });
    let serve = move || {
        for stream in listener.incoming().flatten() {
            let hub = Arc::clone(&hub);
            // Without a thread for it, the rank never gets an answer, and says so.
            let _ = thread::Builder::new().name("cluster hub".to_owned()).stack_size(STACK).spawn(move || hub.serve(stream));
        }
    };
    thread::Builder::new().name("cluster hub".to_owned()).stack_size(STACK).spawn(serve).map(drop)
}

impl Hub {
    /// Serves a connection until it ends.
    fn serve(&self, stream: TcpStream) {
        let Ok(writer) = stream.try_clone() else { return };
        let Ok(mut connection) = Connection::new(stream) else { return };
        let Ok(Some(ToHub::Hello { job, room: id, rank, size, name })) = connection.receive(Some(PATIENCE)) else { return };
        let _ = writer.set_write_timeout(Some(PATIENCE));
        if job != self.job {
            let message = format!("rank {rank} ({name}) of job {job} has connected to rank 0 of job {}; choose another port", self.job);
            let _ = send(&writer, &ToRank::Fail(ClusterFailure { rank, call: 0, cause: ClusterCause::Mismatch, message }));
            return;
        }
        let meeting = self.meeting(id, size);
        if name == self.own_name {
            lock(&meeting).own = Some(rank);
        }
        if !enter(&meeting, rank, size, &name, writer) {
            return;
        }
        while let Ok(Some(message)) = connection.receive::<ToHub>(None) {
            let mut meeting = lock(&meeting);
            let replies = meeting.room.handle(rank, message);
            meeting.deliver(&replies);
        }
        let mut meeting = lock(&meeting);
        meeting.ranks.remove(&rank);
        let replies = meeting.room.lose(rank);
        meeting.deliver(&replies);
        if meeting.room.is_over() {
            drop(meeting);
            lock(&self.rooms).remove(&id);
        }
    }

    fn meeting(&self, id: u64, size: usize) -> Arc<Mutex<Meeting>> {
        let new = || Arc::new(Mutex::new(Meeting { room: Room::new(size), ranks: HashMap::new(), own: None }));
        Arc::clone(lock(&self.rooms).entry(id).or_insert_with(new))
    }
}

/// Lets a rank in, or tells it why not.
fn enter(meeting: &Mutex<Meeting>, rank: usize, size: usize, name: &str, writer: TcpStream) -> bool {
    let mut meeting = lock(meeting);
    match meeting.room.enter(rank, size, name) {
        Ok(replies) => {
            meeting.ranks.insert(rank, writer);
            meeting.deliver(&replies);
            true
        }
        Err(refusal) => {
            let _ = send(&writer, &ToRank::Fail(refusal));
            false
        }
    }
}

impl Meeting {
    /// Sends messages. The connection of a rank that does not take them ends, and so does its room.
    ///
    /// That of this process comes last: after it, the program may end, and the hub with it.
    fn deliver(&self, replies: &Replies) {
        let (own, others): (Vec<_>, Vec<_>) = replies.iter().partition(|(rank, _)| Some(*rank) == self.own);
        for (rank, reply) in others.into_iter().chain(own) {
            if let Some(stream) = self.ranks.get(rank) {
                let _ = send(stream, reply);
            }
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
