import { createKnowledgeBase } from '../../tools/_services/knowledge-base.js'
import { ServiceError } from '../../tools/_services/service-errors.js'
import * as handler from '../../tools/linkedin_lookup/handler.js'
import { INJECTION, failing, takes, toolRunner } from './support/run-tool.mjs'

const run = toolRunner(handler, 'linkedin_lookup')
let kb
beforeAll(async () => {
  kb = await createKnowledgeBase()
})
const lookUp = (person, service = kb) => run({ person }, { services: { kb: service } })
const ada = {
  person_id: 'person:ada_example',
  name: 'Ada Example',
  url: 'https://linkedin.example.com/in/ada-example',
  last_updated: '2026-10-02T08:30:00Z',
}

test.each([
  ['person:ada_example'],
  ['Ada Example'],
  ['  ada   EXAMPLE '],
  ['Áda Exâmple'],
  ['Ada'],
  ['example'],
  ['Example Ada'],
])('%j is found', async person => {
  expect(await lookUp(person)).toEqual({ ok: true, data: ada })
})

test('an accent of the record need not be written', async () => {
  expect((await lookUp('Joao Ferreira')).data.person_id).toBe('person:joao_ferreira')
})

test('a person without a stored address', async () => {
  expect(await lookUp('Tomas Lind')).toEqual({
    ok: false,
    error: {
      type: 'NOT_FOUND',
      message: 'no LinkedIn address is stored for `person:tomas_lind`',
      retryable: false,
      details: { reason: 'no_profile', person_id: 'person:tomas_lind' },
      suggestion: 'say that no address is stored; do not guess one',
    },
  })
})

test.each([['person:ada'], ['project:tidewater'], ['person:__proto__'], ['  '], ['̀́'], ['阿达'], [INJECTION]])(
  '%j is not found',
  async person => {
    expect(await lookUp(person)).toEqual({
      ok: false,
      error: {
        type: 'NOT_FOUND',
        message: `no person in the knowledge base is called \`${person}\``,
        retryable: false,
        details: { nearest: [] },
        suggestion: 'search for the person first, and use the id of the record',
      },
    })
  },
)

test('a name that nobody has names people who may be meant', async () => {
  const { error } = await lookUp('Ada Exampla')
  expect([error.type, error.details.nearest[0]]).toEqual([
    'NOT_FOUND',
    { person_id: 'person:ada_example', name: 'Ada Example' },
  ])
  expect(error.suggestion).toContain('ask the user whether `Ada Example`')
})

test('a given name of several people is a question, and a full name is not', async () => {
  const people = kbOf([record('max'), record('ada', null, { metadata: { name: 'Max Muster Berg' } })])
  expect((await lookUp('Max', people)).error.details.people).toHaveLength(2)
  expect((await lookUp('Max Muster', people)).error.details).toEqual({ reason: 'no_profile', person_id: 'person:max' })
})

const record = (name, url, over = {}) => ({
  id: `person:${name}`,
  type: 'person',
  title: `${name}, somebody`,
  last_updated: '2026-01-01T00:00:00Z',
  metadata: { name: 'Max Muster', linkedin_url: url },
  ...over,
})
const kbOf = records => ({ search: async () => records, get: async id => records.find(one => one.id === id) ?? null })

test('for two people of one name the user has to choose', async () => {
  const response = await lookUp(
    'Max Muster',
    kbOf([record('max'), record('maxi'), record('eva', null, { metadata: {} })]),
  )
  expect(response).toEqual({
    ok: false,
    error: {
      type: 'CONFLICT',
      message: 'several people are called `Max Muster`',
      retryable: false,
      partialSideEffects: false,
      details: {
        people: [
          { person_id: 'person:max', title: 'max, somebody' },
          { person_id: 'person:maxi', title: 'maxi, somebody' },
        ],
      },
      suggestion: 'ask the user which one is meant, and use the id',
    },
  })
})

test.each([
  ['https://www.linkedin.com/in/max', true],
  ['https://de.linkedin.com/in/max', true],
  ['http://www.linkedin.com/in/max', false],
  ['https://linkedin.com.evil.example/in/max', false],
  ['https://www.linkedin.com@evil.example/', false],
  ['https://user:pw@www.linkedin.com/', false],
  ['https://evillinkedin.com/', false],
  ['javascript:alert(1)//linkedin.com', false],
  ['', false],
  [42, false],
])('a stored address %j is passed on: %s', async (url, isPassedOn) => {
  const response = await lookUp('person:max', kbOf([record('max', url)]))
  expect([response.ok, response.data?.url]).toEqual(isPassedOn ? [true, url] : [false, undefined])
})

test('half a record is no crash', async () => {
  const records = [record('max', null, { metadata: { name: 42 } }), record('eva', null, { metadata: undefined })]
  expect((await lookUp('Max Muster', kbOf(records))).error.type).toBe('NOT_FOUND')
  expect((await lookUp('person:eva', kbOf(records))).error.details.reason).toBe('no_profile')
})

test('a service that fails', async () => {
  const response = await lookUp('Ada', { search: failing(new ServiceError('UNAVAILABLE', 'db.internal')) })
  expect(response).toMatchObject({ ok: false, error: { type: 'TRANSIENT', retryable: true } })
  expect(JSON.stringify(response)).not.toContain('db.internal')
  await expect(lookUp('Ada', { search: async () => null })).rejects.toThrow(TypeError)
})

test('what the schema keeps out', () => {
  for (const args of [{}, { person: 'a' }, { person: 'x'.repeat(201) }, { person: 'Ada', guess: true }]) {
    expect(takes('linkedin_lookup', args)).toBe(false)
  }
})
