//! Work budget: how much may be spent on understanding one message, counted in steps.
//!
//! A step is one thing that is looked at where loops are inside each other: a piece of a frame, a word that a slot
//! might take, a token that is annotated again. Every reader is linear in what it reads but for these. The count is the
//! same on every machine, so that a message that is too much today is too much everywhere and always.
//!
//! Invariant: whoever finds it spent gives nothing, and whoever began it tells the person so; what was found until then
//! is no plan. Not here: how long one text may be (`requests::text`, `time`), which comes before.

use std::cell::Cell;

use brain_core::limits::UNDERSTANDING_STEPS_MAX;

/// What is left of the steps of one message.
#[derive(Debug)]
pub struct Work {
    given: u32,
    left: Cell<u32>,
    is_spent: Cell<bool>,
}

impl Default for Work {
    fn default() -> Work {
        Work::of(UNDERSTANDING_STEPS_MAX)
    }
}

impl Work {
    /// So many steps.
    pub fn of(steps: u32) -> Work {
        Work { given: steps, left: Cell::new(steps), is_spent: Cell::new(false) }
    }

    /// Takes some; `None` when there are not so many left, from then on always.
    pub fn take(&self, steps: usize) -> Option<()> {
        let left = u32::try_from(steps).ok().and_then(|steps| self.left.get().checked_sub(steps));
        match left.filter(|_| !self.is_spent.get()) {
            Some(left) => {
                #[cfg(any(test, feature = "testing"))]
                COUNTED.with(|counted| counted.set(counted.get() + self.left.get() - left));
                self.left.set(left);
            }
            None => {
                self.is_spent.set(true);
                return None;
            }
        }
        Some(())
    }

    /// Whether more was wanted than there was.
    pub fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Steps that may still be taken; none where more was wanted than there was.
    pub fn left(&self) -> u32 {
        if self.is_spent.get() { 0 } else { self.left.get() }
    }

    /// Steps that were taken.
    pub fn taken(&self) -> u32 {
        self.given - self.left.get()
    }
}

#[cfg(any(test, feature = "testing"))]
thread_local! {
    /// What was taken on this thread, of whatever was given.
    static COUNTED: Cell<u32> = const { Cell::new(0) };
}

/// The steps of all that is done in it.
#[cfg(any(test, feature = "testing"))]
pub fn counted(read: impl FnOnce()) -> u32 {
    COUNTED.with(|counted| counted.set(0));
    read();
    COUNTED.with(Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_stays_spent() {
        let work = Work::of(10);
        assert_eq!((work.take(7), work.taken(), work.is_spent()), (Some(()), 7, false));
        assert_eq!((work.take(4), work.taken(), work.is_spent()), (None, 7, true));
        assert_eq!((work.take(1), work.taken()), (None, 7), "though there was one left");
    }
}
