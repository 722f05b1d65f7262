import { type AgentDefinition, failure, hasAnswer, outcomeOf, type Failure } from '@troupe/schema'
import type { ComposeContext, RunResult, ComposedEnd } from '@troupe/schema/ports'
import { publicFailure } from '@troupe/schema/public'
import pLimit from 'p-limit'

/** A child run to open in a step. */
export interface Delegation {
  readonly member: Member
  readonly input: string
}

/**
 * Runs the children of one step, at most `limits.maxParallel` at a time. Results keep the order of
 * `delegations`. Never rejects.
 */
export function delegate(
  { definition, run, nextStep }: ComposeContext,
  delegations: readonly Delegation[],
): Promise<readonly RunResult[]> {
  const turn = nextStep()
  const { maxParallel, parallelToolCalls } = definition.limits
  const limit = pLimit(parallelToolCalls ? maxParallel : 1)
  return Promise.all(
    delegations.map(({ member: { name, digest }, input }, index) => {
      const ordinal = index + 1
      const callId = `${turn}.${ordinal}`
      const site = {
        turn,
        ordinal,
        callId,
        toolUseId: callId,
        isDelegated: true as const,
        instanceIndex: ordinal,
      }
      return limit(() => run.child({ name, digest }, { site, attempt: 1, input }))
    }),
  )
}

/** Runs one child as a separate step. */
export async function delegateOne(
  context: ComposeContext,
  member: Member,
  input: string,
): Promise<RunResult> {
  const [result] = await delegate(context, [{ member, input }])
  return result as RunResult
}

/** An agent that a composition calls. */
export type Member = Pick<AgentDefinition, 'name' | 'digest' | 'description' | 'instruction'>

/** Agents named by the keys of a composition, in the order of the card. */
export interface Members {
  readonly agents: readonly Member[]
  readonly sequence: readonly Member[]
  readonly fanOut: readonly Member[]
  readonly fanIn?: Member
  readonly generator?: Member
  readonly evaluator?: Member
  readonly worker?: Member
}

/** Lists agents for the prompt of a model that chooses among them. */
export function describeMembers(members: readonly Member[]): string {
  return members
    .map(({ name, description, instruction }) => `- ${name}: ${oneLine(description ?? instruction)}`)
    .join('\n')
}

const SHOWN = 300

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN).toWellFormed()}…`
}

/** Ends a composition with the outcome and answer of one child. */
export function toComposedEnd(result: RunResult, text: string = result.text): ComposedEnd {
  return {
    outcome: result.outcome,
    text,
    ...(result.files === undefined ? {} : { files: result.files }),
    ...(result.failure === undefined ? {} : { failure: result.failure }),
  }
}

/** Returns a complete answer, or a partial one if `limited` has a reason. */
export function toAnswerEnd(text: string, limited: Failure | undefined): ComposedEnd {
  return limited === undefined
    ? { outcome: 'completed', text }
    : { outcome: 'partial', text, failure: limited }
}

/** Ends a composition with a failure. */
export function toFailedEnd(reason: Failure, text = ''): ComposedEnd {
  return { outcome: outcomeOf(reason), text, failure: reason }
}

/**
 * Returns the failure that makes an answer partial because results are missing or partial, or `undefined` if
 * all are complete.
 */
export function missingResultsFailure(results: readonly RunResult[]): Failure | undefined {
  const missing = results.filter((result) => !hasAnswer(result.outcome))
  if (missing.length > 0) return failure('child_failed', `Without ${missing.map(whyMissing).join('; ')}`)
  return results.find((result) => result.outcome === 'partial')?.failure
}

/** Formats a result for the prompt of the next agent; marks failed and partial ones. */
export function resultSection({ agent, outcome, text, failure: reason }: SectionResult): string {
  const why = reason && publicFailure(reason).message
  if (!hasAnswer(outcome)) return `${agent} failed: ${why ?? outcome}`
  const note = outcome === 'partial' ? ` (partial: ${why ?? 'not finished'})` : ''
  return `${agent} answered${note}:\n${text}`
}

/** The parts of a result that the next agent reads. */
type SectionResult = Pick<RunResult, 'agent' | 'outcome' | 'text' | 'failure'>

/** Formats the request and the results so far for the prompt of the next agent. */
export function requestWith(input: string, results: readonly SectionResult[]): string {
  return [`The request was:\n${input}`, ...results.map(resultSection)].join('\n\n')
}

function whyMissing({ agent, outcome, failure: reason }: RunResult): string {
  return `${agent} (${outcome}): ${reason === undefined ? 'no reason given' : publicFailure(reason).message}`
}
