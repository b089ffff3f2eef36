//! What was made of something once, for whoever asks again. Clones are the same memo.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// See the module.
#[derive(Debug)]
pub struct Memo<K, T>(Rc<RefCell<FxHashMap<K, Rc<T>>>>);

impl<K: Eq + Hash + Clone, T> Memo<K, T> {
    /// What is known of `key`, or else what `make` makes of it, which may ask this memo of others.
    pub fn once(&self, key: &K, make: impl FnOnce() -> T) -> Rc<T> {
        let known = self.0.borrow().get(key).cloned();
        known.unwrap_or_else(|| {
            let made = Rc::new(make());
            self.0.borrow_mut().insert(key.clone(), made.clone());
            made
        })
    }
}

impl<K, T> Clone for Memo<K, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, T> Default for Memo<K, T> {
    fn default() -> Self {
        Self(Rc::default())
    }
}
