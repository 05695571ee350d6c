//! The Node addon: what the package `toolgate` registers with Node, in a library that Node can load.
//!
//! A package of its own, because cargo gives all builds of such a library one file: were it the library that the tests link,
//! they and the addon, which is optimised, would overwrite each other's in each run.

extern crate toolgate as _;
