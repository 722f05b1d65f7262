import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../fields/field-path.ts'
import { addToList } from './add-to-list.ts'
import { ignored, translated, type FieldContext, type FieldOutcome } from './field-rule.ts'
import { RUNTIME_NAMES } from './tool-grant.ts'
import { giveTool } from './tool-words.ts'

/** The lists of our `permissions`. */
export type Permission = 'allow' | 'ask' | 'deny'

/** What one rule of another product says of a tool. */
export interface PermissionRule {
  /** Canonical names and globs; none: the tool is not there. */
  readonly tools: readonly string[]
  readonly permission: Permission
  readonly at: FieldPath
  /** True when the rule held for some arguments only, which our rules do not look at. */
  readonly isPartial: boolean
}

const EVERYTHING = '*'
const PARTIAL = 'rules for some arguments cannot be told apart here, so a person is asked each time'
const WITH_OTHER_RULES = 'all but what other rules allow'

/** Puts rules of which the last one for a tool counts, as opencode has them: here a denial would beat all others. */
export function putPermissions(rules: readonly PermissionRule[], field: FieldContext): void {
  const whole = rules.findLastIndex(({ tools }) => tools.includes(EVERYTHING))
  const base = rules[whole]
  const overruled = new Set(rules.slice(0, Math.max(whole, 0)))
  const lasting = rules.filter((rule) => rule !== base && !overruled.has(rule))
  for (const rule of overruled) note(rule, ignored('a later rule says otherwise for all tools'), field)
  if (base !== undefined) note(base, putBase(base, lasting, field), field)
  for (const [index, rule] of lasting.entries()) {
    const tools = withoutOverruled(rule, lasting.slice(index + 1))
    note(rule, putLasting({ ...rule, tools }, rule, field), field)
    if (base?.permission === 'deny' && rule.permission !== 'deny') give(tools, rule.at, field)
  }
}

function putLasting(rule: PermissionRule, written: PermissionRule, field: FieldContext): FieldOutcome {
  return rule.tools.length === 0 && written.tools.length > 0
    ? ignored('a later rule says otherwise for this tool')
    : putPermission(rule, field)
}

function withoutOverruled(rule: PermissionRule, later: readonly PermissionRule[]): readonly string[] {
  const others = later.filter(({ permission }) => permission !== rule.permission)
  return rule.tools.filter((tool) => !others.some(({ tools }) => tools.includes(tool)))
}

/** Puts one rule. One that held for some arguments only asks, unless it allowed nothing. */
export function putPermission(
  { tools, permission, at, isPartial }: PermissionRule,
  { rewriter, grant }: FieldContext,
): FieldOutcome {
  if (tools.length === 0) return ignored('there is no such tool')
  grant.settle(tools.includes(EVERYTHING) ? RUNTIME_NAMES : tools)
  addToList(rewriter, { to: ['permissions', permission], values: tools, from: at })
  return translated(`permissions.${permission}: ${tools.join(', ')}`, isPartial ? PARTIAL : undefined)
}

/** The rule for all tools, where others make exceptions from it. */
function putBase(base: PermissionRule, others: readonly PermissionRule[], field: FieldContext): FieldOutcome {
  const named = others.flatMap(({ tools }) => tools)
  if (base.permission === 'allow' || named.length === 0) return putPermission(base, field)
  if (base.permission === 'deny') {
    if (others.every(({ permission }) => permission === 'deny')) return putPermission(base, field)
    field.grant.limit()
    return translated('tools', WITH_OTHER_RULES)
  }
  const asked = [...RUNTIME_NAMES, '*__*'].filter((tool) => !named.includes(tool))
  putPermission({ ...base, tools: asked }, field)
  return translated(`permissions.ask: ${asked.join(', ')}`, WITH_OTHER_RULES)
}

/** Gives tools that are named where all others are refused: those that need nothing but their name. */
function give(tools: readonly string[], at: FieldPath, field: FieldContext): void {
  field.grant.allow(
    tools.filter((tool) => RUNTIME_NAMES.some((name) => name === tool)),
    at,
  )
  for (const name of tools) {
    const [server = '', tool] = name.split('__', 2)
    if (tool !== undefined && server !== 'agent') giveTool({ server, tool }, at, field)
  }
}

function note({ at }: PermissionRule, outcome: FieldOutcome, { rewriter }: FieldContext): void {
  if (outcome !== undefined) rewriter.note({ key: dotted(at), ...outcome })
}

/** Reads `allow`, `ask`, `deny`, or a mapping of patterns to these, of which the last that fits counts: several different words make `ask`. */
export function readPermission(
  value: Json,
): { readonly permission: Permission; readonly isPartial: boolean } | undefined {
  if (isPermission(value)) return { permission: value, isPartial: false }
  if (!isJsonObject(value)) return undefined
  const words = [...new Set(Object.values(value))]
  if (words.length === 0 || !words.every(isPermission)) return undefined
  const [last] = Object.entries(value).slice(-1)
  if (last?.[0] === EVERYTHING && last[1] === 'deny') return { permission: 'deny', isPartial: false }
  const [only] = words
  const isWhole = words.length === 1 && Object.hasOwn(value, EVERYTHING)
  return isWhole && isPermission(only)
    ? { permission: only, isPartial: false }
    : { permission: 'ask', isPartial: true }
}

/** The rules of a mapping of tools to permissions, as opencode has it. What is no permission is told. */
export function permissionRules(
  rules: JsonObject,
  toolsOf: (name: string) => readonly string[],
  field: FieldContext,
): readonly PermissionRule[] {
  return Object.entries(rules).flatMap(([name, value]) => {
    const at = [...field.from, name]
    const read = readPermission(value)
    if (read !== undefined) return [{ tools: toolsOf(name), at, ...read }]
    badPermission(at, field)
    return []
  })
}

/** Rules for all agents and those of one: of both the agent's are the later ones. */
export function mergePermissions(shared: Json | undefined, own: Json | undefined): Json | undefined {
  if (shared === undefined || isPermission(own)) return own ?? shared
  if (own === undefined) return shared
  const before = patternsOf(shared)
  const after = patternsOf(own)
  const merged = Object.entries(after).map(([name, value]): [string, Json] => {
    const both = Object.hasOwn(before, name) ? mergePermissions(before[name], value) : value
    return [name, both ?? value]
  })
  const left = Object.entries(before).filter(([name]) => !Object.hasOwn(after, name))
  return Object.fromEntries([...left, ...merged])
}

function patternsOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : { [EVERYTHING]: value }
}

function badPermission(at: FieldPath, { rewriter }: FieldContext): void {
  rewriter.tell({
    code: 'card_bad_value',
    message: `\`${dotted(at)}\` must be allow, ask or deny, or a mapping of patterns to these.`,
    at,
  })
  rewriter.note({ key: dotted(at), status: 'ignored', reason: 'it is neither allow, ask nor deny' })
}

function isPermission(value: Json | undefined): value is Permission {
  return value === 'allow' || value === 'ask' || value === 'deny'
}
