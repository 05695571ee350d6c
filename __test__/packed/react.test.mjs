// `toolgate/react` of the packed package, rendered by React.
import { createProject, packPackage } from './project.mjs'

const PROGRAM = `
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Confirmations } from 'toolgate/react'

const request = (id, state = 'approval-requested') => ({ type: 'tool-send', state, approval: { id } })
const parts = [{ type: 'text', text: 'Shall I?' }, request('a'), request('b'), request('c', 'approval-responded'), request('constructor')]
const metadata = { confirmations: { a: 'Send <b> to Ada', c: 'Send it' } }
const answers = []
const props = { message: { parts, metadata }, answer: answer => answers.push(answer) }
const rendered = more => renderToStaticMarkup(createElement(Confirmations, { ...props, ...more }))
const buttons = Confirmations(props).props.children.flatMap(card => card.props.children.filter(({ type }) => type === 'button'))
for (const { props } of buttons) props.onClick()
const renamed = rendered({ className: 'card', labels: { card: 'Rückfrage', confirm: 'Ja' } })
console.log(JSON.stringify([rendered(), renamed, rendered({ message: { parts } }), answers]))
`

test('a card for each request that waits and has a preview', async () => {
  const packed = await packPackage()
  const dependencies = { react: '19', 'react-dom': '19' }
  const project = await createProject({ tarball: packed.tarball, dependencies, files: { 'main.mjs': PROGRAM } })
  try {
    const [plain, renamed, none, answers] = JSON.parse(await project.run('node', ['main.mjs']))
    expect(plain).toBe(
      '<p role="group" aria-label="Confirmation">Send &lt;b&gt; to Ada <button type="button">Approve</button> <button type="button">Deny</button></p>',
    )
    expect(renamed).toBe(
      '<p role="group" aria-label="Rückfrage" class="card">Send &lt;b&gt; to Ada <button type="button">Ja</button> <button type="button">Deny</button></p>',
    )
    expect(none).toBe('')
    expect(answers).toEqual([
      { id: 'a', approved: true },
      { id: 'a', approved: false },
    ])
  } finally {
    await project.remove()
    await packed.remove()
  }
}, 240_000)
