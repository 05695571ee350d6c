// One conversation over a stateless API: requests until the model makes no more calls.

/**
 * @param {{ transport: object, request: (history: object[]) => Promise<object>, history: object[], session: object,
 *   saidIn: (reply: object) => string }} conversation
 * @returns {Promise<string>} the model's last words
 */
export async function untilSaid({ transport, request, history, session, saidIn }) {
  for (;;) {
    const reply = await request(history)
    const calls = transport.receiveToolCalls(reply)
    if (calls.length === 0) return saidIn(reply)
    const repeated = reply.output ?? [transport.assistantMessage]
    history.push(...repeated, ...(await answersTo(calls, session, transport)))
  }
}

/** Runs the calls of one message in the session. @returns {Promise<object[]>} what the transport sends or returns */
export async function answersTo(calls, session, transport) {
  const answers = []
  for (const call of calls) answers.push({ ...call, result: await session.execute(call) })
  return transport.sendToolResults(answers)
}
