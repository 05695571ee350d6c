'use strict'

// `toolgate new <tool>`: writes a template of a tool that builds and passes its test.

const path = require('node:path')

const { UsageError } = require('../exit.js')
const { settingsOf } = require('../command-settings.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { fitted } = require('../describe/wrap.js')
const { lookOf } = require('../terminal.js')

const CATEGORIES = ['utility', 'retrieval', 'action']

/**
 * @param {string} name
 * @param {{ category: string, dir?: string, ts?: boolean, js?: boolean, zod?: boolean }} flags
 */
async function run(name, { category, dir, ...form }) {
  const { badName } = require('../new/tool-name.js')
  const { testRunner } = require('../new/project-manifest.js')
  const { formOf, isInstalled, writeNewTool } = require('../new/write-tool.js')
  const wrong = badName(name)
  if (wrong !== null) throw new UsageError(wrong.message, wrong.hint)
  if (!CATEGORIES.includes(category))
    throw new UsageError(`there is no category \`${category}\``, suggestion(category, CATEGORIES))
  if (form.ts && form.js) throw new UsageError('a tool has one language', 'give `--ts` or `--js`')
  const { toolsDir } = settingsOf(dir, {})
  const isOneFile = form.ts || form.js || form.zod
  const { folder, files } = await writeNewTool({
    toolsDir,
    name,
    category,
    form: isOneFile ? formOf(form, toolsDir) : null,
  })
  const look = lookOf(process.stdout)
  const { paint } = look
  const shown = path.relative('', folder) || '.'
  const test = `${shown}/${files.find(file => file.includes('.test.'))}`
  const imported = form.zod ? ['toolgate', 'zod'] : ['toolgate']
  const missing = imported.filter(one => !isInstalled(one, folder))
  const install = missing.length > 0 ? `\`npm install ${missing.join(' ')}\`, ` : ''
  const next = `${install}\`toolgate check\`, and \`${testRunner(toolsDir).command(test)}\` runs its test through the gate`
  process.stdout.write(
    `${paint.green('created')} ${shown}/\n${files.map(file => `  ${file}\n`).join('')}\n` +
      `${fitted(next, look, '  ', 'next: ')}\n`,
  )
}

module.exports = {
  name: 'new',
  summary: 'write a new tool with a test',
  description: `Writes schema.json, guide.md, a handler and a test into a new folder. The tool builds as it is, and its test goes through
the real gate; change them into what you need. With --ts, --js or --zod the tool is one file instead, beside its test.`,
  examples: [
    'toolgate new say_hello',
    'toolgate new find_order --category retrieval',
    'toolgate new send_mail --category action --dir src/tools',
    'toolgate new find_order --ts --zod',
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    command
      .argument('<tool>', 'its name: lower-case letters, digits and `_`, such as `find_order`')
      .option('--category <category>', `what it is for: ${CATEGORIES.join(', ')}`, 'utility')
      .option('--dir <folder>', 'the tools folder (default: `tools`)')
      .option('--ts', 'one file in TypeScript, `tool.ts`')
      .option('--js', 'one file in JavaScript, `tool.js`')
      .option('--zod', 'one file, with the parameters as a Zod schema'),
  run,
}
