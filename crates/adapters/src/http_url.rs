//! Validates configured URLs: http or https, without user and password.

use hyper::Uri;

/// Parses a URL from a configuration file. Rejects invalid URLs, schemes other than http and https, and URLs with a
/// user or password.
///
/// # Errors
/// A message to be appended to the name of the setting, such as "its `url`". It does not contain the URL, which may
/// include a password.
pub fn parse_http_url(text: &str) -> Result<Uri, String> {
    let uri: Uri = text.parse().map_err(|error| format!("is not an address: {error}"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.authority().is_none() {
        return Err("starts with neither `http://` nor `https://`".to_owned());
    }
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("holds a user or a password: name a variable instead".to_owned());
    }
    Ok(uri)
}
