//! Turns the schema files into Rust, or reports what is wrong with them.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    basalt_codegen::build_script("schema");
}
