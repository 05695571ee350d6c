// Tools in one file whose module, exports or name are wrong. A row: what the author did, the files, and each finding: its place, code, message
// and, behind the arrow, what is right.

import { IMPORTS, REQUIRES, definition, oneFile, oneFileCommonJs } from './sources.mjs'

const CJS = { type: 'commonjs' }
const js = text => ({ 'tools/echo/tool.js': text })
const ts = text => ({ 'tools/echo/tool.ts': text })

export const moduleRows = [
  [
    'import in a CommonJS project',
    js(oneFile()),
    [
      'tool.js:1 schema-module: `tool.js` does not parse: Cannot use import statement outside a module → name it `tool.mjs`, or write `"type": "module"` into package.json: a `.js` file is',
    ],
    CJS,
  ],
  [
    'export alone in a CommonJS project',
    js(`${REQUIRES}\nexport default defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` does not parse: Cannot use export statement outside a module → name it `tool.mjs`, or write `"type": "module"` into package.json: a `.js` file is',
    ],
    CJS,
  ],
  [
    'await at the top in CommonJS',
    js(`${REQUIRES}\nconst more = await Promise.resolve(1)\nmodule.exports = defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` does not parse: `await` is only allowed within async functions and at the top levels of modules → name it `tool.mjs`, or write `"type": "module"` into package.json: a `.js` file is',
    ],
    CJS,
  ],
  [
    'import.meta in CommonJS',
    js(`${REQUIRES}\nconst home = import.meta.dirname\nmodule.exports = defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` does not parse: Unexpected import.meta expression → name it `tool.mjs`, or write `"type": "module"` into package.json: a `.js` file is',
    ],
    CJS,
  ],
  [
    'import in tool.cjs',
    { 'tools/echo/tool.cjs': oneFile() },
    [
      'tool.cjs:1 schema-module: `tool.cjs` does not parse: Cannot use import statement outside a module → name it `tool.mjs`: a `.cjs` file is CommonJS here, with `require` and `module.exports`',
    ],
  ],
  [
    'require in an ES module project',
    js(oneFileCommonJs()),
    [
      'tool.js:1 schema-module: `tool.js` throws ReferenceError: require is not defined in ES module scope, you can use import instead → this is an ES module, as all TypeScript is here: write `import`, `export default`,',
    ],
  ],
  [
    'module.exports in an ES module',
    js(`${IMPORTS}\nmodule.exports = defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` throws ReferenceError: module is not defined in ES module scope → this is an ES module, as all TypeScript is here: write `import`, `export default`,',
    ],
  ],
  [
    'module.exports in tool.mjs',
    { 'tools/echo/tool.mjs': oneFileCommonJs() },
    [
      'tool.mjs:1 schema-module: `tool.mjs` throws ReferenceError: require is not defined in ES module scope, you can use import instead → this is an ES module, as all TypeScript is here: write `import`, `export default`,',
    ],
  ],
  [
    'module.exports in tool.ts',
    ts(`${IMPORTS}\nmodule.exports = defineTool(${definition()})\n`),
    [
      'tool.ts:4 schema-module: `tool.ts` throws ReferenceError: module is not defined in ES module scope → this is an ES module, as all TypeScript is here: write `import`, `export default`,',
    ],
  ],
  [
    '__dirname in tool.ts',
    ts(`${IMPORTS}const home: string = __dirname\nexport default defineTool(${definition()})\n`),
    [
      'tool.ts:3 schema-module: `tool.ts` throws ReferenceError: __dirname is not defined in ES module scope → this is an ES module, as all TypeScript is here: write `import`, `export default`,',
    ],
  ],
  [
    'named export',
    js(`${IMPORTS}\nexport const tool = defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` exports its tool as `tool`, not as its default export → write `export default defineTool({ … })`',
    ],
  ],
  [
    'exports.tool in CommonJS',
    js(`${REQUIRES}\nexports.tool = defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` exports its tool as `tool`, not as its default export → write `module.exports = defineTool({ … })`',
    ],
    CJS,
  ],
  [
    'exports = in CommonJS',
    js(`${REQUIRES}\nexports = defineTool(${definition()})\n`),
    ['tool.js:4 schema-module: `tool.js` has no default export → write `module.exports = defineTool({ … })`'],
    CJS,
  ],
  [
    'no export',
    js(`${IMPORTS}\ndefineTool(${definition()})\n`),
    ['tool.js:1 schema-module: `tool.js` has no default export → write `export default defineTool({ … })`'],
  ],
  [
    'empty file',
    js(''),
    ['tool.js:1 schema-module: `tool.js` has no default export → write `export default defineTool({ … })`'],
  ],
  [
    'empty file in CommonJS',
    js(''),
    ['tool.js:1 schema-module: `tool.js` has no default export → write `module.exports = defineTool({ … })`'],
    CJS,
  ],
  [
    'empty tool.ts',
    ts(''),
    ['tool.ts:1 schema-module: `tool.ts` has no default export → write `export default defineTool({ … })`'],
  ],
  [
    'only a comment',
    js('// to do\n'),
    ['tool.js:1 schema-module: `tool.js` has no default export → write `export default defineTool({ … })`'],
  ],
  [
    'a list',
    js(`${IMPORTS}\nexport default [defineTool(${definition()})]\n`),
    [
      'tool.js:4 schema-module: `tool.js` exports a list as its default, not a tool → export one tool: `export default defineTool({ … })`, in CommonJS `module.exports =',
    ],
  ],
  [
    'a function',
    js(`${IMPORTS}\nexport default () => defineTool(${definition()})\n`),
    [
      'tool.js:4 schema-module: `tool.js` exports a function as its default, not a tool → export one tool: `export default defineTool({ … })`, in CommonJS `module.exports =',
    ],
  ],
  [
    'a promise',
    js(`${IMPORTS}\nexport default Promise.resolve(defineTool(${definition()}))\n`),
    [
      'tool.js:4 schema-module: `tool.js` exports a promise as its default, not a tool → export one tool: `export default defineTool({ … })`, in CommonJS `module.exports =',
    ],
  ],
  [
    'a schema',
    js(`${IMPORTS}\nexport default z.object({})\n`),
    [
      'tool.js:4 schema-module: `tool.js` exports a schema as its default, not a tool → export one tool: `export default defineTool({ … })`, in CommonJS `module.exports =',
    ],
  ],
  [
    'the definition without defineTool',
    js(`${IMPORTS}\nexport default ${definition()}\n`),
    [
      'tool.js:4 schema-module: the tool that `tool.js` exports leaves out `version`, `category`, `idempotent`, `requiresConfirmation`, → pass the object to `defineTool()`, which fills them in: `export default defineTool({ … })`',
    ],
  ],
  [
    'z not imported',
    js(`import { defineTool } from 'toolgate'\n\nexport default defineTool(${definition()})\n`),
    ['tool.js:6 schema-module: `tool.js` throws ReferenceError: z is not defined → import or define `z`'],
  ],
  [
    'z wrongly imported',
    js(oneFile().replace('{ z }', '{ zod }')),
    [
      'tool.js:2 schema-module: `tool.js`, or what it imports, takes `zod` from `zod`, which does not export it → correct the name, or export it',
    ],
  ],
  [
    'defineTool misspelled',
    js(oneFile().replaceAll('defineTool', 'createTool')),
    [
      'tool.js:1 schema-module: `tool.js`, or what it imports, takes `createTool` from `toolgate`, which does not export it → correct the name, or export it',
    ],
  ],
  [
    'defineTool default-imported',
    js(oneFile().replace('{ defineTool }', 'defineTool')),
    [
      "tool.js:4 schema-module: `tool.js` throws TypeError: defineTool is not a function → import it by its name: `import { defineTool } from 'toolgate'`",
    ],
  ],
  [
    'a package not installed',
    js(`import pdf from 'pdf-that-is-absent'\n${oneFile()}`),
    [
      'tool.js:1 schema-module: `tool.js` imports the package `pdf-that-is-absent`, which is not installed → install it: `npm install pdf-that-is-absent`',
    ],
  ],
]
