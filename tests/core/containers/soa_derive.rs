//! The tests of soa_derive 0.14 for a `ParticleVec`, done with a `RecordVec`: a test for each of theirs, of the same name.
//!
//! The guide's chapter "Coming from soa_derive" has the table.

use layout::{
    Aligned, AoS, AoSoA, Mapped, Native, Record, RecordLayout, RecordSlice, RecordSliceMut, RecordVec, SoA, View,
    extents, zip,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Record)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[record(columns)]
struct Particle {
    symbol: [u8; 2],
    mass: f64,
}

type ParticleVec = RecordVec<Particle, SoA>;

fn particle(symbol: &str, mass: f64) -> Particle {
    let mut bytes = symbol.bytes();
    Particle { symbol: [bytes.next().unwrap(), bytes.next().unwrap_or(b' ')], mass }
}

fn particles<L: RecordLayout<Particle> + Default>(symbols: &[&str]) -> RecordVec<Particle, L> {
    symbols.iter().map(|symbol| particle(symbol, 0.0)).collect()
}

fn symbols<L: RecordLayout<Particle>>(vec: &RecordVec<Particle, L>) -> String {
    vec.values().flat_map(|p| p.symbol).filter(|byte| *byte != b' ').map(char::from).collect()
}

mod generic {
    use super::*;

    fn may_iter<R: Record, L: RecordLayout<R>>(vec: &RecordVec<R, L>) -> impl Iterator<Item = R> {
        vec.values()
    }

    fn may_push<R: Record, L: RecordLayout<R>>(vec: &mut RecordVec<R, L>, value: R) {
        vec.push(value);
    }

    fn may_sort<R: Record + PartialOrd, L: RecordLayout<R>>(vec: &mut RecordVec<R, L>) {
        vec.sort_by(|a, b| a.partial_cmp(b).unwrap());
    }

    #[test]
    fn test_generic_type_behavior() {
        fn check<L: RecordLayout<Particle> + Default>() {
            let mut vec = RecordVec::<Particle, L>::new();
            may_push(&mut vec, particle("O", 100.0));
            may_push(&mut vec, particle("H", 1000.0));
            assert_eq!(may_iter(&vec).next(), vec.first());
            may_sort(&mut vec);
            assert_eq!(symbols(&vec), "HO");
            vec.sort_by(|a, b| a.mass.total_cmp(&b.mass));
            assert!(vec.at(0).mass < vec.at(1).mass.get());
        }
        check::<SoA>();
        check::<AoS>();
        check::<AoSoA<4>>();
    }

    struct Wrapped<R: Record, L: RecordLayout<R>> {
        data: RecordVec<R, L>,
    }

    #[test]
    fn test_wrapped() {
        let mut this = Wrapped { data: ParticleVec::new() };
        for symbol in ["a", "b", "c"] {
            this.data.push(particle(symbol, 1.0));
        }
        assert_eq!((this.data.iter().count(), this.data.as_view().len()), (3, 3));
    }

    #[test]
    fn test_ops() {
        fn largest<R: Record + PartialOrd, L: RecordLayout<R>>(vec: &RecordVec<R, L>) -> Option<R> {
            vec.values().reduce(|a, b| if a.partial_cmp(&b).unwrap().is_ge() { a } else { b })
        }
        let mut vec: ParticleVec = [("O", 100.0), ("H", 1000.0), ("N", 50.0)].map(|(s, m)| particle(s, m)).into();
        for mut p in &mut vec {
            p.mass *= 2.0;
        }
        assert_eq!(largest(&vec), Some(particle("O", 200.0)));
        vec.sort_by(|a, b| a.mass.total_cmp(&b.mass));
        assert_eq!(vec.first().map(|p| p.mass), Some(100.0));
    }
}

mod index {
    use super::*;

    #[test]
    fn index_vec_with_usize() {
        let mut vec = ParticleVec::from([particle("Na", 56.0)]);
        assert_eq!((vec.load(0), vec.try_load(1).ok()), (particle("Na", 56.0), None));
        // SAFETY: there is one record.
        assert_eq!(unsafe { vec.as_view().at_unchecked(0).mass.get() }, 56.0);
        vec.at_mut(0).mass -= 1.0;
        assert!(vec.at(0).mass == 55.0);
        assert!(vec.try_at_mut(1).is_err());
        vec.try_at_mut(0).unwrap().mass += 1.0;
        assert!(vec.at(0).mass == 56.0);
    }

    #[test]
    fn index_vec_with_ranges() {
        let mut vec = particles::<SoA>(&["Cl", "Na", "Br", "Zn"]);
        let all = vec.to_vec();
        assert_eq!(vec.as_view().slice((0..1,)).to_vec(), all[0..1]);
        assert_eq!(vec.as_view().slice((..3,)).to_vec(), all[..3]);
        assert_eq!(vec.as_view().slice((1..,)).to_vec(), all[1..]);
        assert_eq!(vec.as_view().slice((..,)).to_vec(), all);
        assert_eq!(vec.as_view().slice((0..=1,)).to_vec(), all[0..=1]);
        assert_eq!(vec.as_view_mut().slice_mut((..=2,)).to_vec(), all[..=2]);
        assert!(vec.as_view().try_slice((2..5,)).is_err());
    }

    #[test]
    fn index_slice_with_usize() {
        let mut vec = ParticleVec::from([particle("Na", 56.0)]);
        let mut view = vec.as_view_mut();
        assert_eq!((view.load(0), view.try_load(1).ok()), (particle("Na", 56.0), None));
        view.at_mut(0).mass -= 1.0;
        assert!(view.at(0).mass == 55.0 && view.try_at_mut(1).is_err());
    }

    #[test]
    fn index_slice_with_ranges() {
        let mut vec = particles::<SoA>(&["Cl", "Na", "Br", "Zn"]);
        let all = vec.to_vec();
        let mut view = vec.as_view_mut();
        assert_eq!(view.slice((1..,)).slice((..2,)).to_vec(), all[1..3]);
        view.slice_mut((1..=2,)).for_each_mut(|mut p| p.mass += 1.0);
        assert_eq!(vec.values().map(|p| p.mass).collect::<Vec<_>>(), [0.0, 1.0, 1.0, 0.0]);
    }
}

mod iter {
    use super::*;

    #[test]
    fn iter() {
        let vec = particles::<SoA>(&["Na", "Cl", "Zn"]);
        let mut iter = vec.iter().map(|p| p.load().symbol);
        assert_eq!([iter.next(), iter.next(), iter.next()], [Some(*b"Na"), Some(*b"Cl"), Some(*b"Zn")]);
        assert!(iter.next().is_none());
        assert_eq!(vec.as_view().iter().count(), 3);
    }

    #[test]
    fn iter_mut() {
        let mut vec = particles::<SoA>(&["Na", "Cl", "Zn"]);
        for mut p in &mut vec {
            p.mass += 1.0;
        }
        for mut p in vec.as_view_mut().iter_mut() {
            p.mass += 1.0;
        }
        assert!(vec.iter().all(|p| p.mass == 2.0));
    }

    #[test]
    fn from_iter() {
        let records = vec![particle("Na", 0.0), particle("Cl", 0.0), particle("Zn", 0.0)];
        let collected: ParticleVec = records.iter().collect();
        assert_eq!(collected, particles::<SoA>(&["Na", "Cl", "Zn"]));
        assert_eq!(collected, records.into_iter().collect::<RecordVec<_, AoS>>());
    }

    #[test]
    fn extend() {
        let records = [particle("Na", 0.0), particle("Cl", 0.0)];
        let mut vec = ParticleVec::new();
        vec.extend(records);
        vec.extend(&records);
        let other = vec.clone();
        vec.extend_from_view(&other.as_view());
        assert_eq!(symbols(&vec), "NaClNaClNaClNaCl");
    }

    /// `tests/particles/mod.rs`: a function of the crate's own, on what its iterator yields.
    #[test]
    fn use_iterator_tools_get() {
        let vec = particles::<SoA>(&["Na", "Cl", "Zn"]);
        assert_eq!(vec.values().nth(1), Some(particle("Cl", 0.0)));
    }
}

mod nested_soa {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Point {
        x: f32,
        y: f32,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Dot {
        point: Point,
        color: [u8; 4],
        mass: f32,
    }

    #[test]
    fn nested_soa() {
        let dot = |x, color| Dot { point: Point { x, y: x + 1.0 }, color, mass: x };
        let vec = RecordVec::<Dot, SoA>::from([dot(1.0, [255, 0, 0, 255]), dot(2.0, [128, 255, 100, 23])]);
        // Each leaf is a column, of nested structs and of arrays too.
        assert_eq!(vec.column(Dot::PATHS.point.y), Some(&[2.0, 3.0][..]));
        assert_eq!(vec.column(Dot::PATHS.color.element::<2>()), Some(&[0, 100][..]));
        assert_eq!(vec.load(1).point, Point { x: 2.0, y: 3.0 });
    }
}

mod ptr {
    use super::*;

    #[test]
    fn pointers_of_leaves() {
        let mut vec = particles::<SoA>(&["Na", "Zn", "Fe"]);
        let masses = vec.as_view_mut().as_mut_ptr(Particle::PATHS.mass);
        // SAFETY: `SoA` has the masses one after another, and there are three.
        let last = unsafe { masses.add(2) };
        // SAFETY: nothing else reaches the vector meanwhile.
        unsafe { last.write(3.0) };
        let masses = vec.as_view().as_ptr(Particle::PATHS.mass);
        // SAFETY: as above.
        assert_eq!(unsafe { core::slice::from_raw_parts(masses, 3) }, [0.0, 0.0, 3.0]);
    }
}

mod replace {
    use super::*;

    #[test]
    fn replace_element() {
        let mut vec = particles::<SoA>(&["Na", "Zn", "Cl"]);
        let removed = vec.splice(1..2, [particle("Br", 79.904)]);
        assert_eq!((symbols(&removed), symbols(&vec)), ("Zn".into(), "NaBrCl".into()));
    }

    #[test]
    fn replace_mutable_reference() {
        let mut vec = particles::<SoA>(&["Na", "Zn", "Cl"]);
        let mut slots = vec.at_mut(1);
        let old = slots.load();
        slots.store(particle("Br", 79.904));
        assert_eq!((old, symbols(&vec)), (particle("Zn", 0.0), "NaBrCl".into()));
    }
}

#[cfg(feature = "serde")]
mod serde_test {
    use super::*;

    #[test]
    fn serde_test() -> Result<(), serde_json::Error> {
        let vec = particles::<SoA>(&["Na", "Zn"]);
        let text = serde_json::to_string(&vec)?;
        assert_eq!(text, r#"[{"symbol":[78,97],"mass":0.0},{"symbol":[90,110],"mass":0.0}]"#);
        assert_eq!(serde_json::from_str::<ParticleVec>(&text)?, vec);
        Ok(())
    }
}

mod slice {
    use super::*;

    #[test]
    fn len() {
        let mut vec = ParticleVec::new();
        assert!(vec.as_view().is_empty() && vec.as_view_mut().is_empty());
        vec.extend([particle("Na", 56.0); 3]);
        assert_eq!((vec.as_view().len(), vec.as_view_mut().len()), (3, 3));
    }

    #[test]
    fn first_last() {
        assert_eq!((ParticleVec::new().first(), ParticleVec::new().last()), (None, None));
        let mut vec = particles::<SoA>(&["Na", "Zn", "Cl"]);
        assert_eq!((vec.first(), vec.last()), (Some(particle("Na", 0.0)), Some(particle("Cl", 0.0))));
        vec.iter_mut().next_back().unwrap().mass += 1.0;
        assert!(vec.at(2).mass == 1.0);
    }

    #[test]
    fn split() {
        let mut vec = particles::<SoA>(&["Cl", "Na", "Br", "Zn"]);
        let (first, end) = (vec.first(), vec.as_view().slice((1..,)).to_vec());
        assert_eq!((first, end.len(), end[0]), (Some(particle("Cl", 0.0)), 3, particle("Na", 0.0)));
        let (mut start, end) = (vec.as_view_mut(), 2);
        let (mut start, mut end) = start.split_at(0, end).unwrap();
        start.for_each_mut(|mut p| p.mass += 1.0);
        end.for_each_mut(|mut p| p.mass += 2.0);
        assert_eq!(vec.column(Particle::PATHS.mass), Some(&[1.0, 1.0, 2.0, 2.0][..]));
    }

    #[test]
    fn refs() {
        let mut one = [particle("Cl", 0.0)];
        let mapping = Mapped::<Particle, _, AoS<Aligned, Native>>::new(extents!(dyn 1)).unwrap();
        let mut view = View::from_records_mut(mapping, &mut one).unwrap();
        view.at_mut(0).mass.set(42.0);
        assert_eq!(one[0].mass, 42.0);
    }

    #[test]
    fn get() {
        assert!(ParticleVec::new().as_view().try_at(0).is_err());
        let vec = particles::<SoA>(&["Cl", "Na"]);
        assert!(vec.as_view().try_at(1).is_ok() && vec.as_view().try_at(10).is_err());
    }

    #[test]
    fn sort() {
        let mut vec = particles::<SoA>(&["d", "b", "c", "a"]);
        let mut view = vec.as_view_mut();
        let mut some = view.slice_mut((1..,));
        let mut sorted = some.to_vec();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        for (mut slots, record) in some.iter_mut().zip(sorted) {
            slots.store(record);
        }
        assert_eq!(symbols(&vec), "dabc");
        vec.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(symbols(&vec), "abcd");
    }
}

mod vec {
    use super::*;

    #[test]
    fn push_len_pop() {
        let mut vec = ParticleVec::new();
        assert!(vec.is_empty());
        vec.push(particle("Cl", 0.0));
        vec.push(particle("Na", 56.0));
        assert_eq!((vec.len(), vec.column(Particle::PATHS.mass)), (2, Some(&[0.0, 56.0][..])));
        assert_eq!([vec.pop(), vec.pop(), vec.pop()], [Some(particle("Na", 56.0)), Some(particle("Cl", 0.0)), None]);
        vec.push(particle("Cl", 0.0));
        vec.clear();
        assert!(vec.is_empty());
    }

    #[test]
    fn capacity() {
        let mut vec = ParticleVec::with_capacity(9);
        assert_eq!((vec.len(), vec.capacity()), (0, 9));
        vec.reserve_exact(100);
        vec.extend([particle("Na", 56.0); 2]);
        assert_eq!((vec.len(), vec.capacity()), (2, 100));
        vec.shrink_to_fit();
        assert_eq!((vec.len(), vec.capacity()), (2, 2));
    }

    #[test]
    fn remove_swap_remove_insert() {
        let mut vec = particles::<SoA>(&["Cl", "Na", "Br", "Zn"]);
        assert_eq!((vec.remove(1), symbols(&vec)), (particle("Na", 0.0), "ClBrZn".into()));
        assert_eq!((vec.swap_remove(0), symbols(&vec)), (particle("Cl", 0.0), "ZnBr".into()));
        vec.insert(1, particle("Mg", 0.0));
        assert_eq!(symbols(&vec), "ZnMgBr");
    }

    #[test]
    fn append_split_off() {
        let mut vec = particles::<SoA>(&["Cl", "Na"]);
        vec.append(&mut particles::<AoS>(&["Zn", "Mg"]));
        assert_eq!(symbols(&vec), "ClNaZnMg");
        let other = vec.split_off(2);
        assert_eq!((symbols(&vec), symbols(&other)), ("ClNa".into(), "ZnMg".into()));
    }

    #[test]
    fn retain_and_retain_mut() {
        let mut vec = particles::<SoA>(&["Cl", "Na", "Zn", "C"]);
        vec.retain(|p| p.symbol[0] == b'C');
        assert_eq!(symbols(&vec), "ClC");
        // A record that `retain` reads is a copy: what changes is changed before.
        vec.as_view_mut().update(|p| Particle { symbol: p.symbol.map(|byte| byte.to_ascii_uppercase()), ..p });
        vec.retain(|p| p.symbol[1] == b'L');
        assert_eq!(symbols(&vec), "CL");
    }
}

mod soa_attr {
    use super::*;

    #[test]
    fn eq_test() {
        let columns = || ParticleColumns { symbol: [&b"NC"[..], b"al"], mass: &[23.0, 35.5][..] };
        let (a, b): (ParticleVec, ParticleVec) =
            (RecordVec::from_columns(columns()).unwrap(), RecordVec::from_columns(columns()).unwrap());
        assert_eq!(a, b);
        assert_eq!(a.columns().unwrap().mass[1], 35.5);
        assert_eq!(a.into_columns().symbol, [b"NC", b"al"]);
    }
}

mod zipped {
    use super::*;

    fn of_slice(particles: &RecordSlice<'_, Particle, SoA>) {
        let (symbol, mass) = (particles.field(Particle::PATHS.symbol), particles.field(Particle::PATHS.mass));
        zip((&symbol, &mass)).for_each(|(symbol, mass)| assert!(symbol.load() == *b"Fe" && mass == 42.0));
    }

    fn of_slice_mut(particles: &mut RecordSliceMut<'_, Particle, SoA>) {
        let (mut symbol, mut mass) = particles.split((Particle::PATHS.symbol, Particle::PATHS.mass));
        zip((&mut symbol, &mut mass)).for_each(|(mut symbol, mut mass)| {
            symbol.store(*b"Fe");
            mass.set(42.0);
        });
    }

    #[test]
    fn vec_slice_slice_mut() {
        let mut vec = particles::<SoA>(&["Na", "Na", "Na"]);
        of_slice_mut(&mut vec.as_view_mut());
        of_slice(&vec.as_view());
        assert_eq!(vec.iter().filter(|p| p.mass == 42.0).count(), 3);
    }

    #[test]
    fn external() {
        let mut vec = particles::<SoA>(&["Na", "Na", "Na", "Na"]);
        let bar = [42.0; 4];
        for (mass, bar) in vec.column_mut(Particle::PATHS.mass).unwrap().iter_mut().zip(&bar) {
            *mass = *bar;
        }
        assert_eq!(vec.column(Particle::PATHS.mass), Some(&bar[..]));
    }

    struct Wrapper {
        particles: ParticleVec,
    }

    impl Wrapper {
        fn particles(&self) -> RecordSlice<'_, Particle, SoA> {
            self.particles.as_view()
        }

        fn particles_mut(&mut self) -> RecordSliceMut<'_, Particle, SoA> {
            self.particles.as_view_mut()
        }
    }

    #[test]
    fn access_particles_through_function() {
        let mut wrapper = Wrapper { particles: particles::<SoA>(&["Na", "Na"]) };
        of_slice_mut(&mut wrapper.particles_mut());
        of_slice(&wrapper.particles());
    }
}

mod extreme {
    use super::*;

    #[derive(Clone, Copy, Record)]
    struct Private {
        inner: f64,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct BadNames {
        index: u8,
        at: u8,
        other: u8,
        len: u8,
        size: u8,
        cap: u8,
        capacity: u8,
        buf: u8,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct RawIdent {
        r#for: u8,
        r#in: u8,
    }

    #[test]
    fn private() {
        let vec = RecordVec::<Private, SoA>::from([Private { inner: 42.0 }]);
        assert!(vec.at(0).inner == 42.0);
        let names = BadNames { index: 1, at: 2, other: 3, len: 4, size: 5, cap: 6, capacity: 7, buf: 8 };
        assert_eq!(RecordVec::<BadNames, SoA>::from([names]).load(0), names);
        let vec = RecordVec::<RawIdent, SoA>::from([RawIdent { r#for: 1, r#in: 2 }]);
        assert!(vec.at(0).r#for == 1 && vec.column(RawIdent::PATHS.r#in) == Some(&[2][..]));
    }
}
