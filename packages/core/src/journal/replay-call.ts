import type { ReplayedCall, RootReplay, RunContext } from '@troupe/schema'
import { callContext, type ExecutedCall } from '../calls/execute-call.ts'
import type { CallToRun } from '../calls/prepare-call.ts'
import type { Run } from '../session/run.ts'
import { untilStop } from '../time/stop.ts'

/**
 * Returns the recorded result of a call. Runs no hooks and no tools, only the children that the call had
 * started. `undefined` if the run was cancelled.
 */
export async function replayCall(
  run: Run,
  call: CallToRun,
  { replay, context }: { readonly replay: RootReplay; readonly context: RunContext },
): Promise<ExecutedCall | undefined> {
  const recorded = replay.call(run.request.runId, call.site.callId)
  for (const child of recorded.children) {
    if (run.stop.reason !== undefined) return undefined
    await openAgain(run, { call, child }, context)
  }
  return untilStop(recorded.result(), run.stop)
}

async function openAgain(
  run: Run,
  { call, child }: { readonly call: CallToRun; readonly child: ReplayedCall['children'][number] },
  context: RunContext,
): Promise<void> {
  const { tool } = call
  if (tool?.agent !== child.agent) return
  const { attempt, args = call.args } = child
  await tool.execute(args, callContext(run, { call, tool, attempt }, context))
}
