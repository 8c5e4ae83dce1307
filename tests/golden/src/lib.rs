//! What the generator makes of schema files: `tests/golden.rs` compares it with the committed
//! outputs, `tests/compiled.rs` compiles those.
