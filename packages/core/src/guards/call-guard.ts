import {
  errorMessage,
  isJsonObject,
  type GuardContext,
  type GuardFinding,
  type GuardFunction,
  type GuardPlace,
  type Json,
} from '@troupe/schema'
import { isJsonTextTooDeep } from '@troupe/schema/json'
import type { LoggedRun } from '../log/run-log.ts'
import { raceCancellation } from '../run/cancellation.ts'
import { withTimeout } from '../run/clock.ts'
import { textOfValue } from '../run/json.ts'

/** The finding of a guard in one of the texts of a check. */
export interface FunctionFinding {
  readonly reason: string
  /** The texts without what was found; `undefined` if the function gave none. */
  readonly redacted: readonly Json[] | undefined
}

/**
 * Calls a guard function with each text. Returns its first reason, or `undefined` if it lets all texts pass.
 * Rejects if it throws, takes longer than `limits.hookTimeout` or returns anything else.
 */
export async function callGuard(
  run: LoggedRun,
  check: GuardFunction,
  subject: {
    readonly place: GuardPlace
    readonly texts: readonly Json[]
    readonly toolName: string | undefined
    /** True if the texts without what was found are needed. */
    readonly isRedacted: boolean
  },
): Promise<FunctionFinding | undefined> {
  const { place, texts, toolName, isRedacted } = subject
  const context = guardContext(run)
  let reason: string | undefined
  let redacted: Json[] | undefined = []
  for (const text of texts) {
    const finding = await callOnce(run, () =>
      check(
        {
          place,
          text: textOfValue(text),
          ...(toolName === undefined ? {} : { toolName }),
          ...(place === 'toolCall' && isJsonObject(text) ? { args: structuredClone(text) } : {}),
        },
        context,
      ),
    )
    reason ??= finding?.reason
    const clean = finding === undefined || !isRedacted ? text : withText(text, finding.text)
    if (clean === undefined) redacted = undefined
    else redacted?.push(clean)
  }
  return reason === undefined ? undefined : { reason, redacted }
}

async function callOnce(run: LoggedRun, call: () => unknown): Promise<GuardFinding | undefined> {
  const { hookTimeout } = run.definition.limits
  const pending = Promise.resolve()
    .then(call)
    .then((value) => ({ value }))
  const answer = await withTimeout(raceCancellation(pending, run.cancellation), hookTimeout, run.root.clock)
  if (answer === undefined) throw new Error(`it did not decide within ${hookTimeout} ms`)
  return readFinding(answer.value)
}

function readFinding(value: unknown): GuardFinding | undefined {
  if (value === undefined) return undefined
  if (isJsonObject(value)) {
    const { reason, text } = value
    if (typeof reason === 'string' && (text === undefined || typeof text === 'string'))
      return { reason, ...(text === undefined ? {} : { text }) }
  }
  throw new TypeError('it returned neither `undefined` nor `{ reason, text }`')
}

/** Replaces a text. The text of JSON must be a JSON object again. */
function withText(old: Json, text: string | undefined): Json | undefined {
  if (text === undefined || typeof old === 'string') return text
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) && !isJsonTextTooDeep(text, value) ? value : undefined
  } catch (thrown) {
    throw new TypeError(`the text that it returned is not JSON: ${errorMessage(thrown)}`, { cause: thrown })
  }
}

function guardContext(run: LoggedRun): GuardContext {
  const { runId, agent, instance } = run.request
  return {
    agentName: agent.name,
    instanceName: instance,
    runId,
    get signal() {
      return run.cancellation.signal
    },
    log: (text) => run.log.emitTransient('log', { text }),
  }
}
