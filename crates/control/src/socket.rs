//! [`ControlSocket`]: path and permissions of the socket file, and removal of one left by a killed gateway.

use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use tokio::net::{UnixListener, UnixStream};

/// Returns the path of the socket in a home folder. Its folder is accessible only to the owner, so that others cannot
/// access the socket between its creation and the change of its mode.
pub(crate) fn path_in(home: &Path) -> PathBuf {
    home.join("run").join("control.sock")
}

/// The listening control socket, whose file is removed on drop. Accepts only connections of the socket's owner.
#[derive(Debug)]
pub struct ControlSocket {
    /// The listening socket.
    listener: UnixListener,
    /// Path of the socket file.
    path: PathBuf,
    /// User id of the socket file's owner.
    owner: u32,
}

impl ControlSocket {
    /// Creates the control socket with mode 0600 in a folder of mode 0700, and replaces an existing file, which a
    /// killed gateway left. Call it only while holding the lock of the log in the same home folder. Requires a tokio
    /// runtime.
    ///
    /// # Errors
    /// [`io::Error`] if the folder or the socket cannot be created. The path of a socket is limited to about 100 bytes.
    pub fn bind(home: &Path) -> io::Result<Self> {
        let path = path_in(home);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.file_type().is_socket() => fs::remove_file(&path)?,
            Ok(_) => {
                let message = format!("`{}` is not a socket; move it away", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let owner = fs::metadata(&path)?.uid();
        Ok(Self { listener, path, owner })
    }

    /// Accepts a connection of the socket's owner.
    ///
    /// # Errors
    /// [`io::Error`] if accepting fails; [`io::ErrorKind::PermissionDenied`] for a process of another user.
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
