//! Passes the linker what a Node addon needs; the plain core needs nothing.

fn main() {
    // Without a line of this kind each file of the project counts: the core would be built again after the addon, which writes `native.d.ts`.
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "node")]
    napi_build::setup();
}
