import { userMessage, type EventPayloads, type Message, type PreparedAgent } from '@troupe/schema'
import { writeWarning } from '../session/problems.ts'
import { isPersistent, redacted, appendEvent, type Run } from '../session/run.ts'
import { isNote, markNote, viewStep } from './view-step.ts'
import { measureContext, type ContextMeter } from './context-size.ts'
import { dropOldTurns, trimOlderResults, type LongConversation, type Shortening } from './plan-shortening.ts'
import { summarise } from './summarise.ts'

const KEEP_TURNS = 6
/**
 * Share of the available tokens that messages may use after shortening. It is far below the threshold, so
 * that the prompt prefix stays the same for many turns.
 */
const TARGET_SHARE = 0.5
/** Reason for shortening: near the limit of the context window, or rejected by the provider as too long. */
export type ShortenReason = 'threshold' | 'overflow'

/**
 * Shortens the view of the conversation according to `context` of the card. The conversation itself is
 * unchanged. Returns false if nothing was shortened.
 */
export async function shortenContext(
  run: Run,
  prepared: PreparedAgent,
  cause: { readonly reason: ShortenReason; readonly available: number | undefined },
): Promise<boolean> {
  const { strategy } = run.definition.context
  if (strategy === 'fail') return false
  const meter = measureContext(run, prepared)
  const long = toLong(run, meter, cause.available)
  const plan = (strategy === 'trim' ? trimOlderResults(long) : undefined) ?? dropOldTurns(long)
  if (plan === undefined) return false
  const summary =
    strategy === 'summarise' && plan.dropped.length > 0
      ? await summaryOf(run, prepared, plan.dropped)
      : undefined
  if (run.cancellation.reason !== undefined) return false
  const before = meter.total
  run.dropped += plan.dropped.filter((message) => !isNote(message)).length
  run.view = viewOf(run, plan, summary)
  run.reportedTokens = undefined
  const payload: EventPayloads['context-shortened'] = {
    strategy: summary === undefined ? 'trim' : 'summarise',
    reason: cause.reason,
    droppedMessages: run.dropped,
    trimmedResults: plan.trimmed,
    tokensBefore: before,
    tokensAfter: meter.fixed + meter.tokensOf(run.view),
    turn: run.turn,
    ...(summary === undefined ? {} : { summary }),
  }
  appendEvent(run, 'context-shortened', payload, isPersistent(run) ? { step: viewStep(run) } : {})
  return true
}

function toLong(run: Run, meter: ContextMeter, available: number | undefined): LongConversation {
  const own = Math.max(0, meter.total - meter.fixed)
  const half = own * TARGET_SHARE
  const free = available === undefined ? half : Math.min(half, available * TARGET_SHARE - meter.fixed)
  return {
    messages: run.view,
    task: run.messages[run.historyLength],
    keepTurns: run.definition.context.keepTurns ?? KEEP_TURNS,
    target: Math.max(0, free),
    tokensOf: meter.tokensOf,
  }
}

/** Summarises the dropped messages. If that fails, warns and leaves them out without a summary. */
async function summaryOf(
  run: Run,
  prepared: PreparedAgent,
  dropped: readonly Message[],
): Promise<string | undefined> {
  const summary = await summarise(run, prepared, dropped)
  if (typeof summary === 'string') return redacted(run, summary)
  const { code, message } = summary.failure
  if (run.cancellation.reason === undefined)
    writeWarning(run, {
      weakens: true,
      code,
      message: `The conversation could not be summarised, so its oldest part is left out: ${message}`,
    })
  return undefined
}

function viewOf(run: Run, plan: Shortening, summary: string | undefined): Message[] {
  if (run.dropped === 0) return [...plan.head, ...plan.tail]
  const note = markNote(Object.freeze(userMessage(noteText(run.dropped, summary))))
  return [...plan.head, note, ...plan.tail]
}

function noteText(dropped: number, summary: string | undefined): string {
  const what = `[The conversation grew too long: ${dropped} earlier messages are left out here.`
  return summary === undefined ? `${what}]` : `${what} This is their summary.]\n\n${summary}`
}
