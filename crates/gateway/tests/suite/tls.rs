//! TLS towards clients. The certificates in `tests/tls` are for tests only: `named.pem` is issued for `localhost`,
//! `other.pem` for another name, both by `ca.pem`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use gateway::{Tls, tls};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

/// Copies a certificate and its key into a folder, with this mode of the key.
fn files(folder: &Path, name: &str, mode: u32) -> Tls {
    use std::os::unix::fs::PermissionsExt as _;
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    let tls = Tls { certificate: folder.join(format!("{name}.pem")), key: folder.join(format!("{name}.key")) };
    std::fs::copy(source.join(format!("{name}.pem")), &tls.certificate).unwrap();
    std::fs::copy(source.join(format!("{name}.key")), &tls.key).unwrap();
    std::fs::set_permissions(&tls.key, std::fs::Permissions::from_mode(mode)).unwrap();
    tls
}

/// A client that trusts the authority of the tests.
fn client() -> TlsConnector {
    let authority = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tls/ca.pem");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

/// Serves one TLS connection with a certificate; it echoes four bytes. Returns the address.
async fn server(tls: &Tls) -> std::net::SocketAddr {
    let acceptor = tls::acceptor(tls).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // The handshake fails for clients that reject the certificate, or that do not use TLS.
        let Ok(mut stream) = acceptor.accept(stream).await else { return };
        let mut bytes = [0; 4];
        stream.read_exact(&mut bytes).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        stream.shutdown().await.unwrap();
    });
    address
}

#[tokio::test]
async fn a_certificate_with_the_name_is_accepted_and_one_without_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    for (name, is_accepted) in [("named", true), ("other", false)] {
        let address = server(&files(folder.path(), name, 0o600)).await;
        let connection = TcpStream::connect(address).await.unwrap();
        let connected = client().connect(ServerName::try_from("localhost").unwrap(), connection).await;
        assert_eq!(connected.is_ok(), is_accepted, "{name}: {connected:?}");
        if let Ok(mut stream) = connected {
            stream.write_all(b"ping").await.unwrap();
            let mut echoed = [0; 4];
            stream.read_exact(&mut echoed).await.unwrap();
            assert_eq!(&echoed, b"ping");
        }
    }
}

#[tokio::test]
async fn plain_http_on_the_port_gets_no_response_and_the_connection_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let address = server(&files(folder.path(), "named", 0o600)).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut received = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(5), connection.read_to_end(&mut received)).await;
    assert!(read.is_ok(), "the connection stays open");
    assert!(!received.starts_with(b"HTTP"), "{received:?}");
}

#[test]
fn a_key_that_others_can_read_and_files_that_are_no_certificates_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = tls::acceptor(&files(folder.path(), "named", 0o644)).err().unwrap().to_string();
    assert!(open.contains("named.key") && open.contains("chmod 600"), "{open}");
    let mut swapped = files(folder.path(), "named", 0o600);
    swapped.certificate.clone_from(&swapped.key);
    assert!(tls::acceptor(&swapped).is_err(), "a key is no certificate");
    let mismatched = Tls { key: files(folder.path(), "other", 0o600).key, ..files(folder.path(), "named", 0o600) };
    let mismatch = tls::acceptor(&mismatched).err().unwrap().to_string();
    assert!(mismatch.contains("named.pem"), "{mismatch}");
}

#[test]
fn a_pipe_or_a_device_in_place_of_a_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe, PathBuf::from("/dev/zero")] {
        let certificate = Tls { certificate: path.clone(), ..files(folder.path(), "named", 0o600) };
        let key = Tls { key: path.clone(), ..files(folder.path(), "named", 0o600) };
        for tls in [certificate, key] {
            let refused = tls::acceptor(&tls).err().unwrap().to_string();
            assert!(refused.contains("regular file"), "{}: {refused}", path.display());
        }
    }
}
