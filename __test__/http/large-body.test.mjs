// Others are answered between large bodies: each is parsed in a turn of the event loop of its own.
import { createRequire } from 'node:module'

const { turnToParse } = createRequire(import.meta.url)('../../js/http/large-body.js')

/** What happened, while other work takes a turn of the event loop again and again. */
async function happened(sizes) {
  const order = []
  let isOver = false
  const others = () => {
    order.push('other')
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  await Promise.all(sizes.map(size => turnToParse(size).then(() => order.push(size))))
  isOver = true
  return order
}

test('large bodies that arrive together are parsed one by one, with a turn for others between them', async () => {
  const large = 4 * 1024 * 1024
  const order = await happened([large, large, large, large])
  expect(order.filter(each => each === large)).toHaveLength(4)
  expect(order.some((each, at) => each === large && order[at + 1] === large)).toBe(false)
})

test('a small body waits for nobody', async () => {
  const order = await happened([4 * 1024 * 1024, 100, 256 * 1024])
  expect(order.slice(0, 2)).toEqual([100, 256 * 1024])
})
