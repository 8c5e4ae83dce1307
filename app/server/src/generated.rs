//! What the build made of `schema/`: one module a collection.

include!(concat!(env!("OUT_DIR"), "/basalt/mod.rs"));
