//! The generated code of the demo, as an application sees it, for programs that must not build.

#[rustfmt::skip]
#[path = "../../golden/app/mod.rs"]
pub mod generated;
