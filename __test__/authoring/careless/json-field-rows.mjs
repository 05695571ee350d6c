// Fields of schema.json. A row: what the author did, the files, and each finding: its place, code, message
// and, behind the arrow, what is right.

import { CONFIRMED, WRITES, folder, parameters, schemaJson } from './sources.mjs'

const json = changes => folder({ 'schema.json': schemaJson(changes) })

export const jsonFieldRows = [
  [
    'toolId differs',
    json({ toolId: 'ecko' }),
    [
      'schema.json:2 bad-tool-id: `toolId` is `ecko`, but the folder is `echo` → write `echo`, or rename the folder to `ecko`',
    ],
  ],
  [
    'toolId with space',
    json({ toolId: 'my tool' }),
    ['schema.json:2 bad-tool-id: `toolId` is `my tool`, but the folder is `echo` → write `echo`'],
  ],
  [
    'no toolId',
    json({ toolId: undefined }),
    ['schema.json:1 missing-field: `toolId` is missing → add it: a non-empty string'],
  ],
  [
    'name for toolId',
    json({ toolId: undefined, name: 'echo' }),
    [
      'schema.json:1 missing-field: `toolId` is missing → add it: a non-empty string',
      'schema.json:11 unknown-field: unknown field `name` → did you mean `toolId`?',
    ],
  ],
  [
    'version number',
    json({ version: 1 }),
    ['schema.json:3 wrong-type: `version` is a number → it must be a non-empty string'],
  ],
  [
    'version short',
    json({ version: '1.0' }),
    [
      'schema.json:3 bad-semver: `version` is `1.0`: unexpected end of input while parsing minor version number → write three numbers, such as `1.0.0`',
    ],
  ],
  [
    'version v',
    json({ version: 'v1.0.0' }),
    [
      "schema.json:3 bad-semver: `version` is `v1.0.0`: unexpected character 'v' while parsing major version number → write three numbers, such as `1.0.0`",
    ],
  ],
  [
    'category',
    json({ category: 'Utility' }),
    ['schema.json:5 bad-enum: `category` is `Utility` → did you mean `utility`?'],
  ],
  [
    'category other',
    json({ category: 'search' }),
    ['schema.json:5 bad-enum: `category` is `search` → use one of `retrieval`, `action`, `utility`'],
  ],
  [
    'sideEffects false',
    json({ sideEffects: false }),
    ['schema.json:6 wrong-type: `sideEffects` is false → it must be one of `none`, `read_only`, `writes`'],
  ],
  [
    'sideEffects write',
    json({ sideEffects: 'write' }),
    ['schema.json:6 bad-enum: `sideEffects` is `write` → did you mean `writes`?'],
  ],
  [
    'idempotent yes',
    json({ idempotent: 'true' }),
    ['schema.json:7 wrong-type: `idempotent` is a string → it must be true or false'],
  ],
  [
    'requiresConfirmation text',
    json({ requiresConfirmation: 'false' }),
    ['schema.json:8 wrong-type: `requiresConfirmation` is a string → it must be true or false'],
  ],
  [
    'modes empty',
    json({ allowedModes: [] }),
    [
      'schema.json:9 bad-mode: `allowedModes` is empty, so the tool could never be called → name at least one mode: `text`, `voice`, `webcam`',
    ],
  ],
  [
    'modes text',
    json({ allowedModes: 'text' }),
    ['schema.json:9 wrong-type: `allowedModes` is a string → it must be an array of strings'],
  ],
  [
    'modes misspelled',
    json({ allowedModes: ['Text'] }),
    ['schema.json:9 bad-mode: unknown mode `Text` → did you mean `text`?'],
  ],
  [
    'modes other',
    json({ allowedModes: ['chat'] }),
    [
      "schema.json:9 unknown-mode: unknown mode `chat` → use one of `text`, `voice`, `webcam`, or declare the host's mode with `--modes`",
    ],
  ],
  [
    'budget text',
    json({ latencyBudgetMs: '100' }),
    ['schema.json:10 wrong-type: `latencyBudgetMs` is a string → it must be a number'],
  ],
  [
    'budget negative',
    json({ latencyBudgetMs: -1 }),
    ['schema.json:10 bad-budget: `latencyBudgetMs` is -1 → it must be a whole number, 1 or more'],
  ],
  [
    'budget fraction',
    json({ latencyBudgetMs: 0.5 }),
    ['schema.json:10 bad-budget: `latencyBudgetMs` is 0.5 → it must be a whole number, 1 or more'],
  ],
  [
    'budget unit',
    json({ latencyBudgetMs: '2s' }),
    ['schema.json:10 wrong-type: `latencyBudgetMs` is a string → it must be a number'],
  ],
  [
    'timeout typo',
    json({ timeout: 100 }),
    ['schema.json:12 unknown-field: unknown field `timeout` → did you mean `timeoutMs`?'],
  ],
  [
    'retry number',
    json({ retry: 3 }),
    [
      'schema.json:12 wrong-type: `retry` is a number → it must be an object with `maxAttempts`, `baseDelayMs`, `multiplier`',
    ],
  ],
  [
    'rateLimit incomplete',
    json({ rateLimit: { calls: 3 } }),
    ['schema.json:12 missing-field: `windowMs` is missing in `/rateLimit` → add it: a number'],
  ],
  [
    'cache true',
    json({ cache: true }),
    ['schema.json:12 wrong-type: `cache` is true → it must be an object with `ttlMs`'],
  ],
  [
    'inputSchema',
    json({ parameters: undefined, inputSchema: parameters() }),
    [
      'schema.json:1 missing-field: `parameters` is missing → add it: a JSON Schema, as an object',
      'schema.json:11 unknown-field: unknown field `inputSchema` → did you mean `parameters`?',
    ],
  ],
  [
    'no parameters',
    json({ parameters: undefined }),
    ['schema.json:1 missing-field: `parameters` is missing → add it: a JSON Schema, as an object'],
  ],
  [
    'examples',
    json({ examples: [{ txt: 'a' }] }),
    [
      'schema.json:12 bad-example: the example is rejected: Additional properties are not allowed (\'txt\' was unexpected); "text" is a required → change the example, or `parameters`',
    ],
  ],
  [
    'examples text',
    json({ examples: 'a' }),
    ['schema.json:12 wrong-type: `examples` is a string → it must be an array'],
  ],
  [
    'preview unknown',
    json({ ...CONFIRMED, confirmation: { preview: 'Send {txt}' } }),
    ['schema.json:13 bad-preview: unknown placeholder `{txt}` → did you mean `text`?'],
  ],
  [
    'preview dollar',
    json({ ...CONFIRMED, confirmation: { preview: 'Send ${txt}' } }),
    ['schema.json:13 bad-preview: unknown placeholder `{txt}` → did you mean `text`?'],
  ],
  [
    'preview args.text',
    json({ ...CONFIRMED, confirmation: { preview: 'Send {args.text}' } }),
    ['schema.json:13 bad-preview: unknown placeholder `{args.text}` → use one of `text`'],
  ],
  [
    'preview number',
    json({ ...CONFIRMED, confirmation: { preview: 3 } }),
    ['schema.json:13 wrong-type: `preview` is a number → it must be a non-empty string'],
  ],
  [
    'confirmation text',
    json({ ...CONFIRMED, confirmation: 'Send {text}' }),
    [
      'schema.json:13 wrong-type: `confirmation` is a string → it must be an object with `preview`, `ttlMs`, `when`, `grantable`, `approvers`',
    ],
  ],
  [
    'writes without confirmation',
    json({ ...WRITES }),
    [
      'schema.json:6 writes-without-confirmation: the tool writes without a confirmation → set `requiresConfirmation` to true, or add `writes-without-confirmation` to `lintAccepted`',
    ],
  ],
  [
    'retrieval writes',
    json({ category: 'retrieval', sideEffects: 'writes', duplicate: false }),
    [
      'schema.json:6 retrieval-writes: a retrieval tool writes → set `category` to `action`, or `sideEffects` to `read_only` if the tool only reads',
    ],
  ],
]
