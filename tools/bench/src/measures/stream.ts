import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { tokenModel, tokensOf } from '../models.ts'
import type { Effort } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'

/** CPU µs per token; all sessions at once, each with its own listener. */
export async function measureStream(
  subject: Subject,
  options: Effort & { readonly tokens: number; readonly sessions: number },
): Promise<number> {
  const { tokens, sessions } = options
  const text = tokensOf(tokens).join('')
  let heard = 0
  let answers: readonly string[] = []
  const onToken = (): void => {
    heard += 1
  }
  const runs = Array.from({ length: sessions }, () => subject.stream({ model: tokenModel(tokens), onToken }))
  const { cpu } = await cpuOf(async () => {
    heard = 0
    answers = await Promise.all(runs.map((run) => run()))
    assert.equal(heard, tokens * sessions, 'tokens that arrived')
  }, options)
  for (const answer of answers) assert.equal(answer, text)
  return cpu / (tokens * sessions)
}
