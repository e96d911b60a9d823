//! Where the processes of a job find rank 0.

use std::fmt;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, TcpListener, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;

/// Where the processes of a job find each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendezvous {
    /// Rank 0 listens there: a host, by name or address, and a port.
    Tcp(String, u16),
    /// Rank 0 writes its address into this file, which all processes can read. Its folder must exist.
    File(PathBuf),
}

impl fmt::Display for Rendezvous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host, port) => write!(f, "{host}:{port}"),
            Self::File(path) => write!(f, "the address in {}", path.display()),
        }
    }
}

impl Rendezvous {
    /// Lets rank 0 be found.
    pub(super) fn listen(&self, job: &str) -> io::Result<TcpListener> {
        match self {
            // A name may stand for an address of the loopback here and for another one elsewhere.
            Self::Tcp(host, port) if is_loopback(host) => TcpListener::bind((Ipv4Addr::LOCALHOST, *port)),
            Self::Tcp(_, port) => TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)),
            Self::File(path) => {
                let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
                let port = listener.local_addr()?.port();
                let mut text = format!("{job}\n");
                for host in own_hosts() {
                    text += &format!("{host}:{port}\n");
                }
                // Renamed, so that nobody reads a part of it.
                let written = path.with_extension(format!("{}.tmp", std::process::id()));
                fs::write(&written, text)?;
                fs::rename(&written, path)?;
                Ok(listener)
            }
        }
    }

    /// The addresses at which rank 0 may be, none as long as it has not said so.
    pub(super) fn addresses(&self, job: &str) -> Vec<String> {
        match self {
            Self::Tcp(host, port) => vec![format!("{host}:{port}")],
            Self::File(path) => {
                let text = fs::read_to_string(path).unwrap_or_default();
                let mut lines = text.lines();
                if lines.next() == Some(job) { lines.map(str::to_owned).collect() } else { Vec::new() }
            }
        }
    }
}

/// Listens at any port of an address.
pub(super) fn bind_any(ip: IpAddr) -> io::Result<TcpListener> {
    TcpListener::bind((ip, 0))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// What other processes may call this host: its address in the network, its name, and for those on the same host the loopback.
fn own_hosts() -> Vec<String> {
    // Connecting a UDP socket sends nothing, but chooses the address that others see.
    let address = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| {
            socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
            socket.local_addr()
        })
        .map(|address| address.ip().to_string());
    let name = Some(host_name()).filter(|name| (name.as_str(), 0).to_socket_addrs().is_ok());
    address.into_iter().chain(name).chain(["127.0.0.1".to_owned()]).collect()
}

/// The name of this host.
pub(super) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let name = name.or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "localhost".to_owned())
}
