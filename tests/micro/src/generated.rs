//! What the build made of `schema/`: a module for each collection, and `registry()`.

include!(concat!(env!("OUT_DIR"), "/basalt/mod.rs"));
