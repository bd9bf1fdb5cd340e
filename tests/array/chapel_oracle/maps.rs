//! Owners and local parts of distributions, and which of them are equal.

use layout_domain::{
    AnyAxis, Block, BlockCyclic, Cyclic, Dimensional, Domain, DomainError, DomainMap, Hashed, PerLocale, Replicated,
    Stencil, Targets, check_map,
};
use serde_json::Value;

use crate::Outcome;
use crate::form::{count, counts, domain, list, number, numbers, of_rank, pairs, same, with_rank};

/// `{dist, params, numLocales, grid, targetLocales, domain, size, owners | owners_seen_from, local, probe}`.
pub(crate) fn case(record: &Value) -> Outcome {
    if record["dist"] == "hashedDist" {
        return hashed(record);
    }
    with_rank!(list(record, "domain")?.len(), case_of(record))
}

fn error(error: DomainError) -> String {
    error.to_string()
}

/// The locales of a record, in their grid.
pub(crate) fn targets<const R: usize>(record: &Value) -> Result<Targets<R>, String> {
    let grid = of_rank::<R, _>(counts(&record["grid"])?)?;
    let locales = match record.get("targetLocales") {
        Some(locales) => counts(locales)?,
        None => (0..grid.iter().product()).collect(),
    };
    Targets::grid(grid, locales).map_err(error)
}

/// The distribution of a record.
pub(crate) fn map<const R: usize>(record: &Value) -> Result<Box<dyn DomainMap<R>>, String> {
    let parameters = &record["params"];
    Ok(match record["dist"].as_str().unwrap_or_default() {
        "blockDist" => {
            let bounds = pairs::<R>(&parameters["boundingBox"])?;
            Box::new(Block::over(&bounds, targets(record)?).map_err(error)?)
        }
        "cyclicDist" => {
            let start = of_rank::<R, _>(numbers(&parameters["startIdx"])?)?;
            let map = Cyclic::new(start, targets(record)?);
            if let Some(normalized) = parameters.get("normalizedStartIdx") {
                let other = Cyclic::new(of_rank::<R, _>(numbers(normalized)?)?, targets(record)?);
                same("the distribution of the normalized start", &map, &other)?;
            }
            Box::new(map)
        }
        "blockCycDist" => {
            let start = of_rank::<R, _>(numbers(&parameters["startIdx"])?)?;
            let block = of_rank::<R, _>(counts(&parameters["blocksize"])?)?.map(|block| block as u64);
            Box::new(BlockCyclic::new(start, block, targets(record)?).map_err(error)?)
        }
        "dimensionalDist2D" => {
            let axes = list(parameters, "specifiers")?.iter().map(axis).collect::<Result<Vec<_>, _>>()?;
            Box::new(Dimensional::of(of_rank::<R, _>(axes)?, targets(record)?))
        }
        "stencilDist" => Box::new(super::stencils::map::<R>(record)?),
        "replicatedDist" => Box::new(Replicated::new(Targets::of(counts(&record["targetLocales"])?).map_err(error)?)),
        "privateDist" => {
            let locales = Targets::of(counts(&record["targetLocales"])?).map_err(error)?;
            Box::new(Line(PerLocale::new(locales)))
        }
        other => return Err(format!("an unknown distribution `{other}`")),
    })
}

/// A distribution of one dimension where the rank is not known to be one.
#[derive(Debug)]
struct Line(PerLocale);

impl<const R: usize> DomainMap<R> for Line {
    fn locales(&self) -> &[usize] {
        DomainMap::<1>::locales(&self.0)
    }

    fn owner(&self, index: [i64; R], here: usize) -> Option<usize> {
        self.0.owner(index.first_chunk::<1>().filter(|_| R == 1).copied()?, here)
    }

    fn local(&self, locale: usize, domain: &Domain<R>) -> Vec<Domain<R>> {
        let Some(line) = domain.dims().first().filter(|_| R == 1) else { return vec![] };
        let own = self.0.local(locale, &Domain::new([*line]));
        own.iter().map(|own| Domain::new([own.dims()[0]; R])).collect()
    }
}

fn axis(specifier: &Value) -> Result<AnyAxis, String> {
    match specifier["kind"].as_str().unwrap_or_default() {
        "BlockDim" => AnyAxis::block(number(specifier, "low")?..=number(specifier, "high")?).map_err(error),
        "BlockCyclicDim" => {
            AnyAxis::block_cyclic(number(specifier, "lowIdx")?, count(specifier, "blockSize")? as u64).map_err(error)
        }
        "ReplicatedDim" => Ok(AnyAxis::Replicated),
        other => Err(format!("an unknown specifier `{other}`")),
    }
}

fn case_of<const R: usize>(record: &Value) -> Outcome {
    let map = map::<R>(record)?;
    let domain = domain::<R>(&record["domain"])?;
    check_map(&*map, &domain).map_err(error)?;
    same("the size", &domain.len(), &count(record, "size")?)?;
    // Owners in the order of the domain, whoever asks, or as each locale sees them.
    let seen = |here: usize, owners: &Value| {
        let ours: Vec<Option<usize>> = domain.iter().map(|index| map.owner(index, here)).collect();
        same("owners", &ours, &counts(owners)?.into_iter().map(Some).collect())
    };
    let everybody = || (0..count(record, "numLocales").unwrap_or(0)).filter(|here| map.locales().contains(here));
    if let Some(owners) = record.get("owners") {
        everybody().try_for_each(|here| seen(here, owners))?;
    }
    if let Some(owners) = record.get("owners_seen_from") {
        let owners = owners.as_object().ok_or("no owners as locales see them")?;
        for (here, owners) in owners {
            seen(here.parse().map_err(|_| format!("a locale `{here}`"))?, owners)?;
        }
    }
    if record.get("owner_rule").is_some() {
        for here in 0..count(record, "numLocales")? {
            let own = map.locales().contains(&here).then_some(here);
            domain.iter().try_for_each(|index| same("the owner", &map.owner(index, here), &own))?;
        }
    }
    for probe in record.get("probe").and_then(Value::as_array).into_iter().flatten() {
        let index = of_rank::<R, _>(numbers(&probe["index"])?)?;
        same("the owner of a probe", &map.owner(index, 0), &Some(count(probe, "locale")?))?;
    }
    let mut storage = 0;
    let locals = record["local"].as_object().ok_or("no local parts")?;
    for (locale, given) in locals {
        let locale: usize = locale.parse().map_err(|_| format!("a locale `{locale}`"))?;
        let parts = map.local(locale, &domain);
        storage += parts.iter().map(Domain::len).sum::<usize>();
        let what = format!("the local part of locale {locale}");
        same(&what, &parts.iter().map(Domain::len).sum(), &count(given, "count")?)?;
        same(&what, &written(&parts), &given_parts::<R>(given)?)?;
        if let Some(place) = given.get("gridPos") {
            same("the place in the grid", &targets::<R>(record)?.position(locale), &Some(of_rank(counts(place)?)?))?;
        }
    }
    if record.get("total_storage").is_some() {
        same("the number of elements stored", &storage, &count(record, "total_storage")?)?;
    }
    if let Some(places) = record.get("storage_index_dim") {
        storage_of::<R>(record, &*map, &domain, places)?;
    }
    Ok(None)
}

/// Parts by the lowest and the highest index, the stride and the number of each dimension; strides of one index do not matter.
type Written = Vec<Vec<(i64, i64, i128, usize)>>;

fn written<const R: usize>(parts: &[Domain<R>]) -> Written {
    let side = |range: &layout_domain::StridedRange| {
        let stride = if range.len() == 1 { 1 } else { range.stride() };
        (range.low().unwrap_or(0), range.high().unwrap_or(0), stride, range.len())
    };
    parts.iter().map(|part| part.dims().iter().map(side).collect()).collect()
}

fn given_parts<const R: usize>(local: &Value) -> Result<Written, String> {
    let parts = list(local, "subdomains")?.iter().map(domain::<R>).collect::<Result<Vec<_>, _>>()?;
    Ok(written(&parts))
}

/// Along each dimension, `[index, part, position]`: which part of the grid has an index, and its position in memory. Chapel counts
/// from the start of the distribution, below which positions are negative; here memory has no holes, so that positions are
/// those of Chapel in ascending order.
fn storage_of<const R: usize>(
    record: &Value,
    map: &dyn DomainMap<R>,
    domain: &Domain<R>,
    places: &Value,
) -> Result<(), String> {
    let (targets, first) = (targets::<R>(record)?, domain.first().ok_or("an empty domain")?);
    for (dim, places) in places.as_object().ok_or("no places")? {
        let dim: usize = dim.parse().map_err(|_| format!("a dimension `{dim}`"))?;
        let places = places.as_array().ok_or("no places")?.iter().map(|place| of_rank::<3, _>(numbers(place)?));
        let places = places.collect::<Result<Vec<_>, String>>()?;
        for [index, part, position] in &places {
            let mut at = first;
            at[dim] = *index;
            let owner = map.owner(at, 0).ok_or("an index of nobody")?;
            let place = targets.position(owner).ok_or("a locale without a place")?[dim];
            // Of parts that are side by side along another dimension, one is enough.
            let beside = |own: &&Domain<R>| (0..R).all(|other| other == dim || own.dims()[other].contains(at[other]));
            let parts = map.local(owner, domain);
            let along = parts.iter().filter(beside).flat_map(|own| own.dims()[dim].iter());
            let before = along.filter(|other| other < index).count();
            let lower = places.iter().filter(|[_, other, lower]| other == part && lower < position).count();
            same("the place in memory", &(place as i64, before), &(*part, lower))?;
        }
    }
    Ok(())
}

/// `{params: {mapper, keys}, owners, local}`: the mapper is the key modulo a number.
fn hashed(record: &Value) -> Outcome {
    let mapper = record["params"]["mapper"].as_str().ok_or("no mapper")?;
    let modulus = mapper.rsplit("mod").next().map(str::trim).and_then(|number| number.parse::<i64>().ok());
    let modulus = modulus.filter(|modulus| *modulus > 0).ok_or_else(|| format!("an unknown mapper `{mapper}`"))?;
    let targets = Targets::of(counts(&record["targetLocales"])?).map_err(error)?;
    let map = Hashed::by(targets, |key: &i64, _| usize::try_from(key.rem_euclid(modulus)).unwrap_or(usize::MAX));
    let keys = numbers(&record["params"]["keys"])?;
    let owners = keys.iter().map(|key| map.owner(key).map_err(error)).collect::<Result<Vec<_>, _>>()?;
    same("owners", &owners, &counts(&record["owners"])?)?;
    for (locale, local) in record["local"].as_object().ok_or("no local parts")? {
        let own = |owner: &usize| owner.to_string() == *locale;
        let mut ours: Vec<i64> =
            keys.iter().zip(&owners).filter(|(_, owner)| own(owner)).map(|(key, _)| *key).collect();
        ours.sort_unstable();
        let mut given = numbers(&local["keys"])?;
        given.sort_unstable();
        same("keys", &ours, &given)?;
        same("the number of keys", &ours.len(), &count(local, "count")?)?;
    }
    Ok(None)
}

/// `{a, b, equal, numLocales}`: two distributions of two dimensions, as `name(parameter=value, ..)`.
pub(crate) fn equality(record: &Value) -> Outcome {
    let locales = count(record, "numLocales")?;
    let [a, b] = ["a", "b"].map(|name| written_map(record[name].as_str().unwrap_or_default(), locales));
    let equal = record["equal"].as_bool().ok_or("not said whether they are equal")?;
    same("equality", &(a? == b?), &equal)?;
    Ok(None)
}

#[derive(Debug, PartialEq)]
enum Map {
    Block(Block<2>),
    Cyclic(Cyclic<2>),
    BlockCyclic(BlockCyclic<2>),
    Stencil(Stencil<2>),
    Replicated(Replicated),
}

fn written_map(text: &str, locales: usize) -> Result<Map, String> {
    let unknown = || format!("an unknown distribution `{text}`");
    let (name, rest) = text.split_once('(').ok_or_else(unknown)?;
    let mut parameters = std::collections::BTreeMap::new();
    let mut depth = 0;
    // Commas between parameters are outside all brackets.
    let split = |sign: char| {
        depth += i32::from("([".contains(sign)) - i32::from(")]".contains(sign));
        sign == ',' && depth == 0
    };
    let rest = rest.strip_suffix(')').ok_or_else(unknown)?;
    for parameter in rest.split(split).filter(|parameter| !parameter.trim().is_empty()) {
        let (name, value) = parameter.split_once('=').ok_or_else(unknown)?;
        parameters.insert(name.trim(), value.trim());
    }
    let numbers = |name: &str| -> Result<Vec<i64>, String> {
        let value = parameters.get(name).ok_or_else(unknown)?;
        let parts = value.split(|sign: char| !sign.is_ascii_digit() && sign != '-').filter(|part| !part.is_empty());
        parts.map(|part| part.parse().map_err(|_| unknown())).collect()
    };
    let counts = |name: &str| -> Result<Vec<usize>, String> {
        numbers(name)?.into_iter().map(|number| usize::try_from(number).map_err(|_| unknown())).collect()
    };
    let given = if parameters.contains_key("targets") { counts("targets")? } else { (0..locales).collect() };
    let grid = || Targets::<2>::of(given.clone()).map_err(error);
    let blocks = || -> Result<Block<2>, String> {
        let sides = of_rank::<2, _>(numbers("bbox")?)?;
        Block::over(&Domain::new(sides.map(|side| 1..=side)), grid()?).map_err(error)
    };
    Ok(match name {
        "block" => Map::Block(blocks()?),
        "cyclic" => Map::Cyclic(Cyclic::new(of_rank(numbers("start")?)?, grid()?)),
        "blockcyclic" => {
            let block = of_rank::<2, _>(counts("block")?)?.map(|side| side as u64);
            Map::BlockCyclic(BlockCyclic::new(of_rank(numbers("start")?)?, block, grid()?).map_err(error)?)
        }
        "stencil" => {
            let stencil = Stencil::new(blocks()?, of_rank(counts("fluff")?)?);
            let periodic = parameters.get("periodic") == Some(&"true");
            Map::Stencil(if periodic { stencil.periodic() } else { stencil })
        }
        "replicated" => Map::Replicated(Replicated::new(Targets::of(given).map_err(error)?)),
        _ => return Err(unknown()),
    })
}
