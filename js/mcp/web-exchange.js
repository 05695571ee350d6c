'use strict'

// Requests and responses of Node as those of the web platform, which the SDK's HTTP transports take.

const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')

/**
 * @typedef {import('node:http').IncomingMessage} IncomingMessage
 * @typedef {import('node:http').ServerResponse} ServerResponse
 */

/**
 * @param {IncomingMessage} request whose body has not been read
 * @param {AbortSignal} signal aborts when the client has gone
 * @param {RequestInit & { duplex?: "half" }} [body]
 */
function webRequest({ method = 'GET', headers, url }, signal, body) {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map(one => /** @type {[string, string]} */ ([name, one])),
  )
  // Only the path of the URL is used, and the host was checked.
  return new Request(new URL(url ?? '/', 'http://localhost'), { method, headers: list, signal, ...body })
}

/** Aborts when the response is closed before its end. @param {ServerResponse} response */
function goneSignal(response) {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}

/** @param {Response} answer @param {ServerResponse} response */
async function writeAnswer(answer, response) {
  answer.headers.forEach((value, name) => response.setHeader(name, value))
  response.writeHead(answer.status)
  if (answer.body === null) return void response.end()
  response.flushHeaders()
  // A client that hangs up ends its stream, and that is no error.
  await pipeline(Readable.fromWeb(/** @type {any} */ (answer.body)), response).catch(() => {})
}

module.exports = { goneSignal, webRequest, writeAnswer }
