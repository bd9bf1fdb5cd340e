//! The end of a program whose output nobody reads any more.

/// Ends the program without a message once the reader of its output has closed the pipe: `println!` panics then.
pub(crate) fn end_when_closed() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if text.starts_with("failed printing to stdout: Broken pipe") {
            std::process::exit(1);
        }
        report(panic);
    }));
}
