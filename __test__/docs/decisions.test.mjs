// The decision records: few and short, each listed under its title, each with whether it holds.
import { readFileSync, readdirSync } from 'node:fs'

const FOLDER = new URL('../../docs/decisions/', import.meta.url)
const read = name => readFileSync(new URL(name, FOLDER), 'utf8')
const RECORDS = readdirSync(FOLDER).filter(name => name !== 'README.md')

test('each record is listed under its title, and no other', () => {
  const listed = [...read('README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(([, title, file]) => [file, title])
  const titles = RECORDS.map(name => [name, read(name).split('\n')[0].replace(/^# /, '')])
  expect(listed).toEqual(titles)
})

test('there are at most 30 records', () => {
  expect(RECORDS.length).toBeLessThanOrEqual(30)
})

test.each(RECORDS)('%s has at most 150 words', name => {
  expect(read(name).trim().split(/\s+/).length).toBeLessThanOrEqual(150)
})

test.each(RECORDS)('%s says whether it holds', name => {
  expect(read(name).split('\n')[2]).toMatch(/^Status: in force( for .+)?\.$/)
})
