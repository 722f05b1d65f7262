import type { Json, JsonObject, MaybePromise } from '../text/json.ts'

/** Places of an agent at which guards check texts. */
export const GUARD_PLACES = ['input', 'output', 'toolCall', 'toolResult'] as const
/** See {@link GUARD_PLACES}. */
export type GuardPlace = (typeof GUARD_PLACES)[number]

/**
 * Actions of guards on a text in which they find something: deny it, remove the matches, ask a person (tool calls
 * only), or only report it.
 */
export const GUARD_ACTIONS = ['deny', 'redact', 'ask', 'note'] as const
/** See {@link GUARD_ACTIONS}. */
export type GuardAction = (typeof GUARD_ACTIONS)[number]

/** Maximum number of guards at one place of an agent. */
export const MAX_GUARDS = 16

/** A text to check. */
export interface GuardSubject {
  readonly place: GuardPlace
  /** The text; JSON for the arguments of a tool call. */
  readonly text: string
  /** Canonical name of the tool, for tool calls and tool results. */
  readonly toolName?: string
  /** Arguments of the tool call. */
  readonly args?: JsonObject
}

/** The run whose text is checked. */
export interface GuardContext {
  readonly agentName: string
  readonly instanceName: string
  readonly runId: string
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
  /** Emits a `log` event. */
  log(text: string): void
}

/** The reason for which a guard does not let a text pass. */
export interface GuardFinding {
  /** Shown in errors and events, so it must not repeat secrets. At most 200 characters are used. */
  readonly reason: string
  /** The text without what was found. Required if the action is `redact`. */
  readonly text?: string
}

/** A guard written in code. Returns `undefined` to let a text pass. A guard that throws denies the text. */
export type GuardFunction = (
  subject: GuardSubject,
  ctx: GuardContext,
) => MaybePromise<GuardFinding | undefined>

/** A function or a stock guard in a card, with its action and its options. */
export interface GuardUse {
  /** `module.ts:function` or `troupe:name`. */
  readonly use: string
  /** Default: `deny`. */
  readonly action?: GuardAction
  readonly [option: string]: Json | undefined
}

/** An agent that decides on texts. */
export interface GuardAgentUse {
  /** Name or path of the agent, as in `agents`. */
  readonly agent: string
  /** Default: `deny`. */
  readonly action?: GuardAction
}

/** An entry of a list of guards, as written in a card or in code. */
export type GuardSpec = string | GuardUse | GuardAgentUse | GuardFunction

/** Guards as written in a card, by place. */
export type GuardSpecs = { readonly [Place in GuardPlace]?: readonly GuardSpec[] }

/** A part of a text that a guard found. */
export interface TextMatch {
  readonly start: number
  /** Index after the last character. */
  readonly end: number
  /** A word for messages and for the text that replaces the match, such as `card`. */
  readonly kind: string
}

interface GuardBase {
  /** Name for messages. */
  readonly name: string
  readonly action: GuardAction
}

/** A pure guard that finds parts of texts. It can check an answer while it is written. */
export interface PatternGuard extends GuardBase {
  readonly kind: 'pattern'
  /** Returns the matches in the order of their starts, without overlaps. Takes linear time. */
  find(text: string): readonly TextMatch[]
  /** Length of the longest match that contains a space or a line break. */
  readonly longestMatch: number
}

/** A guard that calls a function with whole texts. */
export interface FunctionGuard extends GuardBase {
  readonly kind: 'function'
  readonly check: GuardFunction
}

/** A guard that runs an agent, which is named by its digest too, because a run is started with both. */
export interface AgentGuard extends GuardBase {
  readonly kind: 'agent'
  readonly agent: { readonly name: string; readonly digest: string }
}

/** A loaded guard. */
export type Guard = PatternGuard | FunctionGuard | AgentGuard

/** A stock guard, which gets its name and its action from a card. */
export type StockGuard = Omit<PatternGuard, 'name' | 'action'> | Omit<FunctionGuard, 'name' | 'action'>

/** The loaded guards of an agent, by place. */
export type Guards = { readonly [Place in GuardPlace]: readonly Guard[] }

/** Returns the agents that guards name, in the order of the card. */
export function guardAgents(specs: GuardSpecs | undefined): readonly string[] {
  if (specs === undefined) return []
  return Object.values(specs)
    .flat()
    .flatMap((spec) => (isAgentUse(spec) ? [spec.agent] : []))
}

/** Returns the name of a guard for messages and plans. */
export function guardName(spec: GuardSpec): string {
  if (typeof spec === 'string') return spec
  if (typeof spec === 'function') return spec.name || 'a function'
  return isAgentUse(spec) ? `agent ${spec.agent}` : spec.use
}

/** Returns true for an entry that names an agent. `agent` may also be an option of a function. */
export function isAgentUse(spec: GuardSpec): spec is GuardAgentUse {
  return typeof spec === 'object' && !('use' in spec)
}
