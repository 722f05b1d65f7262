import { isJsonObject, type GuardPlace, type OutputContract } from '@troupe/schema'
import { MAX_GUARDS, type AgentGuard, type CallSite, type Guard } from '@troupe/schema/ports'
import { openChild } from '../children/open-child.ts'
import type { ParentRun } from '../children/watch-child.ts'
import { textOfValue } from '../run/json.ts'

/** The position of a check in its run. A resumed run finds the child runs of its guards by it. */
export interface GuardPosition {
  readonly place: GuardPlace
  /** 1-based number of the tool call within the turn; 0 for other texts. */
  readonly ordinal: number
  /** True for the answer of a run that other agents wrote. */
  readonly isEnd?: boolean
}

/** Answer that an agent must give as a guard. */
const VERDICT: OutputContract = Object.freeze({
  format: 'json',
  schema: Object.freeze({
    type: 'object',
    properties: {
      flagged: { type: 'boolean', description: 'True if the text must not pass' },
      reason: { type: 'string', description: 'Why, in a few words; empty if it may pass' },
    },
    required: ['flagged', 'reason'],
    additionalProperties: false,
  }),
})

/**
 * Runs an agent as a guard, as a child of the run. Returns its reason if it flags the text, or `undefined`.
 * Rejects if it gives no complete verdict.
 */
export async function askGuardAgent(
  run: ParentRun,
  guard: AgentGuard,
  check: {
    readonly position: GuardPosition
    /** Index of the guard in its list. */
    readonly index: number
    readonly text: string
    readonly toolName: string | undefined
  },
): Promise<string | undefined> {
  const { position, index, text, toolName } = check
  const site = guardSite(run, position, index)
  const tool = toolName === undefined ? {} : { tool: toolName }
  const input = JSON.stringify({ place: position.place, ...tool, text })
  const result = await openChild(run, guard.agent, {
    site,
    attempt: 1,
    input,
    output: VERDICT,
    historyEnd: undefined,
  })
  const { outcome, value, failure } = result
  if (outcome === 'completed' && isJsonObject(value) && typeof value['flagged'] === 'boolean')
    return value['flagged'] ? textOfValue(value['reason'] ?? '') || 'it flagged the text' : undefined
  throw new Error(failure?.message ?? `it ended with the outcome ${outcome} and without a verdict`)
}

/** Opens the recorded child runs of guards again, whose verdicts are already part of a recorded result. */
export async function reopenGuardAgents(
  run: ParentRun,
  guards: readonly Guard[],
  position: GuardPosition,
): Promise<void> {
  const { runId } = run.request
  for (const [index, guard] of guards.entries()) {
    if (guard.kind !== 'agent') continue
    const site = guardSite(run, position, index)
    const [recorded] = run.root.recording?.replay?.call(runId, site.callId).children ?? []
    if (recorded === undefined) continue
    const { input, attempt } = recorded
    await openChild(run, guard.agent, { site, attempt, input, output: VERDICT, historyEnd: undefined })
  }
}

/** Calls of guards are numbered from here, because their numbers must differ from those of tool calls. */
const FIRST_ORDINAL = 1_000_000
const PLACES: readonly GuardPlace[] = ['input', 'output', 'toolCall', 'toolResult']
const ORDINALS_PER_CALL = (PLACES.length + 1) * MAX_GUARDS

function guardSite(
  run: ParentRun,
  { place, ordinal: call, isEnd = false }: GuardPosition,
  index: number,
): CallSite {
  const { turn } = run.progress
  const slot = isEnd ? PLACES.length : PLACES.indexOf(place)
  const ordinal = FIRST_ORDINAL + call * ORDINALS_PER_CALL + slot * MAX_GUARDS + index
  const callId = `${turn}.${ordinal}`
  return { turn, ordinal, callId, toolUseId: callId, instanceIndex: index + 1 }
}
