import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

const TRANSPORTS = path.join(import.meta.dirname, '../../js/transports')

/** The rooms of the readers, and those that each may import. */
const ROOMS = {
  anthropic: ['shared'],
  chat: ['shared'],
  gemini: ['shared'],
  'gpt-live': ['responses', 'shared'],
  realtime: ['shared'],
  responses: ['shared'],
  shared: [],
}

const foldersOf = entries => entries.filter(entry => entry.isDirectory()).map(entry => entry.name)

/** The rooms that a room's code requires; `..` is a file beside the rooms. */
function roomsOf(room) {
  const folder = path.join(TRANSPORTS, room)
  const targets = readdirSync(folder).flatMap(file => {
    const code = readFileSync(path.join(folder, file), 'utf8')
    return Array.from(code.matchAll(/\brequire\('(\.{1,2}\/[^']+)'\)/g), ([, target]) => path.join(folder, target))
  })
  const inside = targets.map(target => path.relative(TRANSPORTS, target)).filter(target => !target.startsWith('..'))
  const rooms = inside.map(target => (target.includes(path.sep) ? target.split(path.sep)[0] : '..'))
  return [...new Set(rooms)].filter(name => name !== room).sort()
}

test('each room of readers imports what all share; only GPT-Live, whose backend speaks Responses, imports another room', () => {
  expect(foldersOf(readdirSync(TRANSPORTS, { withFileTypes: true })).sort()).toEqual(Object.keys(ROOMS))
  const used = Object.fromEntries(Object.keys(ROOMS).map(room => [room, roomsOf(room)]))
  expect(used).toEqual(ROOMS)
})
