'use strict'

// Jest's resolver for a run with another version of the adapters' SDKs: what the repository imports from an SDK comes from the
// folder TOOLGATE_PEERS, and everything else, also an SDK's own imports, from where it always does.
const path = require('node:path')

const folder = process.env.TOOLGATE_PEERS
const { dependencies } = require(path.join(folder, 'package.json'))
const nameOf = request => request.split('/', request.startsWith('@') ? 2 : 1).join('/')

module.exports = (request, options) => {
  const isOurs = !options.basedir.includes(`${path.sep}node_modules${path.sep}`)
  const basedir = isOurs && Object.hasOwn(dependencies, nameOf(request)) ? folder : options.basedir
  return options.defaultResolver(request, { ...options, basedir })
}
