import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, parentModel, slowModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'
import { withStore } from '../with-store.ts'

/** CPU µs per child, all children of one turn at once. */
export function measureFanOut(
  subject: Subject,
  options: Effort & { readonly children: number; readonly latencyMs: number; readonly kept?: boolean },
): Promise<number> {
  const { children, kept = false } = options
  return withStore(kept, async (setup) => {
    const parent = parentModel(children)
    const child = slowModel(options.latencyMs)
    const run = subject.fanOut({ parent, child, children, ...setup })
    let runs = 0
    const { cpu } = await cpuOf(async () => {
      assert.equal(await run(), LAST_WORDS)
      runs += 1
      assert.equal(child.requests, runs * children, 'children that ran')
      assert.equal(parent.messages, 4, 'messages of the last request')
    }, options)
    return { value: cpu / children, runs }
  })
}
