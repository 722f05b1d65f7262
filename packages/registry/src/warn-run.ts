import type { ErrorCode, RootScope, RunRequest } from '@troupe/schema'

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
  const { runId, rootRunId, parentRunId, agent, instance, site, ancestry } = request
  log.write({
    runId,
    event: {
      type: 'warning',
      time: root.clock.now(),
      runId,
      rootRunId,
      ...(parentRunId === undefined ? {} : { parentRunId }),
      agent: agent.name,
      instance,
      depth: ancestry.length,
      ...(site === undefined ? {} : { callId: site.callId }),
      code,
      message: root.redactor?.redact(message) ?? message,
    },
  })
}
