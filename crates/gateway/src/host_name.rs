//! Parses the value of the header `Host`.

/// Returns the host of an authority (a host with an optional port): a name, an IPv4 address, or an IPv6 address without
/// its brackets. `None` if the text is anything else, such as a host with user information, a path, an empty port or
/// text after the bracket. A name consists of letters, digits, `-`, `_` and dots.
pub(crate) fn host_of_authority(authority: &str) -> Option<&str> {
    let (host, rest) = if let Some(rest) = authority.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        address.parse::<std::net::Ipv6Addr>().ok()?;
        (address, rest)
    } else {
        let end = authority.find(':').unwrap_or(authority.len());
        let (name, rest) = authority.split_at(end);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if name.is_empty() || !name.bytes().all(is_name) {
            return None;
        }
        (name, rest)
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    match rest.strip_prefix(':') {
        Some(port) => is_port(port).then_some(host),
        None => rest.is_empty().then_some(host),
    }
}

#[cfg(test)]
mod tests {
    use super::host_of_authority;

    #[test]
    fn only_a_host_with_an_optional_port_is_accepted() {
        for (authority, host) in [
            ("localhost", "localhost"),
            ("127.0.0.1:4141", "127.0.0.1"),
            ("[::1]", "::1"),
            ("[::1]:65535", "::1"),
            ("my-host.example:80", "my-host.example"),
        ] {
            assert_eq!(host_of_authority(authority), Some(host), "{authority}");
        }
        for authority in [
            "",
            ":80",
            "127.0.0.1:evil",
            "127.0.0.1:",
            "127.0.0.1:80:90",
            "localhost:65536",
            "localhost:+80",
            "::1",
            "[::1",
            "[::1].evil",
            "[::1]:x",
            "[::1]evil:80",
            "[localhost]:80",
            "user@localhost",
            "localhost@evil",
            "localhost/x",
            "localhost:80/x",
            "localhost, evil",
            "localhost evil",
            "localhost\u{e9}",
            "local%68ost",
        ] {
            assert_eq!(host_of_authority(authority), None, "{authority}");
        }
    }
}
