import * as handler from '../../tools/extract_contacts/handler.js'
import { cpuMsOf } from '../support/cpu-time.mjs'
import { INJECTION, takes, toolRunner } from './support/run-tool.mjs'

const extract = toolRunner(handler, 'extract_contacts')
const contactsIn = async (text, region) => (await extract({ text, region })).data.contacts
const contact = fields => ({ name: null, emails: [], phones: [], urls: [], ...fields })

test('a signature', async () => {
  const text = 'Best regards\nAda Example\nada@example.com\n+49 30 901820\nwww.example.com/team.'
  expect(await extract({ text })).toEqual({
    ok: true,
    data: {
      contacts: [
        {
          name: 'Ada Example',
          emails: ['ada@example.com'],
          phones: ['+4930901820'],
          urls: ['https://www.example.com/team'],
        },
      ],
      left_out: { contacts: 0, texts: [] },
    },
  })
})

test('what is left out is said', async () => {
  const many = Array.from({ length: 103 }, (_, n) => `ada${n}@example.com`).join('\n\n')
  expect((await extract({ text: many })).data.left_out).toEqual({ contacts: 3, texts: [] })
  const broken = 'Ada Example, ada@example.com or ada@@example.com, eve.@example.com; write @ada'
  expect((await extract({ text: broken })).data).toEqual({
    contacts: [contact({ name: 'Ada Example', emails: ['ada@example.com'] })],
    left_out: { contacts: 0, texts: ['ada@@example.com', 'eve.@example.com'] },
  })
})

test('blocks, and lists of people, are contacts of their own', async () => {
  const list = 'Ada Example <ada@example.com>\nDr. Max van der Berg, (030) 901820\nplanning@example.com'
  const text = `${list}\r\n \r\nYours sincerely\nJosé-Luis O’Hara\nmailto:jose@example.com;`
  expect(await contactsIn(text, 'DE')).toEqual([
    contact({ name: 'Ada Example', emails: ['ada@example.com'] }),
    contact({ name: 'Dr. Max van der Berg', phones: ['+4930901820'] }),
    contact({ emails: ['planning@example.com'] }),
    contact({ name: 'José-Luis O’Hara', emails: ['jose@example.com'] }),
  ])
})

test.each([
  ['in angle brackets', 'Ada Example <ada@example.com>, Max Berg <max@example.org>; Eve Stone <eve@example.net>'],
  ['after the names', 'Ada Example ada@example.com and Max Berg max@example.org, Eve Stone: eve@example.net'],
  ['between commas', 'Ada Example, ada@example.com, Max Berg, max@example.org, Eve Stone, eve@example.net'],
])('several people on one line have their own addresses: %s', async (_, line) => {
  expect(await contactsIn(line)).toEqual([
    contact({ name: 'Ada Example', emails: ['ada@example.com'] }),
    contact({ name: 'Max Berg', emails: ['max@example.org'] }),
    contact({ name: 'Eve Stone', emails: ['eve@example.net'] }),
  ])
})

test('what follows a name on its line is of that person, and other lines stay', async () => {
  const text =
    'Ada Example, ada@example.com, +1 212 555 2368; Max Berg (max@example.org)\nDr. Eve Stone, eve@example.net'
  expect(await contactsIn(text)).toEqual([
    contact({ name: 'Ada Example', emails: ['ada@example.com'], phones: ['+12125552368'] }),
    contact({ name: 'Max Berg', emails: ['max@example.org'] }),
    contact({ name: 'Dr. Eve Stone', emails: ['eve@example.net'] }),
  ])
  const one = 'Ada Example <ada@example.com>, ada@example.org'
  expect(await contactsIn(one)).toEqual([
    contact({ name: 'Ada Example', emails: ['ada@example.com', 'ada@example.org'] }),
  ])
})

test.each([
  [
    'You can reach Ada Example at ada@example.com and Max van der Berg at max@example.org.',
    'ada@example.com',
    'max@example.org',
  ],
  ['Call Ada Example on 030 901820 or Max van der Berg on 030 901821.', '030 901820', '030 901821'],
  [
    'It was ada@example.com (Ada Example) and max@example.org (Max van der Berg).',
    'ada@example.com',
    'max@example.org',
  ],
])('several people in one sentence are several contacts: %s', async (sentence, ada, max) => {
  const kind = ada.includes('@') ? 'emails' : 'phones'
  expect(await contactsIn(sentence)).toEqual([
    contact({ name: 'Ada Example', [kind]: [ada] }),
    contact({ name: 'Max van der Berg', [kind]: [max] }),
  ])
})

test.each([
  'Ada Example and Max Berg are at ada@example.com and max@example.org',
  'In New York we met Ada Example at ada@example.com and max@example.org',
])('an address is nobody else’s: %s', async sentence => {
  expect(await contactsIn(sentence)).toEqual([contact({ emails: ['ada@example.com', 'max@example.org'] })])
})

test('one person with several addresses stays one', async () => {
  expect(await contactsIn('Ada Example\nada@example.com\nada@example.org\n+1 212 555 2368')).toEqual([
    contact({ name: 'Ada Example', emails: ['ada@example.com', 'ada@example.org'], phones: ['+12125552368'] }),
  ])
})

test.each([
  ['+44 20 7946 0958', 'US', ['+442079460958']],
  ['030 901820', 'DE', ['+4930901820']],
  ['030 901820', 'US', ['030 901820']],
  ['030 901820', 'XX', ['030 901820']],
  ['030 901820', undefined, ['030 901820']],
  ['(212) 555-2368, 555-0142 or 0151/23456789', undefined, ['(212) 555-2368', '555-0142', '0151/23456789']],
  ['Call 212.555.2368, +1 212 555 2369 or 03012345678.', undefined, ['+12125552369', '212.555.2368', '03012345678']],
  ['05.06.2030 1000 hours, 0.1234567, 1,200,300, invoice 00012345, 192.168.100.200', undefined, []],
  ['+49 30 901820', 'XX', ['+4930901820']],
  ['０３０ ９０１８２０', 'DE', ['+4930901820']],
  ['٠٣٠ ٩٠١٨٢٠', 'DE', ['+4930901820']],
  ['order 2026-11-23, item 12345', 'US', []],
])('numbers in %j, from %s', async (text, region, phones) => {
  expect((await contactsIn(text, region))[0]?.phones ?? []).toEqual(phones)
})

test.each([
  ['https://example.com/a,b?c=d).', ['https://example.com/a,b?c=d']],
  ['https://bücher.example/', ['https://bücher.example/']],
  ['https://user:secret@example.com/', []],
  ['javascript:alert(1) data:text/html,x file:///etc/passwd', []],
  ['http:// https://, www.', []],
])('web addresses in %j', async (text, urls) => {
  expect((await contactsIn(text))[0]?.urls ?? []).toEqual(urls)
})

// `URL.canParse` of Node 20 and 22 fails on these once it is optimized.
test('addresses with letters outside ASCII are found each time', async () => {
  const text = Array.from({ length: 600 }, (_, at) => `https://bücher.example/${at}`).join(' ')
  for (let round = 0; round < 10; round += 1)
    expect((await contactsIn(text))[0].urls).toHaveLength(text.split(' ').length)
})

test('scripts without capital letters give addresses, and no name', async () => {
  expect(await contactsIn('山田太郎（taro@example.com）、電話：+81 3-1234-5678')).toEqual([
    contact({ emails: ['taro@example.com'], phones: ['+81312345678'] }),
  ])
})

test('a text without any has no contacts', async () => {
  expect(await contactsIn('Nothing here.')).toEqual([])
  expect(await contactsIn(' \n\n \n')).toEqual([])
})

test('instructions are data', async () => {
  expect(await contactsIn(`${INJECTION}\neve@example.com`)).toEqual([contact({ emails: ['eve@example.com'] })])
})

test('at most 100 contacts', async () => {
  const text = Array.from({ length: 101 }, (_, at) => `p${at}@example.com`).join('\n\n')
  expect(await contactsIn(text)).toHaveLength(100)
})

test.each([
  ['brackets', `${')'.repeat(19_999)}x`],
  ['line ends', `${'\n\r'.repeat(9_999)}x`],
  ['at signs', 'a@'.repeat(10_000)],
  ['digits', '1 '.repeat(10_000)],
  ['names', `${'Aa Bb '.repeat(3_300)}a@b.example`],
  ['capitals', `${'Aa '.repeat(6_000)}1@`],
  ['addresses in one line', 'a@b.example '.repeat(1_600)],
  ['separators', ',1'.repeat(10_000)],
  ['people in one line', 'Ad Ex a@b.example,'.repeat(1_100)],
])('a long text of %s takes linear time', async (_, text) => {
  expect(await cpuMsOf(() => contactsIn(text))).toBeLessThan(5_000)
})

test('what the schema keeps out', () => {
  const bad = [
    {},
    { text: '' },
    { text: 'x'.repeat(20_001) },
    { text: 'x', region: 'de' },
    { text: 'x', region: 'DEU' },
  ]
  for (const args of bad)
    expect([Object.keys(args), takes('extract_contacts', args)]).toEqual([Object.keys(args), false])
})
