//! Passes the linker what a Node addon needs; the plain core needs nothing.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
