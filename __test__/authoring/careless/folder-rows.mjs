// Files and folders. A row: what the author did, the files, and each finding: its place, code, message
// and, behind the arrow, what is right.

import { symlinkSync } from 'node:fs'

import { GUIDE, HANDLER, folder, oneFile, schemaJson } from './sources.mjs'

const CJS = { type: 'commonjs' }
const handler = text => folder({ 'handler.js': text })
const guide = text => folder({ 'guide.md': text })

export const folderRows = [
  [
    'no schema',
    folder({ 'schema.json': undefined }),
    [
      'schema.json:1 missing-file: `schema.json` is missing → add it, or a `schema.js`: identity, metadata and `parameters` of the tool',
    ],
  ],
  [
    'no handler',
    folder({ 'handler.js': undefined }),
    ['handler.js:1 missing-file: `handler.js` is missing → add it, exporting `async function execute({ args })`'],
  ],
  [
    'no guide',
    folder({ 'guide.md': undefined }),
    [
      'guide.md:1 missing-file: `guide.md` is missing → add it: `# <tool>`, a summary of one or two sentences, `## Parameters`, `## Examples`',
    ],
  ],
  [
    'Schema.json',
    folder({ 'schema.json': undefined, 'Schema.json': schemaJson() }),
    ['Schema.json:1 schema-module: `Schema.json` is a name that the build does not read → name it `schema.json`'],
  ],
  [
    'Handler.js',
    folder({ 'handler.js': undefined, 'Handler.js': HANDLER }),
    ['Handler.js:1 schema-module: `Handler.js` is a name that the build does not read → name it `handler.js`'],
  ],
  [
    'GUIDE.md',
    folder({ 'guide.md': undefined, 'GUIDE.md': GUIDE }),
    ['GUIDE.md:1 schema-module: `GUIDE.md` is a name that the build does not read → name it `guide.md`'],
  ],
  [
    'README.md',
    folder({ 'guide.md': undefined, 'README.md': GUIDE }),
    [
      'guide.md:1 missing-file: `guide.md` is missing → add it: `# <tool>`, a summary of one or two sentences, `## Parameters`, `## Examples`',
    ],
  ],
  ...[
    [
      'async function*',
      'a generator, whose call gives no result',
      'export async function* execute() {\n  yield 1\n}\n',
    ],
    ['class', 'a class, not a function', 'export class execute {}\n'],
  ].map(([title, what, text]) => [
    `execute in handler.js: ${title}`,
    handler(text),
    [`handler.js:1 no-execute: \`execute\` is ${what} → write \`export async function execute({ args }) { … }\``],
  ]),
  [
    'handler.ts beside handler.js',
    folder({ 'handler.ts': HANDLER.replace('{ args }', '{ args }: any') }),
    ['handler.ts:1 schema-module: the folder contains both `handler.ts` and `handler.js` → keep one of them'],
  ],
  [
    'schema.ts beside schema.mjs',
    folder({ 'schema.json': undefined, 'schema.ts': 'export default {}\n', 'schema.mjs': 'export default {}\n' }),
    ['schema.ts:1 schema-module: the folder contains both `schema.ts` and `schema.mjs` → keep one of them'],
  ],
  [
    'handler.cjs',
    folder({ 'handler.js': undefined, 'handler.cjs': 'exports.execute = () => {}\n' }),
    [
      'handler.cjs:1 schema-module: `handler.cjs` is a name that the build does not read → name it `handler.js`; if package.json contains `"type": "module"`, write the whole tool',
    ],
  ],
  [
    'schema.js and schema.json',
    folder({ 'schema.js': `export default ${schemaJson()}` }),
    [
      'schema.json:2 field-in-both: `toolId` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:3 field-in-both: `version` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:4 field-in-both: `description` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:5 field-in-both: `category` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:6 field-in-both: `sideEffects` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:7 field-in-both: `idempotent` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:8 field-in-both: `requiresConfirmation` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:9 field-in-both: `allowedModes` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:10 field-in-both: `latencyBudgetMs` is in `schema.json` and in `schema.js` → keep one of them',
      'schema.json:11 field-in-both: `parameters` is in `schema.json` and in `schema.js` → keep one of them',
    ],
  ],
  [
    'empty schema',
    folder({ 'schema.json': '' }),
    [
      'schema.json:1 invalid-json: not valid JSON: EOF while parsing a value → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'schema of spaces',
    folder({ 'schema.json': '  \n' }),
    [
      'schema.json:2 invalid-json: not valid JSON: EOF while parsing a value → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'trailing comma',
    folder({ 'schema.json': schemaJson().replace('\n}\n', ',\n}\n') }),
    [
      'schema.json:12 invalid-json: not valid JSON: trailing comma → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'comment',
    folder({ 'schema.json': '// ours\n' + schemaJson() }),
    [
      'schema.json:1 invalid-json: not valid JSON: expected value → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'single quotes',
    folder({ 'schema.json': schemaJson().replaceAll('"', "'") }),
    [
      'schema.json:2 invalid-json: not valid JSON: key must be a string → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'no quotes at names',
    folder({ 'schema.json': schemaJson().replace('"toolId"', 'toolId') }),
    [
      'schema.json:2 invalid-json: not valid JSON: key must be a string → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'cut off',
    folder({ 'schema.json': schemaJson().slice(0, 150) }),
    [
      'schema.json:6 invalid-json: not valid JSON: EOF while parsing a string → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'conflict marks',
    folder({ 'schema.json': schemaJson().replace('  "version"', '<<<<<<< HEAD\n  "version"') }),
    [
      'schema.json:3 invalid-json: not valid JSON: key must be a string → correct the JSON; comments and trailing commas are not allowed',
    ],
  ],
  [
    'BOM',
    folder({ 'schema.json': '\ufeff' + schemaJson() }),
    [
      'schema.json:1 byte-order-mark: the file begins with a byte order mark, which most readers of JSON refuse → save it as UTF-8 without one',
    ],
  ],
  [
    'CRLF passes',
    folder({
      'schema.json': schemaJson().replaceAll('\n', '\r\n'),
      'guide.md': GUIDE.replaceAll('\n', '\r\n'),
      'handler.js': HANDLER.replaceAll('\n', '\r\n'),
    }),
    [],
  ],
  [
    'UTF-16 json',
    folder({ 'schema.json': Buffer.from('\ufeff' + schemaJson(), 'utf16le') }),
    ["schema.json:1 unreadable-file: `schema.json` can't be read: it is UTF-16, not UTF-8 → save it as UTF-8"],
  ],
  [
    'a list',
    folder({ 'schema.json': `[${schemaJson()}]` }),
    [
      'schema.json:1 wrong-type: schema.json is not a JSON object → begin the file with `{` and see the fields in the guide for authors',
    ],
  ],
  [
    'duplicate member',
    folder({ 'schema.json': schemaJson().replace('  "version"', '  "version": "0.9.0",\n  "version"') }),
    ['schema.json:4 duplicate-key: duplicate member `/version`: only the last one counts → remove one of them'],
  ],
  [
    'huge',
    folder({ 'schema.json': schemaJson({ description: 'x'.repeat(5_000_000) }) }),
    ["schema.json:1 unreadable-file: `schema.json` can't be read: it is larger than 4 MiB → make it smaller"],
  ],
  [
    'execute default',
    handler('export default async function execute() {}\n'),
    [
      'handler.js:1 no-execute: `execute` is not exported by name; a default export does not count → write `export async function execute({ args }) { … }`, in CommonJS `exports.execute =',
    ],
  ],
  [
    'execute misspelled',
    handler('export async function excute() {}\n'),
    [
      'handler.js:1 no-execute: the handler does not export `execute` → write `export async function execute({ args }) { … }`, in CommonJS `exports.execute =',
    ],
  ],
  [
    'execute not exported',
    handler('async function execute() {}\n'),
    [
      'handler.js:1 no-execute: the handler does not export `execute` → write `export async function execute({ args }) { … }`, in CommonJS `exports.execute =',
    ],
  ],
  [
    'execute no function',
    handler('export const execute = { ok: true }\n'),
    [
      'handler.js:1 no-execute: `execute` is not a function → write `export async function execute({ args }) { … }`, in CommonJS `exports.execute =',
    ],
  ],
  [
    'execute text',
    handler("export const execute = 'x'\n"),
    [
      'handler.js:1 no-execute: `execute` is not a function → write `export async function execute({ args }) { … }`, in CommonJS `exports.execute =',
    ],
  ],
  [
    'empty handler',
    handler(''),
    [
      'handler.js:1 no-execute: the handler does not export `execute` → write `export async function execute({ args }) { … }`, in CommonJS `exports.execute =',
    ],
  ],
  [
    'types in a handler',
    handler('export async function execute({ args }: any) {}\n'),
    [
      'handler.js:1 handler-syntax: Expected `,` or `)` but found `:` → correct the syntax; handlers are plain JavaScript',
    ],
  ],
  [
    'module.exports in ESM',
    handler('module.exports = { execute: async () => ({ ok: true }) }\n'),
    [
      'handler.js:1 handler-syntax: `handler.js` is an ES module here, which has no `module.exports` → write `export async function execute({ args }) { … }`',
    ],
  ],
  [
    'import in CommonJS',
    handler(`import { readFile } from 'node:fs/promises'\n${HANDLER}`),
    [
      'handler.js:1 handler-syntax: `handler.js`: Cannot use import statement outside a module → name it `handler.mjs`, or write `"type": "module"` into package.json: a `.js` file is',
    ],
    CJS,
  ],
  [
    'handler syntax',
    handler('export async function execute({ args }) {\n  return { ok: true\n}\n'),
    ['handler.js:4 handler-syntax: Expected `}` but found `EOF` → correct the syntax; handlers are plain JavaScript'],
  ],
  [
    'handler imports absent',
    handler(`import { rank } from './rnak.js'\n${HANDLER}`),
    ['handler.js:1 import-missing: there is no file `./rnak.js` → correct the path, or add the file'],
  ],
  [
    'handler imports absent package',
    handler(`import pdf from 'pdf-that-is-absent'\n${HANDLER}`),
    [
      'handler.js:1 package-missing: the package `pdf-that-is-absent` is not installed → `npm install pdf-that-is-absent`',
    ],
  ],
  [
    'handler UTF-16',
    handler(Buffer.from('\ufeff' + HANDLER, 'utf16le')),
    ["handler.js:1 unreadable-file: `handler.js` can't be read: it is UTF-16, not UTF-8 → save it as UTF-8"],
  ],
  [
    'guide empty',
    guide(''),
    [
      'guide.md:1 summary-missing: the guide has no summary → write one or two sentences below the first heading',
      'guide.md:1 parameter-undocumented: the section `Parameters` is missing; the tool takes `text` → add `## Parameters` with a list of the parameters',
    ],
  ],
  [
    'guide heading alone',
    guide('# echo\n'),
    [
      'guide.md:1 summary-missing: the guide has no summary → write one or two sentences below the first heading',
      'guide.md:1 parameter-undocumented: the section `Parameters` is missing; the tool takes `text` → add `## Parameters` with a list of the parameters',
    ],
  ],
  [
    'guide without parameters',
    guide('# echo\n\nShows.\n'),
    [
      'guide.md:3 parameter-undocumented: the section `Parameters` is missing; the tool takes `text` → add `## Parameters` with a list of the parameters',
    ],
  ],
  [
    'guide unknown parameter',
    guide(GUIDE.replace('`text`', '`txet`')),
    [
      'guide.md:5 parameter-undocumented: the parameter `text` is not documented → add an item that begins with `` `text` ``',
      'guide.md:7 parameter-unknown: the tool has no parameter `txet` → did you mean `text`?',
    ],
  ],
  [
    'guide example',
    guide(GUIDE.replace('None.', '```json\n{ "text": 7 }\n```')),
    [
      'guide.md:12 guide-example: the tool would refuse this example: `/text`: 7 is not of type "string" → change the example, or `parameters` in schema.json',
    ],
  ],
  [
    'guide example not json',
    guide(GUIDE.replace('None.', "```json\n{ 'text': 7 }\n```")),
    [
      'guide.md:12 guide-example-json: the example is not JSON: key must be a string → correct the JSON, or label the block with another language than `json` if it is not',
    ],
  ],
  [
    'guide a folder',
    { ...folder({ 'guide.md': undefined }), 'tools/echo/guide.md/more.md': GUIDE },
    [
      "guide.md:1 unreadable-file: `guide.md` can't be read: it is not a file → add it: `# <tool>`, a summary of one or two sentences, `## Parameters`, `## Examples`",
    ],
  ],
  [
    'a folder of another name',
    { 'tools/My Tool/tool.js': oneFile() },
    [
      '../My Tool/tool.js:4 bad-tool-id: the folder name `My Tool` is not a valid tool id → rename the folder: a lowercase letter, then at most 63 lowercase letters, digits or `_`',
    ],
  ],
  [
    'folder with dots',
    { 'tools/echo.v2/tool.js': oneFile() },
    [
      '../echo.v2/tool.js:4 bad-tool-id: the folder name `echo.v2` is not a valid tool id → rename the folder: a lowercase letter, then at most 63 lowercase letters, digits or `_`',
    ],
  ],
  [
    'nested folder',
    { 'tools/group/echo/tool.js': oneFile() },
    [
      '../group/echo:1 schema-module: `echo` is a tool folder inside of `group`, where the build does not look → move it to `tools/echo`',
    ],
  ],
  [
    'empty folder',
    { 'tools/echo/.gitkeep': '' },
    [
      'guide.md:1 missing-file: `guide.md` is missing → add it: `# <tool>`, a summary of one or two sentences, `## Parameters`, `## Examples`',
      'handler.js:1 missing-file: `handler.js` is missing → add it, exporting `async function execute({ args })`',
      'schema.json:1 missing-file: `schema.json` is missing → add it, or a `schema.js`: identity, metadata and `parameters` of the tool',
    ],
  ],
  [
    'two tools of one name',
    { 'tools/e-cho/tool.js': oneFile(), 'tools/e_cho/tool.js': oneFile() },
    ['../e_cho/tool.js:4 duplicate-tool-id: `e_cho` is also the id of `tools/e-cho` → rename one of the folders'],
  ],
  [
    'a link to nowhere',
    { 'tools/echo': file => symlinkSync('/absent-folder', file) },
    [
      "../echo:1 unreadable-file: `echo` can't be read: it does not exist → repair or remove it; a name that begins with `_` or `.` is skipped",
    ],
  ],
  [
    'a linked tool passes',
    { 'elsewhere/tool.js': oneFile(), 'tools/echo': file => symlinkSync('../elsewhere', file) },
    [],
  ],
  [
    'no tools',
    { 'tools/.gitkeep': '' },
    ['tools:1 no-tools: the folder contains no tool → add one folder for each tool'],
  ],
]
