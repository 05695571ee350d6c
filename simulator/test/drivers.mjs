// A common driver for every protocol, each with its real client: asks, answers calls, returns the reply.

import { existsSync, readFileSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { connectLive, functionsOf, textOf } from './live-client.mjs'
import { callsIn, connectRealtime, saidIn, simulateRealtime } from './realtime-client.mjs'
import { simulate } from './simulate.mjs'

/**
 * @typedef {{ said: string, calls: { id: string, name: string, args: any }[] }} Reply
 * @typedef {{ ask: (text: string) => Promise<Reply>, answer: (calls: Reply['calls'], results: any[]) => Promise<Reply>
 *   }} Driver
 */

/**
 * @type {Record<string, (t: import('node:test').TestContext, scenario: object | undefined, tools: string[]) =>
 *   Promise<Driver>>}
 */
export const DRIVERS = {
  live,
  realtime,
  chat,
  'chat, streamed': chatStream,
  responses,
  'responses, streamed': responsesStream,
  messages,
  'messages, streamed': messagesStream,
  gemini,
  'gemini, streamed': geminiStream,
}

/** The parameters of a shipped tool; any others have none. */
function parametersOf(name) {
  const file = new URL(`../../tools/${name}/schema.json`, import.meta.url)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).parameters : { type: 'object', properties: {} }
}

const flatDeclaration = name => ({ type: 'function', name, parameters: parametersOf(name) })

function geminiDeclaration(name) {
  const parametersJsonSchema = parametersOf(name)
  return Object.keys(parametersJsonSchema.properties).length === 0 ? { name } : { name, parametersJsonSchema }
}

async function live(t, scenario, tools) {
  const sim = await simulate(t, scenario)
  const client = await connectLive(t, sim, { tools: [{ functionDeclarations: tools.map(geminiDeclaration) }] })
  const reply = async () => {
    const frames = await client.until(frame => frame.toolCall ?? frame.serverContent?.turnComplete)
    return { said: textOf(frames), calls: functionsOf(frames) }
  }
  return {
    ask: text => (client.session.sendRealtimeInput({ text }), reply()),
    answer: (calls, results) => {
      client.session.sendToolResponse({
        functionResponses: calls.map(({ id, name }, at) => ({ id, name, response: results[at] })),
      })
      return reply()
    },
  }
}

async function realtime(t, scenario, tools) {
  const sim = await simulateRealtime(t, scenario)
  const client = await connectRealtime(t, sim, { tools: tools.map(flatDeclaration) })
  const reply = async () => {
    const events = await client.untilDone()
    const calls = callsIn(events).map(({ call_id: id, name, arguments: text }) => ({
      id,
      name,
      args: JSON.parse(text),
    }))
    return { said: saidIn(events), calls }
  }
  return {
    ask: text => (client.say(text), reply()),
    answer: (calls, results) => {
      calls.forEach(({ id }, at) => client.answer(id, results[at]))
      client.send({ type: 'response.create' })
      return reply()
    },
  }
}

async function overHttp(t, scenario, { complete, asked, answered }) {
  const sim = await simulate(t, scenario)
  const history = []
  const next = async (...more) => {
    history.push(...more)
    const { output, ...reply } = await complete(sim, history)
    history.push(...output)
    return reply
  }
  return { ask: text => next(asked(text)), answer: (calls, results) => next(...answered(calls, results)) }
}

const userMessage = content => ({ role: 'user', content })
const openAi = sim => new OpenAI({ apiKey: 'sk-SECRET', baseURL: `${sim.url}/v1`, maxRetries: 0 })

const chatWith = create => (t, scenario, names) => {
  const tools = names.map(name => ({
    type: 'function',
    function: { name, parameters: parametersOf(name) },
  }))
  return overHttp(t, scenario, {
    asked: userMessage,
    answered: (calls, results) =>
      calls.map(({ id }, at) => ({ role: 'tool', tool_call_id: id, content: JSON.stringify(results[at]) })),
    complete: async (sim, messages) => {
      const message = await create(openAi(sim).chat.completions, { model: 'm', messages, tools })
      const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
        id,
        name: called.name,
        args: JSON.parse(called.arguments),
      }))
      return { said: message.content ?? '', calls, output: [message] }
    },
  })
}

function chat(...args) {
  return chatWith(async (completions, request) => (await completions.create(request)).choices[0].message)(...args)
}

function chatStream(...args) {
  return chatWith((completions, request) => completions.stream(request).finalMessage())(...args)
}

const responsesWith = create => (t, scenario, names) =>
  overHttp(t, scenario, {
    asked: userMessage,
    answered: (calls, results) =>
      calls.map(({ id }, at) => ({ type: 'function_call_output', call_id: id, output: JSON.stringify(results[at]) })),
    complete: async (sim, input) => {
      const response = await create(openAi(sim).responses, { model: 'm', input, tools: names.map(flatDeclaration) })
      const calls = response.output.filter(({ type }) => type === 'function_call')
      return {
        said: response.output_text,
        calls: calls.map(call => ({ id: call.call_id, name: call.name, args: JSON.parse(call.arguments) })),
        output: response.output,
      }
    },
  })

function responses(...args) {
  return responsesWith((api, request) => api.create(request))(...args)
}

function responsesStream(...args) {
  return responsesWith((api, request) => api.stream(request).finalResponse())(...args)
}

const messagesWith = create => (t, scenario, names) => {
  const tools = names.map(name => ({ name, input_schema: parametersOf(name) }))
  return overHttp(t, scenario, {
    asked: userMessage,
    answered: (calls, results) => [
      userMessage(
        calls.map(({ id }, at) => ({ type: 'tool_result', tool_use_id: id, content: JSON.stringify(results[at]) })),
      ),
    ],
    complete: async (sim, history) => {
      const anthropic = new Anthropic({ apiKey: 'sk-SECRET', baseURL: sim.url, maxRetries: 0 })
      const { role, content } = await create(anthropic.messages, {
        model: 'm',
        max_tokens: 100,
        messages: history,
        tools,
      })
      const said = content.map(({ text = '' }) => text).join('')
      const calls = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id, name, args: input }))
      return { said, calls, output: [{ role, content }] }
    },
  })
}

function messages(...args) {
  return messagesWith((api, request) => api.create(request))(...args)
}

function messagesStream(...args) {
  return messagesWith((api, request) => api.stream(request).finalMessage())(...args)
}

const geminiWith = create => (t, scenario, names) =>
  overHttp(t, scenario, {
    asked: text => ({ role: 'user', parts: [{ text }] }),
    answered: (calls, results) => [
      {
        role: 'user',
        parts: calls.map(({ id, name }, at) => ({ functionResponse: { id, name, response: results[at] } })),
      },
    ],
    complete: async (sim, contents) => {
      const ai = new GoogleGenAI({ apiKey: 'SECRET_KEY', httpOptions: { baseUrl: sim.url } })
      const config = { tools: [{ functionDeclarations: names.map(geminiDeclaration) }] }
      const parts = await create(ai.models, { model: 'gemini-any', contents, config })
      const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []))
      return {
        said: parts.map(({ text = '' }) => text).join(''),
        calls: calls.map(({ id, name, args }) => ({ id, name, args })),
        output: [{ role: 'model', parts }],
      }
    },
  })

const partsOf = response => response.candidates[0].content.parts

function gemini(...args) {
  return geminiWith(async (models, request) => partsOf(await models.generateContent(request)))(...args)
}

function geminiStream(...args) {
  return geminiWith(async (models, request) => {
    const parts = []
    for await (const chunk of await models.generateContentStream(request)) parts.push(...partsOf(chunk))
    return parts
  })(...args)
}
