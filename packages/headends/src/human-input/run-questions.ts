import {
  type ApprovalDecision,
  type Approver,
  type Asker,
  type JsonObject,
  type PersonAnswer,
  isJsonObject,
} from '@troupe/schema'

/** A tool call that needs an approval. */
export interface ApprovalQuestion {
  readonly kind: 'approval'
  /** Approval id. */
  readonly id: string
  readonly runId: string
  readonly agent: string
  readonly toolName: string
  readonly args: JsonObject
  /** Reason of the hook or the rule about arguments that requires the approval. */
  readonly reason?: string
  settle(decision: ApprovalDecision): void
}

/** A question of a tool to a person. */
interface ToolQuestion {
  readonly kind: 'question'
  readonly id: string
  readonly runId: string
  readonly agent: string
  readonly toolName: string
  readonly question: string
  readonly choices?: readonly string[]
  readonly form?: JsonObject
  settle(answer: PersonAnswer): void
}

/** An approval or question that is not answered yet. */
export type OpenQuestion = ApprovalQuestion | ToolQuestion

/** Open questions of a run tree to the user of its client. */
export interface RunQuestions {
  readonly approve: Approver
  readonly ask: Asker
  /** Returns the open questions, the oldest first. */
  list(): readonly OpenQuestion[]
  find(id: string): OpenQuestion | undefined
}

/**
 * Creates an empty list of questions. `changed` is called when a question is added, answered or withdrawn.
 */
export function createRunQuestions(onChange: () => void): RunQuestions {
  const open = new Map<string, OpenQuestion>()
  let count = 0

  /** Adds a question and waits for its answer. Resolves with the fallback when the signal aborts. */
  function add<Answer>(
    id: string,
    signal: AbortSignal,
    {
      question,
      fallback,
    }: { question(settle: (answer: Answer) => void): OpenQuestion; readonly fallback: Answer },
  ): Promise<Answer> {
    if (signal.aborted) return Promise.resolve(fallback)
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        signal.removeEventListener('abort', withdraw)
        if (!open.delete(id)) return
        resolve(answer)
        onChange()
      }
      const withdraw = (): void => settle(fallback)
      signal.addEventListener('abort', withdraw, { once: true })
      open.set(id, question(settle))
      onChange()
    })
  }

  return {
    approve: ({ approvalId: id, runId, agent, toolName, args, reason }, signal) =>
      add<ApprovalDecision>(id, signal, {
        question: (settle) => ({
          kind: 'approval',
          id,
          runId,
          agent,
          toolName,
          args,
          ...(reason === undefined ? {} : { reason }),
          settle,
        }),
        fallback: { decision: 'denied', reason: 'No answer was given.' },
      }),
    ask({ question, choices, form, runId, agent, toolName }, signal) {
      count += 1
      const id = `${runId}/question-${count}`
      const more = { ...(choices === undefined ? {} : { choices }), ...(form === undefined ? {} : { form }) }
      return add<PersonAnswer>(id, signal, {
        question: (settle) => ({ kind: 'question', id, runId, agent, toolName, question, ...more, settle }),
        fallback: { answered: false, reason: 'No answer was given.' },
      })
    },
    list: () => [...open.values()],
    find: (id) => open.get(id),
  }
}

const YES = new Set(['yes', 'y', 'ok', 'approve', 'approved', 'true'])
const NO = new Set(['no', 'n', 'deny', 'denied', 'reject', 'rejected', 'false'])

/**
 * Parses a decision of a client: a word, a boolean, or an object with `decision` or `approved` and an
 * optional `reason`. Returns `undefined` if it is unclear, which approves nothing.
 */
export function readDecision(value: unknown): ApprovalDecision | undefined {
  if (!isJsonObject(value)) return toDecision(value)
  const { decision, approved, reason } = value
  const read = toDecision(decision ?? approved)
  return read === undefined || typeof reason !== 'string' ? read : { ...read, reason }
}

/**
 * Parses an answer of a client: a text, `{text, values?}`, or the fields of a form. Returns `undefined` if it
 * is not an answer.
 */
export function readAnswer(value: unknown): PersonAnswer | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { answered: true, text: value }
  if (!isJsonObject(value)) return undefined
  const { text, values } = value
  if (isJsonObject(values))
    return { answered: true, text: typeof text === 'string' ? text : JSON.stringify(values), values }
  if (typeof text === 'string') return { answered: true, text }
  return { answered: true, text: JSON.stringify(value), values: value }
}

function toDecision(value: unknown): ApprovalDecision | undefined {
  if (typeof value !== 'string' && typeof value !== 'boolean') return undefined
  const word = String(value).trim().toLowerCase().replace(/[.!]$/u, '')
  if (YES.has(word)) return { decision: 'approved' }
  return NO.has(word) ? { decision: 'denied' } : undefined
}
