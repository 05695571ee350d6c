// Tools in one file with a wrong field or schema. A row: what the author did, the files, and each finding: its place, code, message
// and, behind the arrow, what is right.

import { oneFile } from './sources.mjs'

const js = text => ({ 'tools/echo/tool.js': text })

export const toolFieldRows = [
  [
    'no execute',
    js(oneFile({ execute: undefined })),
    ['tool.js:4 schema-module: `tool.js`: `execute` is missing → write a function, `async execute({ args }) { … }`'],
  ],
  [
    'handler for execute',
    js(oneFile({ execute: undefined, handler: 'async () => ({ ok: true })' })),
    [
      'tool.js:8 schema-module: `tool.js`: `execute` is missing; `handler` is not a field of a tool → rename `handler` to `execute`: a function, `async execute({ args }) { … }`',
    ],
  ],
  [
    'run for execute',
    js(oneFile({ execute: undefined, run: 'async () => ({ ok: true })' })),
    [
      'tool.js:8 schema-module: `tool.js`: `execute` is missing; `run` is not a field of a tool → rename `run` to `execute`: a function, `async execute({ args }) { … }`',
    ],
  ],
  [
    'inputSchema for parameters',
    js(oneFile({ parameters: undefined, inputSchema: 'z.object({ text: z.string() })' })),
    [
      'tool.js:8 schema-module: `tool.js`: `parameters` is missing; `inputSchema` is not a field of a tool → rename `inputSchema` to `parameters`: a schema, such as `z.object({ … })`',
    ],
  ],
  [
    'execute is a result',
    js(oneFile({ execute: '{ ok: true }' })),
    ['tool.js:8 schema-module: `tool.js`: `execute` is an object → write a function, `async execute({ args }) { … }`'],
  ],
  [
    'execute is a text',
    js(oneFile({ execute: "'./run.js'" })),
    ['tool.js:8 schema-module: `tool.js`: `execute` is `./run.js` → write a function, `async execute({ args }) { … }`'],
  ],
  [
    'no sideEffects',
    js(oneFile({ sideEffects: undefined })),
    ['tool.js:4 schema-module: `tool.js`: `sideEffects` is missing → write one of `none`, `read_only`, `writes`'],
  ],
  [
    'sideEffects wrong',
    js(oneFile({ sideEffects: "'read'" })),
    ['tool.js:6 schema-module: `tool.js`: `sideEffects` is `read` → write one of `none`, `read_only`, `writes`'],
  ],
  [
    'sideEffects boolean',
    js(oneFile({ sideEffects: 'false' })),
    ['tool.js:6 schema-module: `tool.js`: `sideEffects` is a boolean → write one of `none`, `read_only`, `writes`'],
  ],
  [
    'no parameters',
    js(oneFile({ parameters: undefined })),
    ['tool.js:4 schema-module: `tool.js`: `parameters` is missing → write a schema, such as `z.object({ … })`'],
  ],
  [
    'parameters a text',
    js(oneFile({ parameters: "'text'" })),
    ['tool.js:7 wrong-type: `parameters` is a string → it must be a JSON Schema, as an object'],
  ],
  [
    'parameters plain shape',
    js(oneFile({ parameters: '{ text: z.string() }' })),
    [
      'tool.js:7 schema-module: `/parameters/text` is a library schema inside plain JSON Schema → write the whole of `parameters` as one schema, such as `z.object({ … })`, or all of it as',
    ],
  ],
  [
    'parameters shape of types',
    js(oneFile({ parameters: "{ text: 'string' }" })),
    [
      'tool.js:7 unknown-keyword: unknown keyword `text` → remove it, move it into `properties` if it is an argument, or prefix its name with `x-`',
    ],
  ],
  [
    'parameters z.string',
    js(oneFile({ parameters: 'z.string()' })),
    [
      'tool.js:7 schema-not-object: `parameters` is not an object schema → write `"type": "object"`, or the schema of an object, such as `z.object({ … })`',
    ],
  ],
  [
    'parameters z.array',
    js(oneFile({ parameters: 'z.array(z.string())' })),
    [
      'tool.js:7 schema-not-object: `parameters` is not an object schema → write `"type": "object"`, or the schema of an object, such as `z.object({ … })`',
    ],
  ],
  [
    'no description',
    js(oneFile({ description: undefined })),
    ['tool.js:4 missing-field: `description` is missing → add it: a non-empty string'],
  ],
  [
    'empty description',
    js(oneFile({ description: "''" })),
    ['tool.js:5 wrong-type: `description` is an empty string → it must be a non-empty string'],
  ],
  [
    'long description',
    js(oneFile({ description: "'Show the text. '.repeat(40)" })),
    [
      'tool.js:5 summary-too-long: the first paragraph of `description` has 599 characters, 250 are allowed → describe the tool in one or two sentences, and move the rest into another paragraph',
    ],
  ],
  [
    'unknown field',
    js(oneFile({ timeoutMS: '100' })),
    ['tool.js:9 unknown-field: unknown field `timeoutMS` → did you mean `timeoutMs`?'],
  ],
  [
    'confirm for requiresConfirmation',
    js(oneFile({ confirm: 'true' })),
    [
      'tool.js:9 unknown-field: unknown field `confirm` → remove it; the fields are `$schema`, `toolId`, `version`, `title`, `description`,',
    ],
  ],
  [
    'name given',
    js(oneFile({ name: "'echo'" })),
    [
      'tool.js:9 unknown-field: unknown field `name` → remove it; the fields are `$schema`, `toolId`, `version`, `title`, `description`,',
    ],
  ],
  [
    'toolId differs',
    js(oneFile({ toolId: "'shout'" })),
    [
      'tool.js:9 bad-tool-id: `toolId` is `shout`, but the folder is `echo` → write `echo`, or rename the folder to `shout`',
    ],
  ],
  [
    'timeout text',
    js(oneFile({ timeoutMs: "'100'" })),
    ['tool.js:9 wrong-type: `timeoutMs` is a string → it must be a number of milliseconds, or false'],
  ],
  [
    'timeout with unit',
    js(oneFile({ timeoutMs: "'10s'" })),
    ['tool.js:9 wrong-type: `timeoutMs` is a string → it must be a number of milliseconds, or false'],
  ],
  [
    'budget NaN',
    js(oneFile({ latencyBudgetMs: "Number('fast')" })),
    [
      'tool.js:9 schema-module: `/latencyBudgetMs` is NaN, which JSON does not have → write texts, numbers, true, false, null, lists and plain objects',
    ],
  ],
  [
    'budget undefined variable',
    js(oneFile({ latencyBudgetMs: 'BUDGET' })),
    ['tool.js:9 schema-module: `tool.js` throws ReferenceError: BUDGET is not defined → import or define `BUDGET`'],
  ],
  [
    'budget from an absent environment variable',
    js(oneFile({ latencyBudgetMs: 'process.env.A_BUDGET_THAT_IS_ABSENT' })),
    ['tool.js:9 missing-field: `latencyBudgetMs` is missing → add it: a number'],
  ],
  [
    'budget bigint',
    js(oneFile({ latencyBudgetMs: '100n' })),
    [
      'tool.js:9 schema-module: `/latencyBudgetMs` is a BigInt, which JSON does not have → write texts, numbers, true, false, null, lists and plain objects',
    ],
  ],
  [
    'requiresConfirmation function',
    js(oneFile({ requiresConfirmation: '() => true' })),
    [
      'tool.js:9 schema-module: `/requiresConfirmation` is a function, which JSON does not have → write texts, numbers, true, false, null, lists and plain objects',
    ],
  ],
  [
    'modes text',
    js(oneFile({ allowedModes: "'text'" })),
    ['tool.js:9 wrong-type: `allowedModes` is a string → it must be an array of strings'],
  ],
  [
    'modes misspelled',
    js(oneFile({ allowedModes: "['txt']" })),
    ['tool.js:9 bad-mode: unknown mode `txt` → did you mean `text`?'],
  ],
  [
    'execute a generator',
    js(oneFile({ execute: 'async function* () { yield 1 }' })),
    [
      'tool.js:8 schema-module: `tool.js`: `execute` is a generator → write a function, `async execute({ args }) { … }`',
    ],
  ],
  [
    'execute a class',
    js(oneFile({ execute: 'class { run() {} }' })),
    ['tool.js:8 schema-module: `tool.js`: `execute` is a class → write a function, `async execute({ args }) { … }`'],
  ],
  [
    'confirmation of a tool that only reads',
    js(oneFile({ sideEffects: "'read_only'", confirmation: "{ preview: 'Show {text}' }" })),
    [
      'tool.js:9 confirmation-unused: `confirmation` has no effect: `requiresConfirmation` is false, so no user is asked → set `requiresConfirmation` to true, or remove `confirmation`',
    ],
  ],
  [
    'confirmation false',
    js(oneFile({ confirmation: 'false' })),
    [
      'tool.js:9 wrong-type: `confirmation` is false → write `requiresConfirmation: false`; `confirmation` is an object with `preview`,',
    ],
  ],
  [
    'confirmation true',
    js(oneFile({ confirmation: 'true' })),
    [
      'tool.js:9 wrong-type: `confirmation` is true → write `requiresConfirmation: true`; `confirmation` is an object with `preview`,',
    ],
  ],
  [
    'pattern a regular expression',
    js(
      oneFile({
        parameters:
          "{ type: 'object', additionalProperties: false, properties: { text: { type: 'string', pattern: /^a$/i } } }",
      }),
    ),
    [
      'tool.js:7 schema-module: `/parameters/properties/text/pattern` is a RegExp, which JSON does not have → write its text: "^a$"; a pattern has no flags (`i`): for `i` write both cases, as in `[aA]`',
    ],
  ],
  [
    'preview unknown',
    js(oneFile({ sideEffects: "'writes'", duplicate: 'false', confirmation: "{ preview: 'Send {txt}' }" })),
    ['tool.js:10 bad-preview: unknown placeholder `{txt}` → did you mean `text`?'],
  ],
  [
    'preview a function',
    js(oneFile({ sideEffects: "'writes'", duplicate: 'false', confirmation: '{ preview: args => args.text }' })),
    [
      'tool.js:10 schema-module: `/confirmation/preview` is a function, which JSON does not have → write texts, numbers, true, false, null, lists and plain objects',
    ],
  ],
  [
    'examples wrong',
    js(oneFile({ examples: "[{ txt: 'a' }]" })),
    [
      'tool.js:9 bad-example: the example is rejected: Additional properties are not allowed (\'txt\' was unexpected); "text" is a required → change the example, or `parameters`',
    ],
  ],
  [
    'examples no list',
    js(oneFile({ examples: "{ text: 'a' }" })),
    ['tool.js:9 wrong-type: `examples` is an object → it must be an array'],
  ],
  [
    'duplicate key unknown',
    js(oneFile({ sideEffects: "'writes'", duplicate: "{ key: ['/id'] }" })),
    ['tool.js:9 bad-duplicate: `/id` in `duplicate.key` names no argument → use one of `text`'],
  ],
  [
    'async refinement',
    js(oneFile({ parameters: "z.object({ text: z.string().refine(async t => t !== '') })" })),
    [
      'tool.js:7 schema-code-lost: a refinement is not part of the JSON Schema: the model is not told of it; the code runs at call time → say the rule in the description, or in JSON Schema, then acknowledge this in',
    ],
  ],
  [
    'transform',
    js(oneFile({ parameters: 'z.object({ text: z.string().transform(t => t.length) })' })),
    [
      'tool.js:7 schema-code-lost: a transform is not part of the JSON Schema: the model is not told of it; the code runs at call time → say the rule in the description, or in JSON Schema, then acknowledge this in',
    ],
  ],
  [
    'date',
    js(oneFile({ parameters: 'z.object({ on: z.date() })' })),
    [
      'tool.js:7 schema-not-convertible: there is no JSON Schema for it: `date` is not JSON → use a type that JSON has: for a date `z.coerce.date()`, or a codec from `z.iso.datetime()`',
    ],
  ],
  [
    'bigint',
    js(oneFile({ parameters: 'z.object({ id: z.bigint() })' })),
    [
      'tool.js:7 schema-not-convertible: there is no JSON Schema for it: `bigint` is not JSON → use a type that JSON has: for a large number `z.coerce.bigint()`, which takes a text of',
    ],
  ],
  [
    'map',
    js(oneFile({ parameters: 'z.object({ all: z.map(z.string(), z.string()) })' })),
    [
      'tool.js:7 schema-not-convertible: there is no JSON Schema for it: `map` is not JSON → use a type that JSON has: for a map `z.record(z.string(), …)`',
    ],
  ],
  [
    'default now',
    js(oneFile({ parameters: 'z.object({ at: z.number().default(() => performance.now()) })' })),
    [
      'tool.js:7 schema-code-lost: a default that is computed is not part of the JSON Schema: the model is not told of it; the code runs at call time → say the rule in the description, or in JSON Schema, then acknowledge this in `lintAccepted`',
    ],
  ],
  [
    'default outside of enum',
    js(oneFile({ parameters: "z.object({ size: z.enum(['s', 'm']).default('xl') })" })),
    [
      'tool.js:7 bad-default: the default is rejected: "xl" is not one of "s" or "m" → change the default, or the schema around it',
    ],
  ],
  [
    'not a method',
    js(oneFile({ parameters: 'z.object({ text: z.string().required() })' })),
    [
      'tool.js:7 schema-module: `tool.js` throws TypeError: z.string(...).required is not a function → correct the name `required`',
    ],
  ],
]
