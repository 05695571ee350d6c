// Tools in one file that import, parse or run wrongly. A row: what the author did, the files, and each finding: its place, code, message
// and, behind the arrow, what is right.

import { IMPORTS, definition, oneFile, oneFileCommonJs } from './sources.mjs'

const CJS = { type: 'commonjs' }
const js = text => ({ 'tools/echo/tool.js': text })
const ts = text => ({ 'tools/echo/tool.ts': text })

export const importRows = [
  [
    'a package not installed, in CommonJS',
    js(`const pdf = require('pdf-that-is-absent')\n${oneFileCommonJs()}`),
    [
      'tool.js:1 schema-module: `tool.js` imports the package `pdf-that-is-absent`, which is not installed → install it: `npm install pdf-that-is-absent`',
    ],
    CJS,
  ],
  [
    'a file that is absent',
    js(`import { rank } from './rank.js'\n${oneFile()}`),
    [
      'tool.js:1 schema-module: `tool.js` imports `./rank.js`, a file that does not exist → correct the path, or add the file',
    ],
  ],
  [
    'a file without its ending',
    { ...js(`import { rank } from './rank'\n${oneFile()}`), 'tools/echo/rank.js': 'export const rank = 1\n' },
    [
      'tool.js:1 schema-module: `tool.js` imports `./rank`, a file that does not exist → write the whole path: `./rank.js`',
    ],
  ],
  [
    'a file that is absent, in CommonJS',
    js(`const { rank } = require('./rank.js')\n${oneFileCommonJs()}`),
    [
      'tool.js:1 schema-module: `tool.js` imports `./rank.js`, a file that does not exist → correct the path, or add the file',
    ],
    CJS,
  ],
  [
    'a file with a fault',
    { ...js(`import { rank } from './rank.js'\n${oneFile()}`), 'tools/echo/rank.js': 'export const rank = \n' },
    ['tool.js:1 schema-module: `rank.js` does not parse: Unexpected token (in rank.js:2:1) → correct the syntax'],
  ],
  [
    'an absent export',
    { ...js(`import { rank } from './rank.js'\n${oneFile()}`), 'tools/echo/rank.js': 'export const rang = 1\n' },
    [
      'tool.js:1 schema-module: `tool.js`, or what it imports, takes `rank` from `./rank.js`, which does not export it → correct the name, or export it',
    ],
  ],
  [
    'a JSON import without an attribute',
    { ...js(`import words from './words.json'\n${oneFile()}`), 'tools/echo/words.json': '{}\n' },
    [
      'tool.js:1 schema-module: `tool.js` throws TypeError: Module "./words.json" needs an import attribute of type "json" → write `with { type: \'json\' }` behind the import',
    ],
  ],
  [
    'TypeScript import of TypeScript from js',
    {
      ...js(`import { rank } from './rank.ts'\n${oneFile()}`),
      'tools/echo/rank.ts': 'export const rank: number = 1\nexport enum A { b }\n',
    },
    [
      'tool.js:1 schema-module: `tool.js` throws TypeError: Unknown file extension ".ts" for ./rank.ts → name the importing file `.ts` too: TypeScript is compiled from there on',
    ],
  ],
  [
    'types in tool.js',
    js(`${IMPORTS}\nconst n: number = 1\nexport default defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` does not parse: Missing initializer in const declaration → name it `tool.ts`: JavaScript has no types',
    ],
  ],
  [
    'syntax error',
    js(oneFile({ sideEffects: "'none" })),
    ['tool.js:6 schema-module: `tool.js` does not parse: Unterminated string → correct the syntax'],
  ],
  [
    'missing bracket',
    js(oneFile().replace('\n})', '\n}')),
    ['tool.js:10 schema-module: `tool.js` does not parse: Expected `)` but found `EOF` → correct the syntax'],
  ],
  [
    'syntax error in ts',
    ts(oneFile({ sideEffects: "'none" })),
    ['tool.ts:6 handler-syntax: Unterminated string → correct the TypeScript'],
  ],
  [
    'syntax error in CommonJS',
    js(oneFileCommonJs({ sideEffects: "'none" })),
    ['tool.js:6 schema-module: `tool.js` does not parse: Unterminated string → correct the syntax'],
    CJS,
  ],
  [
    'throws',
    js(
      `${IMPORTS}\nif (!process.env.A_KEY_THAT_IS_ABSENT) throw new Error('A_KEY_THAT_IS_ABSENT is not set')\nexport default defineTool(${definition()})\n`,
    ),
    [
      'tool.js:4 schema-module: `tool.js` throws Error: A_KEY_THAT_IS_ABSENT is not set → correct the module; it must load without anything else running',
    ],
  ],
  [
    'process.exit',
    js(`${IMPORTS}\nprocess.exit(2)\nexport default defineTool(${definition()})\n`),
    ['tool.js:4 schema-module: `tool.js` ends the process (exit code 2) → remove the call of `process.exit`'],
  ],
  [
    'never settles',
    js(`${IMPORTS}\nawait new Promise(() => {})\nexport default defineTool(${definition()})\n`),
    ['tool.js:4 schema-module: `tool.js` waits for a promise that never settles → remove the `await`'],
  ],
  [
    'tool.jsx',
    { 'tools/echo/tool.jsx': oneFile() },
    ['tool.jsx:1 schema-module: `tool.jsx` is a name that the build does not read → name it `tool.js`'],
  ],
  [
    'tool.tsx',
    { 'tools/echo/tool.tsx': oneFile() },
    ['tool.tsx:1 schema-module: `tool.tsx` is a name that the build does not read → name it `tool.ts`'],
  ],
  [
    'tool.cts',
    { 'tools/echo/tool.cts': oneFile() },
    [
      'tool.cts:1 schema-module: `tool.cts` is a name that the build does not read → name it `tool.ts`: TypeScript becomes an ES module, with `import` and `export default`',
    ],
  ],
  [
    'Tool.js',
    { 'tools/echo/Tool.js': oneFile() },
    ['Tool.js:1 schema-module: `Tool.js` is a name that the build does not read → name it `tool.js`'],
  ],
  [
    'index.js',
    { 'tools/echo/index.js': oneFile() },
    ['index.js:1 schema-module: `index.js` is a name that the build does not read → name it `tool.js`'],
  ],
  [
    'echo.ts',
    { 'tools/echo/echo.ts': oneFile() },
    ['echo.ts:1 schema-module: `echo.ts` is a name that the build does not read → name it `tool.ts`'],
  ],
  [
    'file without folder',
    { 'tools/echo.ts': oneFile() },
    [
      'tools:1 no-tools: the folder contains no tool → add one folder for each tool',
      '../echo.ts:4 schema-module: `echo.ts` is outside of a tool folder, so the build does not read it → move it to `tools/echo/tool.ts`',
    ],
  ],
  [
    'file without folder js',
    { 'tools/echo.js': oneFile(), 'tools/fine/tool.js': oneFile() },
    [
      '../echo.js:4 schema-module: `echo.js` is outside of a tool folder, so the build does not read it → move it to `tools/echo/tool.js`',
    ],
  ],
  [
    'tool.json',
    { 'tools/echo/tool.json': '{}' },
    ['tool.json:1 schema-module: `tool.json` is a name that the build does not read → name it `schema.json`'],
  ],
  [
    'two files',
    { 'tools/echo/tool.mjs': oneFile(), 'tools/echo/tool.js': oneFile() },
    ['tool.js:1 schema-module: the folder contains both `tool.js` and `tool.mjs` → keep one of them'],
  ],
  [
    'tool.js and schema.json',
    { 'tools/echo/tool.js': oneFile(), 'tools/echo/schema.json': '{}' },
    ['tool.js:1 schema-module: the folder contains both `tool.js` and `schema.json` → keep one of them'],
  ],
  ['BOM and CRLF pass', js('\ufeff' + oneFile().replaceAll('\n', '\r\n')), []],
  [
    'UTF-16',
    { 'tools/echo/tool.js': Buffer.from('\ufeff' + oneFile(), 'utf16le') },
    ['tool.js:1 schema-module: `tool.js` does not parse: it is not UTF-8 → save the file as UTF-8'],
  ],
]
