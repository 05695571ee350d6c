// Types of a scenario document that is valid against scenario.schema.json, and of the values that its steps use.

/** @import { JsonObject } from '../parse-json.js' */

/**
 * @typedef {'live' | 'realtime' | 'gptLive' | 'chat' | 'responses' | 'messages' | 'gemini'} ProtocolName
 *
 * @typedef {'stop' | 'length' | 'tool_calls' | 'content_filter'} FinishReason
 *
 * @typedef {object} ScenarioDocument
 * @property {string} [name]
 * @property {Partial<ScenarioSettings>} [settings]
 * @property {Partial<ScenarioAudio>} [audio]
 * @property {'assistant'} [otherwise] who answers where no rule fits
 * @property {ScenarioRule[]} rules
 *
 * @typedef {object} ScenarioSettings
 * @property {string} label
 * @property {number} pieceChars
 * @property {number} pieceDelayMs
 * @property {number} toneMs
 * @property {number} listenMs
 * @property {number} sessionSeconds
 * @property {'forgotten' | 'repeated' | 'renewed'} resumedCalls of a Live session
 *
 * @typedef {object} ScenarioAudio
 * @property {string[]} transcripts
 * @property {string} untranscribed
 *
 * @typedef {object} ScenarioRule
 * @property {string} [name]
 * @property {'always' | RuleConditions} [when]
 * @property {ScenarioStep[]} steps
 *
 * @typedef {object} RuleConditions
 * @property {UtterancePattern} [user]
 * @property {string | true} [results]
 * @property {'setup'} [event]
 * @property {ProtocolName | ProtocolName[]} [protocol]
 * @property {'text' | 'audio'} [source]
 * @property {number} [turn]
 * @property {number} [connection]
 * @property {boolean} [resumed]
 * @property {string[]} [declared]
 *
 * @typedef {string | { contains?: string, regex?: string, flags?: string }} UtterancePattern
 *
 * @typedef {object} ScenarioStep has either `emit` or `choose`
 * @property {ScenarioAction[]} [emit]
 * @property {boolean} [complete]
 * @property {ScenarioBranch[]} [choose]
 *
 * @typedef {object} ScenarioBranch
 * @property {ScenarioCondition | ScenarioCondition[]} [if]
 * @property {ScenarioAction[]} emit
 * @property {boolean} [complete]
 *
 * @typedef {object} ScenarioCondition
 * @property {string} path
 * @property {boolean} [exists]
 * @property {unknown} [equals]
 * @property {string} [matches]
 *
 * @typedef {Partial<ActionValues>} ScenarioAction has exactly one member
 *
 * @typedef {object} ActionValues the actions by name
 * @property {string | { text: string, pieceChars?: number, literal?: boolean }} say `literal`: no template; the assistant's
 * @property {SayEachAction} sayEach
 * @property {CallAction} call
 * @property {CallAction[]} calls
 * @property {'all' | string[]} cancel ids of calls
 * @property {true} interrupt
 * @property {number} wait milliseconds
 * @property {boolean | CloseParameters} disconnect
 * @property {string} malformed
 * @property {JsonObject} frame
 * @property {{ timeLeft: string }} goAway
 * @property {{ newHandle?: string, resumable?: boolean }} resumption
 * @property {ErrorAction} error
 * @property {FinishReason} finish
 *
 * @typedef {{ [Name in keyof ActionValues]: [name: Name, value: ActionValues[Name]] }[keyof ActionValues]} ActionEntry
 *
 * @typedef {object} SayEachAction
 * @property {string} path
 * @property {string} text
 * @property {string} [separator]
 * @property {number} [limit]
 *
 * @typedef {object} CallAction
 * @property {string} name
 * @property {object} [args]
 * @property {string} [rawArgs]
 * @property {string | null} [id] null: the call is sent without id; absent: a fresh id
 * @property {'before' | 'after' | 'only'} [parts]
 * @property {boolean} [partId]
 * @property {boolean} [literal] no templates in the arguments; the assistant's
 * @property {boolean} [cut] the answer ends inside this call
 *
 * @typedef {object} ErrorAction
 * @property {string} message
 * @property {number} [status]
 * @property {string} [type]
 * @property {string | null} [code]
 * @property {number} [retryAfterSeconds]
 *
 * @typedef {object} CloseParameters of a WebSocket; without a code the TCP connection is terminated without a close
 *   frame
 * @property {number} [code]
 * @property {string} [reason]
 *
 * @typedef {Record<string, unknown>} TemplateView values for templates and conditions
 */

export {}
