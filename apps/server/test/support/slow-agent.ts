import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import type { TeamToServe } from './serve-team.ts'

/** Returns an agent whose model waits for `answer` or for cancellation. */
export function slowAgent(): Pick<TeamToServe, 'cards' | 'models'> & {
  /** Resolves when the model is called. */
  readonly begun: Promise<void>
  /** Resolves when the model call is cancelled. */
  readonly stopped: Promise<void>
  /** Lets the model answer. */
  answer(): void
} {
  const begun = deferred()
  const stopped = deferred()
  const answered = deferred()
  const slow = scriptedModel(async (_, { options: { abortSignal } }) => {
    abortSignal?.addEventListener('abort', () => stopped.resolve())
    begun.resolve()
    await Promise.race([stopped.promise, answered.promise])
    return { text: 'At last.' }
  })
  const agent = defineAgent({
    name: 'Slow',
    description: 'Takes its time.',
    instruction: 'Take your time.',
    model: 'test/slow',
  })
  return {
    cards: [agent],
    models: { slow },
    begun: begun.promise,
    stopped: stopped.promise,
    answer: () => answered.resolve(),
  }
}
