// What points give goes to other locales as bytes, and this has none.
use layout::store::Runtime;

#[derive(Clone)]
struct Named(String);

fn main() {
    let rt = Runtime::new().unwrap();
    let names = rt.task("names").over([3]).unwrap().map(|task, ()| Ok(Named(task.point().to_string())));
    assert!(names.is_ok());
}
