//! TLS for connections of clients.

use std::sync::Arc;

use adapters::{check_owner_only, check_regular_file};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
};

use crate::configuration::{ConfigurationError, Tls};

/// Loads the certificate chain and the private key from PEM files and creates an acceptor for TLS connections.
///
/// # Errors
/// [`ConfigurationError`] if a file cannot be read or is invalid, or if other users have access to the key.
pub fn acceptor(tls: &Tls) -> Result<TlsAcceptor, ConfigurationError> {
    let unusable = |path: &std::path::Path, cause: String| ConfigurationError::Content { path: path.to_owned(), cause };
    // A pipe or a device would be waited for, or never end.
    let regular_file = |path: &std::path::Path| {
        let metadata =
            std::fs::metadata(path).map_err(|source| ConfigurationError::Read { path: path.to_owned(), source })?;
        check_regular_file(&metadata).map_err(|error| unusable(path, error.to_string()))?;
        Ok::<_, ConfigurationError>(metadata)
    };
    regular_file(&tls.certificate)?;
    let metadata = regular_file(&tls.key)?;
    check_owner_only(&tls.key, &metadata)?;
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&tls.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(&tls.certificate, error.to_string()))?;
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| unusable(&tls.key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&tls.certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| unusable(&tls.certificate, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
