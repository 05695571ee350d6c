// The errors of misuse that a registry throws.

/** Thrown in development for a call of `executeTool` that states an older tool set, and for a session that is resumed with one. */
export class RegistryVersionMismatch extends Error {
  readonly code: 'REGISTRY_VERSION_MISMATCH'
  readonly expected: string
  readonly actual: string
}
/** Thrown by `load()`: `code` is the check that failed. */
export class RegistryLoadError extends Error {
  readonly code:
    | 'ARTIFACT_MISSING'
    | 'ARTIFACT_INVALID'
    | 'ARTIFACT_VERSION'
    | 'TOOL_INVALID'
    | 'HANDLER_INVALID'
    | 'SOURCE_MISSING'
    | 'SOURCE_INVALID'
    | 'STORE_REFUSED'
}
