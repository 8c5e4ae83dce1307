//! The demo server, as a library.
