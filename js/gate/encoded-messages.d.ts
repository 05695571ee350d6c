// A type that native.d.ts names and does not declare: it is generated, and the core declares the type only in Rust.

/** The messages of the core that are ready, as one text; null if there are none. `MessageReader` reads them. */
type EncodedMessages = string | null
