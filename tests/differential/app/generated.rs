//! What the build made of `schema/`.

include!(concat!(env!("OUT_DIR"), "/basalt/mod.rs"));
