//! A program that spends time on each row of a profile.

use layout_store::{ImageHint, Profile, Runtime, Store, StoreError, Sum, image, read, update};

/// The profile on each of two locales, over two stores of so many elements.
#[must_use]
pub fn profiles(elements: i64) -> Vec<Profile> {
    let profiles = Runtime::builder().locales(2).threads(1).pieces(4).min_chunk(1).profile(true).simulate(|rt| {
        let which: Store<i64, _> = rt.create_from_fn(elements, |at| at[0] * 7919 % elements)?;
        let values: Store<i64, _> = rt.create(elements)?;
        values.fill(1)?;
        for _ in 0..4 {
            rt.task("turn").args((update(&which),)).launch(move |_, (mut x,)| x.update(|x| elements - 1 - x))?;
            rt.task("sum")
                .args((read(&which), read(&values)))
                .constrain(|(which, values)| [image(which, values, ImageHint::MinMax)])
                .reduce(Sum, |_, (_, values)| Ok(values.values().sum::<i64>()))?
                .get()?;
            rt.task("add").args((update(&values),)).launch(|_, (mut x,)| x.update(|x| x + 1))?;
        }
        rt.fence()?;
        Ok::<_, StoreError>(rt.profile())
    });
    profiles.unwrap().into_iter().map(Result::unwrap).collect()
}
