// The files that build and run containers name what exists, and the files of each image are enough to serve.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'

import { DockerfileParser } from 'dockerfile-ast'
import { YAML11_SCHEMA, load, loadAll } from 'js-yaml'

import { eventually } from '../support/gate.mjs'
import { afterTest, temporaryFolder } from '../support/tool-set.mjs'

const ROOT = path.resolve('.')
const read = file => readFileSync(path.join(ROOT, file), 'utf8')
/** Compose merges maps by `<<`. */
const MERGING = { schema: YAML11_SCHEMA }
const KUBERNETES = ['voice', 'web'].map(name => [name, loadAll(read(`deploy/kubernetes/${name}.yaml`))])
const SERVERS = { voice: { port: 8788, probes: '' }, web: { port: 3000, probes: '/api' } }

/** The stages of the Dockerfile by name. */
function readStages() {
  const stages = {}
  let stage
  for (const instruction of DockerfileParser.parse(read('deploy/Dockerfile')).getInstructions()) {
    const words = instruction.getArguments().map(argument => argument.getValue())
    if (instruction.getKeyword() === 'FROM') {
      stages[words[2]] = stage = { image: words[0], all: {} }
    } else {
      stage.all[instruction.getKeyword()] ??= []
      stage.all[instruction.getKeyword()].push({ words, instruction })
    }
  }
  return stages
}

/** What a stage starts with. */
function imageOf({ image, all }) {
  // The words of a command in JSON, after the flags.
  const command = keyword => JSON.parse(/\[.*\]/s.exec(all[keyword].at(-1).instruction.getTextContent())[0])
  return {
    image,
    copies: all.COPY.map(({ words }) => ({ sources: words.slice(0, -1), target: words.at(-1) })),
    env: Object.fromEntries(
      all.ENV.flatMap(({ instruction }) => instruction.getProperties().map(one => [one.getName(), one.getValue()])),
    ),
    user: all.USER.at(-1).words[0],
    port: Number(all.EXPOSE[0].words[0]),
    start: command('CMD'),
    check: command('HEALTHCHECK'),
  }
}

/** The paths of the repository that a source below `/src/` of the build stage means; of its last name, `*` is any text. */
function filesOf(source) {
  expect(source).toMatch(/^\/src\//)
  const file = path.join(ROOT, path.relative('/src', source))
  if (!file.includes('*')) return existsSync(file) ? [file] : []
  const [before, after] = path.basename(file).split('*')
  const names = readdirSync(path.dirname(file)).filter(name => name.startsWith(before) && name.endsWith(after))
  return names.map(name => path.join(path.dirname(file), name))
}

/** What `npm prune --omit=dev` leaves of `node_modules`. */
function isNeededToRun() {
  const { packages } = JSON.parse(read('package-lock.json'))
  const dev = new Set(Object.keys(packages).filter(name => packages[name].dev || packages[name].devOptional))
  return file => !dev.has(path.relative(ROOT, file))
}

/** Copies what the image has. */
function assemble({ copies }) {
  const folder = temporaryFolder()
  const filter = isNeededToRun()
  for (const { sources, target } of copies) {
    for (const file of sources.flatMap(filesOf)) {
      const isFolder = statSync(file).isDirectory()
      const to = path.join(folder, target, isFolder ? '' : path.basename(file))
      mkdirSync(path.dirname(to), { recursive: true })
      cpSync(file, to, { recursive: true, verbatimSymlinks: true, filter })
    }
  }
  return folder
}

test('each image has a fixed version, a user without rights, a probe, and sources that exist', () => {
  const stages = readStages()
  for (const { image } of Object.values(stages)) expect(image).toMatch(/^[a-z]+:\d+\.\d+\.\d+-bookworm(-slim)?$/)
  expect(read('rust-toolchain.toml')).toContain(/rust:(\d+\.\d+)/.exec(stages.rust.image)[1])
  for (const [name, { port, probes }] of Object.entries(SERVERS)) {
    const image = imageOf(stages[name])
    expect({ user: image.user, port: image.port, env: image.env.PORT }).toEqual({
      user: '1000:1000',
      port,
      env: String(port),
    })
    expect(image.check[2]).toContain(`\${process.env.PORT}${probes}/healthz`)
    const fromBuild = image.copies.flatMap(({ sources }) => sources).filter(source => !source.includes('.next'))
    for (const source of fromBuild) expect([source, filesOf(source).length > 0]).toEqual([source, true])
  }
})

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return String(port)
}

// The web app is built by `npm run test:all` and by `npm run build` in `web/`.
const built = Object.keys(SERVERS).filter(
  name => name !== 'web' || existsSync('web/.next/standalone') || process.env.CI,
)

test.each(built)(
  'the files of the %s image serve: its command starts, its probe succeeds, SIGTERM ends it',
  async name => {
    const image = imageOf(readStages()[name])
    const folder = assemble(image)
    const env = {
      PATH: process.env.PATH,
      ...image.env,
      HOST: '127.0.0.1',
      HOSTNAME: '127.0.0.1',
      PORT: await freePort(),
      TOOLGATE_GEMINI_BASE_URL: 'http://127.0.0.1:9',
      TOOLGATE_CALENDAR_FOLDER: path.join(folder, 'calendar'),
    }
    const child = spawn(process.execPath, image.start.slice(1), { cwd: folder, env, stdio: 'ignore' })
    afterTest(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const check = async port => {
      const probe = spawn(process.execPath, image.check.slice(1), { env: { ...env, PORT: port }, stdio: 'ignore' })
      return (await once(probe, 'exit'))[0]
    }
    await eventually(async () => (await check(env.PORT)) === 0, 'a probe that succeeds')
    expect(await check('9')).toBe(1)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
)

test('variables that the files set are documented', () => {
  const documented = read('docs/configuration.md')
  const compose = load(read('deploy/compose.yaml'), MERGING)
  const names = ['web', 'voice'].flatMap(name => Object.keys(compose.services[name].environment))
  const containers = KUBERNETES.flatMap(([, [deployment]]) => deployment.spec.template.spec.containers)
  for (const name of [...names, ...containers.flatMap(({ env }) => env.map(one => one.name))])
    expect([name, documented.includes(`\`${name}\``)]).toEqual([name, true])
})

test('the servers send their spans to the collector, and it to a service that is there', () => {
  const { services } = load(read('deploy/compose.yaml'), MERGING)
  const { receivers, exporters, processors, service } = load(read('deploy/collector/collector.yaml'))
  const listening = `http://collector:${receivers.otlp.protocols.http.endpoint.split(':')[1]}`
  for (const name of Object.keys(SERVERS))
    expect(services[name].environment.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(listening)
  const { traces } = service.pipelines
  expect(traces.receivers).toEqual(Object.keys(receivers))
  expect(traces.processors).toEqual(Object.keys(processors))
  expect(traces.exporters).toEqual(Object.keys(exporters))
  const { jaeger } = Object.fromEntries(Object.keys(services).map(name => [name, true]))
  expect([jaeger, new URL(exporters.otlphttp.endpoint).hostname]).toEqual([true, 'jaeger'])
  const { datasources } = load(read('deploy/grafana/provisioning/datasources/jaeger.yaml'))
  expect(datasources.map(({ url }) => new URL(url).hostname)).toEqual(['jaeger'])
})

/** What the web app waits for at most; the voice server ends when its registry has closed, which is less. */
const drainMs = () => Number(/LIMIT_MS = ([\d_]+)/.exec(read('web/lib/shutdown.ts'))[1].replaceAll('_', ''))

test('compose publishes on this machine alone, and mounts files that exist', () => {
  const { services, configs, volumes } = load(read('deploy/compose.yaml'), MERGING)
  for (const [name, service] of Object.entries(services)) {
    for (const port of service.ports ?? [])
      expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)])
    for (const mount of service.volumes ?? []) {
      const [from] = mount.split(':')
      const exists = from.startsWith('./') ? existsSync(path.join(ROOT, 'deploy', from)) : Object.hasOwn(volumes, from)
      expect([mount, exists]).toEqual([mount, true])
    }
    for (const { source } of service.configs ?? []) expect(configs).toHaveProperty(source)
    if (service.image) expect(service.image).toMatch(/:v?\d+\.\d+\.\d+(-bookworm)?$/)
  }
  const {
    rule_files: rules,
    scrape_configs: [
      {
        static_configs: [{ targets }],
      },
    ],
  } = load(read('deploy/prometheus/prometheus.yaml'))
  expect(rules).toEqual(['alerts.yaml'])
  expect(targets).toEqual(
    Object.entries(SERVERS)
      .map(([name, { port }]) => `${name}:${port}`)
      .reverse(),
  )
  for (const name of Object.keys(SERVERS))
    expect([name, Number.parseInt(services[name].stop_grace_period, 10) * 1000 > drainMs()]).toEqual([name, true])
  expect(services.web.environment.TOOLGATE_ALLOWED_HOSTS.split(',').sort()).toEqual(Object.keys(SERVERS).sort())
})

test.each(KUBERNETES)('%s in Kubernetes: probes of the server, no rights, time to drain', (name, documents) => {
  const { port, probes } = SERVERS[name]
  expect(documents.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'])
  const [deployment, service, budget, policy] = documents
  const { spec } = deployment.spec.template
  const [container] = spec.containers
  // With one instance, a budget of one would keep every node from being drained.
  expect(deployment.spec.replicas).toBeGreaterThan(budget.spec.minAvailable)
  expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
  const asked = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(probe => container[probe].httpGet)
  const path = probe => ({ path: `${probes}${probe}`, port: 'http' })
  expect(asked).toEqual([path('/healthz'), path('/healthz'), path('/readyz')])
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true })
  expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true })
  const pause = Number(container.lifecycle.preStop.exec.command[1])
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(pause + drainMs() / 1000)
  const { labels } = deployment.spec.template.metadata
  const selectors = [deployment.spec.selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels]
  expect([...selectors, policy.spec.podSelector.matchLabels]).toEqual([labels, labels, labels, labels])
})
