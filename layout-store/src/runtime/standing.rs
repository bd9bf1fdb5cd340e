//! Where a locale stands: for the watchdog of tests, and for a process that ends with it.

use core::fmt;
use std::sync::Arc;

use super::Runtime;
use crate::locale::Locale;

/// Where a locale stands, whenever it is shown.
#[derive(Clone)]
pub struct Standing(Arc<Locale>);

impl Runtime {
    /// Where this locale stands, from now on.
    #[doc(hidden)]
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing(self.launcher.locale.clone())
    }
}

impl Standing {
    /// The number of the locale.
    #[must_use]
    pub fn locale(&self) -> usize {
        self.0.number
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "locale {} is ", self.0.number)?;
        match self.0.program.try_lock() {
            Some(program) => write!(f, "at its operation {}", program.operations),
            // A launch holds it while it waits.
            None => write!(f, "in a launch"),
        }?;
        let Some(net) = &self.0.net else { return Ok(()) };
        write!(f, ", where it {}", net.latest())
    }
}
