import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, leafModel } from '../models.ts'
import type { Effort, SchemaForm } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'

/** CPU µs of a run whose one request carries many tools. */
export async function measureOffer(
  subject: Subject,
  options: Effort & { readonly tools: number; readonly schemas: SchemaForm },
): Promise<number> {
  const model = leafModel()
  const run = subject.offer({ ...options, model })
  const { cpu } = await cpuOf(async () => {
    assert.equal(await run(), LAST_WORDS)
    assert.equal(model.tools, options.tools, 'tools of the request')
  }, options)
  return cpu
}
