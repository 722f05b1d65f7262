import picomatch from 'picomatch/posix.js'
import {
  errorMessage,
  failure,
  getOwn,
  toFailure,
  type AgentDefinition,
  type ArgumentRule,
  type JsonObject,
  type ToolDefinition,
  isJsonObject,
  type Json,
} from '@troupe/schema'
import type {
  CallPermission,
  PermissionDecision,
  PermissionPolicy,
  PermissionRule,
  RuleArgument,
  CommandLine,
  ReachedPaths,
} from '@troupe/schema/ports'
import {
  createMatchBudget,
  type MatchBudget,
  matchGlob,
  isPathMatch,
  possiblePathMatch,
  isCommandMatch,
  possibleCommandMatch,
  type PossibleMatch,
} from './argument-pattern.ts'
import { isHostMatch, possibleHostMatch } from './host-pattern.ts'

type AgentRules = Pick<AgentDefinition, 'permissions' | 'requiresApproval' | 'toolPermission'>

/**
 * Creates the permission policy of an agent. Deny beats ask beats allow; without a rule, `toolPermission`
 * decides. A deny or ask rule for some calls also applies to a call that cannot be compared with it. An allow
 * rule for some calls makes all other calls of its tool ask.
 */
export function createPermission(rules: AgentRules): PermissionPolicy {
  const compile = createCompiler(rules)
  // keyed by the tool itself, because its name may mean another tool once a server lists its tools again
  const known = new WeakMap<ToolDefinition, ToolRules>()
  const rulesOf = (tool: ToolDefinition): ToolRules => {
    const compiled = known.get(tool) ?? compile(tool)
    known.set(tool, compiled)
    return compiled
  }
  return {
    ofTool: (tool) => rulesOf(tool).ofTool,
    ofCall: (tool, args) => decideCall(rulesOf(tool), tool, args),
  }
}

/** The rules that apply to one tool. */
interface ToolRules {
  readonly ofTool: PermissionDecision
  /** Decision on every call. `undefined` if it depends on the arguments. */
  readonly ofEveryCall?: CallPermission
  readonly deny: readonly ArgumentRule[]
  readonly ask: readonly ArgumentRule[]
  readonly allow: readonly ArgumentRule[]
  /** Decision on calls to which no argument rule applies. `ask-tool`: the tool decides on each call. */
  readonly otherwise: 'allow' | 'ask' | 'ask-tool'
}

const ALLOW: CallPermission = Object.freeze({ decision: 'allow' })
const ASK: CallPermission = Object.freeze({ decision: 'ask' })

function createCompiler(rules: AgentRules): (tool: ToolDefinition) => ToolRules {
  const { permissions, toolPermission } = rules
  const deny = createList(permissions.deny, { ignoreCase: true })
  const ask = createList(permissions.ask, { ignoreCase: true })
  const allow = createList(permissions.allow, { ignoreCase: false })
  const needsApproval = matcher(rules.requiresApproval, { ignoreCase: true })
  const byDefault = (tool: ToolDefinition): ToolRules['otherwise'] => {
    if (toolPermission === 'never') return 'allow'
    if (toolPermission === 'always') return 'ask'
    if (typeof tool.requiresApproval === 'function' && !needsApproval(tool.name)) return 'ask-tool'
    return tool.requiresApproval === true || needsApproval(tool.name) ? 'ask' : 'allow'
  }
  return (tool) => {
    const denied = deny(tool)
    const askRules = ask(tool)
    const allowed = allow(tool)
    const asksEveryCall = askRules.everyCallReason !== undefined
    // every call asks anyway, and an allow rule does not change that
    const allowedCalls = asksEveryCall ? [] : allowed.argumentRules
    const lists = { deny: denied.argumentRules, ask: askRules.argumentRules, allow: allowedCalls }
    if (denied.everyCallReason !== undefined)
      return { ...lists, ofTool: 'deny', ofEveryCall: refuse(denied.everyCallReason), otherwise: 'ask' }
    const asksOthers = asksEveryCall || (allowed.everyCallReason === undefined && allowed.isNarrowed)
    const otherwise = decideOthers(
      { asksOthers, isAllowed: allowed.everyCallReason !== undefined },
      byDefault(tool),
    )
    const isSame = denied.argumentRules.length === 0 && hasNoExceptions(otherwise, lists)
    const ofEveryCall = otherwise === 'ask' ? ASK : ALLOW
    const ofTool = otherwise === 'allow' ? 'allow' : 'ask'
    return { ...lists, ofTool, otherwise, ...(isSame ? { ofEveryCall } : {}) }
  }
}

function decideOthers(
  { asksOthers, isAllowed }: { readonly asksOthers: boolean; readonly isAllowed: boolean },
  byDefault: ToolRules['otherwise'],
): ToolRules['otherwise'] {
  if (asksOthers) return 'ask'
  return isAllowed ? 'allow' : byDefault
}

/** Returns true if no argument rule can change the decision or its reason. */
function hasNoExceptions(
  otherwise: ToolRules['otherwise'],
  { ask, allow }: Pick<ToolRules, 'ask' | 'allow'>,
): boolean {
  if (otherwise === 'ask-tool') return false
  return ask.length === 0 && (otherwise === 'allow' || allow.length === 0)
}

/** The rules of one list that apply to a tool. */
interface ListMatch {
  /** Message of the refusal if the list applies to every call. */
  readonly everyCallReason: string | undefined
  /** Rules that apply to some calls. */
  readonly argumentRules: readonly ArgumentRule[]
  /** True if a rule names only some calls, even by an argument that the tool does not have. */
  readonly isNarrowed: boolean
}

function createList(
  rules: readonly PermissionRule[],
  { ignoreCase }: { readonly ignoreCase: boolean },
): (tool: ToolDefinition) => ListMatch {
  const isNamed = matcher(
    rules.filter((rule) => typeof rule === 'string'),
    { ignoreCase },
  )
  const partial = rules
    .filter((rule) => typeof rule !== 'string')
    .map((rule) => ({ rule, concerns: matcher([rule.tool], { ignoreCase }) }))
  return (tool) => {
    const named = partial.filter(({ concerns }) => concerns(tool.name)).map(({ rule }) => rule)
    const argumentRules = named.filter((rule) => hasArgument(tool, rule))
    const isNarrowed = named.length > 0
    if (isNamed(tool.name))
      return { everyCallReason: `A rule forbids ${tool.name}.`, argumentRules, isNarrowed }
    const unclear = ignoreCase ? named.find((rule) => !hasArgument(tool, rule)) : undefined
    if (unclear === undefined) return { everyCallReason: undefined, argumentRules, isNarrowed }
    const why = `which has no argument \`${unclear.argument}\` to compare, so every call is forbidden`
    return {
      everyCallReason: `A rule forbids some calls to ${tool.name}, ${why}.`,
      argumentRules,
      isNarrowed,
    }
  }
}

/**
 * Returns how a rule applies to the calls of a tool: not at all, to every call because the tool lacks the
 * argument, or by the kind of the argument.
 */
export function ruleReach(
  rule: ArgumentRule,
  tool: ToolDefinition,
): 'none' | 'every-call' | 'text' | RuleArgument['kind'] {
  if (!matcher([rule.tool], { ignoreCase: true })(tool.name)) return 'none'
  if (!hasArgument(tool, rule)) return 'every-call'
  return getOwn(tool.ruleArguments ?? {}, rule.argument)?.kind ?? 'text'
}

function matcher(
  globs: readonly string[],
  { ignoreCase }: { readonly ignoreCase: boolean },
): (name: string) => boolean {
  if (globs.length === 0) return () => false
  return picomatch([...globs], { nonegate: true, dot: true, nocase: ignoreCase })
}

/** Decides on one call. Denies it if its arguments cannot be read. */
async function decideCall(rules: ToolRules, tool: ToolDefinition, args: JsonObject): Promise<CallPermission> {
  if (rules.ofEveryCall !== undefined) return rules.ofEveryCall
  const names = [...rules.deny, ...rules.ask, ...rules.allow].map(({ argument }) => argument)
  try {
    const decision = decideByArguments(rules, tool, await readArguments(tool, args, [...new Set(names)]))
    return decision === ASK && rules.otherwise === 'ask-tool' ? await askTool(tool, args) : decision
  } catch (thrown) {
    return { decision: 'deny', failure: toFailure(thrown) }
  }
}

/** Decides by `requiresApproval` of the tool. Only `false` lets a call through. */
async function askTool(
  { name, requiresApproval }: ToolDefinition,
  args: JsonObject,
): Promise<CallPermission> {
  if (typeof requiresApproval !== 'function') return ASK
  try {
    const isRequired: unknown = await requiresApproval(args)
    if (isRequired === false) return ALLOW
    return { decision: 'ask', reason: `${name} requires approval for this call.` }
  } catch (thrown) {
    return {
      decision: 'ask',
      reason: `${name} could not decide if this call requires approval: ${errorMessage(thrown)}`,
    }
  }
}

function decideByArguments(rules: ToolRules, tool: ToolDefinition, values: ArgumentValues): CallPermission {
  const budget = createMatchBudget()
  for (const rule of rules.deny) {
    const match = mayApply(rule, values, budget)
    if (match.kind === 'yes')
      return refuse(`A rule forbids this call to ${tool.name}: ${describeRule(rule)}.`)
    if (match.kind === 'unknown') return refuse(unclearCall(rule, tool, match.why))
  }
  const asking = rules.ask.find((rule) => mayApply(rule, values, budget).kind !== 'no')
  if (asking !== undefined)
    return {
      decision: 'ask',
      reason: `A rule requires approval for calls to ${tool.name} where ${describeRule(asking)}.`,
    }
  return rules.otherwise === 'allow' || isAllowed(rules, values, budget) ? ALLOW : ASK
}

function isAllowed({ allow }: ToolRules, values: ArgumentValues, budget: MatchBudget): boolean {
  return allow.some((rule) => certainlyApplies(rule, values, budget))
}

function unclearCall(rule: ArgumentRule, tool: ToolDefinition, why: string): string {
  return `A rule forbids some calls to ${tool.name} (${describeRule(rule)}), and this call cannot be compared with it: ${why}. Run the program directly with plain arguments, or name a single file.`
}

const MAX_PATTERN = 200

function describeRule({ argument, pattern }: ArgumentRule): string {
  const text = pattern.length > MAX_PATTERN ? `${pattern.slice(0, MAX_PATTERN)}…` : pattern
  return `\`${argument}\` is ${JSON.stringify(text)}`
}

function refuse(message: string): CallPermission {
  return { decision: 'deny', failure: failure('permission_denied', message) }
}

/** The value of an argument in the form that rules compare. */
type ArgumentValue =
  | { readonly kind: 'command'; readonly command: CommandLine }
  | { readonly kind: 'path'; readonly reached: ReachedPaths }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'text'; readonly text: Json | undefined }

/** Argument values that the rules for a tool compare, by argument name. */
type ArgumentValues = ReadonlyMap<string, ArgumentValue>

const MAX_TEXT = 100_000

/** Returns false if the tool lacks the argument that the rule names, so that calls cannot be checked. */
function hasArgument(tool: ToolDefinition, { argument }: ArgumentRule): boolean {
  if (getOwn(tool.ruleArguments ?? {}, argument) !== undefined) return true
  const properties = tool.inputSchema['properties']
  return isJsonObject(properties) && Object.hasOwn(properties, argument)
}

/** Reads the arguments that rules name. Rejects if the tool cannot tell what a call would do. */
async function readArguments(
  tool: ToolDefinition,
  args: JsonObject,
  names: readonly string[],
): Promise<ArgumentValues> {
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readArgument(tool, args, name)] as const)),
  )
}

async function readArgument(tool: ToolDefinition, args: JsonObject, name: string): Promise<ArgumentValue> {
  const reader = getOwn(tool.ruleArguments ?? {}, name)
  if (reader === undefined) return { kind: 'text', text: getOwn(args, name) }
  if (reader.kind === 'command') return { kind: 'command', command: await reader.read(args) }
  if (reader.kind === 'path') return { kind: 'path', reached: await reader.read(args) }
  return reader.kind === 'host'
    ? { kind: 'host', host: await reader.read(args) }
    : { kind: 'text', text: await reader.read(args) }
}

const NO_VALUE: ArgumentValue = { kind: 'text', text: undefined }

/** Checks if a deny or ask rule may apply to a call. */
function mayApply(rule: ArgumentRule, values: ArgumentValues, budget: MatchBudget): PossibleMatch {
  const value = values.get(rule.argument) ?? NO_VALUE
  const match = possibleMatch(rule.pattern, value, budget)
  if (match.kind === 'no' || !isExcepted(rule, value, budget)) return match
  return { kind: 'no' }
}

/** Returns true only if an allow rule certainly applies to a call. */
function certainlyApplies(rule: ArgumentRule, values: ArgumentValues, budget: MatchBudget): boolean {
  const value = values.get(rule.argument) ?? NO_VALUE
  if (!isMatch(rule.pattern, value, budget)) return false
  return (rule.except ?? []).every((pattern) => possibleMatch(pattern, value, budget).kind === 'no')
}

function isExcepted({ except = [] }: ArgumentRule, value: ArgumentValue, budget: MatchBudget): boolean {
  return except.some((pattern) => isMatch(pattern, value, budget))
}

function possibleMatch(pattern: string, value: ArgumentValue, budget: MatchBudget): PossibleMatch {
  if (value.kind === 'command') return possibleCommandMatch(pattern, value.command, budget)
  if (value.kind === 'path') return possiblePathMatch(pattern, value.reached, budget)
  if (value.kind === 'host') return possibleHostMatch(pattern, value.host, budget)
  if (value.text === undefined) return { kind: 'no' }
  const text = plainText(value.text)
  if (text === undefined) return { kind: 'unknown', why: 'its value is not a short string' }
  const found = matchGlob(normalizeText(pattern), normalizeText(text), budget)
  if (found === undefined) return { kind: 'unknown', why: 'comparing it with the rules takes too long' }
  return { kind: found ? 'yes' : 'no' }
}

function isMatch(pattern: string, value: ArgumentValue, budget: MatchBudget): boolean {
  if (value.kind === 'command') return isCommandMatch(pattern, value.command, budget)
  if (value.kind === 'path') return isPathMatch(pattern, value.reached, budget)
  if (value.kind === 'host') return isHostMatch(pattern, value.host, budget)
  const text = value.text === undefined ? undefined : plainText(value.text)
  return text !== undefined && matchGlob(pattern, text, budget) === true
}

function plainText(value: Json): string | undefined {
  if (value === null || typeof value === 'object') return undefined
  const text = String(value)
  return text.length > MAX_TEXT ? undefined : text
}

function normalizeText(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/gu, ' ').trim()
}
