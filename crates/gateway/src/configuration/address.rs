//! Addresses of others: http or https, and nothing secret in them.

use hyper::Uri;

/// Reads an address. What is wrong is told as the end of a sentence about it, without the address.
pub(super) fn http_address(text: &str) -> Result<Uri, String> {
    let uri: Uri = text.parse().map_err(|error| format!("is not an address: {error}"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.authority().is_none() {
        return Err("starts with neither `http://` nor `https://`".to_owned());
    }
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("holds a user or a password: name a variable instead".to_owned());
    }
    Ok(uri)
}
