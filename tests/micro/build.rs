//! Turns the schema files into Rust, or reports what is wrong with them.

fn main() {
    basalt_codegen::build_script("schema");
}
