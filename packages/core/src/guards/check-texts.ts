import { errorMessage, failure, type Failure, type Json } from '@troupe/schema'
import type { AgentGuard, Guard } from '@troupe/schema/ports'
import type { ParentRun } from '../children/watch-child.ts'
import { appendWarning } from '../log/problems.ts'
import { guardStep, type RecordedVerdict } from '../log/recorded-steps.ts'
import type { LoggedRun } from '../log/run-log.ts'
import { askGuardAgent, type GuardPosition } from './ask-guard-agent.ts'
import { callGuard } from './call-guard.ts'
import { findInValue } from './guard-matches.ts'
import { textOfValue } from '../run/json.ts'

/** Texts of a run to check at one place. */
export interface GuardCheck extends GuardPosition {
  /** Texts, or JSON whose strings are texts. */
  readonly texts: readonly Json[]
  /** Noun phrase for messages: `the input`. */
  readonly what: string
  readonly toolName?: string
  /** Key of the step that stores the verdict. Must be unique within the run. */
  readonly key: string
}

/** The verdict of the guards at one place. */
export interface GuardVerdict {
  /** The texts, without what guards removed. */
  readonly texts: readonly Json[]
  readonly isChanged: boolean
  /** Set if a guard denied the texts. */
  readonly denied?: Failure
  /** Set if a guard requires an approval. */
  readonly approval?: string
}

/** A text that a guard reports, and the reason for messages. */
interface GuardReport {
  readonly reason: string
  readonly redacted?: readonly Json[] | undefined
  /** True if the guard could not check the text. */
  readonly isFailure?: true
}

/** A verdict with the warnings of the guards so far. */
interface PendingVerdict extends GuardVerdict {
  readonly warnings: readonly Warning[]
}

interface Warning {
  readonly code: 'guard_redacted' | 'guard_noted'
  readonly message: string
}

/** Maximum characters of the texts of one check. Longer texts are denied unread. */
const MAX_CHARACTERS = 1024 * 1024

/**
 * Checks texts with all guards of a place: first patterns and functions in the order of the card, each on the
 * texts that the ones before left, then agents, because these cost money. Never rejects.
 */
export async function checkTexts(
  run: ParentRun,
  guards: readonly Guard[],
  check: GuardCheck,
): Promise<GuardVerdict> {
  const recalled = recallVerdict(run, check)
  if (recalled !== undefined) return recalled
  const byRules = await applyRules(run, guards, check)
  const verdict = byRules.denied === undefined ? await applyAgents(run, guards, check, byRules) : byRules
  return recordVerdict(run, check, verdict)
}

/** Checks texts with the patterns and functions among the guards. Never rejects. */
export async function checkByRules(
  run: LoggedRun,
  guards: readonly Guard[],
  check: GuardCheck,
): Promise<GuardVerdict> {
  return recallVerdict(run, check) ?? recordVerdict(run, check, await applyRules(run, guards, check))
}

/** Checks texts with the agents among the guards. Never rejects. */
export async function checkByAgents(
  run: ParentRun,
  guards: readonly Guard[],
  check: GuardCheck,
): Promise<GuardVerdict> {
  const start = pass(check.texts)
  return recallVerdict(run, check) ?? recordVerdict(run, check, await applyAgents(run, guards, check, start))
}

function pass(texts: readonly Json[]): PendingVerdict {
  return { texts, isChanged: false, warnings: [] }
}

async function applyRules(
  run: LoggedRun,
  guards: readonly Guard[],
  check: GuardCheck,
): Promise<PendingVerdict> {
  let verdict = pass(check.texts)
  if (guards.length > 0 && lengthOf(check.texts) > MAX_CHARACTERS)
    return deny(verdict, failure('guard_failed', `${sentence(check.what)} is too long to be checked.`))
  for (const guard of guards) {
    if (guard.kind === 'agent') continue
    const finding = await findByRule(run, guard, { ...check, texts: verdict.texts })
    if (run.cancellation.reason !== undefined) return deny(verdict, run.cancellation.reason)
    if (finding !== undefined) verdict = applyAction(guard, check, { verdict, finding })
    if (verdict.denied !== undefined) return verdict
  }
  return verdict
}

async function applyAgents(
  run: ParentRun,
  guards: readonly Guard[],
  check: GuardCheck,
  start: PendingVerdict,
): Promise<PendingVerdict> {
  let verdict = start
  for (const [index, guard] of guards.entries()) {
    if (guard.kind !== 'agent') continue
    const finding = await findByAgent(run, guard, { ...check, texts: verdict.texts, index })
    if (run.cancellation.reason !== undefined) return deny(verdict, run.cancellation.reason)
    if (finding !== undefined) verdict = applyAction(guard, check, { verdict, finding })
    if (verdict.denied !== undefined) return verdict
  }
  return verdict
}

function deny(verdict: PendingVerdict, denied: Failure): PendingVerdict {
  return { ...verdict, denied }
}

async function findByRule(
  run: LoggedRun,
  guard: Exclude<Guard, AgentGuard>,
  { place, texts, toolName }: GuardCheck,
): Promise<GuardReport | undefined> {
  try {
    if (guard.kind === 'function')
      return await callGuard(run, guard.check, {
        place,
        texts,
        toolName,
        isRedacted: guard.action === 'redact',
      })
    const found = findInValue(guard, texts)
    if (found === undefined) return undefined
    return { reason: [...found.kinds].join(', '), redacted: found.redacted as readonly Json[] }
  } catch (thrown) {
    return { reason: errorMessage(thrown), isFailure: true }
  }
}

async function findByAgent(
  run: ParentRun,
  guard: AgentGuard,
  { texts, toolName, index, ...position }: GuardCheck & { readonly index: number },
): Promise<GuardReport | undefined> {
  const text = texts.map(textOfValue).join('\n\n')
  if (text === '') return undefined
  try {
    const reason = await askGuardAgent(run, guard, { position, index, text, toolName })
    return reason === undefined ? undefined : { reason }
  } catch (thrown) {
    return { reason: errorMessage(thrown), isFailure: true }
  }
}

/** Applies the action of a guard that found something. A guard that only reports never denies. */
function applyAction(
  { name, action }: Guard,
  { place, what }: GuardCheck,
  { verdict, finding }: { readonly verdict: PendingVerdict; readonly finding: GuardReport },
): PendingVerdict {
  const reason = shorten(finding.reason)
  const fails = (why: string): Failure =>
    failure('guard_failed', `The guard ${name} could not check ${what}: ${why}.`)
  if (action === 'note') {
    const message =
      finding.isFailure === true ? fails(reason).message : `The guard ${name} reports ${what}: ${reason}.`
    return { ...verdict, warnings: [...verdict.warnings, { code: 'guard_noted', message }] }
  }
  if (finding.isFailure === true) return deny(verdict, fails(reason))
  if (action === 'ask' && place === 'toolCall')
    return { ...verdict, approval: verdict.approval ?? `The guard ${name} asks for an approval: ${reason}.` }
  if (action !== 'redact')
    return deny(verdict, failure('guard_denied', `The guard ${name} denied ${what}: ${reason}.`))
  const { redacted } = finding
  if (redacted === undefined)
    return deny(verdict, fails(`it found something (${reason}) and gave no text without it`))
  const message = `The guard ${name} removed parts of ${what}: ${reason}.`
  const warnings = [...verdict.warnings, { code: 'guard_redacted' as const, message }]
  return { ...verdict, texts: redacted, isChanged: true, warnings }
}

const MAX_REASON = 200

/** Returns a reason as part of a sentence. */
function shorten(reason: string): string {
  const line = reason.replaceAll(/\s+/gu, ' ').trim().replace(/\.$/u, '')
  return line.length <= MAX_REASON ? line : `${line.slice(0, MAX_REASON).toWellFormed()}…`
}

function sentence(what: string): string {
  return what.charAt(0).toUpperCase() + what.slice(1)
}

function lengthOf(texts: readonly Json[]): number {
  return texts.reduce<number>((sum, text) => sum + textOfValue(text).length, 0)
}

/** Returns the verdict from before an interruption, if a guard had found something. */
function recallVerdict({ log }: LoggedRun, { key, texts }: GuardCheck): GuardVerdict | undefined {
  const recorded = log.journal?.step(guardStep(key)) as RecordedVerdict | undefined
  if (recorded === undefined) return undefined
  return { texts, isChanged: recorded.texts !== undefined, ...recorded }
}

/**
 * Appends the warnings of a verdict, and its step if a guard found something. A check without findings is
 * repeated on resume. A verdict of a cancelled run is not stored.
 */
function recordVerdict(
  run: LoggedRun,
  { key, ordinal }: GuardCheck,
  { warnings, ...verdict }: PendingVerdict,
): GuardVerdict {
  const { texts, isChanged, denied, approval } = verdict
  if (run.cancellation.reason !== undefined) return verdict
  if (warnings.length === 0 && denied === undefined && approval === undefined) return verdict
  const value: RecordedVerdict = {
    ...(isChanged ? { texts } : {}),
    ...(denied === undefined ? {} : { denied }),
    ...(approval === undefined ? {} : { approval }),
  }
  const callId = ordinal === 0 ? undefined : `${run.progress.turn}.${ordinal}`
  for (const { code, message } of warnings)
    appendWarning(run, { code, message, weakens: code === 'guard_noted' }, callId)
  // a resume after a warning without its step repeats the check
  run.log.appendStep({ key: guardStep(key), value: value as unknown as Json })
  return verdict
}
