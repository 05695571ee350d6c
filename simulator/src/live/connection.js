// One Live WebSocket: frames in and out, setup first, close with a reason. What is said is the dialogue's matter.

import { once } from 'node:events';
import { Dialogue } from './dialogue.js';
import { Ear } from './ear.js';
import { declarationsOf, fitCloseReason, parseFrame } from './parse-frame.js';
import * as frames from './server-frames.js';

const INVALID_PAYLOAD = 1007;
const POLICY_VIOLATION = 1008;

export class LiveConnection {
  /** @type {object | null} what the client set up */
  setup = null;
  /** @type {object[]} frames sent by the simulator, in order */
  sent = [];
  #dialogue = null;
  #ear = null;
  #wire = null;
  #buffered = [];
  #transcriptsUsed = 0;
  #saidItCannotTranscribe = false;

  /**
   * @param {object} parts
   * @param {number} parts.number 1-based
   * @param {import('ws').WebSocket} parts.socket
   * @param {string} parts.path
   * @param {import('./endpoint.js').LiveHost} parts.host
   */
  constructor({ number, socket, path, host }) {
    this.number = number;
    this.path = path;
    this.socket = socket;
    this.host = host;
    /** @type {Promise<{ code: number, reason: string }>} */
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: reason.toString() }));
    socket.on('message', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => host.log(`live#${number} socket error: ${error.message}`));
    socket.on('close', (code) => {
      this.#dialogue?.detach(this.#wire);
      host.log(`live#${number} closed (${code})`);
    });
  }

  get isOpen() {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Sends a server frame as the service would: JSON in a binary message. @param {object} frame */
  send(frame) {
    if (!this.isOpen) return;
    this.sent.push(frame);
    this.socket.send(Buffer.from(JSON.stringify(frame)));
  }

  /** Sends anything, JSON or not. @param {string} text */
  sendRaw(text) {
    if (this.isOpen) this.socket.send(Buffer.from(text));
  }

  /**
   * @param {{ code?: number, reason?: string }} [how] without a code the TCP connection is cut, without a close frame
   */
  disconnect({ code, reason = '' } = {}) {
    if (code === undefined) this.socket.terminate();
    else this.socket.close(code, fitCloseReason(reason));
  }

  #receive(bytes) {
    // frames that were already on their way when the simulator closed
    if (!this.isOpen) return;
    const { frame, json = frame, text, problem } = parseFrame(bytes);
    this.host.record({ connection: this.number, path: this.path, json, ...(text === undefined ? {} : { text }) });
    const refusal = problem ?? this.#outOfOrder(frame);
    if (refusal !== null) return this.#refuse(refusal);
    const [[kind, value]] = Object.entries(frame);
    this[HANDLERS[kind]](value);
  }

  #outOfOrder(frame) {
    if ((frame.setup === undefined) === (this.setup === null)) return 'setup must be the first message and only the first';
    const { activityStart, activityEnd } = frame.realtimeInput ?? {};
    if (!this.#ear?.manual && (activityStart ?? activityEnd) !== undefined) {
      return 'activityStart and activityEnd need automaticActivityDetection.disabled in setup';
    }
    return null;
  }

  #refuse(reason, code = INVALID_PAYLOAD) {
    this.host.log(`live#${this.number} refused: ${reason}`);
    this.disconnect({ code, reason });
  }

  onSetup(setup) {
    this.setup = setup;
    const scenario = this.host.scenario();
    const manual = setup.realtimeInputConfig?.automaticActivityDetection?.disabled === true;
    this.#ear = new Ear({ manual, listenMs: scenario.settings.listenMs });
    const handle = setup.sessionResumption?.handle;
    const resumed = handle === undefined ? undefined : this.host.sessions.get(handle);
    if (handle !== undefined && resumed === undefined) return this.#refuse('session not found for this resumption handle', POLICY_VIOLATION);
    const declared = declarationsOf(setup).map(({ name }) => name);
    this.host.log(`live#${this.number} setup: model ${setup.model}, ${declared.length} tools${resumed ? ', resumed' : ''}`);
    this.#dialogue = resumed ?? new Dialogue(scenario);
    this.send(frames.setupComplete());
    this.#offerResumption();
    this.#wire = this.#makeWire(scenario);
    this.#dialogue.attach(this.#wire, { connection: this.number, resumed: resumed !== undefined, declared });
    this.host.ready(this);
  }

  #makeWire(scenario) {
    const modalities = this.setup.generationConfig?.responseModalities ?? ['AUDIO'];
    return {
      send: (frame) => this.send(frame),
      sendRaw: (text) => this.sendRaw(text),
      disconnect: (how) => this.disconnect(how),
      skip: (name) => this.host.log(`live#${this.number} action \`${name}\` skipped: Gemini Live has no such thing`),
      anomaly: (anomaly) => this.host.anomaly({ connection: this.number, ...anomaly }),
      speech: { audioOut: modalities[0] !== 'TEXT', transcribeOut: this.setup.outputAudioTranscription !== undefined },
      toneMs: scenario.settings.toneMs,
      turnCompleted: () => this.#offerResumption(),
    };
  }

  #offerResumption() {
    if (this.setup.sessionResumption === undefined) return;
    const newHandle = this.host.sessions.keep(this.#dialogue);
    this.send(frames.sessionResumptionUpdate({ newHandle, resumable: true }));
  }

  onClientContent({ turns = [], turnComplete = false }) {
    this.#buffered.push(...turns);
    // new content interrupts the model even before its turn is complete
    this.#dialogue.bargeIn();
    if (!turnComplete) return;
    const text = lastUserText(this.#buffered);
    this.#buffered = [];
    this.#utterText(text);
  }

  onRealtimeInput({ text, audio, mediaChunks = [], activityStart, activityEnd, audioStreamEnd }) {
    if (activityStart !== undefined) {
      this.#dialogue.bargeIn();
      this.#ear.startActivity();
    }
    const chunks = mediaChunks.filter(({ mimeType }) => mimeType.startsWith('audio/'));
    for (const chunk of audio === undefined ? chunks : [audio, ...chunks]) this.#hear(chunk);
    if (activityEnd !== undefined || audioStreamEnd === true) {
      this.#saidItCannotTranscribe = false;
      this.#utterAudio();
    }
    if (text !== undefined) this.#utterText(text);
  }

  onToolResponse({ functionResponses }) {
    this.#dialogue.answer(functionResponses);
  }

  #utterText(text) {
    this.#ear.endUtterance();
    this.#saidItCannotTranscribe = false;
    this.#dialogue.utter(text, 'text');
  }

  #hear(chunk) {
    // an open microphone keeps sending while the model speaks; only a manual activity or text interrupts it
    if (!this.#ear.manual && this.#dialogue.isBusy) return;
    if (this.#ear.hear(chunk)) this.#utterAudio();
  }

  #utterAudio() {
    const seconds = this.#ear.endUtterance();
    if (seconds === 0) return;
    const transcript = this.#dialogue.scenario.audio.transcripts[this.#transcriptsUsed];
    if (transcript !== undefined) {
      this.#transcriptsUsed += 1;
      if (this.setup.inputAudioTranscription !== undefined) this.send(frames.inputTranscription(transcript));
      this.#dialogue.utter(transcript, 'audio');
    } else if (!this.#saidItCannotTranscribe) {
      // said once per audio stream: an open microphone would make it repeat itself for ever
      this.#saidItCannotTranscribe = true;
      this.#dialogue.utterUntranscribed(seconds);
    }
  }
}

const HANDLERS = { setup: 'onSetup', clientContent: 'onClientContent', realtimeInput: 'onRealtimeInput', toolResponse: 'onToolResponse' };

function lastUserText(turns) {
  const parts = turns.findLast(({ role }) => role !== 'model')?.parts ?? [];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}
