import { createKnowledgeBase } from '../../tools/_services/knowledge-base.js'
import records from './support/studio-records.mjs'

const record = overrides => ({
  id: 'doc:sample',
  type: 'doc',
  namespace: 'studio',
  title: 'Sample',
  text: 'Some text.',
  tags: [],
  last_updated: '2026-01-01T00:00:00Z',
  url: null,
  source_type: 'note',
  sources: [],
  metadata: {},
  ...overrides,
})
const idsOf = found => found.map(hit => hit.id)

let kb
beforeAll(async () => {
  kb = await createKnowledgeBase()
})

test.each(['AI', 'HR', 'ai policy'])('short words are found: %s', async query => {
  const records = [
    record({ id: 'doc:machines', title: 'Rules for AI', text: 'A policy on models.' }),
    record({ id: 'doc:people', title: 'HR handbook', text: 'Holidays and leave.' }),
    record({ id: 'doc:airports', title: 'Airports', text: 'Where planes land.' }),
  ]
  const [first] = await (await createKnowledgeBase({ records })).search({ query })
  expect(first.id).toBe(query === 'HR' ? 'doc:people' : 'doc:machines')
})

test.each([
  ['C', 'doc:languages'],
  ['IT', 'doc:support'],
  ['it', 'doc:support'],
  ['IT tickets', 'doc:support'],
  ['who helps with IT?', 'doc:support'],
])('a word that is short or common is found if it is meant: %s', async (query, id) => {
  const records = [
    record({ id: 'doc:languages', title: 'Languages', text: 'Firmware in Rust and C.' }),
    record({ id: 'doc:support', title: 'IT support', text: 'Tickets for your laptop.' }),
    record({ id: 'doc:garden', title: 'Garden', text: 'Water it in the morning, and it grows.' }),
  ]
  expect(idsOf(await (await createKnowledgeBase({ records })).search({ query }))).toEqual([id])
})

describe('a query without a good match', () => {
  test.each([
    'How tall is Mount Everest',
    'who painted the Mona Lisa',
    'the Roman Empire',
    'parking permit for my car',
  ])('finds nothing: %s', async query => {
    expect(await kb.search({ query })).toEqual([])
  })

  test('in capitals is the same query', async () => {
    expect(await kb.search({ query: 'HOW TALL IS MOUNT EVEREST' })).toEqual([])
    const [one, other] = await Promise.all(
      ['who do I call in sick', 'WHO DO I CALL IN SICK'].map(query => kb.search({ query })),
    )
    expect(other).toEqual(one)
  })
})

describe('a score', () => {
  const score = async query => (await kb.search({ query, topK: 1 }))[0]?.score ?? 0

  test('is the share of the query that the first record has, the same for every query', async () => {
    expect([await score('Tidewater'), await score('invoice approval'), await score('Foghorn')]).toEqual([1, 1, 1])
    expect(await score('Tidewatre')).toBe(0.5)
    const half = await score('Tidewater zeppelin')
    expect(half).toBeGreaterThan(0.3)
    expect(half).toBeLessThan(0.6)
  })

  test('is no less if the same words are common or rare', async () => {
    expect(await score('project')).toBe(await score('puppeteers'))
  })
})

describe('questions about the studio', () => {
  // The record that answers must be among as many hits as a voice turn gets to see.
  test.each([
    ['who knows about Rust audio', {}, 'person:tomas_lind'],
    ['what is our onboarding process', {}, 'process:onboarding'],
    ['invoice approval', {}, 'process:invoice_approval'],
    ['who approves invoices above 5,000 euros', {}, 'process:invoice_approval'],
    ['what do I do when my laptop is stolen', {}, 'process:lost_device'],
    ['Tomas Lind', {}, 'person:tomas_lind'],
    ['joao ferreira', {}, 'person:joao_ferreira'],
    ['JOÃO', {}, 'person:joao_ferreira'],
    ['ＴＯＭＡＳ Ｌｉｎｄ', {}, 'person:tomas_lind'],
    ['person:ada_example', {}, 'person:ada_example'],
    ['greenhouse sensor batteries', {}, 'doc:sensor_node_manual'],
    ['backup restore test', {}, 'process:backup_restore'],
    ['accessibility statement', { namespace: 'public' }, 'doc:accessibility_statement'],
    ['oscilloscope', { namespace: 'personal' }, 'doc:note_budget_2027'],
    ['invoce aproval', {}, 'process:invoice_approval'],
    ['onbording of new collegues', {}, 'process:onboarding'],
    ['kubernets', {}, 'person:erik_solberg'],
    ['dashb', {}, 'link:dashboards'],
  ])('%s', async (query, request, id) => {
    expect(idsOf(await kb.search({ query, topK: 3, ...request }))).toContain(id)
  })
})

describe('order and shape', () => {
  test.each(['Rust audio', 'project budget and planning for clients', 'design', 'invoce aproval', 'notes'])(
    'scores of `%s` are in 0..1, descending, ties by id, no id twice',
    async query => {
      for (const namespace of ['studio', 'personal', 'public']) {
        const hits = await kb.search({ query, namespace, topK: records.length })
        expect(new Set(idsOf(hits)).size).toBe(hits.length)
        expect(hits.every(({ score }) => score > 0 && score <= 1)).toBe(true)
        const sorted = [...hits].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        expect(idsOf(hits)).toEqual(idsOf(sorted))
      }
    },
  )

  test('equal records are ordered by id, however they were given', async () => {
    const twins = ['doc:c', 'doc:a', 'doc:b'].map(id => record({ id, text: 'the same words' }))
    const { search } = await createKnowledgeBase({ records: twins })
    expect(idsOf(await search({ query: 'same words' }))).toEqual(['doc:a', 'doc:b', 'doc:c'])
  })

  test('the same question has the same answer', async () => {
    const again = await createKnowledgeBase()
    const request = { query: 'sound and software for museums', topK: 10 }
    expect(await again.search(request)).toEqual(await kb.search(request))
  })

  test('topK limits the hits, best first', async () => {
    const all = await kb.search({ query: 'Rust audio', topK: 10 })
    for (const topK of [1, 3, 10]) expect(await kb.search({ query: 'Rust audio', topK })).toEqual(all.slice(0, topK))
  })

  test('a caller cannot change what is stored', async () => {
    const [hit] = await kb.search({
      query: 'Tidewater',
      filters: { type: 'project' },
      returnFields: ['metadata', 'sources'],
    })
    hit.metadata.members.push('person:nobody')
    hit.sources.length = 0
    const stored = records.find(({ id }) => id === hit.id)
    const fresh = await kb.get(hit.id, { returnFields: ['metadata', 'sources'] })
    expect([fresh.metadata, fresh.sources]).toEqual([stored.metadata, stored.sources])
  })
})

describe('filters', () => {
  const matches = (entry, { namespace, type, tags = [], start = '0000', end = '9999' }) =>
    entry.namespace === namespace &&
    (type === undefined || entry.type === type) &&
    tags.every(tag => entry.tags.includes(tag)) &&
    entry.last_updated >= start &&
    entry.last_updated <= end
  const boundary = '2026-10-09T15:15:00Z'

  // Every record has one of these words in its title, so that the filter alone decides what is found.
  const everything = [...new Set(records.map(entry => entry.title.split(/[^\p{L}]+/u).find(word => word.length > 3)))]

  test.each([
    [{ namespace: 'studio' }],
    [{ namespace: 'studio', type: 'person' }],
    [{ namespace: 'public', type: 'process' }],
    [{ namespace: 'studio', tags: ['rust', 'audio'] }],
    [{ namespace: 'studio', type: 'project', tags: ['audio'] }],
    [{ namespace: 'studio', tags: ['rust', 'no-such-tag'] }],
    [{ namespace: 'studio', tags: [] }],
    [{ namespace: 'studio', start: boundary }],
    [{ namespace: 'studio', end: boundary }],
    [{ namespace: 'studio', start: boundary, end: boundary }],
    [{ namespace: 'personal', start: '2026-10-01T00:00:00Z', end: '2026-10-31T00:00:00Z' }],
  ])('%j finds exactly the records that match', async wanted => {
    const { namespace, type, tags, start, end } = wanted
    const filters = { type, tags, date_range: { start, end } }
    const hits = await Promise.all(
      everything.map(query => kb.search({ query, namespace, filters, topK: records.length })),
    )
    const expected = records.filter(entry => matches(entry, wanted)).map(entry => entry.id)
    expect([...new Set(hits.flatMap(idsOf))].sort()).toEqual(expected.sort())
  })

  test('namespaces do not leak into each other', async () => {
    expect(await kb.search({ query: 'dentist' })).toEqual([])
    expect(idsOf(await kb.search({ query: 'dentist', namespace: 'personal' }))).toEqual(['person:contact_dentist'])
  })

  test('an unknown namespace is an error with a code', async () => {
    await expect(kb.search({ query: 'abc', namespace: 'secret' })).rejects.toMatchObject({ code: 'INVALID_NAMESPACE' })
  })
})

describe('typing errors and odd queries', () => {
  test('a known word is taken as it is', async () => {
    const words = ['rust', 'just', 'trust', 'rusty'].map(word => record({ id: `doc:${word}`, title: word, text: word }))
    const own = await createKnowledgeBase({ records: words })
    expect(idsOf(await own.search({ query: 'rust' }))).toEqual(['doc:rust'])
    expect(idsOf(await own.search({ query: 'trusd' }))).toContain('doc:trust')
  })

  test('short words are not guessed at', async () => {
    const own = await createKnowledgeBase({ records: [record({ text: 'a map of the cat' })] })
    expect(await own.search({ query: 'mop' })).toEqual([])
  })

  test.each(['the of and', '   ', '!!! ???', 'hasOwnProperty', 'x'.repeat(500), '\u0000\ud83d\ude00', 'кириллица'])(
    '`%s` finds nothing and harms nothing',
    async query => {
      expect(await kb.search({ query })).toEqual([])
    },
  )

  test('words that are names of object members are words like others', async () => {
    const own = await createKnowledgeBase({
      records: [record({ text: 'constructor and __proto__ and valueOf' }), record({ id: 'doc:other' })],
    })
    for (const query of ['constructor', '__proto__', 'valueOf']) {
      const [hit, ...more] = await own.search({ query })
      expect([hit.id, Number.isFinite(hit.score), more]).toEqual(['doc:sample', true, []])
    }
  })

  test('other alphabets are found too', async () => {
    const own = await createKnowledgeBase({ records: [record({ text: 'Это простая запись про маяк' })] })
    expect(idsOf(await own.search({ query: 'маяк' }))).toEqual(['doc:sample'])
  })
})

describe('nearest ids', () => {
  test.each([
    ['person:ada_exmple', 'person:ada_example'],
    ['process:onbording', 'process:onboarding'],
    ['tidewater', 'project:tidewater'],
  ])('%s is nearest to %s', async (id, nearest) => {
    expect((await kb.nearestIds(id))[0]).toBe(nearest)
  })

  test('there are at most three, and none where nothing is near', async () => {
    expect(await kb.nearestIds('person:ada_exmple')).toHaveLength(3)
    expect(await kb.nearestIds('zzz')).toEqual([])
  })
})

describe('creation', () => {
  test.each([
    ['not an array', {}, 'must be an array'],
    ['an id that is used twice', [record(), record()], '`doc:sample` is used twice'],
    ['an unknown type', [record({ type: 'song' })], 'invalid `type`'],
    ['a broken date', [record({ last_updated: 'soon' })], 'invalid `last_updated`'],
    ['a broken url', [record({ url: 'nowhere' })], 'invalid `url`'],
    ['no text', [record({ text: '' })], 'invalid `text`'],
    ['a hole', [null], 'record 0'],
  ])('refuses %s', async (_, broken, message) => {
    await expect(createKnowledgeBase({ records: broken })).rejects.toThrow(message)
  })

  test('an empty knowledge base answers', async () => {
    const empty = await createKnowledgeBase({ records: [] })
    expect(await empty.search({ query: 'anything' })).toEqual([])
    expect(await empty.get('doc:sample')).toBeNull()
  })

  test('later changes of the given records change nothing', async () => {
    const given = [record({ text: 'first words' })]
    const own = await createKnowledgeBase({ records: given })
    given[0].text = 'second words'
    expect((await own.get('doc:sample', { returnFields: ['full_text'] })).full_text).toBe('first words')
  })
})

describe('everyday words', () => {
  test.each([
    ['vacation policy', 'process:leave_request'],
    ['stolen notebook computer', 'process:lost_device'],
    ['pull request', 'process:code_review'],
    ['NDA', 'person:ingrid_falk'],
  ])('`%s` finds what a record says in other words', async (query, id) => {
    expect(idsOf(await kb.search({ query, topK: 3 }))).toContain(id)
  })

  test("a record's synonyms of one word count once, and less than the query's own words", async () => {
    const own = await createKnowledgeBase({
      synonyms: [['salary', 'pay', 'wage']],
      records: [
        record({ id: 'doc:synonyms', title: 'pay wage pay wage' }),
        record({ id: 'doc:own_words', title: 'salary report' }),
        ...['garden', 'kitchen', 'cellar'].map(name => record({ id: `doc:${name}`, title: name })),
      ],
    })
    expect(idsOf(await own.search({ query: 'salary report' }))).toEqual(['doc:own_words', 'doc:synonyms'])
  })

  test('a record with one word of a phrase is found after those that say what was asked for', async () => {
    // `hire` is rarer than `onboarding`, and a whole title.
    const common = ['desk', 'laptop'].map(name => record({ id: `doc:${name}`, text: 'for the onboarding' }))
    const own = await createKnowledgeBase({
      synonyms: [['onboarding', 'new hire']],
      records: [
        record({ id: 'doc:hiring', title: 'Hiring' }),
        record({ id: 'doc:onboarding', title: 'Onboarding of new colleagues' }),
        ...common,
      ],
    })
    expect(idsOf(await own.search({ query: 'onboarding', topK: 1 }))).toEqual(['doc:onboarding'])
    expect(idsOf(await own.search({ query: 'hiring', topK: 1 }))).toEqual(['doc:hiring'])
  })

  test('a word with synonyms is not taken for a typing error of another word', async () => {
    const records = [record({ title: 'halls', text: 'halls' })]
    const own = await createKnowledgeBase({ records, synonyms: [['bills', 'invoices']] })
    expect(await own.search({ query: 'bills' })).toEqual([])
  })
})

describe('with vectors', () => {
  // Vectors by topic: what the words have in common with each topic.
  const TOPICS = [/sea|boat|harbour/i, /money|coin|purse/i]
  const embed = async texts => texts.map(text => [...TOPICS.map(topic => (topic.test(text) ? 1 : 0)), 0.1])
  const records = [
    record({ id: 'doc:harbour', title: 'Harbour', text: 'Where we moor.' }),
    record({ id: 'doc:purse', title: 'Purse', text: 'What we own.' }),
    record({ id: 'doc:purse_private', title: 'Purse', text: 'Mine.', namespace: 'personal' }),
  ]

  test('a record without a word of the query is found by its meaning, under the same conditions', async () => {
    const hybrid = await createKnowledgeBase({ records, embed, synonyms: [] })
    const hits = await hybrid.search({ query: 'coin', topK: 1 })
    expect(idsOf(hits)).toEqual(['doc:purse'])
    const all = await hybrid.search({ query: 'coin', topK: 10 })
    expect(idsOf(all)).toEqual(['doc:purse', 'doc:harbour'])
    expect(all.every(({ score }) => score > 0 && score <= 1)).toBe(true)
  })

  test('a record that is less similar than the host wants is not found by its meaning', async () => {
    const hybrid = await createKnowledgeBase({ records, embed, leastSimilarity: 0.5, synonyms: [] })
    expect(idsOf(await hybrid.search({ query: 'coin' }))).toEqual(['doc:purse'])
    expect(await hybrid.search({ query: 'zebra' })).toEqual([])
    expect(idsOf(await hybrid.search({ query: 'moor' }))).toEqual(['doc:harbour'])
  })

  test('a query that cannot be embedded is answered by keywords', async () => {
    let isUp = true
    const failing = async texts => {
      if (!isUp) throw new Error('down')
      return embed(texts)
    }
    const hybrid = await createKnowledgeBase({ records, embed: failing })
    isUp = false
    expect(idsOf(await hybrid.search({ query: 'harbour' }))).toEqual(['doc:harbour'])
  })

  test.each([
    ['no list', async () => undefined],
    ['too few vectors', async () => [[1]]],
    ['a number that is none', async texts => texts.map(() => [NaN])],
    ['vectors of different lengths', async texts => texts.map((_, index) => Array(index + 1).fill(1))],
  ])('records whose vectors are %s are refused at the start', async (_, broken) => {
    await expect(createKnowledgeBase({ records, embed: broken })).rejects.toThrow(TypeError)
  })
})

describe('named fields', () => {
  test('leave out what is not named', async () => {
    const [hit] = await kb.search({ query: 'Tidewater', topK: 1, returnFields: ['url'] })
    expect(Object.keys(hit).sort()).toEqual(['id', 'last_updated', 'score', 'source_type', 'title', 'type', 'url'])
  })
})
