// What the simulator sends, against the types that the providers' own SDKs publish: the compiler finds what is missing and
// what no provider sends.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'node:test';
import { connectRealtime, functionTools, silence, simulateRealtime, speech } from './realtime-client.mjs';
import { simulate } from './simulate.mjs';

const { resolve } = createRequire(import.meta.url);
const TSC = resolve('typescript/bin/tsc');
/** Where the SDKs are installed. */
const PACKAGES = dirname(dirname(resolve('typescript/package.json')));

/** @returns {Promise<string>} what the compiler says to these values being of these types; empty where it is content */
async function complaints(t, header, values) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-types-'));
  t.after(() => rm(folder, { recursive: true }));
  await symlink(PACKAGES, join(folder, 'node_modules'));
  const file = join(folder, 'sent.mts');
  const lines = values.map(({ type, value }, index) => `export const value${index}: ${type} = ${JSON.stringify(value)};`);
  await writeFile(file, `${header}\n${lines.join('\n')}\n`);
  const args = [TSC, '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', file];
  return promisify(execFile)(process.execPath, args).then(
    () => '',
    ({ stdout }) => stdout,
  );
}

async function eventsOf(response) {
  return [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json));
}

const call = { call: { name: 'a', args: { x: 1 } } };
const rules = [
  { when: { user: 'go' }, steps: [{ emit: [{ say: 'Hello' }, call, { call: { ...call.call, cut: true } }, { finish: 'length' }] }] },
  { when: { user: 'fail' }, steps: [{ emit: [{ say: 'a' }, { error: { message: 'broken', code: 'server_error' } }] }] },
  { steps: [{ emit: [{ say: 'Hello' }, call] }] },
];

test('Realtime events are of the type that `openai` publishes', async (t) => {
  const sim = await simulateRealtime(t, { rules, audio: { transcripts: ['first'] } });
  const detection = { type: 'server_vad', silence_duration_ms: 100 };
  for (const modality of ['text', 'audio']) {
    const input = { transcription: { model: 'whisper-1' }, turn_detection: detection };
    const client = await connectRealtime(t, sim, { output_modalities: [modality], tools: functionTools('a'), audio: { input } });
    for (const text of ['go', 'fail', 'else']) {
      client.say(text);
      await client.untilDone();
    }
    for (const audio of [speech(200), silence(200), speech(200)]) client.send({ type: 'input_audio_buffer.append', audio });
    await client.untilDone();
    client.send({ type: 'input_audio_buffer.append', audio: silence(200) });
    await client.untilDone();
    client.send({ type: 'input_audio_buffer.clear' }, { type: 'response.cancel' });
    const { item } = sim.realtime.connections.at(-1).sent.findLast((event) => event.item?.role === 'assistant');
    client.send({ type: 'conversation.item.retrieve', item_id: item.id });
    client.send({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 1 });
    client.send({ type: 'conversation.item.delete', item_id: item.id });
    await client.until('conversation.item.deleted');
  }
  const sent = sim.realtime.connections.flatMap((connection) => connection.sent);
  assert.ok(new Set(sent.map(({ type }) => type)).size > 28, [...new Set(sent.map(({ type }) => type))].join(' '));
  // the service's own examples have null where the types have nothing, and some members that the types leave out
  const header = `import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
type Sent<T> = T extends object ? { [K in keyof T]: Sent<T[K]> | (undefined extends T[K] ? null : never) } : T;`;
  const values = sent.map((event) => structuredClone(event));
  for (const { response, session = {} } of values) {
    delete response?.status_details?.error?.message;
    for (const name of ['object', 'id', 'expires_at']) delete session[name];
  }
  const said = await complaints(t, header, values.map((value) => ({ type: 'Sent<RealtimeServerEvent>', value })));
  assert.equal(said, '');
});

test('Responses and their events are of the types that `openai` publishes', async (t) => {
  const sim = await simulate(t, { rules });
  const values = [];
  for (const input of ['go', 'fail', 'else']) {
    const ask = (stream) => fetch(`${sim.url}/v1/responses`, { method: 'POST', body: JSON.stringify({ model: 'm', input, stream, tools: [{ ...functionTools('a')[0], strict: false }] }) });
    values.push({ type: 'SentResponse', value: await (await ask(false)).json() });
    for (const value of await eventsOf(await ask(true))) values.push({ type: 'Sent<ResponseStreamEvent>', value });
  }
  // the SDK adds output_text to what comes, and leaves out whether it is stored
  const header = `import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
type SentResponse = Omit<Response, 'output_text'> & { store: boolean };
type Sent<Event> = Event extends { response: Response } ? Omit<Event, 'response'> & { response: SentResponse } : Event;`;
  assert.equal(await complaints(t, header, values), '');
});

test('chat completions are of the types that `openai` publishes', async (t) => {
  const sim = await simulate(t, { rules });
  const values = [];
  for (const content of ['go', 'else']) {
    const ask = (more) => fetch(`${sim.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more }) });
    values.push({ type: 'ChatCompletion', value: await (await ask({})).json() });
    const chunks = await eventsOf(await ask({ stream: true, stream_options: { include_usage: true } }));
    for (const value of chunks) values.push({ type: 'ChatCompletionChunk', value });
  }
  const header = "import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';";
  assert.equal(await complaints(t, header, values), '');
});

test('messages and their events are of the types that @anthropic-ai/sdk publishes', async (t) => {
  const sim = await simulate(t, { rules });
  const values = [];
  for (const content of ['go', 'else']) {
    const ask = (stream) =>
      fetch(`${sim.url}/v1/messages`, { method: 'POST', headers: { 'anthropic-version': '2023-06-01' }, body: JSON.stringify({ model: 'm', max_tokens: 9, stream, messages: [{ role: 'user', content }] }) });
    values.push({ type: 'Message', value: await (await ask(false)).json() });
    const events = await eventsOf(await ask(true));
    for (const value of events) if (value.type !== 'ping') values.push({ type: 'RawMessageStreamEvent', value });
  }
  const header = "import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';";
  assert.equal(await complaints(t, header, values), '');
});
