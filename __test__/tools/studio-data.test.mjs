// The sample studio holds together: everything that is named exists, and everything that is claimed twice agrees.
import { compile } from './support/tool-files.mjs'
import records from './support/studio-records.mjs'

const byId = new Map(records.map(record => [record.id, record]))
const ofType = (type, namespace = 'studio') =>
  records.filter(record => record.type === type && record.namespace === namespace)
const countBy = field => {
  const counts = {}
  for (const record of records) counts[record[field]] = (counts[record[field]] ?? 0) + 1
  return counts
}

const text = { type: 'string', minLength: 1 }
const isRecord = compile({
  type: 'object',
  additionalProperties: false,
  required: [
    'id',
    'type',
    'namespace',
    'title',
    'text',
    'tags',
    'last_updated',
    'url',
    'source_type',
    'sources',
    'metadata',
  ],
  properties: {
    id: { type: 'string', pattern: '^[a-z]+:[a-z0-9_]+$' },
    type: { enum: ['project', 'person', 'process', 'link', 'doc'] },
    namespace: { enum: ['studio', 'personal', 'public'] },
    title: { ...text, maxLength: 80 },
    text: { ...text, minLength: 60, maxLength: 700 },
    tags: {
      type: 'array',
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[a-z0-9-]+$' },
    },
    last_updated: { type: 'string', format: 'date-time' },
    url: { type: ['string', 'null'], format: 'uri' },
    source_type: text,
    sources: { type: 'array', uniqueItems: true, items: text },
    metadata: { type: 'object' },
  },
})

/** All values in `metadata` that look like an id. */
const idsIn = metadata =>
  Object.values(metadata)
    .flat()
    .filter(value => /^(project|person|process|link|doc):/.test(value))

test.each(records.map(record => [record.id, record]))('%s is well formed', (id, record) => {
  isRecord(record)
  expect(isRecord.errors).toBeNull()
  expect(id.split(':')[0]).toBe(record.type)
  expect(record.text.match(/[.?!](\s|$)/g).length).toBeGreaterThanOrEqual(2)
})

test('ids are unique, and so are titles within a kind and namespace', () => {
  expect(byId.size).toBe(records.length)
  const titles = records.map(({ namespace, type, title }) => `${namespace} ${type} ${title}`)
  expect(new Set(titles).size).toBe(records.length)
})

test('every kind is present in every namespace, and there is enough to search', () => {
  expect(records.length).toBeGreaterThanOrEqual(150)
  expect(Object.keys(countBy('type')).sort()).toEqual(['doc', 'link', 'person', 'process', 'project'])
  expect(Math.min(...Object.values(countBy('type')))).toBeGreaterThanOrEqual(14)
  expect(countBy('namespace')).toMatchObject({
    studio: expect.any(Number),
    personal: expect.any(Number),
    public: expect.any(Number),
  })
  for (const namespace of ['studio', 'personal', 'public']) {
    for (const type of ['project', 'person', 'process', 'link', 'doc']) {
      expect({ namespace, type, count: ofType(type, namespace).length }).not.toMatchObject({ count: 0 })
    }
  }
})

test('references in metadata and sources resolve', () => {
  const missing = records.flatMap(record =>
    [...idsIn(record.metadata), ...record.sources.filter(source => !source.startsWith('https://'))]
      .filter(id => !byId.has(id))
      .map(id => `${record.id} -> ${id}`),
  )
  expect(missing).toEqual([])
})

test('no date lies in the future of the data set', () => {
  expect(records.filter(record => Date.parse(record.last_updated) > Date.parse('2026-11-01T00:00:00Z'))).toEqual([])
})

test('projects and people agree on who works on what', () => {
  for (const person of ofType('person')) {
    const projects = ofType('project')
      .filter(({ metadata }) => [metadata.lead, ...metadata.members].includes(person.id))
      .map(project => project.id)
    expect({ id: person.id, projects: person.metadata.projects }).toEqual({ id: person.id, projects })
  }
})

test('a project names its lead and members once each', () => {
  for (const { id, metadata } of ofType('project')) {
    const team = [metadata.lead, ...metadata.members]
    expect({ id, size: new Set(team).size }).toEqual({ id, size: team.length })
    for (const person of team) expect(byId.get(person)).toMatchObject({ type: 'person', namespace: 'studio' })
  }
})

test('every process has an owner', () => {
  for (const { id, metadata } of records.filter(({ type }) => type === 'process')) {
    expect({ id, owner: byId.get(metadata.owner)?.type }).toEqual({ id, owner: 'person' })
  }
})

test('what the studio keeps does not rest on personal notes', () => {
  const leaks = records
    .filter(record => record.namespace !== 'personal')
    .filter(record => [...idsIn(record.metadata), ...record.sources].some(id => byId.get(id)?.namespace === 'personal'))
  expect(leaks).toEqual([])
})

test('addresses are reserved ones only', () => {
  const all = JSON.stringify(records)
  const hosts = [...all.matchAll(/https?:\/\/([^/"\s]+)/g)].map(match => match[1])
  const mails = [...all.matchAll(/[\w.+-]+@([\w.-]+\w)/g)].map(match => match[1])
  expect(hosts.length).toBeGreaterThan(100)
  expect(mails.length).toBeGreaterThan(20)
  for (const host of [...hosts, ...mails]) expect(host).toMatch(/(^|\.)example\.(com|org)$/)
})
