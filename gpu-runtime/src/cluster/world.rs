//! The processes of a job, as their launcher describes them.

use std::str::FromStr;
use std::time::Duration;

use super::failure::ClusterError;
use super::hosts::first_host;
use super::rendezvous::Rendezvous;
use crate::device::Device;

/// The processes that a launcher has started together: how many there are, and which one this is.
///
/// [`from_env`](Self::from_env) reads the variables of `torchrun`, Open MPI, SLURM and MPICH. [`connect`](Self::connect) makes a
/// [`Communicator`](super::Communicator) of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) local_rank: usize,
    pub(super) rendezvous: Option<Rendezvous>,
    pub(super) job: String,
    pub(super) timeout: Duration,
    pub(super) device: Option<Device>,
    pub(super) is_checked: bool,
}

/// How long a rank waits for the others if nothing else is said: long enough for one of them to compile kernels or write a file.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The port of rank 0 if no variable says another one.
const PORT: u16 = 29400;

impl World {
    /// The processes that the environment describes; this process alone if no launcher has set a variable.
    ///
    /// | launcher | variables |
    /// |---|---|
    /// | `torchrun`, `scripts/launch-local` | `RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `MASTER_ADDR`, `MASTER_PORT` |
    /// | Open MPI's `mpirun` | `OMPI_COMM_WORLD_RANK`, `…_SIZE`, `…_LOCAL_RANK` |
    /// | SLURM's `srun` | `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS`, `SLURM_LOCALID`, `SLURM_STEP_NODELIST` |
    /// | PMI: MPICH, Intel MPI | `PMI_RANK`, `PMI_SIZE`, `MPI_LOCALRANKID` |
    /// | PMIx | `PMIX_RANK`, with `WORLD_SIZE` |
    ///
    /// Rank 0 is found at `MASTER_ADDR` and `MASTER_PORT`, or through the file in `GPU_RUNTIME_RENDEZVOUS`. SLURM needs neither. Nor do
    /// processes on one host that `mpirun` has started. `GPU_RUNTIME_TIMEOUT` is the [time-out](Self::timeout) in seconds.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Environment`] if a variable is missing or is not a number.
    pub fn from_env() -> crate::Result<Self> {
        Ok(Self::from_variables(&|name| std::env::var(name).ok())?)
    }

    /// This process alone.
    #[must_use]
    pub fn alone() -> Self {
        Self::of(0, 1)
    }

    /// Process `rank` of `size`, which find each other at `rendezvous`.
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`] if there is no such rank.
    pub fn new(rank: usize, size: usize, rendezvous: Rendezvous) -> crate::Result<Self> {
        if rank >= size {
            return Err(ClusterError::RankOutOfRange { rank, size }.into());
        }
        Ok(Self { rendezvous: Some(rendezvous), local_rank: rank, ..Self::of(rank, size) })
    }

    /// The number of this process, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of this process among those on its host, from 0.
    #[must_use]
    pub fn local_rank(&self) -> usize {
        self.local_rank
    }

    /// How long a rank waits for the others, in each call and to connect: five minutes if nothing else is said.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The device of this process, in place of the one that [`connect`](Self::connect) chooses.
    #[must_use]
    pub fn on(self, device: &Device) -> Self {
        Self { device: Some(device.clone()), ..self }
    }

    /// Lets ranks on GPUs call without comparing their calls. This saves, for each call, a message to rank 0 and the wait for its answer.
    ///
    /// Different calls of the ranks then end with the [time-out](Self::timeout), or give wrong elements. All ranks must say this.
    ///
    /// # Safety
    ///
    /// All ranks must make the same calls in the same order, with the same element type and as many elements: nothing else keeps NCCL
    /// from writing as many elements as another rank sends, and the bytes of one type from becoming elements of another.
    #[must_use]
    pub unsafe fn unchecked(self) -> Self {
        Self { is_checked: false, ..self }
    }

    fn of(rank: usize, size: usize) -> Self {
        Self { rank, size, local_rank: rank, rendezvous: None, job: "job".to_owned(), timeout: TIMEOUT, device: None, is_checked: true }
    }

    fn from_variables(variable: &Variables<'_>) -> Result<Self, ClusterError> {
        let variables = |names: &[&'static str]| names.iter().find(|name| variable(name).is_some()).copied();
        let mut world = match LAUNCHERS.iter().find(|launcher| launcher.is_present(variable)) {
            None => Self::of(0, 1),
            Some(launcher) => {
                let rank: usize = number(variable, launcher.rank)?;
                let Some(size) = variables(launcher.size) else {
                    let message = format!("{} is set, but not {}: set it to the number of processes", launcher.rank, launcher.size[0]);
                    return Err(ClusterError::Environment(message));
                };
                let size = number(variable, size)?;
                if rank >= size {
                    return Err(ClusterError::RankOutOfRange { rank, size });
                }
                let local_rank = variables(launcher.local_rank).map_or(Ok(rank), |name| number(variable, name))?;
                let job = launcher.job.iter().filter_map(|name| variable(name)).collect::<Vec<_>>().join(".");
                let job = if job.is_empty() { "job".to_owned() } else { job };
                let world = Self { local_rank, job, ..Self::of(rank, size) };
                Self { rendezvous: if size > 1 { Some(world.find_rendezvous(variable)?) } else { None }, ..world }
            }
        };
        world.timeout = timeout(variable)?;
        Ok(world)
    }

    fn find_rendezvous(&self, variable: &Variables<'_>) -> Result<Rendezvous, ClusterError> {
        if let Some(path) = variable("GPU_RUNTIME_RENDEZVOUS") {
            return Ok(Rendezvous::File(path.into()));
        }
        let port = match variable("MASTER_PORT") {
            // The agents of torchrun listen there themselves.
            Some(_) if variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|value| value == "True") => {
                number::<u16>(variable, "MASTER_PORT")?.wrapping_add(1)
            }
            Some(_) => number(variable, "MASTER_PORT")?,
            None => port_of(&self.job),
        };
        if let Some(host) = variable("MASTER_ADDR") {
            return Ok(Rendezvous::Tcp(host, port));
        }
        if let Some(host) = ["SLURM_STEP_NODELIST", "SLURM_NODELIST"].iter().find_map(|name| first_host(&variable(name)?)) {
            return Ok(Rendezvous::Tcp(host, port));
        }
        let is_on_one_host = variable("OMPI_COMM_WORLD_LOCAL_SIZE").is_some_and(|local| local == self.size.to_string());
        if is_on_one_host {
            return Ok(Rendezvous::Tcp("127.0.0.1".to_owned(), port));
        }
        let message = "the environment does not say where rank 0 is: set MASTER_ADDR and MASTER_PORT to its host and a free port, \
                       or GPU_RUNTIME_RENDEZVOUS to a file that all processes can read and write";
        Err(ClusterError::Environment(message.to_owned()))
    }
}

/// The values of environment variables.
type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The variables of a launcher. Of several names, the first that is set counts.
struct Launcher {
    rank: &'static str,
    size: &'static [&'static str],
    local_rank: &'static [&'static str],
    /// What its processes, and no others, have in common.
    job: &'static [&'static str],
    /// Another variable that only its processes have.
    also: Option<&'static str>,
}

/// An inner launcher before the outer one, in whose environment it runs: `torchrun` in `srun`, `mpirun` in an allocation of SLURM.
const LAUNCHERS: &[Launcher] = &[
    Launcher { rank: "RANK", size: &["WORLD_SIZE"], local_rank: &["LOCAL_RANK"], job: &["TORCHELASTIC_RUN_ID"], also: Some("WORLD_SIZE") },
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        size: &["OMPI_COMM_WORLD_SIZE"],
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
        also: None,
    },
    // The script of a job has a rank too, but it is no task of a step.
    Launcher {
        rank: "SLURM_PROCID",
        size: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        local_rank: &["SLURM_LOCALID"],
        job: &["SLURM_JOB_ID", "SLURM_STEP_ID"],
        also: Some("SLURM_STEP_ID"),
    },
    Launcher { rank: "PMI_RANK", size: &["PMI_SIZE"], local_rank: &["MPI_LOCALRANKID"], job: &["PMI_JOBID"], also: None },
    Launcher { rank: "PMIX_RANK", size: &["WORLD_SIZE", "PMIX_SIZE"], local_rank: &["LOCAL_RANK"], job: &["PMIX_NAMESPACE"], also: None },
];

impl Launcher {
    fn is_present(&self, variable: &Variables<'_>) -> bool {
        variable(self.rank).is_some() && self.also.is_none_or(|also| variable(also).is_some())
    }
}

/// The time-out of ranks that no launcher has started.
pub(super) fn timeout_of_env() -> crate::Result<Duration> {
    Ok(timeout(&|name| std::env::var(name).ok())?)
}

fn timeout(variable: &Variables<'_>) -> Result<Duration, ClusterError> {
    match variable("GPU_RUNTIME_TIMEOUT") {
        Some(_) => Ok(Duration::from_secs(number(variable, "GPU_RUNTIME_TIMEOUT")?)),
        None => Ok(TIMEOUT),
    }
}

fn number<N: FromStr>(variable: &Variables<'_>, name: &str) -> Result<N, ClusterError> {
    let value = variable(name).unwrap_or_default();
    value.trim().parse().map_err(|_| ClusterError::Environment(format!("{name} is `{value}`, which is not a valid number for it")))
}

/// A port for a job: jobs on the same host most likely have different ones.
fn port_of(job: &str) -> u16 {
    let hash = job.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    PORT + (hash % 3000) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(variables: &[(&str, &str)]) -> Result<World, String> {
        let variable = |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
        World::from_variables(&variable).map_err(|error| error.to_string())
    }

    #[test]
    fn each_launcher_says_who_a_process_is() {
        type Variables = &'static [(&'static str, &'static str)];
        let rows: &[(Variables, (usize, usize, usize), &str)] = &[
            (
                &[("RANK", "5"), ("WORLD_SIZE", "8"), ("LOCAL_RANK", "1"), ("MASTER_ADDR", "node0"), ("MASTER_PORT", "1234")],
                (5, 8, 1),
                "node0:1234",
            ),
            (
                &[
                    ("RANK", "1"),
                    ("WORLD_SIZE", "2"),
                    ("LOCAL_RANK", "1"),
                    ("MASTER_ADDR", "node0"),
                    ("MASTER_PORT", "1234"),
                    ("TORCHELASTIC_USE_AGENT_STORE", "True"),
                    ("SLURM_PROCID", "0"),
                    ("SLURM_NTASKS", "1"),
                    ("SLURM_STEP_ID", "0"),
                ],
                (1, 2, 1),
                "node0:1235",
            ),
            (
                &[
                    ("OMPI_COMM_WORLD_RANK", "3"),
                    ("OMPI_COMM_WORLD_SIZE", "4"),
                    ("OMPI_COMM_WORLD_LOCAL_RANK", "3"),
                    ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
                    ("MASTER_PORT", "99"),
                ],
                (3, 4, 3),
                "127.0.0.1:99",
            ),
            (
                &[
                    ("SLURM_PROCID", "9"),
                    ("SLURM_STEP_NUM_TASKS", "16"),
                    ("SLURM_NTASKS", "32"),
                    ("SLURM_LOCALID", "1"),
                    ("SLURM_STEP_ID", "0"),
                    ("SLURM_STEP_NODELIST", "gpu[07-09,12]"),
                    ("MASTER_PORT", "7"),
                ],
                (9, 16, 1),
                "gpu07:7",
            ),
            (
                &[("PMI_RANK", "1"), ("PMI_SIZE", "2"), ("MPI_LOCALRANKID", "0"), ("GPU_RUNTIME_RENDEZVOUS", "/shared/a")],
                (1, 2, 0),
                "the address in /shared/a",
            ),
        ];
        for (variables, expected, rendezvous) in rows {
            let world = world(variables).unwrap();
            assert_eq!((world.rank, world.size, world.local_rank), *expected);
            assert_eq!(world.rendezvous.unwrap().to_string(), *rendezvous);
        }
    }

    #[test]
    fn a_process_without_a_launcher_is_alone_and_so_is_the_script_of_a_job() {
        assert_eq!(world(&[]).unwrap(), World::alone());
        assert_eq!(world(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]).unwrap(), World::alone());
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = world(&[("PMIX_RANK", "0")]).unwrap_err();
        assert_eq!(error, "PMIX_RANK is set, but not WORLD_SIZE: set it to the number of processes");
        let error = world(&[("RANK", "x"), ("WORLD_SIZE", "2")]).unwrap_err();
        assert_eq!(error, "RANK is `x`, which is not a valid number for it");
        let error = world(&[("RANK", "0"), ("WORLD_SIZE", "2")]).unwrap_err();
        assert!(error.contains("set MASTER_ADDR and MASTER_PORT"), "{error}");
        let error = world(&[("RANK", "2"), ("WORLD_SIZE", "2")]).unwrap_err();
        assert_eq!(error, "there is no rank 2: the communicator has 2, numbered from 0");
    }

    #[test]
    fn two_jobs_of_slurm_use_different_ports() {
        let port = |job| {
            let variables =
                [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2"), ("SLURM_STEP_ID", "0"), ("SLURM_NODELIST", "a"), ("SLURM_JOB_ID", job)];
            world(&variables).unwrap().rendezvous.unwrap().to_string()
        };
        assert_ne!(port("1000"), port("1001"));
    }
}
