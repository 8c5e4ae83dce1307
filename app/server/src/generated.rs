//! The collections of `schema/`, as the build script generated them: a module for each, and
//! `registry()`. The readable copy, which reviews see, is `tests/golden/app/`.

include!(concat!(env!("OUT_DIR"), "/basalt/mod.rs"));
