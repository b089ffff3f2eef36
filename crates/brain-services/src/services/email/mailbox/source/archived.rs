//! Mails of an archive in the mailbox: laid where they lay, under the names that they had.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use super::maildir::{Folder, Maildir, create_file, create_private};
use super::moves::TRASH;

impl Maildir {
    /// The names, without flags, of all mails that lie in it, those that were thrown away included.
    pub fn bases(&self) -> io::Result<HashSet<String>> {
        let mut bases = HashSet::new();
        for place in self.places()? {
            bases.extend(self.list(&place)?.into_iter().map(|mail| mail.base));
        }
        bases.extend(self.in_dir(Path::new(TRASH), Folder::Kept)?.into_iter().map(|mail| mail.base));
        Ok(bases)
    }

    /// Puts a mail into the `new` or the `cur` of a folder, whole, under this name, which nothing there has.
    pub fn lay(&self, dir: &Path, sub: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.root().join(dir);
        if !dir.as_os_str().is_empty() && fs::symlink_metadata(&folder).is_ok_and(|meta| !meta.is_dir()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "that is no folder of the mailbox"));
        }
        for sub in ["cur", "new", "tmp"] {
            create_private(&folder.join(sub))?;
        }
        let tmp = folder.join("tmp").join(name);
        let mut file = create_file(&tmp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&tmp, folder.join(sub).join(name))?;
        File::open(folder.join(sub))?.sync_all()
    }
}
