//! Halos: what a locale has memory for, and where it gets its copies from.

use layout_domain::{Block, Domain, DomainError, DomainMap, Stencil, Targets};
use serde_json::Value;

use crate::form::{count, counts, domain, list, numbers, of_rank, pairs, ranges, same, with_rank};
use crate::{Outcome, Rule};

/// `{params: {boundingBox, fluff, periodic}, grid, domain, wholeFluff, locales: {id: {block, fluffed, recv}}}`.
pub(crate) fn check(record: &Value) -> Outcome {
    with_rank!(list(record, "domain")?.len(), check_of(record))
}

pub(crate) fn map<const R: usize>(record: &Value) -> Result<Stencil<R>, String> {
    let parameters = &record["params"];
    let bounds = pairs::<R>(&parameters["boundingBox"])?;
    let targets: Targets<R> = super::maps::targets(record)?;
    let blocks = Block::over(&bounds, targets).map_err(|error| error.to_string())?;
    let stencil = Stencil::new(blocks, of_rank(counts(&parameters["fluff"])?)?);
    Ok(if parameters["periodic"] == true { stencil.periodic() } else { stencil })
}

/// The lowest and the highest index of each dimension.
fn bounds<const R: usize>(domain: &Domain<R>) -> Vec<Option<(i64, i64)>> {
    domain.dims().iter().map(|range| range.low().zip(range.high())).collect()
}

fn given(value: &Value) -> Result<Vec<Option<(i64, i64)>>, String> {
    Ok(ranges(value)?.iter().map(|range| range.low().zip(range.high())).collect())
}

fn check_of<const R: usize>(record: &Value) -> Outcome {
    let (map, domain) = (map::<R>(record)?, domain::<R>(&record["domain"])?);
    let text = |error: DomainError| error.to_string();
    if let Some(periodic) = record["params"]["effectivePeriodic"].as_bool() {
        same("whether it is periodic", &map.is_periodic(), &periodic)?;
    }
    same("the domain with its halo", &bounds(&map.expanded(&domain).map_err(text)?), &given(&record["wholeFluff"])?)?;
    let mut rule = None;
    for (locale, local) in record["locales"].as_object().ok_or("no locales")? {
        let locale: usize = locale.parse().map_err(|_| format!("a locale `{locale}`"))?;
        let what = |name: &str| format!("{name} of locale {locale}");
        let block = map.local(locale, &domain);
        let has_block = local["block"].as_array().is_some_and(|block| !block.is_empty());
        same(&what("whether there is a block"), &!block.is_empty(), &has_block)?;
        if let Some(block) = block.first() {
            same(&what("the block"), &bounds(block), &given(&local["block"])?)?;
            let halo = map.with_halo(locale, &domain).map_err(text)?.ok_or("no memory for a block")?;
            same(&what("the memory"), &bounds(&halo), &given(&local["fluffed"])?)?;
        }
        match map.updates(locale, &domain) {
            Ok(updates) => {
                let given = list(local, "recv")?;
                same(&what("the number of boxes"), &updates.len(), &given.len())?;
                for (update, given) in updates.iter().zip(given) {
                    same("a direction", &update.direction.map(i64::from).to_vec(), &numbers(&given["dir"])?)?;
                    same("a box of the halo", &bounds(&update.halo), &bounds(&pairs::<R>(&given["dest"])?))?;
                    same("what it shows", &bounds(&update.source), &bounds(&pairs::<R>(&given["src"])?))?;
                    same("who has it", &update.locale, &count(given, "srcLocale")?)?;
                }
            }
            Err(DomainError::Halo { .. }) => rule = Some(Rule::HaloWiderThanNeighbor),
            Err(other) => return Err(other.to_string()),
        }
    }
    Ok(rule)
}
