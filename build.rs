//! Has the core compiled again when `napi build` lacks the declarations that the macros of the bindings write.

fn main() {
    // By default cargo watches every file of the package: each build of the addon writes `native.d.ts`, and would rebuild the core.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=NAPI_FORCE_BUILD_TOOLGATE");
}
