import type { ApprovalDecision } from '@troupe/schema'

/** A request that is being answered. */
export interface OpenRequest {
  readonly signal: AbortSignal
  stop(): void
  /** Waits for a click. Resolves as denied when `signal` aborts. */
  ask(approvalId: string, signal: AbortSignal): Promise<ApprovalDecision>
  /** Returns false if the approval is not open. */
  decide(approvalId: string, decision: ApprovalDecision): boolean
}

/** The requests that this process is answering, by team and id. */
export interface OpenRequests {
  begin(key: RequestKey): OpenRequest
  find(key: RequestKey): OpenRequest | undefined
  end(key: RequestKey): void
  stopAll(): void
}

interface RequestKey {
  readonly team: string
  readonly id: string
}

export function createOpenRequests(): OpenRequests {
  const requests = new Map<string, OpenRequest>()
  const nameOf = ({ team, id }: RequestKey): string => `${team}/${id}`
  return {
    begin(key) {
      const request = createOpenRequest()
      requests.set(nameOf(key), request)
      return request
    },
    find: (key) => requests.get(nameOf(key)),
    end: (key) => void requests.delete(nameOf(key)),
    stopAll() {
      for (const request of requests.values()) request.stop()
    },
  }
}

function createOpenRequest(): OpenRequest {
  const stopping = new AbortController()
  const questions = new Map<string, (decision: ApprovalDecision) => void>()
  return {
    signal: stopping.signal,
    stop: () => stopping.abort(),
    ask: (approvalId, signal) =>
      new Promise((resolve) => {
        const settle = (decision: ApprovalDecision): void => {
          questions.delete(approvalId)
          signal.removeEventListener('abort', stopped)
          resolve(decision)
        }
        const stopped = (): void => settle({ decision: 'denied', reason: 'The run was stopped.' })
        questions.set(approvalId, settle)
        signal.addEventListener('abort', stopped, { once: true })
        if (signal.aborted) stopped()
      }),
    decide(approvalId, decision) {
      const settle = questions.get(approvalId)
      settle?.(decision)
      return settle !== undefined
    },
  }
}
