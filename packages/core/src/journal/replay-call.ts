import type { ReplayedCall, RunTreeReplay, RunContext } from '@troupe/schema'
import { createReplayContext, type ExecutedCall } from '../calls/execute-call.ts'
import type { PreparedCall } from '../calls/prepare-call.ts'
import type { Run } from '../session/run.ts'
import { raceCancellation } from '../time/cancellation.ts'

/**
 * Returns the recorded result of a call. Runs no hooks and no tools, only the children that the call had
 * started. `undefined` if the run was cancelled.
 */
export async function replayCall(
  run: Run,
  call: PreparedCall,
  { replay, context }: { readonly replay: RunTreeReplay; readonly context: RunContext },
): Promise<ExecutedCall | undefined> {
  const recorded = replay.call(run.request.runId, call.site.callId)
  for (const child of recorded.children) {
    if (run.cancellation.reason !== undefined) return undefined
    await openAgain(run, { call, child }, context)
  }
  return raceCancellation(recorded.result(), run.cancellation)
}

async function openAgain(
  run: Run,
  { call, child }: { readonly call: PreparedCall; readonly child: ReplayedCall['children'][number] },
  context: RunContext,
): Promise<void> {
  const { tool } = call
  if (tool?.agent !== child.agent) return
  const { attempt, args = call.args } = child
  await tool.execute(args, createReplayContext(run, { call, tool, attempt }, context))
}
