//! Divides the file descriptors of the process between the log, connections of clients and connections to providers.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number of file descriptors that connections never use: those of the log, its readers, the control socket and its
/// connections, the runtime and the standard streams. A gateway without requests has 18 of them open.
const RESERVED: u64 = 96;

/// The number of connections of clients that are accepted even if the limit of descriptors is lower than [`RESERVED`].
const MIN_CONNECTIONS: u64 = 4;

/// Raises the soft limit of open files of this process to the hard limit, and returns the limit that applies; `None` if
/// the system has none. If the system refuses, the soft limit stays.
pub fn raise_descriptor_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return current;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files cannot be raised");
            current
        }
    }
}

/// Returns the soft limit of open files of this process; `None` if there is none.
pub(crate) fn descriptor_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// The maximum numbers of connections, so that the file descriptors of the process suffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DescriptorBudget {
    /// The maximum number of connections of clients. Each needs two descriptors: its own, and that of the call to a
    /// provider.
    pub(crate) connections: usize,
    /// The maximum number of unused connections to each provider that are kept open.
    pub(crate) idle_per_provider: usize,
}

impl DescriptorBudget {
    /// Divides the file descriptors of the process between connections of clients and unused connections to providers.
    /// `limit` is the number of descriptors, `None` if it is unlimited; `configured` is the maximum number of
    /// connections of clients, `providers` the number of providers.
    pub(crate) fn new(limit: Option<u64>, configured: usize, providers: usize) -> Self {
        let Some(limit) = limit else { return Self { connections: configured, idle_per_provider: configured } };
        let available = limit.saturating_sub(RESERVED);
        let idle = available / 8;
        let connections = ((available - idle) / 2).max(MIN_CONNECTIONS);
        let per_provider = idle / (providers.max(1) as u64);
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self { connections: configured.min(count(connections)), idle_per_provider: count(per_provider) }
    }
}

#[cfg(test)]
mod tests {
    use super::{DescriptorBudget, RESERVED};

    #[test]
    fn connections_of_clients_and_providers_leave_the_reserved_descriptors() {
        for limit in [128, 256, 1_024, 4_096, 1_048_576_u64] {
            for providers in [0, 1, 9, 40] {
                let budget = DescriptorBudget::new(Some(limit), 1_000_000, providers);
                let used = 2 * budget.connections + budget.idle_per_provider * providers;
                assert!(used as u64 + RESERVED <= limit, "{limit}, {providers}: {budget:?}");
            }
        }
        assert_eq!(DescriptorBudget::new(Some(1_024), 16_384, 9).connections, 406);
        assert_eq!(DescriptorBudget::new(Some(1_024), 100, 9).connections, 100, "the configured limit applies");
        assert_eq!(DescriptorBudget::new(Some(20), 16_384, 9).connections, 4);
        assert_eq!(DescriptorBudget::new(None, 16_384, 9).connections, 16_384);
    }
}
