//! Profiles as they are sent to another locale.

use layout_core::{Portable, PortableError};

use super::{Event, Profile, ProfileEntry, ProfileTimes};

/// [`Portable`] for structs, part by part.
macro_rules! portable {
    ($($name:ident { $($part:ident),* $(,)? })*) => {$(
        impl Portable for $name {
            fn write(&self, to: &mut impl Extend<u8>) {
                let Self { $($part),* } = self;
                $($part.write(to);)*
            }

            fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
                Ok(Self { $($part: Portable::read(from)?),* })
            }
        }
    )*};
}

portable! {
    ProfileTimes { wall, threads, program, plan, image, wait, body, exchange, combine, idle }
    ProfileEntry { range, task, launches, points, busy, exchanged, planned, strided, relaid, single }
    Event { entry, point, thread, start, time }
}

impl Portable for Profile {
    fn write(&self, to: &mut impl Extend<u8>) {
        let Self { locale, start, entries, events, dropped, times } = self;
        (*locale, *start, *dropped, *times).write(to);
        entries.write(to);
        events.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (locale, start, dropped, times) = Portable::read(from)?;
        let (entries, events): (Vec<ProfileEntry>, Vec<Event>) = Portable::read(from)?;
        if events.iter().any(|event| event.entry >= entries.len()) {
            return Err(PortableError::Invalid("a profile"));
        }
        Ok(Self { locale, start, entries, events, dropped, times })
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::sync::Arc;

    use super::*;
    use crate::geometry::Point;

    #[test]
    fn a_profile_is_read_as_it_was_written() {
        let event = |entry| {
            let [start, time] = [1, 2].map(Duration::from_millis);
            Event { entry, point: Point::splat(2, 3), thread: 1, start, time }
        };
        let entry = ProfileEntry {
            range: Arc::new(["set up".to_owned()]),
            task: "fill".to_owned(),
            launches: 1,
            points: 2,
            busy: Duration::from_nanos(3),
            exchanged: 4,
            planned: 5,
            strided: 6,
            relaid: 7,
            single: "why".to_owned(),
        };
        let mut profile = Profile { locale: 8, entries: vec![entry], events: vec![event(0)], ..Profile::default() };
        profile.times.idle = Duration::from_secs(9);
        let read = |profile: &Profile| {
            let mut bytes = Vec::new();
            profile.write(&mut bytes);
            Profile::read(&mut &bytes[..])
        };
        assert_eq!(read(&profile), Ok(profile.clone()));
        profile.events.push(event(1));
        assert_eq!(read(&profile), Err(PortableError::Invalid("a profile")));
    }
}
