//! The Node addon: what the package `toolgate` registers with Node, in a library that Node can load.
//!
//! A separate package, because cargo writes every build of such a library to the same file: if the core were that library, its
//! builds for the tests and for the addon would overwrite each other in each run.

extern crate toolgate as _;
