// The models that documentation, examples and defaults name: each is known, and none has ended or ends within 60 days of the day on
// which `js/http/models.json` was last compared with its sources. When a test here fails, look the models up and renew the file.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'

import { DEFAULT_MODELS, endingModels } from '../../js/http/index.js'

const { NOTICE_DAYS, endOfModel } = createRequire(import.meta.url)('../../js/http/models.js')
const { checked, models } = createRequire(import.meta.url)('../../js/http/models.json')
const ROOT = new URL('../../', import.meta.url)
const DAY_MS = 24 * 60 * 60 * 1000
const lastDay = Date.parse(checked) + NOTICE_DAYS * DAY_MS

const PLACES = ['README.md', 'docs', 'examples', 'tools/_services', 'tools/README.md', 'voice-server/README.md']
const SOURCES = ['voice-server/src', 'web/lib', 'web/README.md', 'js', 'deploy']
/** What models can do is a table of its own, with its sources, and distinguishes older models too. */
const LEFT_OUT = /^(docs\/transports\.md|js\/transports\/|js\/http\/models\.json|docs\/decisions\/)/
/** A name in quotes, or as a parameter of an address. */
const NAME =
  /(?<=['"`=])(?:gpt-(?:\d|image|live|realtime)|gemini-(?:live|\d)|imagen-\d|claude-[a-z]|o\d-)[\w.-]*(?=['"`& ])/g

const files = [...PLACES, ...SOURCES].flatMap(place =>
  place.endsWith('.md')
    ? [place]
    : readdirSync(new URL(`${place}/`, ROOT), { recursive: true })
        .map(name => `${place}/${name}`)
        .filter(name => /\.(md|[cm]?js|tsx?|ya?ml|json)$/.test(name) && !/node_modules|\/\.next\//.test(name)),
)
const named = files
  .filter(file => !LEFT_OUT.test(file))
  .flatMap(file => [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(NAME)].map(([model]) => ({ file, model })))

test('each model that is named is known, and goes on for 60 days', () => {
  expect(named.length).toBeGreaterThan(15)
  const isUsable = model => model in models && !(Date.parse(endOfModel(model)?.ends ?? '9999-01-01') <= lastDay)
  expect(named.filter(({ model }) => !isUsable(model))).toEqual([])
})

test('each default is known, and goes on for 60 days', () => {
  expect(Object.values(DEFAULT_MODELS).filter(model => !(model in models))).toEqual([])
  expect(endingModels({}, Date.parse(checked))).toEqual([])
})

test('a successor that is known has no end before its predecessor', () => {
  for (const { ends, successor } of Object.values(models)) {
    if (ends !== null && endOfModel(successor) !== null) expect(endOfModel(successor).ends > ends).toBe(true)
  }
})

test('a model of the settings that has ended, or ends soon, is named with its successor', () => {
  const env = {
    TOOLGATE_OPENAI_MODEL: 'gpt-5-mini-2025-08-07',
    TOOLGATE_GEMINI_MODEL: 'models/own-model',
    OTHER: 'gpt-5',
  }
  const at = day => endingModels(env, Date.parse(day)).filter(({ setting }) => setting !== null)
  expect(at('2026-06-30')).toEqual([])
  expect(at('2026-12-10')).toEqual([
    {
      setting: 'TOOLGATE_OPENAI_MODEL',
      model: 'gpt-5-mini-2025-08-07',
      ends: '2026-12-11',
      successor: 'gpt-6.1-terra',
      source: 'https://developers.openai.com/api/docs/deprecations',
      hasEnded: false,
    },
  ])
  expect(at('2026-12-11')).toMatchObject([{ hasEnded: true }])
  expect(endingModels({}, Date.parse('2027-02-01'))).toContainEqual(expect.objectContaining({ setting: null }))
})
