//! Passes the linker what a Node addon needs; the plain core needs nothing.

fn main() {
    // By default cargo watches every file of the package: each build of the addon writes `native.d.ts`, and would rebuild the core.
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "node")]
    napi_build::setup();
}
