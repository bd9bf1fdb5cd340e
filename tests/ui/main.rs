//! Programs that do not compile, and the messages of the compiler: one mistake in each file.

use trybuild::TestCases;

#[test]
fn messages() {
    let cases = TestCases::new();
    // A case that passes makes trybuild build, and not only check: constants are evaluated.
    for folder in ["derive", "views"] {
        cases.pass(format!("tests/ui/{folder}/pass/*.rs"));
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
    #[cfg(feature = "store")]
    cases.compile_fail("tests/ui/store/*.rs");
}

/// Errors of constants are found in the library, and must name the line that asked for what cannot be, too.
#[test]
fn every_message_names_a_line_of_the_program() {
    for folder in ["derive", "store", "views"] {
        let files = std::fs::read_dir(format!("{}/tests/ui/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        for file in
            files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "stderr"))
        {
            let program = format!("tests/ui/{folder}/{}.rs:", file.file_stem().unwrap().display());
            let message = std::fs::read_to_string(&file).unwrap();
            assert!(message.contains(&program), "{} does not name a line of {program}", file.display());
        }
    }
}
