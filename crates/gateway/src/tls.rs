//! TLS for connections of clients.

use std::sync::Arc;

use adapters::check_owner_only;
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
    let metadata =
        std::fs::metadata(&tls.key).map_err(|source| ConfigurationError::Read { path: tls.key.clone(), source })?;
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
