import { eventHead, type ErrorCode, type RootScope, type RunRequest } from '@troupe/schema'

/** Something that is not as it should be and does not end the run. */
export interface RunWarning {
  readonly code: ErrorCode
  readonly message: string
}

/** Tells a warning. */
export type Warn = (warning: RunWarning) => void

/** Writes a `warning` event for a run that is being prepared. */
export function warnRun(root: RootScope, request: RunRequest, { code, message }: RunWarning): void {
  const { log } = root
  if (!log.active && !log.keeps) return
  const { runId, agent, site, ancestry } = request
  const place = { ...request, agent: agent.name, depth: ancestry.length, callId: site?.callId }
  log.write({
    runId,
    event: {
      ...eventHead(place, 'warning', root.clock.now()),
      code,
      message: root.redactor?.redact(message) ?? message,
    },
  })
}
