'use strict'

// The environment variables of the servers and of the command line: one table, of which docs/configuration.md is made.

const { nearest } = require('../tool-sets/suggest.js')
const { DEFAULT_MODELS } = require('./models.js')

/** @typedef {import('./index').Setting} Setting */

const VOICE = /** @type {const} */ (['voice'])
const WEB = /** @type {const} */ (['web'])
const BOTH = /** @type {const} */ (['voice', 'web'])

/** In the order of the page: what most need first. @type {readonly Setting[]} */
const SETTINGS = [
  {
    name: 'OPENAI_API_KEY',
    readBy: BOTH,
    isSecret: true,
    meaning:
      'key of OpenAI: the chat of the web app, OpenAI Realtime and GPT-Live of the voice server, and the tools that draft, describe frames and generate images ([tools](../tools/README.md#services-with-a-key))',
  },
  {
    name: 'GEMINI_API_KEY',
    readBy: BOTH,
    isSecret: true,
    meaning:
      'key of the Gemini Developer API: Gemini Live of the voice server, `search_web`, and without `OPENAI_API_KEY` the tools that draft, describe frames and generate images',
  },
  {
    name: 'BRAVE_API_KEY',
    readBy: BOTH,
    isSecret: true,
    meaning: 'key of Brave Search: `search_web`, in place of Gemini',
  },
  {
    name: 'TOOLGATE_TOOLS_MODEL',
    readBy: BOTH,
    meaning: 'the model of the tools that draft and describe frames, which must support Chat Completions with images',
    default: `\`${DEFAULT_MODELS.openaiText}\` with \`OPENAI_API_KEY\`, else \`${DEFAULT_MODELS.geminiText}\``,
  },
  {
    name: 'TOOLGATE_SEARCH_MODEL',
    readBy: BOTH,
    meaning: 'the Gemini model of `search_web`, which must support grounding with Google Search',
    default: `\`${DEFAULT_MODELS.geminiText}\``,
  },
  {
    name: 'TOOLGATE_IMAGE_MODEL',
    readBy: WEB,
    meaning: "the model of `image_generate`: of OpenAI's Images API, or a Gemini model that makes images",
    default: `\`${DEFAULT_MODELS.openaiImages}\` with \`OPENAI_API_KEY\`, else \`${DEFAULT_MODELS.geminiImages}\``,
  },
  {
    name: 'TOOLGATE_VOICE_PROVIDER',
    readBy: VOICE,
    meaning: '`gemini`, `openai` (Realtime) or `gptLive`',
    default: '`gemini`; `openai` if only `OPENAI_API_KEY` is set',
  },
  {
    name: 'TOOLGATE_OPENAI_MODEL',
    readBy: WEB,
    meaning: 'the model of the chat, which must support Chat Completions with tools',
    default: `\`${DEFAULT_MODELS.chat}\``,
  },
  {
    name: 'TOOLGATE_OPENAI_REALTIME_MODEL',
    readBy: VOICE,
    meaning: 'the model of OpenAI Realtime',
    default: `\`${DEFAULT_MODELS.openaiRealtime}\``,
  },
  {
    name: 'TOOLGATE_GPT_LIVE_MODEL',
    readBy: VOICE,
    meaning: 'the model of GPT-Live, which speaks',
    default: `\`${DEFAULT_MODELS.gptLive}\``,
  },
  {
    name: 'TOOLGATE_GPT_LIVE_BACKEND_MODEL',
    readBy: VOICE,
    meaning: 'the model of the Responses backend that works for GPT-Live, unless `TOOLGATE_VOICE_DELEGATE` does',
    default: `\`${DEFAULT_MODELS.gptLiveBackend}\``,
  },
  {
    name: 'TOOLGATE_VOICE_DELEGATE',
    readBy: VOICE,
    isPath: true,
    meaning:
      'path of a module that exports `delegate`, which works for GPT-Live, and may export `readAloud`, a voice for its questions ([voice](../voice-server/README.md#gpt-live))',
  },
  {
    name: 'TOOLGATE_GEMINI_MODEL',
    readBy: VOICE,
    meaning: 'the model of Gemini Live',
    default: `\`${DEFAULT_MODELS.geminiLive}\``,
  },
  {
    name: 'TOOLGATE_OPENAI_BASE_URL',
    readBy: BOTH,
    meaning: "another endpoint that speaks OpenAI's protocols, such as the simulator's, `http://127.0.0.1:8787/v1`",
    default: "`OPENAI_BASE_URL` beside `OPENAI_API_KEY`, else OpenAI's",
  },
  {
    name: 'OPENAI_BASE_URL',
    readBy: BOTH,
    meaning: "the endpoint of `OPENAI_API_KEY`, under the name that OpenAI's libraries read",
    default: "OpenAI's",
  },
  {
    name: 'TOOLGATE_GEMINI_BASE_URL',
    readBy: BOTH,
    meaning:
      'another endpoint of the Gemini API, without the version: a simulator, a proxy. `GEMINI_API_KEY` is sent there alone',
    default: "Google's",
  },
  {
    name: 'TOOLGATE_BRAVE_BASE_URL',
    readBy: BOTH,
    meaning: 'another endpoint of the Brave Search API, with the version: a proxy',
    default: "Brave's",
  },
  {
    name: 'GOOGLE_GENAI_USE_VERTEXAI',
    readBy: VOICE,
    meaning: "`true`: Gemini through Vertex AI, with the machine's Google credentials",
    default: 'the Developer API',
  },
  { name: 'GOOGLE_CLOUD_PROJECT', readBy: VOICE, meaning: 'the project of Vertex AI' },
  { name: 'GOOGLE_CLOUD_LOCATION', readBy: VOICE, meaning: 'the location of Vertex AI' },
  { name: 'PORT', readBy: BOTH, meaning: 'the listening port; 0 is a free one', default: 'voice: 8788, web: 3000' },
  { name: 'HOST', readBy: VOICE, meaning: 'the listening address', default: '`127.0.0.1`' },
  {
    name: 'HOSTNAME',
    readBy: WEB,
    meaning:
      'the listening address of the standalone server; of `npm start` in `web/` it is `npm start -- --hostname <address>`',
    default: '`127.0.0.1`',
  },
  {
    name: 'TOOLGATE_ARTIFACT',
    readBy: BOTH,
    isPath: true,
    meaning: 'path of another `tool_registry.json`',
    default: 'voice: the tools of the project, else the shipped ones of `toolgate-tools`; web: the shipped ones',
  },
  {
    name: 'TOOLGATE_SOURCES',
    readBy: BOTH,
    isPath: true,
    meaning: 'the folder with the [sources](sources.md) of the tool set',
    default: '`sources` of the folder that the server runs in',
  },
  {
    name: 'TOOLGATE_STORE',
    readBy: ['voice', 'web', 'cli'],
    isSecret: true,
    meaning:
      'session store: `memory`, a `redis://`, `rediss://` or `postgres://` URL, or the path of a file that processes of one machine share ([stores.md](stores.md)). For `toolgate mcp`, `store`, `sessions` and `audit`: what `--store` names',
    default: '`memory`',
  },
  {
    name: 'TOOLGATE_AUDIT',
    readBy: BOTH,
    meaning: '`stdout`, `none`, or the path of a file ([tools/OBSERVABILITY.md](../tools/OBSERVABILITY.md))',
    default: '`stdout`',
  },
  {
    name: 'TOOLGATE_AUDIT_ROTATE',
    readBy: BOTH,
    meaning:
      'when the file of `TOOLGATE_AUDIT` is rotated, and how many rotated files are kept, as in `maxBytes=50000000, maxAgeMs=3600000, keep=100`; `off`: never. Processes that share a file need the same',
    default: '100 MiB, a day, and 30 files',
  },
  {
    name: 'TOOLGATE_AUDIT_KEY',
    readBy: ['voice', 'web', 'cli'],
    isSecret: true,
    meaning:
      "at least 16 bytes: the key of the audit's [hash chain](../tools/OBSERVABILITY.md#the-chain) and of `argsHash`; processes of an installation need the same. For `toolgate audit verify`: what the lines were written with",
    default: 'the key that a store other than `memory` keeps',
  },
  {
    name: 'TOOLGATE_LOG',
    readBy: BOTH,
    meaning: "the least severe lines of the server's own log, JSON lines on standard error: `error`, `warn` or `info`",
    default: '`info`',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    readBy: BOTH,
    meaning:
      'base address to which spans of calls are sent by OTLP, as JSON over HTTP, such as `http://127.0.0.1:4318`. The other variables of OpenTelemetry hold too: `OTEL_SERVICE_NAME`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`, …',
    default: 'no spans',
  },
  {
    name: 'TOOLGATE_KNOWLEDGE_FILE',
    readBy: BOTH,
    isPath: true,
    meaning: 'JSON file with the records of the knowledge base',
    default: 'the sample studio',
  },
  {
    name: 'TOOLGATE_CALENDAR_FOLDER',
    readBy: BOTH,
    meaning:
      'folder of `primary.ics`, `team.ics`, `personal.ics`; new events are written there; processes may share it',
    default: "the sample studio's calendars, changed copies in `.toolgate/calendar`",
  },
  {
    name: 'TOOLGATE_VOICE_URL',
    readBy: WEB,
    meaning: 'URL of the voice server as browsers see it (`wss://…/voice`); without it the page has no voice',
  },
  {
    name: 'TOOLGATE_SPOKEN_CONSENT',
    readBy: VOICE,
    meaning: '`true`, or languages (`en,de`): a spoken yes can confirm',
    default: 'off',
  },
  {
    name: 'TOOLGATE_AUTHENTICATE',
    readBy: BOTH,
    isPath: true,
    meaning:
      'path of a module that exports `authenticate(request)`: who the users are ([voice](../voice-server/README.md), [web](../web/README.md))',
  },
  {
    name: 'TOOLGATE_ALLOW_ANONYMOUS',
    readBy: BOTH,
    meaning: '`1`: starts without `authenticate` on an address that other machines reach, which is refused otherwise',
  },
  {
    name: 'TOOLGATE_ALLOWED_HOSTS',
    readBy: BOTH,
    meaning:
      'further host names, separated by commas, that the server answers to; needed behind a proxy or under a public name. Probes are answered under any name',
    default: "this machine's own names, every address, and the hosts of the allowed origins",
  },
  {
    name: 'ALLOWED_ORIGINS',
    readBy: VOICE,
    meaning:
      'origins, separated by commas, of the pages that may connect; `localhost` allows every page of this machine, `no-origin` every client that sends no origin',
    default: '`localhost,no-origin`',
  },
  {
    name: 'TOOLGATE_ALLOWED_ORIGINS',
    readBy: WEB,
    meaning: 'further origins, separated by commas, whose pages may post',
    default: "the app's own",
  },
  {
    name: 'TOOLGATE_TRUSTED_PROXIES',
    readBy: ['voice', 'web', 'cli'],
    meaning:
      'addresses and subnets of proxies, separated by commas, or `loopback`: only their `X-Forwarded-For` (the client), and for the web app `X-Forwarded-Proto` and `X-Forwarded-Host`, are believed',
  },
  {
    name: 'TOOLGATE_ADDRESS_LIMITS',
    readBy: ['voice', 'web', 'cli'],
    meaning: 'what one address may use, as in `connections=8, requestsPerSecond=5`',
    default: '[limits of a client](deployment.md#limits-of-a-client)',
  },
  {
    name: 'TOOLGATE_PRINCIPAL_LIMITS',
    readBy: ['voice', 'web', 'cli'],
    meaning: 'what one principal may use, as in `sessionsPerMinute=10`',
    default: '[limits of a client](deployment.md#limits-of-a-client)',
  },
  {
    name: 'TOOLGATE_VOICE_FILLER',
    readBy: VOICE,
    meaning:
      'what the user hears while the model waits for a tool: `sound`, `off`, or a sentence that the client speaks; when, and how often, say the limits `thinkingMs` and `thinkingRepeatMs`',
    default: '`sound`',
  },
  {
    name: 'TOOLGATE_VOICE_LIMITS',
    readBy: VOICE,
    meaning:
      '[limits](../voice-server/README.md#limits) of the voice server, as in `idleMs=300000, durationMs=0, providerPingMs=5000, answerSilenceMs=20000, answerRetryMs=250, bargeInSpeechMs=500`',
    default: 'the table of limits',
  },
  {
    name: 'TOOLGATE_RESUME_SECRET',
    readBy: VOICE,
    isSecret: true,
    meaning: 'at least 16 bytes; resume tokens are valid on every server with the same secret',
    default: 'random',
  },
  {
    name: 'TOOLGATE_COOKIE_SECRET',
    readBy: WEB,
    isSecret: true,
    meaning: 'at least 16 bytes: signs the cookies of sessions; the same on all servers',
    default: 'a key that the store keeps',
  },
  {
    name: 'TOOLGATE_METRICS_TOKEN',
    readBy: BOTH,
    isSecret: true,
    meaning: 'at least 16 bytes: the bearer token of `/metrics`, needed from another machine or through a proxy',
    default: 'none: direct requests of this machine',
  },
  { name: 'TOOLGATE_METRICS', readBy: WEB, meaning: '`off` disables `/metrics`' },
  {
    name: 'TOOLGATE_INSPECTOR',
    readBy: WEB,
    meaning: '`on` or `off`: enables or disables `/inspector`',
    default: '`off` in production, else `on`',
  },
  {
    name: 'TOOLGATE_INSPECTOR_SECRET',
    readBy: WEB,
    isSecret: true,
    meaning: 'at least 16 bytes: opens the inspector',
    default: 'random, printed at the start',
  },
  {
    name: 'TOOLGATE_INSPECTOR_HOSTS',
    readBy: WEB,
    meaning: 'further host names, separated by commas, that the inspector answers to',
    default: "this machine's own",
  },
  {
    name: 'TOOLGATE_INSPECTOR_CALLS',
    readBy: BOTH,
    meaning:
      'a file in which the servers keep their last calls for the inspector, with arguments and answers, sensitive values masked; at most 16 MiB',
    default: 'none: the inspector shows those of the web app, from its memory',
  },
  {
    name: 'TOOLGATE_INSPECTOR_AUDIT',
    readBy: WEB,
    meaning:
      'further files, separated by commas, whose audit lines the inspector shows, such as that of a voice server',
    default: 'the file of `TOOLGATE_AUDIT` alone',
  },
  {
    name: 'NODE_ENV',
    readBy: ['voice', 'web', 'cli'],
    meaning:
      '`production`: no simulator in place of a missing key, no inspector, a locked set of tools, and results that JSON writes with a loss pass ' +
      '([tools](../tools/README.md))',
    default: 'development',
  },
  { name: 'TOOLGATE_DEBUG', readBy: ['cli'], meaning: '`1`: prints the stack of an error of the command itself' },
]

/** @type {typeof import('./index').misspeltSettings} */
function misspeltSettings(env) {
  const known = SETTINGS.map(({ name }) => name)
  const unknown = Object.keys(env).filter(name => name.startsWith('TOOLGATE_') && !known.includes(name))
  // A name without a similar one may belong to a tool's service.
  return unknown.flatMap(name => {
    const meant = nearest(name, known)
    return meant === null ? [] : [{ name, meant }]
  })
}

module.exports = { SETTINGS, misspeltSettings }
