// The routes of the talk page: those of `toolgate/web`, with this app's model, users and settings.
import { convertToModelMessages, streamText } from 'ai'
import { loadTextPrompt, userClock } from 'toolgate'
import { cookieSecretOf } from 'toolgate/http'
import { type AgentAnswer, type AgentRoutes, type AgentVisitor, checkOrigin, createAgentRoutes } from 'toolgate/web'
import { loadGate } from './gate'
import { allowedOrigins } from './known-host'
import { logFailure } from './log-failure'
import { peerOf } from './peer-address'
import { describeProviderFailure, languageModel } from './provider'
import { loadReception } from './reception'
import { RequestRefusal, failureResponse } from './request-refusal'

/** Platforms end a request at its `maxDuration` (30 s) without an error: the server stops earlier, with a message. */
const ANSWER_LIMIT_MS = 28_000

// On `globalThis`: routes are bundled separately.
const KEY = Symbol.for('toolgate.web.agent')
const shared = globalThis as { [KEY]?: Promise<AgentRoutes> }

/** Answers a request by the routes of the package. */
export async function answerAgent(request: Request): Promise<Response> {
  const routes = await loadAgent()
  const handle = request.method === 'GET' ? routes.GET : request.method === 'DELETE' ? routes.DELETE : routes.POST
  return handle(request)
}

/** A route of users of the app's own: for pages of this app, within the limits, and for who has an identity if that is asked for. */
export async function userRoute(
  request: Request,
  route: (visitor: AgentVisitor) => Promise<Response>,
): Promise<Response> {
  return (await loadAgent()).respond(request, route)
}

const loadAgent = (): Promise<AgentRoutes> => (shared[KEY] ??= openAgent())

async function openAgent(): Promise<AgentRoutes> {
  const { authenticate, limits } = await loadReception()
  return createAgentRoutes(loadGate, {
    authenticate,
    answer,
    // Which host names are the app's is checked before Next sees a request.
    allowedOrigins: request => checkOrigin(request, allowedOrigins()),
    answerMs: ANSWER_LIMIT_MS,
    limits,
    addressOf,
    cookieSecret: cookieSecretOf(process.env),
    onError: failureResponse,
    errorText: describeProviderFailure,
  })
}

const answer: AgentAnswer = async ({ messages, tools, ...gate }, { timeZone }) => {
  const model = languageModel()
  return streamText({
    model,
    system: `${await loadTextPrompt({ registry: await loadGate() })}\n${userClock({ timeZone })}`,
    messages: await convertToModelMessages(messages, { tools }),
    tools,
    onError: ({ error }) => logFailure('the answer broke off', error),
    ...gate,
  })
}

function addressOf(request: Request): string | null {
  const peer = peerOf(request.headers)
  // A server that still starts does not look at requests yet.
  if (peer === null) throw new RequestRefusal(503, 'BUSY', 'the server is still starting', {}, { 'retry-after': '1' })
  return peer.client
}
