//! URLs that a user configures: http or https, without credentials.

use hyper::Uri;

/// Parses a configured URL.
///
/// # Errors
/// A message to be written after the name of the setting, such as "its `url`"; it never repeats the URL, which may hold a
/// password. Refused are texts that are no URL, schemes other than http and https, and a user or password in the URL.
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
