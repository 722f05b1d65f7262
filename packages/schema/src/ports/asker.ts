import type { MaybePromise } from '../json.ts'
import type { PersonAnswer, Question } from '../question.ts'

/** Asks a person a question of a tool. Must settle when `signal` aborts. */
export type Asker = (
  question: Question & {
    readonly runId: string
    readonly agent: string
    readonly instance: string
    readonly toolName: string
  },
  signal: AbortSignal,
) => MaybePromise<PersonAnswer>
