// `npm pack --json`: the document alone is on standard output, whatever is prepared before.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const RUN_STEP = JSON.stringify(pathToFileURL(path.resolve('scripts/run-step.mjs')).href)
const STEP = `runStep('a step', [process.execPath, '-e', 'console.log("its output")'])`

/** @param {string} program with the functions of the module */
async function play(program) {
  const source = `import { runStep, runTogether, showStepsOnStderr } from ${RUN_STEP}\n${program}`
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', source])
}

test.each([
  ['one step', STEP],
  ['steps beside each other', `runTogether([() => ${STEP}])`],
])('what is prepared before a package is packed is shown on standard error: %s', async (_, steps) => {
  const { stdout, stderr } = await play(`showStepsOnStderr()\nawait ${steps}`)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/▸ a step[^]*its output/)
  const usual = await play(`await ${steps}`)
  expect(usual.stdout).toMatch(/▸ a step[^]*its output/)
})
