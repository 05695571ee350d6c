// The licences that a release may contain.
import { crateFaults, licenceFaults } from '../../scripts/lint-licences.mjs'

const lock = packages => ({ packages: { '': { name: 'toolgate' }, ...packages } })

test('each package that is installed has an allowed licence', () => {
  const packages = {
    'node_modules/a': { license: 'MIT' },
    'node_modules/b': { license: '(MIT OR GPL-3.0)' },
    'node_modules/c': { license: 'GPL-3.0-only' },
    'node_modules/c/node_modules/@scope/d': {},
    'node_modules/e': { license: 'MIT AND AGPL-3.0-only' },
    'node_modules/f': { license: 'SEE LICENSE IN LICENSE.txt' },
    'node_modules/@img/sharp-libvips-linux-x64': { license: 'LGPL-3.0-or-later' },
  }
  expect(licenceFaults(lock(packages))).toEqual([
    'c: GPL-3.0-only',
    '@scope/d: no licence',
    'e: MIT AND AGPL-3.0-only',
    'f: SEE LICENSE IN LICENSE.txt',
  ])
})

test('development dependencies and links are not installed with the package', () => {
  expect(
    licenceFaults(
      lock({ 'node_modules/a': { license: 'GPL-3.0-only', dev: true }, 'node_modules/own': { link: true }, web: {} }),
    ),
  ).toEqual([])
})

test('each crate has an allowed licence and comes from crates.io or from the repository', () => {
  const source = 'registry+https://github.com/rust-lang/crates.io-index'
  const crate = (name, license, from = source) => ({ name, version: '1.0.0', license, source: from })
  const packages = [
    crate('a', 'MIT/Apache-2.0'),
    crate('b', '(MIT OR Apache-2.0) AND Unicode-3.0'),
    crate('own', 'MIT', null),
    crate('c', 'GPL-3.0-only'),
    crate('d', null),
    crate('e', 'MIT', 'git+https://example.com/e'),
    crate('f', 'Proprietary', 'registry+https://example.com/index'),
  ]
  expect(crateFaults({ packages })).toEqual([
    'c 1.0.0: GPL-3.0-only',
    'd 1.0.0: no licence',
    'e 1.0.0: from git+https://example.com/e',
    'f 1.0.0: Proprietary',
    'f 1.0.0: from registry+https://example.com/index',
  ])
})
