//! Certificates of one's own that the servers of an account may show.

use std::path::Path;

use reqwest::Certificate;
use secrecy::ExposeSecret as _;

use crate::limits::AUTHORITIES_BYTES_MAX;
use crate::secret_files;

/// The certificates of a file (PEM), one at least; or what is wrong, as what completes “the file …”.
pub fn certificates(path: &Path) -> Result<Vec<Certificate>, String> {
    let file = secret_files::read(path, AUTHORITIES_BYTES_MAX).map_err(|why| why.to_string())?;
    let no_pem = || "holds no certificate (PEM)".to_owned();
    let found = Certificate::from_pem_bundle(file.text.expose_secret().as_bytes()).map_err(|_| no_pem())?;
    if found.is_empty() { Err(no_pem()) } else { Ok(found) }
}
