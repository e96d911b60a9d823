//! Messages between a rank and the hub, as bytes: a length of four bytes, then the fields, with little-endian numbers.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::failure::{ClusterCause, ClusterFailure, MeetingId};

/// What a rank sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToHub {
    /// The first message.
    Hello { job: String, room: u64, rank: usize, size: usize, name: String },
    /// It makes a call.
    Call { id: MeetingId, description: String, payload: Vec<u8> },
    /// It has waited for the others for that time.
    Overdue { id: MeetingId, waited: Duration },
    /// A call cannot continue.
    Report(ClusterFailure),
    /// The communicator was dropped.
    Leave,
}

/// What a rank gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToRank {
    /// It is let in.
    Welcome,
    /// All ranks have made the call: what each of them gave.
    Go { id: MeetingId, payloads: Vec<Vec<u8>> },
    /// The communicator has failed.
    Fail(ClusterFailure),
}

/// What both ends must agree on.
const PROTOCOL: &str = "gpu-runtime cluster 2";

/// More than any message has: a longer one is from another program.
const LONGEST: usize = 1 << 28;

pub(super) trait Message: Sized {
    fn encode(&self, to: &mut Encoder);
    fn decode(from: &mut Decoder<'_>) -> Option<Self>;
}

impl Message for ToHub {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Self::Hello { job, room, rank, size, name } => {
                to.u8(0).text(PROTOCOL).text(job).u64(*room).u64(*rank as u64).u64(*size as u64).text(name);
            }
            Self::Call { id, description, payload } => {
                to.u8(1).id(*id).text(description).bytes(payload);
            }
            Self::Overdue { id, waited } => {
                to.u8(2).id(*id).u64(waited.as_millis() as u64);
            }
            Self::Report(failure) => {
                to.u8(3).failure(failure);
            }
            Self::Leave => {
                to.u8(4);
            }
        }
    }

    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some(match from.u8()? {
            0 => {
                from.text().filter(|protocol| protocol == PROTOCOL)?;
                Self::Hello { job: from.text()?, room: from.u64()?, rank: from.index()?, size: from.index()?, name: from.text()? }
            }
            1 => Self::Call { id: from.id()?, description: from.text()?, payload: from.bytes()?.to_vec() },
            2 => Self::Overdue { id: from.id()?, waited: Duration::from_millis(from.u64()?) },
            3 => Self::Report(from.failure()?),
            4 => Self::Leave,
            _ => return None,
        })
    }
}

impl Message for ToRank {
    fn encode(&self, to: &mut Encoder) {
        match self {
            Self::Go { id, payloads } => {
                to.u8(0).id(*id).u64(payloads.len() as u64);
                payloads.iter().for_each(|payload| {
                    to.bytes(payload);
                });
            }
            Self::Fail(failure) => {
                to.u8(1).failure(failure);
            }
            Self::Welcome => {
                to.u8(2);
            }
        }
    }

    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some(match from.u8()? {
            0 => {
                let id = from.id()?;
                let count = from.index()?;
                Self::Go { id, payloads: (0..count).map(|_| from.bytes().map(<[u8]>::to_vec)).collect::<Option<_>>()? }
            }
            1 => Self::Fail(from.failure()?),
            2 => Self::Welcome,
            _ => return None,
        })
    }
}

/// Appends fields.
pub(super) struct Encoder(Vec<u8>);

impl Encoder {
    fn u8(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.u64(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn id(&mut self, id: MeetingId) -> &mut Self {
        match id {
            MeetingId::Collective(number) => self.u8(0).u64(number),
            MeetingId::Transfer { from, to, number } => self.u8(1).u64(from as u64).u64(to as u64).u64(number),
        }
    }

    fn failure(&mut self, failure: &ClusterFailure) -> &mut Self {
        self.u64(failure.rank as u64).u64(failure.call).u8(failure.cause.code()).text(&failure.message)
    }
}

/// Takes fields from the front.
pub(super) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn index(&mut self) -> Option<usize> {
        self.u64()?.try_into().ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.index()?;
        self.take(count)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn id(&mut self) -> Option<MeetingId> {
        match self.u8()? {
            0 => Some(MeetingId::Collective(self.u64()?)),
            1 => Some(MeetingId::Transfer { from: self.index()?, to: self.index()?, number: self.u64()? }),
            _ => None,
        }
    }

    fn failure(&mut self) -> Option<ClusterFailure> {
        let (rank, call) = (self.index()?, self.u64()?);
        Some(ClusterFailure { rank, call, cause: ClusterCause::from_code(self.u8()?)?, message: self.text()? })
    }
}

/// A connection that sends and receives messages.
pub(super) struct Connection {
    stream: TcpStream,
    /// What was received of the next message.
    received: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        // A message is small, and the other end waits for it.
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub(super) fn send(&self, message: &impl Message) -> io::Result<()> {
        send(&self.stream, message)
    }

    /// The next message, or nothing if it does not come within `limit`.
    pub(super) fn receive<M: Message>(&mut self, limit: Option<Duration>) -> io::Result<Option<M>> {
        let start = Instant::now();
        loop {
            if let Some(message) = self.complete()? {
                return Ok(Some(message));
            }
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            self.stream.set_read_timeout(left)?;
            let mut bytes = [0; 4096];
            match (&self.stream).read(&mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.received.extend(&bytes[..count]),
                Err(error) if is_early(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next message, if it has arrived. Does not wait: a time limit of the system is a multiple of milliseconds.
    pub(super) fn receive_now<M: Message>(&mut self) -> io::Result<Option<M>> {
        loop {
            if let Some(message) = self.complete()? {
                return Ok(Some(message));
            }
            self.stream.set_nonblocking(true)?;
            let mut bytes = [0; 4096];
            let read = (&self.stream).read(&mut bytes);
            self.stream.set_nonblocking(false)?;
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.received.extend(&bytes[..count]),
                Err(error) if is_early(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// The first message of what was received, if all of it is there.
    fn complete<M: Message>(&mut self) -> io::Result<Option<M>> {
        let Some(length) = self.received.first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let Some(body) = self.received.get(4..4 + length) else { return Ok(None) };
        let message = M::decode(&mut Decoder(body)).ok_or(io::ErrorKind::InvalidData)?;
        self.received.drain(..4 + length);
        Ok(Some(message))
    }
}

pub(super) fn send(mut stream: &TcpStream, message: &impl Message) -> io::Result<()> {
    let mut frame = Encoder(vec![0; 4]);
    message.encode(&mut frame);
    let length = (frame.0.len() - 4) as u32;
    frame.0[..4].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&frame.0)
}

/// Whether an operation should be tried again.
pub(super) fn is_early(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<M: Message>(message: &M) -> Option<M> {
        let mut frame = Encoder(Vec::new());
        message.encode(&mut frame);
        let cut = M::decode(&mut Decoder(&frame.0[..frame.0.len() - 1]));
        assert!(cut.is_none(), "a message that is cut off was understood");
        M::decode(&mut Decoder(&frame.0))
    }

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let id = MeetingId::Transfer { from: 1, to: 2, number: 3 };
        let failure = ClusterFailure { rank: 2, call: 7, cause: ClusterCause::Transport, message: "é".to_owned() };
        for message in [
            ToHub::Hello { job: "job".to_owned(), room: u64::MAX, rank: 1, size: 4, name: "host:1".to_owned() },
            ToHub::Call { id, description: "send of 3 f32".to_owned(), payload: vec![1, 2] },
            ToHub::Overdue { id: MeetingId::Collective(5), waited: Duration::from_millis(1500) },
            ToHub::Report(failure.clone()),
            ToHub::Leave,
        ] {
            assert_eq!(round_trip(&message).as_ref(), Some(&message));
        }
        for message in [ToRank::Welcome, ToRank::Go { id, payloads: vec![vec![], vec![1]] }, ToRank::Fail(failure)] {
            assert_eq!(round_trip(&message).as_ref(), Some(&message));
        }
    }

    #[test]
    fn bytes_of_another_program_are_no_message() {
        assert_eq!(ToHub::decode(&mut Decoder(b"GET / HTTP/1.1")), None);
        assert_eq!(ToHub::decode(&mut Decoder(&[1, 0, 255, 255, 255, 255, 255, 255, 255, 255])), None);
    }
}
