// Work of the host for GPT-Live: each delegation is answered once, whatever the host's agent does, and what is asked for is bounded.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, latch, on } from './support/fixture.js'
import { isReconnected, isSaid, startLive, timesSaid } from './support/gpt-live.js'

const DELEGATE = [call('work')]
/** Every word of the user is delegated. */
const rules = [{ steps: [{ emit: DELEGATE }] }]

/** A conversation whose host does the work so. */
async function startWork(t, delegate, { limits = {}, ...options } = {}) {
  const fixture = await startLive(t, 'host', { rules, server: { delegate, limits }, ...options })
  return { ...fixture, client: await fixture.begin() }
}

/** Events with which the model delegates. */
const delegated = id => ({
  type: 'session.delegation.created',
  offset_ms: 0,
  delegation: { type: 'delegation', id, target: 'client' },
})
const spoken = (words, start_ms = 0) => ({
  type: 'session.input_transcript.delta',
  delta: words,
  start_ms,
  end_ms: start_ms,
})

// They wait more than they work.
describe('work of the host', { concurrency: 4 }, () => {
  test('the host gets the words, what was said before, and a session of the user', async t => {
    const works = []
    const { client } = await startWork(t, async work => {
      works.push(work)
      return { commentary: `Done: ${work.transcript}`, thinking: 'by hand' }
    })
    await client.hears('find a room')
    await client.next(isSaid('Done: find a room'))
    await client.next('turnComplete')
    await client.hears('and a table')
    await client.next(isSaid('Done: and a table'))
    const [first, second] = works
    assert.deepEqual([first.transcript, first.conversation], ['find a room', [{ role: 'user', text: 'find a room' }]])
    assert.deepEqual(
      second.conversation.map(({ role, text }) => `${role}: ${text.trim()}`),
      ['user: find a room', 'assistant: Done: find a room', 'user: and a table'],
    )
    assert.deepEqual([first.session.mode, first.session.sessionId === second.session.sessionId], ['voice', true])
    assert.equal(first.signal.aborted, true)
  })

  test('the session of the host answers no question, takes no result and does not leave', async t => {
    const refused = []
    const { client } = await startWork(t, async ({ session }) => {
      assert.equal(await session.ask({ id: 'a', name: 'end_voice_session', args: {} }), null)
      for (const name of ['approve', 'confirm', 'decline', 'deny', 'detach', 'end', 'results']) {
        await Promise.resolve()
          .then(() => session[name]('x'))
          .catch(error => refused.push(`${name}: ${error.message}`))
      }
      return 'Done.'
    })
    await client.hears('go')
    await client.next(isSaid('Done.'))
    assert.equal(refused.length, 7)
    assert.match(refused[0], /^approve: the session of a delegate has no `approve`/)
  })

  test('words that are transcribed after the delegation are part of the work', async t => {
    const heard = latch()
    const { client, model } = await startWork(t, async ({ transcript }) => (heard.open(transcript), transcript))
    const provider = await model()
    provider.send(spoken('find a room', 10))
    provider.send({ ...delegated('dlg_a'), offset_ms: 900 })
    provider.send(spoken(' for noon', 500))
    assert.equal(await heard.opened, 'find a room for noon')
    await client.next('transcript')
  })

  test('a delegation that comes twice runs once; one without new words runs nothing', async t => {
    let runs = 0
    const delegate = async () => `Run ${(runs += 1)}.`
    const twice = [
      { calls: [{ id: 'dlg_same', name: 'work' }] },
      { calls: [{ id: 'dlg_same', name: 'work' }] },
      ...DELEGATE,
    ]
    const { client, sent, sim } = await startWork(t, delegate, { rules: [on('go', twice)] })
    await client.hears('go')
    await client.next(isSaid('Run 1.'))
    await sim.whenReceived(({ json }) => json?.type === 'session.thinking.append')
    await client.next('turnComplete')
    assert.equal(runs, 1)
    assert.deepEqual(
      sent('session.thinking.append').map(({ content }) => content),
      ['[Nothing new was asked for.]'],
    )
    assert.deepEqual(sim.anomalies, [])
  })

  for (const [what, answer] of Object.entries({
    'a throw': () => {
      throw new Error('out of order')
    },
    'a rejection': async () => Promise.reject(new Error('out of order')),
    'a number': async () => 7,
    'a list': async () => ({ commentary: ['x'] }),
  })) {
    test(`${what} is said as a failure, once`, async t => {
      const { client, logger } = await startWork(t, answer)
      await client.hears('go')
      await client.next(isSaid('What the user asked for failed.'))
      await client.next('turnComplete')
      assert.equal(timesSaid(client, 'failed'), 1)
      assert.ok(logger.lines.some(({ why }) => why === 'failed'))
      assert.deepEqual(client.ofType('error'), [])
    })
  }

  test('a failure names what was carried out before it', async t => {
    const { client } = await startWork(
      t,
      async ({ session }) => {
        const { ok } = await session.execute({ id: 'call_of_the_host_1', name: 'cue_set', args: { cue: 'a' } })
        throw new Error(`after ${ok}`)
      },
      { handlers: { cue_set: async () => ({ ok: true, data: {} }) } },
    )
    await client.hears('go')
    await client.next(isSaid('Carried out before that: `cue_set`.'))
  })

  test('nothing, and a text without words, are said as done', async t => {
    const answers = [undefined, '  ']
    const { client } = await startWork(t, async () => answers.shift())
    for (const words of ['one', 'two']) {
      await client.hears(words)
      await client.next(isSaid('It is done.'))
      await client.next('turnComplete')
    }
  })

  test('work that takes too long is aborted and said so; what it answers later is not said', async t => {
    const [released, late] = [latch(), latch()]
    const { client, begin, server } = await startWork(
      t,
      async ({ signal }) => {
        await released.opened
        late.open(signal.aborted)
        return 'Too late.'
      },
      { limits: { delegationTimeoutMs: 100 } },
    )
    assert.equal(typeof begin, 'function')
    await client.hears('go')
    await client.next(isSaid('took too long and was stopped.'))
    released.open()
    assert.equal(await late.opened, true)
    server.say(client.started.sessionId, 'the end')
    await client.next(isSaid('the end'))
    assert.equal(timesSaid(client, 'Too late.'), 0)
  })

  test('the connection is lost while the host works: its answer is told on the next one, once', async t => {
    const [begun, released] = [latch(), latch()]
    let runs = 0
    const { client, model, sim } = await startWork(t, async () => {
      runs += 1
      begun.open()
      await released.opened
      return 'Here is the answer.'
    })
    await client.hears('go')
    await begun.opened
    ;(await model()).disconnect({ code: 1011 })
    await client.next(isReconnected)
    released.open()
    await client.next(isSaid('Here is the answer.'))
    await client.next('turnComplete')
    assert.deepEqual([runs, timesSaid(client, 'Here is the answer.'), sim.anomalies], [1, 1, []])
  })

  test('who comes back after leaving hears the answer, or that the work was broken off, once', async t => {
    for (const isPatient of [true, false]) {
      const [begun, aborted] = [latch(), latch()]
      const { client, begin, sim } = await startWork(t, async ({ transcript, signal }) => {
        if (transcript !== 'go') return 'Yes.'
        signal.addEventListener('abort', () => aborted.open())
        begun.open()
        await aborted.opened
        if (!isPatient) throw signal.reason
        return 'Here is the answer.'
      })
      await client.hears('go')
      await begun.opened
      await client.close()
      const { sessionId, resumeToken } = client.started
      const second = await begin({ sessionId, resumeToken })
      const told = isPatient ? 'Here is the answer.' : 'was broken off when they left.'
      const { text } = await second.next(isSaid(told))
      assert.ok(text.includes('The user asked earlier: "go"'), text)
      await second.next('turnComplete')
      await second.close()
      const third = await begin({ sessionId, resumeToken })
      third.say('still there')
      await third.next(isSaid('Yes.'))
      await third.next('turnComplete')
      assert.equal(timesSaid(second, told) + timesSaid(third, told), 1)
      assert.deepEqual(sim.anomalies, [])
    }
  })

  test('a call of the host that has no answer when the user leaves is told to them when they return', async t => {
    const [begun, released] = [latch(), latch()]
    const cue_set = async () => {
      begun.open()
      await released.opened
      return { ok: true, data: {} }
    }
    const delegate = async ({ session }) => {
      const { ok } = await session.execute({ id: 'call_of_the_host_1', name: 'cue_set', args: { cue: 'a' } })
      return ok ? 'The cue is set.' : 'The cue is not set.'
    }
    const { client, begin } = await startWork(t, delegate, { handlers: { cue_set } })
    await client.hears('go')
    await begun.opened
    client.socket.terminate()
    await client.closed
    released.open()
    const { sessionId, resumeToken } = client.started
    const second = await begin({ sessionId, resumeToken })
    await second.next(isSaid('The cue is set.'))
    await second.next('turnComplete')
    assert.equal(timesSaid(second, 'The cue is set.'), 1)
  })

  test('a thousand delegations a second are bounded, and the conversation goes on', async t => {
    let [runs, most, running] = [0, 0, 0]
    const released = latch()
    const { client, model, sent, logger } = await startWork(t, async ({ transcript }) => {
      runs += 1
      most = Math.max(most, (running += 1))
      if (!transcript.includes('late')) await released.opened
      running -= 1
      return `Heard: ${transcript}`
    })
    const provider = await model()
    for (let at = 0; at < 1000; at += 1) {
      provider.send(spoken(`work ${at} `, at))
      provider.send({ ...delegated(`dlg_${at}`), offset_ms: at })
    }
    await client.next(({ type, text }) => type === 'transcript' && text.startsWith('work 999'))
    released.open()
    await client.next(isSaid('Heard: work'))
    const answers = ['thinking', 'commentary'].flatMap(kind => sent(`session.${kind}.append`))
    assert.ok(runs <= 8 && most <= 8, `${runs} runs, ${most} at once`)
    assert.ok(answers.length <= 20, `${answers.length} answers`)
    assert.ok(logger.lines.filter(({ message }) => message.startsWith('work of the model was refused')).length <= 5)
    client.say('a late text')
    await client.next(isSaid('Heard: a late text'))
  })

  test('two works at once are both answered', async t => {
    const [first, begun] = [latch(), latch()]
    const { client, model } = await startWork(t, async ({ transcript }) => {
      if (transcript.includes('slow')) {
        begun.open()
        await first.opened
      }
      return `Heard: ${transcript}`
    })
    await client.hears('slow')
    await begun.opened
    ;(await model()).hear('quick')
    await client.next(isSaid('Heard: quick'))
    first.open()
    await client.next(isSaid('Heard: slow'))
    assert.equal(timesSaid(client, 'Heard: '), 2)
  })

  test('a yes that the model delegates too is the answer to the question, and no work', async t => {
    const transcripts = []
    const delegate = async ({ transcript, session }) => {
      transcripts.push(transcript)
      await session.execute({ id: 'call_of_the_host_1', name: 'note_save', args: { text: 'buy milk' } })
      return 'It waits.'
    }
    const { begin, notes, sent } = await startLive(t, 'host', { rules, server: { delegate, spokenConsent: true } })
    const client = await begin()
    await client.hears('save it')
    await client.next(isSaid('Shall I do that?'))
    await client.next('turnComplete')
    await client.speaks('yes')
    assert.equal((await client.next('confirmationClosed')).by, 'speech')
    await client.next(isSaid('It has run.'))
    await client.next('turnComplete')
    assert.deepEqual([transcripts, notes, timesSaid(client, 'It has run.')], [['save it'], ['buy milk'], 1])
    assert.ok(sent('session.thinking.append').some(({ content }) => content.includes('has answered the question')))
  })

  test('what is typed is bounded too, and is part of the conversation', async t => {
    const released = latch()
    const works = []
    const { client, sent } = await startWork(t, async work => {
      works.push(work)
      await released.opened
      return `Heard: ${work.transcript}`
    })
    for (let at = 0; at < 40; at += 1) client.say(`text ${at}`)
    await client.next(isSaid('Too much was asked for at once'))
    released.open()
    await client.next(isSaid('Heard: text'))
    assert.equal(works.length, 8)
    assert.ok(works[7].conversation.some(({ role, text }) => role === 'user' && text.includes('text 7')))
    assert.ok(sent('session.commentary.append').length <= 20)
  })
})
