'use strict'

// The end of a connection that asked for another protocol and does not get it.

/**
 * Answers and closes. The socket is destroyed once the answer is written: a peer that keeps its own half open would else
 * hold the descriptor for as long as it likes.
 *
 * @param {import('node:net').Socket} socket of the event `upgrade`
 * @param {string} status code and reason, such as `400 Bad Request`
 */
function refuseUpgrade(socket, status) {
  socket.on('error', () => socket.destroy())
  socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  socket.destroySoon()
}

module.exports = { refuseUpgrade }
