//! Programs that do not compile, and the messages of the compiler: one mistake in each file.

use std::path::Path;

use trybuild::TestCases;

#[test]
fn messages_of_the_compiler() {
    let cases = TestCases::new();
    // A case that passes makes trybuild build, and not only check: constants are evaluated.
    for folder in ["derive", "views"] {
        cases.pass(format!("tests/ui/{folder}/pass/*.rs"));
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
    #[cfg(feature = "store")]
    cases.compile_fail("tests/ui/store/*.rs");
    #[cfg(feature = "array")]
    cases.compile_fail("tests/ui/array/*.rs");
    #[cfg(all(feature = "arrow", feature = "dlpack", feature = "ndarray"))]
    cases.compile_fail("tests/ui/interop/*.rs");
}

/// The table of mistakes names cases and tests that exist.
#[test]
fn every_mistake_of_the_table_has_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let table = std::fs::read_to_string(root.join("ui/README.md")).unwrap();
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Mistake")).collect();
    for (number, row) in rows.iter().enumerate() {
        assert!(row.starts_with(&format!("| {}. ", number + 1)), "{row}");
        let cases = row.split(" | ").nth(1).unwrap().split('`').skip(1).step_by(2);
        for case in cases {
            match case.split_once("::") {
                None => assert!(root.join(format!("ui/{case}.stderr")).exists(), "{case}"),
                Some((module, test)) => {
                    let folders = ["core", "core/containers", "core/walks"];
                    let files = folders.map(|folder| root.join(format!("{folder}/{module}.rs")));
                    let text = files.iter().find_map(|file| std::fs::read_to_string(file).ok()).unwrap();
                    assert!(text.contains(&format!("fn {test}()")), "{case}");
                }
            }
        }
    }
    assert!(rows.len() >= 88, "{}", rows.len());
}

/// Errors of constants are found in the library, and must name the line that asked for what cannot be, too.
#[test]
fn every_message_names_a_line_of_the_program() {
    for folder in ["array", "derive", "interop", "store", "views"] {
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
