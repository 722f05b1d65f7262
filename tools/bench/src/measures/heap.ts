import assert from 'node:assert/strict'
import { gatedModel, LAST_WORDS, parentModel } from '../models.ts'
import type { Subject } from '../subjects/subject.ts'
import { liveHeap } from '../heap.ts'

/** Live heap in bytes per child, while all children wait for their model. */
export async function measureHeap(
  subject: Subject,
  { children }: { readonly children: number },
): Promise<number> {
  const warm = subject.fanOut({ parent: parentModel(10), child: gatedModel(Promise.resolve()), children: 10 })
  assert.equal(await warm(), LAST_WORDS)
  const gate = Promise.withResolvers<void>()
  const child = gatedModel(gate.promise)
  const run = subject.fanOut({ parent: parentModel(children), child, children })
  const before = liveHeap()
  const running = run()
  while (child.requests < children) await new Promise((resolve) => setImmediate(resolve))
  const bytes = liveHeap() - before
  gate.resolve()
  assert.equal(await running, LAST_WORDS)
  assert.equal(child.requests, children, 'children that ran')
  return bytes / children
}
