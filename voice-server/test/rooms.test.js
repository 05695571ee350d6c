// The rooms of the source: README.md maps them, and imports go one way.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const at = name => new URL(name, import.meta.url)
const root = at('../src/').pathname
const readme = readFileSync(at('../README.md'), 'utf8')
const [map] = /\| room \|[^]*?(?:\n\n|$)/.exec(readme)
const rooms = [...map.matchAll(/^\| `(\w+)`/gm)].map(([, room]) => room)
const files = readdirSync(root, { recursive: true }).filter(name => /\.(js|d\.ts)$/.test(name))
const roomOf = file => file.split('/').slice(0, -1)[0] ?? null

test('every file is in a room of the map, but entry points and shared types', () => {
  const loose = files.filter(file => roomOf(file) === null)
  assert.deepEqual(loose.toSorted(), ['engine.js', 'listening-server.js', 'voice-types.d.ts'])
  assert.deepEqual([...new Set(files.map(roomOf))].filter(room => room !== null).toSorted(), rooms.toSorted())
})

test('a room imports only rooms that are below it in the map', () => {
  const wrong = files.flatMap(file => {
    const text = readFileSync(path.join(root, file), 'utf8')
    const imported = [...text.matchAll(/^(?:import|export|\}).* from '(\.[^']*)'/gm)]
    return imported
      .map(([, specifier]) => path.relative(root, path.resolve(root, path.dirname(file), specifier)))
      .filter(target => roomOf(file) !== null && !target.startsWith('..') && roomOf(target) !== roomOf(file))
      .filter(target => rooms.indexOf(roomOf(target)) < rooms.indexOf(roomOf(file)))
      .map(target => `${file} imports ${target}`)
  })
  assert.deepEqual(wrong, [])
  assert.ok(files.length > 70 && rooms.length === 7)
})

test('no provider knows another one', () => {
  const wrong = files
    .filter(file => /^providers\/.+\//.test(file))
    .filter(file => {
      const others = readFileSync(path.join(root, file), 'utf8').matchAll(/^(?:import|\}).* from '\.\.\/(\w[^/']*)\//gm)
      return [...others].length > 0
    })
  assert.deepEqual(wrong, [])
})
