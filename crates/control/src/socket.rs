//! The socket file: its path, its permissions, and what a killed gateway leaves behind.

use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use tokio::net::{UnixListener, UnixStream};

/// The path of the socket in a home folder. Its folder is the owner's alone, so that the socket is never accessible to
/// others, not even between its creation and the change of its mode.
pub(crate) fn path_in(home: &Path) -> PathBuf {
    home.join("run").join("control.sock")
}

/// A socket that listens; its file is removed when it is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    listener: UnixListener,
    path: PathBuf,
    owner: u32,
}

impl ControlSocket {
    /// Creates the socket, mode 0600, in a folder of mode 0700. A file that is there was left by a gateway that was
    /// killed, and is replaced: call this only while holding the lock of the log in the same home folder. Needs a tokio
    /// runtime.
    ///
    /// # Errors
    /// When the folder or the socket cannot be created; a path of more than about 100 bytes cannot be a socket's.
    pub fn bind(home: &Path) -> io::Result<Self> {
        let path = path_in(home);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let owner = fs::metadata(&path)?.uid();
        Ok(Self { listener, path, owner })
    }

    /// Accepts a connection of the socket's owner.
    ///
    /// # Errors
    /// When accepting fails, and [`io::ErrorKind::PermissionDenied`] for a process of another user.
    pub(crate) async fn accept(&self) -> io::Result<UnixStream> {
        let (stream, _) = self.listener.accept().await?;
        if stream.peer_cred()?.uid() != self.owner {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(stream)
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the control socket cannot be removed");
        }
    }
}
