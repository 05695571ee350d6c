// Programs as agents of the older JavaScript layer write them, each in a process of its own with the package installed.
import { copyFileSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { runModule } from '../support/child-process.mjs'
import { temporaryFolder } from '../support/tool-set.mjs'
import { HIDDEN_TOOLS_LINE } from '../support/hidden-tools-line.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url))

const CASES = [
  ['error-types.mjs', ['NOT_FOUND', 'no record', 'END_VOICE_SESSION', 'function']],
  [
    'error-factories.mjs',
    [
      { ok: true, data: { n: 1 } },
      { ok: false, error: { type: 'AUTH', message: 'no', retryable: false } },
    ],
  ],
  ['tool-response.mjs', ['1.0.0', 'SUPPRESS_AUDIO']],
  ['named-imports.mjs', ['object', 'function', 'function', 'function', 'object']],
  ['required.cjs', ['TRANSIENT', 'text']],
  ['state-active.mjs', [true, 'voice', 'hi', 'tea']],
  ['state-inactive.mjs', [false, false]],
  ['state-apply.mjs', [true, 'later']],
  ['state-refused.mjs', false],
  ['session-state.mjs', [true, 'tea']],
  ['embedded-services.mjs', [true, true]],
  ['hidden-tools.mjs', [{ toolId: 'image_generate', missingServices: ['image'] }]],
  ['hidden-tools-log.mjs', ['warn']],
  ['active-session.mjs', [true, 'voice']],
  ['inactive-session.mjs', 'SESSION_INACTIVE'],
  ['inactive-controller.mjs', 'SESSION_INACTIVE'],
  ['inactive-search.mjs', true],
  ['mode-restricted.mjs', 'MODE_RESTRICTED'],
  ['mode-clamped.mjs', ['voice', 1]],
  ['mode-of-state.mjs', 'MODE_RESTRICTED'],
  ['tools-version.mjs', ['RegistryVersionMismatch', '1.0.00000000']],
  ['confirmation-asked.mjs', ['CONFIRMATION_REQUIRED', 'calendar_create_event', 'string']],
  ['confirmation-given.mjs', [true, 'Review', 'CONFIRMATION_EXPIRED']],
  ['confirmation-as-shown.mjs', [true, 'CONFIRMATION_EXPIRED', false, true, 'Review']],
  ['confirmation-changed.mjs', 'CONFIRMATION_EXPIRED'],
  ['confirmation-forged.mjs', 'CONFIRMATION_EXPIRED'],
  ['prompts.mjs', [true, true, true]],
  ['voice-session-state.mjs', 'voice'],
  [
    'voice-config.mjs',
    [
      20,
      {
        retrievalCalls: 2,
        totalCalls: 3,
        retrievalLatencyMs: 800,
        turnLatencyMs: 1500,
        topK: 3,
        attempts: 2,
        repair: true,
        resultLimitBytes: 8192,
        perPrincipal: null,
        MAX_RETRIEVAL_CALLS_PER_TURN: 2,
        MAX_TOTAL_TOOL_CALLS_PER_TURN: 3,
        MAX_TOTAL_CALLS_PER_TURN: 3,
        MAX_TOP_K: 3,
        LATENCY_BUDGET_MS: 1500,
        RETRIEVAL_LATENCY_BUDGET_MS: 800,
        HARD_FAIL_AFTER: true,
      },
      3,
    ],
  ],
  ['voice-budget.mjs', [[true, true, 'BUDGET_EXCEEDED retrieval', 'BUDGET_EXCEEDED total'], true, [1500, true, 9]]],
  ['openai-send.mjs', [['conversation-1', 'tool', 'call_1']]],
  ['openai-silent.mjs', ['TOOLGATE_ANSWER_NOT_SENT', ['tool', 'tool']]],
  ['provider-adapters.mjs', ['echo', 'INTEGER']],
  ['tool-members.mjs', ['kb_search', true]],
  ['roles.mjs', [false, true, false]],
  ['ai-sdk-tools.mjs', [true, false]],
]

test('each program has a case', () => {
  expect(CASES.map(([file]) => file).sort()).toEqual(readdirSync(PROGRAMS).sort())
})

test.each(CASES)('%s', async (file, expected) => {
  const project = temporaryFolder()
  mkdirSync(path.join(project, 'node_modules'))
  symlinkSync(ROOT, path.join(project, 'node_modules', 'toolgate'), 'dir')
  const program = path.join(project, file)
  copyFileSync(path.join(PROGRAMS, file), program)
  const ran = await runModule(`await import(${JSON.stringify(program)})`)
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(HIDDEN_TOOLS_LINE) })
  expect(JSON.parse(ran.stdout)).toEqual(expected)
})
