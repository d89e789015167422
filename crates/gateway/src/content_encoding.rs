//! Decodes compressed requests: Codex compresses them with zstd if the user is logged in.

use std::io::Read as _;

use hyper::{
    HeaderMap,
    body::Bytes,
    header::{CONTENT_ENCODING, HeaderValue},
};
use ruzstd::decoding::StreamingDecoder;

/// The error of decoding the body of a compressed request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EncodingError {
    /// The content encoding is not supported.
    #[error("the content encoding `{0}` is not supported; send the request uncompressed or as zstd")]
    Unsupported(String),
    /// The body is not in its encoding.
    #[error("the body is not valid zstd")]
    Invalid,
    /// The decoded body exceeds the limit.
    #[error("the decoded request exceeds the limit")]
    TooLarge,
}

/// Decodes the body of a request according to its header `Content-Encoding`, and removes the header. The decoded body
/// has at most `max_bytes` bytes.
///
/// # Errors
/// [`EncodingError`] for another encoding than zstd, an invalid body, or one that decodes to too many bytes.
pub(crate) fn decode_body(headers: &mut HeaderMap, body: Bytes, max_bytes: usize) -> Result<Bytes, EncodingError> {
    let encoding = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes).unwrap_or_default().to_ascii_lowercase();
    match encoding.as_slice() {
        b"" | b"identity" => return Ok(body),
        b"zstd" => {}
        other => return Err(EncodingError::Unsupported(String::from_utf8_lossy(other).chars().take(40).collect())),
    }
    let mut compressed: &[u8] = &body;
    let decoder = StreamingDecoder::new(&mut compressed).map_err(|_| EncodingError::Invalid)?;
    let mut decoded = Vec::new();
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    decoder.take(limit).read_to_end(&mut decoded).map_err(|_| EncodingError::Invalid)?;
    if max_bytes < decoded.len() {
        return Err(EncodingError::TooLarge);
    }
    headers.remove(CONTENT_ENCODING);
    Ok(decoded.into())
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, body::Bytes, header::CONTENT_ENCODING};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::{EncodingError, decode_body};

    /// Decodes a body with this content encoding. Asserts that the header stays if the body was not decoded.
    fn decode(encoding: &'static str, body: &[u8], limit: usize) -> Result<Bytes, EncodingError> {
        let mut headers = HeaderMap::from_iter([(CONTENT_ENCODING, encoding.parse().unwrap())]);
        let decoded = decode_body(&mut headers, Bytes::copy_from_slice(body), limit);
        assert_eq!(headers.contains_key(CONTENT_ENCODING), decoded.is_err() || encoding == "identity");
        decoded
    }

    #[test]
    fn a_zstd_body_is_decoded_up_to_the_limit() {
        let body = br#"{"model":"gpt-5"}"#.repeat(1_000);
        let compressed = compress_to_vec(body.as_slice(), CompressionLevel::Fastest);
        assert_eq!(decode("zstd", &compressed, body.len()).unwrap(), body);
        assert_eq!(decode("zstd", &compressed, body.len() - 1), Err(EncodingError::TooLarge));
        assert_eq!(decode("zstd", &compressed[..compressed.len() / 2], body.len()), Err(EncodingError::Invalid));
        assert_eq!(decode("zstd", b"junk", 100), Err(EncodingError::Invalid));
        assert_eq!(decode("identity", &body, 1).unwrap(), body);
        assert_eq!(decode("br", &body, 100), Err(EncodingError::Unsupported("br".to_owned())));
    }
}
