//! A source file in which each mutant is a branch.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{LineColumn, Span};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The description of a mutant by `cargo mutants`.
pub struct Mutant {
    pub file: String,
    pub name: String,
    genre: String,
    replacement: String,
    /// A function that returns some type has one alone, in all branches.
    pub is_opaque: bool,
    /// Lines and columns, which count from one.
    span: [(usize, usize); 2],
}

impl Mutant {
    pub fn of(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().expect(key).to_owned();
        let place = |key: &str| {
            let number = |part: &str| usize::try_from(value["span"][key][part].as_u64().expect(part)).expect(part);
            (number("line"), number("column"))
        };
        Self {
            file: text("file"),
            name: text("name"),
            genre: text("genre"),
            replacement: text("replacement"),
            is_opaque: text("genre") == "FnValue"
                && value["function"]["return_type"].as_str().is_some_and(|returned| returned.contains("impl ")),
            span: [place("start"), place("end")],
        }
    }
}

/// A file with its mutants as branches.
pub struct Schema {
    pub text: String,
    /// The branches of mutants, and expressions that hold those of several.
    branches: Vec<(Range<usize>, Vec<usize>)>,
    /// Mutants that can be no branches.
    pub nowhere: Vec<usize>,
}

impl Schema {
    /// Functions are no constant ones here, so that they have branches: but public ones, and those of these names.
    pub fn of(source: &str, mutants: &[(usize, &Mutant)], constant: &BTreeSet<String>) -> Self {
        let lines = Lines::of(source);
        let mut spans = Spans::new();
        for (number, mutant) in mutants {
            let range =
                lines.at(mutant.span[0].0, mutant.span[0].1 - 1)..lines.at(mutant.span[1].0, mutant.span[1].1 - 1);
            spans.entry(range.start).or_default().push((*number, mutant, range));
        }
        let mut places = Places { lines: &lines, source, spans, constant, edits: Vec::new() };
        places.functions();
        places.visit_file(&syn::parse_file(source).expect("Rust"));
        let nowhere = places.spans.values().flatten().map(|(number, ..)| *number).collect();
        let mut edits = places.edits;
        // Outer ones first; a guard holds an operator of the same range.
        edits.sort_by_key(|edit| (edit.range.start, core::cmp::Reverse(edit.range.end), edit.inner));
        let mut schema = Self { text: String::new(), branches: Vec::new(), nowhere };
        schema.render(source, 0..source.len(), &mut edits.into_iter().peekable());
        schema
    }

    /// The mutants whose code lies at a place.
    pub fn at(&self, at: usize) -> Vec<usize> {
        let those = self.branches.iter().filter(|(range, _)| range.contains(&at));
        those.min_by_key(|(range, _)| range.len()).map(|(_, numbers)| numbers.clone()).unwrap_or_default()
    }

    /// The mutant whose code lies nearest.
    pub fn nearest(&self, at: usize) -> Option<usize> {
        let branch =
            self.branches.iter().min_by_key(|(range, _)| range.start.abs_diff(at).min(range.end.abs_diff(at)))?;
        branch.1.first().copied()
    }

    fn render(&mut self, source: &str, range: Range<usize>, edits: &mut std::iter::Peekable<std::vec::IntoIter<Edit>>) {
        let mut at = range.start;
        while let Some(edit) = edits.next_if(|edit| edit.range.start < range.end && edit.range.end <= range.end) {
            self.text.push_str(&source[at..edit.range.start]);
            at = edit.range.end;
            let start = self.text.len();
            match edit.what {
                What::Drop => {}
                What::Insert(number, text) => {
                    self.text.push_str(&text);
                    self.branches.push((start..self.text.len(), vec![number]));
                }
                What::Choose(choices) => {
                    self.text.push('(');
                    for (number, text) in &choices {
                        let start = self.text.len();
                        self.text.push_str(&format!("if crate::mutant({number}) {{ {text} }} else "));
                        self.branches.push((start..self.text.len(), vec![*number]));
                    }
                    self.text.push_str("{ ");
                    self.render(source, edit.range, edits);
                    self.text.push_str(" })");
                    let numbers = choices.iter().map(|(number, _)| *number).collect();
                    self.branches.push((start..self.text.len(), numbers));
                }
            }
        }
        self.text.push_str(&source[at..range.end]);
    }
}

/// The bytes at which lines begin.
struct Lines<'a>(&'a str, Vec<usize>);

impl<'a> Lines<'a> {
    fn of(source: &'a str) -> Self {
        let starts = source.match_indices('\n').map(|(at, _)| at + 1);
        Self(source, core::iter::once(0).chain(starts).collect())
    }

    /// The byte of a line, which counts from one, and a column, which counts characters from zero.
    fn at(&self, line: usize, column: usize) -> usize {
        let rest = &self.0[self.1[line - 1]..];
        self.1[line - 1] + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
    }
}

struct Edit {
    range: Range<usize>,
    inner: bool,
    what: What,
}

enum What {
    Drop,
    Insert(usize, String),
    /// Instead of the range, where a mutant is chosen.
    Choose(Vec<(usize, String)>),
}

/// Mutants with their numbers and what they replace, by where that begins.
type Spans<'a> = BTreeMap<usize, Vec<(usize, &'a Mutant, Range<usize>)>>;

/// Finds the expressions in which mutants are choices.
struct Places<'a> {
    lines: &'a Lines<'a>,
    source: &'a str,
    spans: Spans<'a>,
    constant: &'a BTreeSet<String>,
    edits: Vec<Edit>,
}

impl Places<'_> {
    fn range(&self, span: Span) -> Range<usize> {
        let at = |place: LineColumn| self.lines.at(place.line, place.column);
        at(span.start())..at(span.end())
    }

    /// Takes the mutants that begin at a place.
    fn take(&mut self, at: usize, genre: &str) -> Vec<(usize, String, Range<usize>)> {
        let Some(there) = self.spans.get_mut(&at) else { return Vec::new() };
        let taken = there.extract_if(.., |(_, mutant, _)| mutant.genre == genre);
        let taken = taken.map(|(number, mutant, range)| (number, mutant.replacement.clone(), range)).collect();
        if there.is_empty() {
            self.spans.remove(&at);
        }
        taken
    }

    fn choose(&mut self, range: Range<usize>, inner: bool, choices: Vec<(usize, String)>) {
        if !choices.is_empty() {
            self.edits.push(Edit { range, inner, what: What::Choose(choices) });
        }
    }

    /// The text of a range, a part of it replaced.
    fn replaced(&self, range: &Range<usize>, part: &Range<usize>, by: &str) -> String {
        format!("{}{by}{}", &self.source[range.start..part.start], &self.source[part.end..range.end])
    }

    fn replace(&mut self, whole: Span, parts: Vec<usize>, genre: &str) {
        let whole = self.range(whole);
        let taken: Vec<_> = parts.into_iter().flat_map(|part| self.take(part, genre)).collect();
        let choices = taken.into_iter().map(|(number, by, part)| (number, self.replaced(&whole, &part, &by))).collect();
        self.choose(whole, true, choices);
    }

    fn make_bare(&mut self, visibility: &syn::Visibility, signature: &syn::Signature) {
        if let Some(keyword) = signature.constness
            && !matches!(visibility, syn::Visibility::Public(_))
            && !self.constant.contains(&signature.ident.to_string())
        {
            self.edits.push(Edit { range: self.range(keyword.span()), inner: false, what: What::Drop });
        }
    }

    /// Functions return early: what is replaced begins with the first statement.
    fn functions(&mut self) {
        let starts: Vec<usize> = self.spans.keys().copied().collect();
        for at in starts {
            for (number, by, _) in self.take(at, "FnValue") {
                let text = format!("if crate::mutant({number}) {{ return {by}; }} ");
                self.edits.push(Edit { range: at..at, inner: false, what: What::Insert(number, text) });
            }
        }
    }
}

/// Returns `true` if a chain of operators contains a `let`, and so is no expression.
fn binds(chain: &syn::ExprBinary) -> bool {
    [&chain.left, &chain.right].into_iter().any(|operand| match &**operand {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(chain) => binds(chain),
        _ => false,
    })
}

/// The operators of a chain, and what stands between them.
fn flatten<'ast>(chain: &'ast syn::ExprBinary, operators: &mut Vec<Span>, operands: &mut Vec<&'ast syn::Expr>) {
    operators.push(chain.op.span());
    for operand in [&*chain.left, &*chain.right] {
        match operand {
            syn::Expr::Binary(chain) => flatten(chain, operators, operands),
            operand => operands.push(operand),
        }
    }
}

impl<'ast> Visit<'ast> for Places<'_> {
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.make_bare(&node.vis, &node.sig);
        visit::visit_item_fn(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.make_bare(&node.vis, &node.sig);
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if binds(node) {
            return visit::visit_expr_binary(self, node);
        }
        // The whole chain is written again: another operator may bind more than those beside it.
        let (mut operators, mut operands) = (Vec::new(), Vec::new());
        flatten(node, &mut operators, &mut operands);
        let places = operators.iter().map(|operator| self.range(*operator).start).collect();
        self.replace(node.span(), places, "BinaryOperator");
        operands.into_iter().for_each(|operand| self.visit_expr(operand));
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        self.replace(node.span(), vec![self.range(node.op.span()).start], "UnaryOperator");
        visit::visit_expr_unary(self, node);
    }

    fn visit_expr_struct(&mut self, node: &'ast syn::ExprStruct) {
        let fields = node.fields.iter().map(|field| self.range(field.span()).start).collect();
        self.replace(node.span(), fields, "StructField");
        visit::visit_expr_struct(self, node);
    }

    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        if let Some((_, guard)) = &node.guard {
            let guard = self.range(guard.span());
            let taken = self.take(guard.start, "MatchArmGuard");
            self.choose(guard, false, taken.into_iter().map(|(number, by, _)| (number, by)).collect());
        }
        let (whole, arrow) = (self.range(node.span()), self.range(node.fat_arrow_token.span()).start);
        for (number, ..) in self.take(whole.start, "MatchArm") {
            let (at, text) = match &node.guard {
                Some((_, guard)) => (self.range(guard.span()).start, format!("!crate::mutant({number}) && ")),
                None => (arrow, format!("if !crate::mutant({number}) ")),
            };
            self.edits.push(Edit { range: at..at, inner: false, what: What::Insert(number, text) });
        }
        visit::visit_arm(self, node);
    }
}
