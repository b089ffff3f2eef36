//! Certificates of one's own that the servers of an account may show.

use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use secrecy::ExposeSecret as _;

use brain_core::limits::AUTHORITIES_BYTES_MAX;
use brain_core::secret_files;

/// The certificates of a file (PEM), one at least; or what is wrong, as what completes “the file …”.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = secret_files::read(path, AUTHORITIES_BYTES_MAX).map_err(|why| why.to_string())?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(file.text.expose_secret().as_bytes()).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) | Err(_) => Err("holds no certificate (PEM)".to_owned()),
    }
}
