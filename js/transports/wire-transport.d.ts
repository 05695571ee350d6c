import { ToolTransport } from './transport.js'

/** A transport whose frames the core reads. An event is an SDK's object, a frame's text, or its bytes. */
export class WireTransport<Sent = unknown> extends ToolTransport<Sent> {}
