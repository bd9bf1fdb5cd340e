//! Butterflies, which halves of a view and short rows are walked with.

/// Of two pairs of numbers, or of lanes of them; halved so that numbers stay small.
macro_rules! step {
    ($x:ident, $y:ident) => {
        (($x.0 + $y.0) * 0.5, ($x.1 + $y.1) * 0.5, ($x.0 - $y.0) * 0.5, ($x.1 - $y.1) * 0.5)
    };
}

/// Of the slots of two elements, or of two groups of them.
macro_rules! butterfly {
    ($x:ident, $y:ident: $Number:ty) => {{
        let (p, q): (($Number, $Number), ($Number, $Number)) = (($x.a.get(), $x.b.get()), ($y.a.get(), $y.b.get()));
        let (xa, xb, ya, yb) = step!(p, q);
        $x.a.set(xa);
        $x.b.set(xb);
        $y.a.set(ya);
        $y.b.set(yb);
    }};
}

pub(crate) use {butterfly, step};

/// Of two parts of columns.
#[inline(always)]
pub(crate) fn columns(xa: &mut [f32], xb: &mut [f32], ya: &mut [f32], yb: &mut [f32]) {
    for (((xa, xb), ya), yb) in xa.iter_mut().zip(xb).zip(ya).zip(yb) {
        let (x, y) = ((*xa, *xb), (*ya, *yb));
        (*xa, *xb, *ya, *yb) = step!(x, y);
    }
}
