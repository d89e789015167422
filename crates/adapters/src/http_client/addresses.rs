//! Refuses connections to link-local addresses and to metadata services, which hand out credentials of a machine.

use std::{
    collections::BTreeSet,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower_service::Service;

/// The addresses of metadata services outside of the link-local ranges: Azure, Alibaba, Oracle.
const METADATA_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192)];

/// The address of the metadata service of Amazon for IPv6.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// The link-local addresses and addresses of metadata services to which connections are allowed by the settings. Clones
/// share them.
#[derive(Debug, Clone, Default)]
pub struct AllowedAddresses(Arc<BTreeSet<IpAddr>>);

impl AllowedAddresses {
    /// Creates a set of allowed addresses.
    pub fn new(addresses: BTreeSet<IpAddr>) -> Self {
        Self(Arc::new(addresses))
    }

    /// Returns whether connections to an address are refused: it is link-local or the address of a metadata service,
    /// also as an IPv4 address within an IPv6 one, and is not allowed.
    pub fn refuses(&self, address: IpAddr) -> bool {
        let address = embedded_v4(address).map_or(address, IpAddr::V4);
        is_restricted(address) && !self.0.contains(&address)
    }

    /// Returns the address in a host of a URL if it is an address and refused; `None` otherwise. Names are checked when
    /// they are resolved.
    pub fn refused_literal(&self, host: &str) -> Option<IpAddr> {
        let address: IpAddr = host.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
        self.refuses(address).then_some(address)
    }
}

/// Returns whether an address is link-local, unspecified, or used by a metadata service of a cloud.
fn is_restricted(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local() || METADATA_V4.contains(&address),
        IpAddr::V6(address) => address.is_unicast_link_local() || address == METADATA_V6,
    }
}

/// Returns the IPv4 address that an IPv6 address contains: mapped, compatible, or translated by NAT64 or 6to4. `None`
/// for other addresses.
fn embedded_v4(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] if high != 0 => Some(v4(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

/// Creates the error of a connection to a refused address.
pub(super) fn refusal(address: IpAddr) -> io::Error {
    let message = format!(
        "{address} is link-local or the address of a metadata service; add it to `allowed_addresses` in gateway.yaml if \
         it is meant"
    );
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// A resolver of host names that uses the operating system's and removes refused addresses from its result.
#[derive(Debug, Clone)]
pub(super) struct CheckedResolver {
    /// The resolver of the operating system.
    system: GaiResolver,
    /// The restricted addresses that are allowed.
    allowed: AllowedAddresses,
}

impl CheckedResolver {
    /// Creates a resolver that refuses all restricted addresses but these.
    pub(super) fn new(allowed: AllowedAddresses) -> Self {
        Self { system: GaiResolver::new(), allowed }
    }
}

impl Service<Name> for CheckedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        self.system.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (lookup, allowed) = (self.system.call(name), self.allowed.clone());
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = lookup.await?.collect();
            let refused_address = addresses.iter().map(SocketAddr::ip).find(|address| allowed.refuses(*address));
            let allowed_addresses: Vec<_> =
                addresses.into_iter().filter(|address| !allowed.refuses(address.ip())).collect();
            match refused_address {
                Some(address) if allowed_addresses.is_empty() => Err(refusal(address)),
                _ => Ok(allowed_addresses.into_iter()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_and_metadata_addresses_are_refused_in_every_form() {
        let none = AllowedAddresses::default();
        for address in [
            "169.254.169.254",
            "169.254.0.1",
            "168.63.129.16",
            "100.100.100.200",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "fe80::1",
            "fd00:ec2::254",
        ] {
            assert!(none.refuses(address.parse().unwrap()), "{address}");
            assert!(none.refused_literal(&format!("[{address}]")).is_some(), "{address}");
        }
        for address in ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "::ffff:127.0.0.1"] {
            assert!(!none.refuses(address.parse().unwrap()), "{address}");
        }
        let allowed = AllowedAddresses::new(BTreeSet::from(["169.254.10.1".parse().unwrap()]));
        assert!(!allowed.refuses("169.254.10.1".parse().unwrap()));
        assert!(!allowed.refuses("::ffff:169.254.10.1".parse().unwrap()));
        assert!(allowed.refuses("169.254.169.254".parse().unwrap()));
        assert_eq!(none.refused_literal("example.com"), None);
    }

    #[tokio::test]
    async fn a_name_that_resolves_to_a_refused_address_is_refused() {
        // The resolver of the operating system reads a decimal number as an IPv4 address.
        for name in ["2852039166", "0xa9fea9fe", "169.254.43518"] {
            let mut resolver = CheckedResolver::new(AllowedAddresses::default());
            let error = resolver.call(name.parse().unwrap()).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{name}: {error}");
        }
        let mut resolver = CheckedResolver::new(AllowedAddresses::default());
        assert!(0 < resolver.call("localhost".parse().unwrap()).await.unwrap().count());
    }
}
