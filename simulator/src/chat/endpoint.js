// POST /v1/chat/completions and GET /v1/models. Stateless: the history of each request says where the scenario stands.

import { perform } from '../perform.js';
import { SIMULATOR_NAME } from '../identity.js';
import { describeRequest } from '../recorder.js';
import { chooseBranch, chooseRule, exhaustedStep, fallbackStep } from '../scenario/choose.js';
import { StreamedAnswer, WholeAnswer } from './answers.js';
import { invalidRequest } from '../openai/errors.js';
import { sendError } from '../openai/send-error.js';
import { checkRequest } from './check-request.js';
import { readHistory } from './history.js';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {{ scenario: () => import('../scenario/compile.js').CompiledScenario, log: (line: string) => void, record: (entry: object) => void }} host
 */
export async function completeChat(request, response, host) {
  const text = await readBody(request);
  if (text === null) return sendError(response, { ...invalidRequest('the body is too large'), status: 413 });
  const body = parseJson(text);
  const seen = body === undefined ? { json: undefined, text } : { json: body };
  host.record({ protocol: 'chat', ...describeRequest(request), ...seen });
  const error = body === undefined ? invalidRequest('the JSON body of the request could not be parsed') : checkRequest(body);
  if (error !== null) {
    host.log(`chat refused: ${error.message}`);
    return sendError(response, error);
  }
  return answer(body, response, host);
}

async function answer(body, response, { scenario, log }) {
  const current = scenario();
  const { step, view } = nextStep(current, body);
  const output = body.stream === true ? new StreamedAnswer({ response, body, log }) : new WholeAnswer({ response, body, log });
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    await perform(chooseBranch(step, view).emit, view, output, current.settings, gone.signal);
    output.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    log('chat client went away');
  }
}

function nextStep(scenario, body) {
  const standing = readHistory(body.messages);
  const { turn, text, results, tools } = standing;
  const occasion = { protocol: 'chat', turn, declared: declaredTools(body), source: 'text', text, tools };
  const chosen = chooseRule(scenario, { ...occasion, kind: 'user' });
  const view = { turn, scenario: scenario.name, user: text, match: chosen?.match ?? {}, results, result: results.at(-1) };
  return { step: chosen?.rule.steps[standing.step] ?? unscripted(scenario, standing.step, occasion), view };
}

function unscripted(scenario, step, occasion) {
  if (step === 0) return fallbackStep(scenario);
  return chooseRule(scenario, { ...occasion, kind: 'results' })?.rule.steps[0] ?? exhaustedStep(scenario);
}

function declaredTools({ tools = [], tool_choice: choice }) {
  return choice === 'none' ? [] : tools.flatMap((tool) => (tool.function === undefined ? [] : [tool.function.name]));
}

/** @param {import('node:http').ServerResponse} response */
export function listModels(response) {
  const data = [{ id: SIMULATOR_NAME, object: 'model', created: 0, owned_by: SIMULATOR_NAME }];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // read on, so that the client gets the answer and not a reset
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
