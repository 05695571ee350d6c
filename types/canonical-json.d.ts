/**
 * The canonical form of JSON (RFC 8785): members sorted by name, numbers in their shortest form, no white space. Two texts
 * with the same value have the same form.
 *
 * @param textOrValue JSON text, as a string or as UTF-8 bytes, or any other value that `JSON.stringify` can write. A string
 *   is always read as JSON text: for the form of a string itself, pass `JSON.stringify(string)`.
 * @throws TypeError if the text is not JSON, has a name twice in one object, a lone surrogate, a number beyond doubles or
 *   more than 512 levels; or if the value has a cycle or a BigInt, or is nothing that JSON can carry (`undefined`, a
 *   function). The message says what is wrong and where.
 */
export function canonicalJson(textOrValue: unknown): string

/**
 * The SHA-256 of {@link canonicalJson}'s UTF-8 bytes, as 64 lower-case hex digits. The gate binds a confirmation to this
 * hash of the final arguments, after defaults are filled. It has no key: do not publish the hash of secret or guessable
 * arguments. The `argsHash` of audit lines is another one, with a key.
 *
 * @param textOrValue as of {@link canonicalJson}
 * @throws TypeError as {@link canonicalJson}
 */
export function argsHash(textOrValue: unknown): string
