//! Nothing: the checks are in `tests/`.
