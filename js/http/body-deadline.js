'use strict'

// A deadline for request bodies on a server that another library created. A server of one's own sets `requestTimeout` and
// `connectionsCheckingInterval` of Node instead, which can't be changed once it listens.

const BODY_TIMEOUT_MS = 15_000

/**
 * Closes the connection of a request whose body has not arrived in time, with 408 if nothing was answered yet.
 *
 * @param {import('node:http').IncomingMessage} request before its body is read
 * @param {import('node:http').ServerResponse} response
 * @param {{ timeoutMs?: number }} [options]
 */
function setBodyDeadline(request, response, { timeoutMs = BODY_TIMEOUT_MS } = {}) {
  if (!hasBody(request.headers)) return
  const timer = setTimeout(() => endUnlessComplete(request, response), timeoutMs)
  // An unread body ends too: Node drops the rest of it after the answer.
  request.once('end', () => clearTimeout(timer))
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
const hasBody = headers => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
function endUnlessComplete({ complete, socket }, { headersSent }) {
  if (complete || socket.destroyed) return
  if (!headersSent) socket.write('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  socket.destroySoon()
}

module.exports = { setBodyDeadline }
