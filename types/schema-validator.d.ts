// Validation against JSON Schemas, independent of tools.

import type { ValidationIssue } from '../index'

/** A JSON Schema: an object or a boolean. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** A format of {@link SchemaValidatorOptions.formats}. */
export type FormatName =
  | 'email'
  | 'date-time'
  | 'date'
  | 'time'
  | 'duration'
  | 'uri'
  | 'uri-reference'
  | 'uuid'
  | 'ipv4'
  | 'ipv6'
  | 'hostname'
  | 'regex'
  | 'json-pointer'
  | 'idn-email'
  | 'idn-hostname'
  | 'iri'
  | 'iri-reference'
  | 'relative-json-pointer'
  | 'uri-template'

export interface SchemaValidatorOptions {
  /**
   * The formats that are asserted; all others are annotations.
   * - by default the formats that tools may use: `email` to `json-pointer` in {@link FormatName}
   * - `'all'`: each that the schema's dialect defines
   * - `'declared'`: by the dialect's rule: none in 2019-09 and 2020-12, unless its vocabulary asserts them; all before
   * - a list: these, if the dialect defines them; `[]` for none
   */
  formats?: 'all' | 'declared' | readonly FormatName[]
  /** Schemas that `$ref` and `$schema` may refer to, by absolute URI without fragment. Nothing is fetched. */
  remotes?: { readonly [uri: string]: JsonSchema }
}

/** One fault of a value: a {@link ValidationIssue}, as in the details of a VALIDATION error. */
export interface SchemaIssue extends ValidationIssue {
  /** JSON Pointer (RFC 6901) into the value; `""` is the whole. The same as `instancePath`, Ajv's name. */
  path: string
}

export interface SchemaValidation {
  valid: boolean
  /**
   * Everything that is wrong: at most 100 findings, or of many thousands the first, and then one of keyword `more`.
   * `message` is written for a model: position, fault, correction; values under `"x-sensitive": true` never
   * appear.
   */
  errors: SchemaIssue[]
  /**
   * What was checked, valid or not: a copy of the value with the defaults of its schema. Undefined for what JSON can't
   * carry.
   */
  value: any
}

/**
 * A JSON Schema, compiled once: the validation and the defaults that the gate applies to arguments.
 *
 * The dialect is what `$schema` declares (draft 4, 6, 7, 2019-09 or 2020-12, or one of `remotes`), else 2020-12.
 * Patterns run in linear time; those with look-around or back-references within a number of steps that grows with the
 * value, and a value that takes more is invalid ("could not be checked in bounds"). Names in `patternProperties` always run in
 * linear time.
 */
export class SchemaValidator {
  /**
   * @throws TypeError if an option is unknown or invalid, or the schema does not compile: the message says where in
   *   it, as a JSON Pointer, and what is wrong
   */
  constructor(schema: JsonSchema, options?: SchemaValidatorOptions)
  /**
   * Never throws, and never changes the value.
   *
   * The value is taken as `JSON.stringify` writes it: members that are `undefined` or functions are left out, `toJSON`
   * is called, `NaN` and the infinities are `null`. What JSON can't carry at all (`undefined`, a function, a symbol, a
   * BigInt, a cycle, more than 512 levels of nesting, more than 256 MiB) is not valid, with one error of keyword
   * `json`.
   *
   * Defaults are filled before the check: through `properties`, `patternProperties`, `additionalProperties`, `items`,
   * `allOf` and a `$ref` within the schema, never through `anyOf`, `oneOf`, `if`, `not` or a remote. A default that its
   * own schema rejects is left out. `null` stays `null`: that a model's `null` may mean "absent" is a rule of tool
   * calls.
   */
  validate(value: unknown): SchemaValidation
}
