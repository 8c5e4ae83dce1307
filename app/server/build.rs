//! Turns `schema/` into Rust, and sees to it that the migrations beside it lead there.

fn main() {
    basalt_codegen::build_script_with("../../schema", "../../migrations/sqlite");
}
