//! Turns `schema/` into Rust.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations/sqlite");
    basalt_codegen::build_script("../../schema");
}
