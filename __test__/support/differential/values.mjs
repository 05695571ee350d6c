// Values for schemas: pools that hold what libraries take and what they refuse, and what is made of them.
import { seeded } from '../../../fuzz/random.cjs'

const TEXTS = [
  ['', 'a', 'b', 'ab', 'AB', 'aB', 'abc', 'ABC', 'abcd', 'root', ' a ', 'ab ', 'a b', 'a\nb', 'b\na', 'a\tb', '\n'],
  ['ä', 'Ä', 'é', 'e\u0301', '日本', '🙂', '🙂🙂', '🙂🙂🙂', 'a🙂', '👩‍👩‍👧', 'ﬁ', 'ß', 'İ', '\u2028', '\ufeffa', '\u00a0'],
  ['0', '1', '-1', '+1', '1.5', '-0', '007', '1e3', '.5', '5.', 'NaN', 'Infinity', '-Infinity', '0x1f', '1_000', '١'],
  ['9007199254740993', '12345678901234567890', '123n', 'true', 'false', 'null', 'yes', 'on', 'TRUE', '[]', '{}', '"a"'],
  ['2026-02-01', '2026-02-30', '2024-02-29', '2023-02-29', '2026-2-1', '2026-13-01', '0000-01-01', '2026-02', '2026'],
  [
    '2026-02-01T10:00:00Z',
    '2026-02-01T10:00:00.123Z',
    '2026-02-01T10:00:00+02:00',
    '2026-02-01T10:00',
    '2026-02-01 10:00',
  ],
  [
    '2026-02-01T10:00Z',
    '2026-02-01T24:00:00Z',
    '2026-02-01T10:00:60Z',
    '2026-02-01t10:00:00z',
    '2026-02-01T10:00:00+0200',
  ],
  ['2026-02-01T10:00:00', '2026-02-30T10:00:00Z', '2026-W05', '2026-02-01T10:00:00.1234567Z', '20260201', '2026-032'],
  ['10:00', '10:00:00', '10:00:00.5', '24:00', '23:59:60', '1:00', '10:00:00Z', '10:00:00+01:00', '10', '100000'],
  ['P1D', 'PT0.5S', 'P1Y2M3DT4H5M6.5S', 'PT0,5S', 'P1W', 'P', 'PT', '1D', '-P1D', 'P1Y2W', 'P0D', 'p1d', 'PT36H'],
  ['ada@example.com', 'Ada@Example.COM', 'ada+x@example.co.uk', 'ada@intranet', 'ada', "o'hara@example.com", 'a@b.c'],
  [
    'ädä@example.com',
    'ada@exämple.com',
    '"a b"@example.com',
    'ada@[127.0.0.1]',
    '.a@example.com',
    'a..b@example.com',
    '@a.de',
  ],
  [
    'a_b-c@example.com',
    'a!b@example.com',
    'ada@-example.com',
    'ada@example.c',
    'ada@example',
    'ada@1.2.3.4',
    'a@xn--bcher-kva.de',
  ],
  [
    'https://example.com',
    'http://example.com/a?b=c#d',
    'https://bücher.example/ä?q=ü',
    'http://localhost:3000',
    'ftp://a.de',
  ],
  [
    'mailto:ada@example.com',
    'https://[::1]/',
    'https://a b.de',
    'https://example.com/a b',
    'example.com',
    '//a.de',
    'https://',
  ],
  [
    'HTTPS://EXAMPLE.COM',
    'https://user:pw@example.com:8080/',
    'javascript:alert(1)',
    'data:,a',
    'urn:isbn:1',
    'https:example.com',
  ],
  [
    'https://例え.jp',
    'http://a',
    'https://example.com/{a}',
    'https://example.com/%zz',
    'https://example.com/|',
    'a:b',
    'file:///a',
  ],
  [
    'https://example.com/^`"<>',
    'https:\\\\example.com',
    ' https://example.com',
    'https://example.com ',
    'https://example.com\n',
  ],
  [
    'https://1.2.3.4',
    'https://example.com.',
    'https://ex_ample.com',
    'https://-a.de',
    'http://a.de:99999',
    '/path',
    '?q',
    '#f',
    'a/b',
  ],
  [
    '123e4567-e89b-12d3-a456-426614174000',
    '123E4567-E89B-42D3-A456-426614174000',
    '00000000-0000-0000-0000-000000000000',
  ],
  [
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '123e4567-e89b-72d3-c456-426614174000',
    '{123e4567-e89b-12d3-a456-426614174000}',
  ],
  ['01890a5d-ac96-774b-bcce-b302099a8057', '123e4567e89b12d3a456426614174000', '123e4567-e89b-02d3-0456-426614174000'],
  [
    '1.2.3.4',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3',
    '1.2.3.4/24',
    '1.2.3.4/33',
    '::1',
    '::ffff:1.2.3.4',
    '2001:DB8::1',
    '::',
  ],
  ['fe80::1%eth0', '1::2::3', '2001:db8::/32', '2001:db8::/129', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '[::1]', 'g::1'],
  [
    'example.com',
    'example.com.',
    'EXAMPLE.com',
    'localhost',
    '-a.com',
    'a..b',
    'a_b.com',
    'bücher.example',
    'xn--bcher-kva.de',
  ],
  [
    'aGVsbG8=',
    'aGVsbG8',
    'aGVs bG8=',
    '_-8',
    'ab+/',
    'a===',
    'deadbeef',
    'DEADBEEF',
    '0xdeadbeef',
    'abcg',
    '#fff',
    '#FFF',
    '#ffff',
  ],
  ['cjld2cjxh0000qzrmn831i7rn', 'ckopqwooh000001la8mbi2im9', 'tz4a98xxat96iws9zmbrgj3a', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  [
    '01arz3ndektsv4rrffq69g5fav',
    '9m4e2mr0ui3e8a215n4g',
    '0ujsswThIGTUYm2K8FjOOfXtY1K',
    'V1StGXR8_Z5jdHi6B-myT',
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  ],
  [
    '+491701234567',
    '+1 202 555 0100',
    '0170 123',
    '00:1b:44:11:3a:b7',
    '00-1B-44-11-3A-B7',
    '00:1b:44:11:3a',
    '001b.4411.3ab7',
  ],
  [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '490154203237518',
    'DE89370400440532013000',
    'DEUTDEFF',
  ],
  [
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhIjoxfQ.c2ln',
    'a.b.c',
    'a.b',
    '1.2.3',
    '1.0.0-beta.1',
    'v1.2.3',
    'fr-FR',
    'slug-a-1',
  ],
  [
    'k',
    'red',
    'green',
    'Red',
    'x1',
    '1x',
    'id_1',
    'A1',
    'on_a',
    'a1b2',
    '/a/0',
    '0/a',
    '~',
    '/~2',
    '^a$',
    '(',
    '[a-',
    '{a}',
    '{',
  ],
].flat()

const NUMBERS = [
  [0, 1, 2, 3, 5, 7, 10, 99, 100, 101, -1, -2, -5, 0.1, 0.3, 0.5, 1.5, 2.5, -0.5, 0.25, 0.01, 0.07, 1.1, 1e-7, 1e21],
  [
    2 ** 31,
    2 ** 31 - 1,
    -(2 ** 31),
    -(2 ** 31) - 1,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 53 + 2,
    -(2 ** 53),
    1e300,
    1e308,
    5e-324,
  ],
  [3.4e38, 3.5e38, 19.99, 4.35, 1e16, 255, 256, 1_700_000_000, 1_700_000_000_000],
].flat()

const OTHERS = [null, true, false, [], {}, [1], ['a'], { a: 1 }, [null], [[]]]
const POOLS = { text: TEXTS, number: NUMBERS, other: OTHERS }

/** The nth value of a list, for any n. */
const nth = (list, index) => list[index % list.length]

/**
 * Values for a schema: those that it takes and those that it refuses, as evenly as they can be had.
 * @param {(draw: (bound: number) => number) => unknown} make one value
 * @param {(value: unknown) => boolean} takes
 * @param {{ count: number, seed: number }} options
 */
export function valuesFor(make, takes, { count, seed }) {
  const draw = seeded(seed).below
  const taken = new Map()
  const refused = new Map()
  for (let tries = 0; tries < count * 12 && taken.size + refused.size < count * 6; tries += 1) {
    const value = make(draw)
    const side = takes(value) ? taken : refused
    side.set(JSON.stringify(value), value)
  }
  const most = [...taken.values()].slice(0, Math.max(Math.ceil(count * 0.7), count - refused.size))
  return [...most, ...[...refused.values()].slice(0, count - most.length)]
}

/** A value of a kind, seldom of another one. */
export const scalar = kind => draw => {
  const pool = draw(12) === 0 ? nth([TEXTS, NUMBERS, OTHERS], draw(3)) : (POOLS[kind] ?? OTHERS)
  return pool[draw(pool.length)]
}

/** One of some values, or of a kind. */
export const oneOf = (values, kind) => draw => (draw(3) > 0 ? values[draw(values.length)] : scalar(kind)(draw))

export const listOf = make => draw =>
  draw(15) === 0 ? scalar('text')(draw) : Array.from({ length: draw(4) }, () => make(draw))

/** As a tuple. */
export const eachOf = makes => draw => {
  const all = makes.map(make => make(draw))
  return draw(8) === 0 ? all.slice(1) : draw(8) === 0 ? [...all, 1] : all
}

/** An object; members are left out at times. `extra`: names of others. */
export const objectOf =
  (members, extra = []) =>
  draw => {
    const own = Object.entries(members).flatMap(([name, make]) => (draw(6) === 0 ? [] : [[name, make(draw)]]))
    const others = extra.filter(() => draw(2) === 0).map(name => [name, scalar(nth(['text', 'number'], draw(2)))(draw)])
    return Object.fromEntries([...own, ...others])
  }

export const either = makes => draw => makes[draw(makes.length)](draw)
export const orNothing = make => draw => (draw(4) === 0 ? undefined : make(draw))
export const orNull = make => draw => (draw(4) === 0 ? null : make(draw))
