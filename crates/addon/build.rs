//! Passes the linker what a Node addon needs.

fn main() {
    // By default cargo watches every file of the package.
    println!("cargo::rerun-if-changed=build.rs");
    napi_build::setup();
}
