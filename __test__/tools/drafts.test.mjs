// What each of the five drafting tools returns, with a scripted model and with the simulator.
import { unsupportedIn } from '../../tools/_services/drafting.js'
import { createLlmSimulator } from '../../tools/_services/llm-simulator.js'
import * as followUp from '../../tools/draft_follow_up_email/handler.js'
import * as actionItems from '../../tools/extract_action_items/handler.js'
import * as proposal from '../../tools/generate_proposal_draft/handler.js'
import * as summary from '../../tools/generate_summary_preview/handler.js'
import * as imagePrompt from '../../tools/image_draft_prompt/handler.js'
import { takes, toolRunner } from './support/run-tool.mjs'
import { UNUSABLE, scriptedLlm } from './support/scripted-llm.mjs'

const always = [
  'that anything was sent, booked, created or agreed on by this draft',
  'names, figures, dates, prices or promises that `facts` does not contain',
]
const byScript = { model: 'scripted', simulated: false }
const bySimulator = { model: 'toolgate-simulator', simulated: true }
const LABEL = '[Simulated draft: no language model is configured]'
const simulator = { llm: createLlmSimulator() }

describe('extract_action_items', () => {
  const run = toolRunner(actionItems, 'extract_action_items')
  const text = 'Mirela will send the estimate by Friday.\nTomas should check\nthe audio build. The weather was fine.'
  const extract = (items, args = { text }) => run(args, { services: { llm: scriptedLlm({ items }).llm } })
  const may_not_claim = [
    ...always,
    'that an item is agreed, assigned in any system, or due on a date that its quote does not name',
  ]

  test('items rest on words of the text; what does not is left out', async () => {
    const first = {
      task: 'Send the estimate',
      owner: 'Mirela',
      due: 'by Friday',
      quote: 'Mirela will send the estimate by Friday',
    }
    const { ok, data } = await extract([
      first,
      { task: 'Check the build', owner: 'Tomas Lind', due: '2026-11-27', quote: 'tomas should check the audio build' },
      { task: 'Pay the invoice', owner: 'Ben', due: null, quote: 'Ben pays the invoice' },
      { task: 'No quote', owner: null, due: null },
      { task: '', quote: 'Mirela' },
      null,
      'text',
    ])
    expect([ok, data]).toEqual([
      true,
      {
        items: [
          first,
          { task: 'Check the build', owner: null, due: null, quote: 'tomas should check the audio build' },
        ],
        dropped: 5,
        left_out: [
          { task: 'Check the build', reason: 'owner_not_in_text' },
          { task: 'Check the build', reason: 'due_not_in_text' },
          { task: 'Pay the invoice', reason: 'not_in_text' },
          { task: 'No quote', reason: 'not_in_text' },
        ],
        facts: [first.quote, 'tomas should check the audio build'],
        may_not_claim,
        ...byScript,
      },
    ])
  })

  test('none, in a fence, and too many', async () => {
    const fenced = scriptedLlm('Here you are:\n```json\n{"items":[]}\n```')
    expect((await run({ text }, { services: { llm: fenced.llm } })).data).toMatchObject({
      items: [],
      dropped: 0,
      facts: [],
    })
    const many = await extract(Array.from({ length: 300 }, () => ({ task: 't', quote: 'Mirela' })))
    expect([many.data.items.length, many.data.dropped]).toEqual([50, 150])
    expect(many.data.left_out).toEqual(Array(20).fill({ task: 't', reason: 'limit' }))
  })

  test('the simulator', async () => {
    expect(
      (
        await run(
          { text: 'Mirela will send the estimate by Friday. Fine weather. TODO: buy tea' },
          { services: simulator },
        )
      ).data,
    ).toEqual({
      items: [
        {
          task: 'Mirela will send the estimate by Friday.',
          owner: 'Mirela',
          due: 'Friday',
          quote: 'Mirela will send the estimate by Friday.',
        },
        { task: 'buy tea', owner: null, due: null, quote: 'TODO: buy tea' },
      ],
      dropped: 0,
      left_out: [],
      facts: ['Mirela will send the estimate by Friday.', 'TODO: buy tea'],
      may_not_claim,
      ...bySimulator,
    })
  })
})

describe('generate_summary_preview', () => {
  const run = toolRunner(summary, 'generate_summary_preview')
  const text = 'The audit took three days. Two of 9 pages failed. The contrast of the menu is too low.'
  const own = 'that the summary is complete, or that the text is true'

  test('carries the sentences that it rests on, and the figures that none has', async () => {
    const { llm, requests } = scriptedLlm({ preview: 'Of 9 pages 7 failed the audit. See https://evil.example/x. ' })
    const { data } = await run({ text, language: 'en-GB' }, { services: { llm } })
    expect(JSON.parse(requests[0].prompt)).toEqual({
      task: 'generate_summary_preview',
      text,
      max_sentences: 3,
      language: 'en-GB',
    })
    expect(data).toEqual({
      preview: 'Of 9 pages 7 failed the audit. See https://evil.example/x.',
      unsupported: ['https://evil.example/x', '7'],
      facts: ['Two of 9 pages failed.'],
      may_not_claim: [
        ...always,
        own,
        '`https://evil.example/x`: the facts do not contain it',
        '`7`: the facts do not contain it',
      ],
      ...byScript,
    })
  })

  test('in another language there may be no facts', async () => {
    const { llm } = scriptedLlm({ preview: '監査が終わりました。' })
    expect((await run({ text, language: 'ja' }, { services: { llm } })).data).toMatchObject({
      facts: [],
      unsupported: [],
    })
  })

  test('the simulator picks sentences', async () => {
    const { data } = await run({ text, max_sentences: 1 }, { services: simulator })
    expect(data).toEqual({
      preview: `${LABEL} The audit took three days.`,
      unsupported: [],
      facts: ['The audit took three days.'],
      may_not_claim: [...always, own],
      ...bySimulator,
    })
  })

  test('what the schema keeps out', () => {
    for (const over of [{ max_sentences: 0 }, { max_sentences: 6 }, { language: 'en; drop' }, { language: 'e' }]) {
      expect(takes('generate_summary_preview', { text, ...over })).toBe(false)
    }
  })
})

describe('draft_follow_up_email', () => {
  const run = toolRunner(followUp, 'draft_follow_up_email')
  const args = {
    recipient: 'Ada',
    facts: ['The review is on 23 November at 10:00.', 'It costs 50,000 euros.'],
    purpose: 'the review',
  }
  const own = 'that the recipient has read, accepted or confirmed anything'

  test('a subject of one line, and what the facts do not have', async () => {
    const { llm, requests } = scriptedLlm({
      subject: 'Review\r\nBcc: eve@example.com',
      body: 'Dear Ada,\n\n1. The review is at 10:00.\n2. It costs 50000 euros, or 45000.\n\u202EBye',
    })
    const { data } = await run(args, { services: { llm } })
    expect(JSON.parse(requests[0].prompt)).toEqual({
      task: 'draft_follow_up_email',
      ...args,
      sender: null,
      tone: 'friendly',
      language: 'en',
    })
    expect(data).toEqual({
      subject: 'Review Bcc: eve@example.com',
      body: 'Dear Ada,\n\n1. The review is at 10:00.\n2. It costs 50000 euros, or 45000.\nBye',
      unsupported: ['eve@example.com', '45000'],
      facts: args.facts,
      may_not_claim: [
        ...always,
        own,
        '`eve@example.com`: the facts do not contain it',
        '`45000`: the facts do not contain it',
      ],
      ...byScript,
    })
  })

  test('half a draft is none', async () => {
    expect(await run(args, { services: scriptedLlm({ subject: 'x' }) })).toEqual(UNUSABLE)
    expect(await run(args, { services: scriptedLlm({ subject: '\u200b', body: 'x' }) })).toEqual(UNUSABLE)
  })

  test('the simulator arranges the facts', async () => {
    const { data } = await run({ ...args, sender: 'Leila', tone: 'formal' }, { services: simulator })
    expect(data).toEqual({
      subject: 'Follow-up: the review',
      body: `${LABEL}\n\nDear Ada,\n\nthe review:\n- ${args.facts[0]}\n- ${args.facts[1]}\n\nYours sincerely,\nLeila`,
      unsupported: [],
      facts: args.facts,
      may_not_claim: [...always, own],
      ...bySimulator,
    })
  })

  test('what the schema keeps out', () => {
    const facts = count => Array.from({ length: count }, () => 'x')
    for (const over of [{ recipient: ' ' }, { facts: [] }, { facts: facts(21) }, { facts: [' '] }, { tone: 'rude' }]) {
      expect(takes('draft_follow_up_email', { ...args, ...over })).toBe(false)
    }
  })
})

describe('generate_proposal_draft', () => {
  const run = toolRunner(proposal, 'generate_proposal_draft')
  const args = { client: 'Averley', need: 'An audio guide.', facts: ['Eleven rooms, 2 languages.'] }
  const own = 'that the proposal is an offer, or that its price, scope or dates are binding'
  const facts = ['Client: Averley', 'Need: An audio guide.', 'Eleven rooms, 2 languages.']

  test('a title and a text, and news while it is made', async () => {
    const news = []
    const services = scriptedLlm({
      title: 'Audio guide',
      text: `## Scope\n\n2 languages for 90,000 €.${' x'.repeat(20_000)}`,
    })
    const { data } = await run(args, { services, progress: update => news.push(update) })
    expect(news).toEqual([{ stage: 'drafting' }])
    expect(data.text).toHaveLength(24_000)
    expect({ ...data, text: '' }).toEqual({
      title: 'Audio guide',
      text: '',
      unsupported: ['90,000'],
      facts,
      may_not_claim: [...always, own, '`90,000`: the facts do not contain it'],
      ...byScript,
    })
  })

  test('the simulator leaves open what it does not know', async () => {
    const { data } = await run(args, { services: simulator })
    expect(data).toEqual({
      title: 'Proposal for Averley',
      text: `${LABEL}\n\n## What you need\n\nAn audio guide.\n\n## What we know\n\n- Eleven rooms, 2 languages.\n\n## What is still open\n\n- Everything that is not listed above, such as price and dates.`,
      unsupported: [],
      facts,
      may_not_claim: [...always, own],
      ...bySimulator,
    })
  })
})

describe('image_draft_prompt', () => {
  const run = toolRunner(imagePrompt, 'image_draft_prompt')
  const own = 'that an image exists, or how it will look'

  test('different prompts, as many as asked for', async () => {
    const services = scriptedLlm({ prompts: ['One', 'One', '', 7, 'Two', 'Three', 'x'.repeat(3000)] })
    expect((await run({ idea: 'a lighthouse', style: 'ink', count: 2 }, { services })).data).toEqual({
      prompts: ['One', 'Two'],
      facts: ['Idea: a lighthouse', 'Style: ink'],
      may_not_claim: [...always, own],
      ...byScript,
    })
    expect((await run({ idea: 'x', count: 4 }, { services })).data.prompts[3]).toHaveLength(2000)
    expect(await run({ idea: 'x' }, { services: scriptedLlm({ prompts: ['', null] }) })).toEqual(UNUSABLE)
  })

  test('the simulator varies view and light', async () => {
    expect((await run({ idea: 'a lighthouse', count: 1 }, { services: simulator })).data).toEqual({
      prompts: ['a lighthouse; clear subject in the centre, plain background, soft daylight'],
      facts: ['Idea: a lighthouse'],
      may_not_claim: [...always, own],
      ...bySimulator,
    })
  })
})

test.each([
  ['1. One\n2) Two', [], []],
  ['at 10:00.', ['10:00'], []],
  ['５０ ٥٠', ['50'], ['٥٠']],
  ['ada@example.com, ada@example.org.', ['ada@example.com'], ['ada@example.org']],
  ["1'000 1,000 1000", ['1000'], []],
  ['7 7 7', [], ['7']],
  [
    Array.from({ length: 50 }, (_, at) => `${at + 100} `).join(''),
    [],
    Array.from({ length: 20 }, (_, at) => `${at + 100}`),
  ],
])('of %j, from %j, unsupported is %j', (text, sources, expected) => {
  expect(unsupportedIn(text, sources)).toEqual(expected)
})
