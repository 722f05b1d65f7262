import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import {
  APPROVAL_TOOLS,
  type FieldContext,
  type FieldOutcome,
  SHARED_RUNTIME_TOOLS,
} from '@troupe/cards/formats'
import { ignored, translated } from './field-rule.ts'
import { reportBadRule, comparedArgument, putArgumentRule, putRule, type Permission } from './put-rule.ts'
import { problemPlace, reportKey, type RuleOrigin } from './project-settings.ts'
import { allowTool } from './tool-mapping.ts'

/** A permission rule of a product in which the last matching rule wins. */
export interface OrderedRule extends RuleOrigin {
  /** Canonical names and globs; empty if there is no such tool. */
  readonly tools: readonly string[]
  readonly permission: Permission
  /** Selects the calls that the rule applies to; `undefined` for all calls. */
  readonly pattern?: string
  /** The argument that the pattern is compared with. Default: that of the tool. */
  readonly argument?: string | undefined
}

const EVERYTHING = '*'
const WITH_OTHER_RULES = 'everything except what other rules allow'
const STRICTNESS: readonly Permission[] = ['allow', 'ask', 'deny']

/**
 * Converts rules of which the last match wins, as in opencode, to Troupe rules, where a denial beats all
 * others.
 */
export function putOrderedRules(rules: readonly OrderedRule[], field: FieldContext): void {
  const whole = rules.findLastIndex(
    ({ tools, pattern }) => pattern === undefined && tools.includes(EVERYTHING),
  )
  const base = rules[whole]
  const lasting = rules.slice(whole + 1)
  noteOverruled(rules.slice(0, Math.max(whole, 0)), 'a later rule overrides it for all tools', field)
  if (base !== undefined) note(base, putBase(base, lasting, field), field)
  for (const tool of new Set(lasting.flatMap(({ tools }) => tools))) putRest(tool, { base, lasting }, field)
  for (const [index, rule] of lasting.entries()) {
    note(rule, putLasting(rule, lasting.slice(index + 1), field), field)
    if (base?.permission === 'deny' && rule.permission !== 'deny') allowNamed(rule, field)
  }
}

function putLasting(rule: OrderedRule, later: readonly OrderedRule[], field: FieldContext): FieldOutcome {
  if (rule.tools.length === 0) return ignored('the tool does not exist')
  const tools = rule.tools.filter((tool) => !isOverruled({ ...rule, tools: [tool] }, later))
  if (tools.length === 0) {
    const reason = 'a later rule overrides it for this tool'
    const isDenied = rule.tools.every((tool) => lastWhole(tool, later)?.permission === 'deny')
    return isDenied ? ignored(reason) : overruledOutcome(rule, reason, field)
  }
  field.grant.skipDefaultApproval(tools)
  const outcomes = tools.map((tool) => putForTool(rule, { tool, later }, field))
  return outcomes.length === 1 ? outcomes[0] : summary(rule, outcomes)
}

/** Returns the last rule for all calls of a tool. */
function lastWhole(tool: string, rules: readonly OrderedRule[]): OrderedRule | undefined {
  return rules.findLast(({ tools, pattern }) => pattern === undefined && tools.includes(tool))
}

function summary({ permission }: OrderedRule, outcomes: readonly FieldOutcome[]): FieldOutcome {
  return translated(outcomes.map((outcome) => outcome?.to ?? permission).join('; '))
}

/** Returns true if a later rule for all calls of the tool overrides this one. */
function isOverruled(
  { tools: [tool = ''], permission, pattern }: OrderedRule,
  later: readonly OrderedRule[],
): boolean {
  return later.some(
    (other) =>
      other.pattern === undefined &&
      other.tools.includes(tool) &&
      (other.permission !== permission || pattern !== undefined),
  )
}

function putForTool(
  rule: OrderedRule,
  { tool, later }: { readonly tool: string; readonly later: readonly OrderedRule[] },
  field: FieldContext,
): FieldOutcome {
  const { permission, pattern } = rule
  const except = patternsFor(tool, later).filter((other) => isLessStrict(other.permission, permission))
  const isWhole = except.length === 0 || comparedArgument(tool) === undefined
  if (pattern === undefined && isWhole) {
    // The product does not offer such a tool to the model.
    if (permission === 'deny') field.grant.refuse([tool], rule.at)
    return putRule({ ...rule, tools: [tool] }, field)
  }
  return putArgumentRule(
    {
      ...rule,
      tools: [tool],
      pattern: pattern ?? EVERYTHING,
      ...(except.length === 0 ? {} : { except: except.map((other) => other.pattern) }),
    },
    field,
  )
}

/** Adds a rule for the remaining calls of a tool that only has rules with patterns. */
function putRest(
  tool: string,
  { base, lasting }: { readonly base: OrderedRule | undefined; readonly lasting: readonly OrderedRule[] },
  field: FieldContext,
): void {
  const own = lasting.filter(({ tools }) => tools.includes(tool))
  const patterns = patternsFor(tool, own)
  if (patterns.length < own.length || patterns.length === 0) return
  const permission = base?.permission ?? (APPROVAL_TOOLS.includes(tool) ? 'ask' : 'allow')
  if (permission === 'allow') return
  const { at, settings } = base ?? patterns[0] ?? { at: field.from }
  const argument = patterns[0]?.argument
  putForTool({ tools: [tool], permission, at, settings, argument }, { tool, later: own }, field)
}

interface PatternRule extends OrderedRule {
  readonly pattern: string
}

function patternsFor(tool: string, rules: readonly OrderedRule[]): readonly PatternRule[] {
  return rules.filter((rule): rule is PatternRule => rule.pattern !== undefined && rule.tools.includes(tool))
}

function isLessStrict(one: Permission, other: Permission): boolean {
  return STRICTNESS.indexOf(one) < STRICTNESS.indexOf(other)
}

/**
 * Reports a rule that a later one overrides. A denial gets a warning, because it was probably meant to hold.
 */
function overruledOutcome(rule: OrderedRule, reason: string, { rewriter }: FieldContext): FieldOutcome {
  if (rule.permission === 'deny')
    rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `\`${reportKey(rule)}\` denies nothing: ${reason}.`,
      ...problemPlace(rule),
    })
  return ignored(reason)
}

/** Adds the rule for all tools. Later rules make exceptions from it. */
function putBase(base: OrderedRule, others: readonly OrderedRule[], field: FieldContext): FieldOutcome {
  const named = others.flatMap(({ tools }) => tools)
  if (base.permission === 'allow' || named.length === 0) return putForEverything(base, field)
  if (base.permission === 'deny') {
    if (others.every(({ permission }) => permission === 'deny')) return putForEverything(base, field)
    field.grant.limit()
    return translated('tools', WITH_OTHER_RULES)
  }
  const needApproval = [...SHARED_RUNTIME_TOOLS, '*__*'].filter((tool) => !named.includes(tool))
  field.grant.skipDefaultApproval(needApproval)
  putRule({ ...base, tools: needApproval }, field)
  return translated(`permissions.ask: ${needApproval.join(', ')}`, WITH_OTHER_RULES)
}

function putForEverything(base: OrderedRule, field: FieldContext): FieldOutcome {
  if (base.permission === 'deny') field.grant.limit()
  field.grant.skipDefaultApproval(SHARED_RUNTIME_TOOLS)
  return putRule(base, field)
}

/** Allows the named tools if the base rule denies all others: built-in tools and tools of MCP servers. */
function allowNamed({ tools, at }: OrderedRule, field: FieldContext): void {
  field.grant.allow(
    tools.filter((tool) => SHARED_RUNTIME_TOOLS.some((name) => name === tool)),
    at,
  )
  for (const name of tools) {
    const [server = '', tool] = name.split('__', 2)
    if (tool !== undefined && server !== 'agent' && !/[*?]/u.test(server))
      allowTool({ server, tool }, at, field)
  }
}

/** Reports rules that later ones override. */
export function noteOverruled(rules: readonly OrderedRule[], reason: string, field: FieldContext): void {
  for (const rule of rules) note(rule, overruledOutcome(rule, reason, field), field)
}

function note(rule: OrderedRule, outcome: FieldOutcome, { rewriter }: FieldContext): void {
  if (outcome !== undefined) rewriter.note({ key: reportKey(rule), ...outcome })
}

/**
 * Reads a mapping of tools to `allow`, `ask` or `deny`, or to mappings of patterns to these. Reports an error
 * for anything else.
 */
export function orderedRules(
  rules: JsonObject,
  { at, settings }: RuleOrigin,
  options: {
    toolsOf(name: string): readonly string[]
    /** Returns the argument that the patterns of a tool are compared with, if not that of the tool. */
    argumentOf(name: string): string | undefined
    readonly field: FieldContext
  },
): readonly OrderedRule[] {
  const { toolsOf, argumentOf, field } = options
  return Object.entries(rules).flatMap(([name, value]): readonly OrderedRule[] => {
    const origin = { at: [...at, name], settings }
    const tools = toolsOf(name)
    if (isPermission(value)) return [{ tools, permission: value, ...origin }]
    if (!isJsonObject(value)) return invalidPermission(origin, field)
    return Object.entries(value).flatMap(([pattern, permission]): readonly OrderedRule[] => {
      const inner = { at: [...origin.at, pattern], settings }
      if (!isPermission(permission)) return invalidPermission(inner, field)
      return [{ tools, permission, argument: argumentOf(name), ...inner, ...patternOf(pattern, tools) }]
    })
  })
}

const EVERY_PATH: ReadonlySet<string> = new Set(['**', '**/*'])

/** Returns the pattern of a rule, or nothing if it matches every call. */
export function patternOf(pattern: string, tools: readonly string[]): { readonly pattern?: string } {
  const isPath = tools.length > 0 && tools.every((tool) => comparedArgument(tool) === 'path')
  const isEvery = pattern.trim() === EVERYTHING || (isPath && EVERY_PATH.has(pattern.trim()))
  return isEvery ? {} : { pattern }
}

function invalidPermission(origin: RuleOrigin, field: FieldContext): readonly never[] {
  reportBadRule(
    origin,
    `\`${reportKey(origin)}\` must be allow, ask or deny, or a mapping of patterns to these.`,
    field,
  )
  field.rewriter.note({
    key: reportKey(origin),
    status: 'ignored',
    reason: 'it is not allow, ask or deny',
  })
  return []
}

/** Returns true for `allow`, `ask` and `deny`. */
export function isPermission(value: Json | undefined): value is Permission {
  return value === 'allow' || value === 'ask' || value === 'deny'
}
