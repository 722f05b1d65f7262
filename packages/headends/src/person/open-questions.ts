import type { ApprovalDecision, Approver, Asker, JsonObject, PersonAnswer } from '@troupe/schema'

/** A call that needs an approval. */
export interface OpenApproval {
  readonly kind: 'approval'
  /** The id of the approval. */
  readonly id: string
  readonly runId: string
  readonly agent: string
  readonly toolName: string
  readonly args: JsonObject
  /** Why a hook, or a rule about arguments, asks. */
  readonly reason?: string
  settle(decision: ApprovalDecision): void
}

/** What a tool asks. */
export interface OpenInquiry {
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

/** What a run asks a person, as long as nobody has answered. */
export type OpenQuestion = OpenApproval | OpenInquiry

/** What a run and all below it ask whoever is at the other end of its protocol. */
export interface OpenQuestions {
  readonly approve: Approver
  readonly ask: Asker
  /** In the order in which they were asked. */
  list(): readonly OpenQuestion[]
  find(id: string): OpenQuestion | undefined
}

/** No question is open. `changed` is called when one was asked, answered or given up. */
export function createOpenQuestions(changed: () => void): OpenQuestions {
  const open = new Map<string, OpenQuestion>()
  let count = 0

  /** Waits for an answer, or for the run to give up. */
  function put<Answer>(
    id: string,
    signal: AbortSignal,
    {
      question,
      givenUp,
    }: { question(settle: (answer: Answer) => void): OpenQuestion; readonly givenUp: Answer },
  ): Promise<Answer> {
    if (signal.aborted) return Promise.resolve(givenUp)
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        signal.removeEventListener('abort', giveUp)
        if (!open.delete(id)) return
        resolve(answer)
        changed()
      }
      const giveUp = (): void => settle(givenUp)
      signal.addEventListener('abort', giveUp, { once: true })
      open.set(id, question(settle))
      changed()
    })
  }

  return {
    approve: ({ approvalId: id, runId, agent, toolName, args, reason }, signal) =>
      put<ApprovalDecision>(id, signal, {
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
        givenUp: { decision: 'denied', reason: 'Nobody answered.' },
      }),
    ask({ question, choices, form, runId, agent, toolName }, signal) {
      count += 1
      const id = `${runId}/question-${count}`
      const more = { ...(choices === undefined ? {} : { choices }), ...(form === undefined ? {} : { form }) }
      return put<PersonAnswer>(id, signal, {
        question: (settle) => ({ kind: 'question', id, runId, agent, toolName, question, ...more, settle }),
        givenUp: { answered: false, reason: 'Nobody answered.' },
      })
    },
    list: () => [...open.values()],
    find: (id) => open.get(id),
  }
}
