import type { JsonObject } from '@troupe/schema'
import { addToList, type FieldContext, type FieldReport } from '@troupe/cards/formats'
import { translated } from './field-rule.ts'
import { problemPlace, ruleSource, type RuleOrigin } from './project-settings.ts'

/** A list of `permissions`. */
export type Permission = 'allow' | 'ask' | 'deny'

/** The outcome of adding a rule. */
type RuleReport = Omit<FieldReport, 'key'>

/** A translated permission rule. */
export interface TranslatedRule extends RuleOrigin {
  /** Canonical names and globs. */
  readonly tools: readonly string[]
  readonly permission: Permission
}

/** A rule that applies to some calls of its tools. */
interface TranslatedArgumentRule extends TranslatedRule {
  readonly pattern: string
  /** The compared argument. Default: the one that other products compare for the tool. */
  readonly argument?: string | undefined
  readonly except?: readonly string[]
}

const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['shell.execute', 'command'],
  ['filesystem.read', 'path'],
  ['filesystem.list', 'path'],
  ['filesystem.search', 'path'],
  ['filesystem.write', 'path'],
  ['skill.read', 'name'],
  ['web.fetch', 'url'],
  ['web.search', 'query'],
])

/** Returns the argument that rules of other products compare. */
export function comparedArgument(tool: string): string | undefined {
  return ARGUMENTS.get(tool)
}

/** Adds a rule for all calls of its tools. */
export function putRule({ tools, permission, at }: TranslatedRule, { rewriter }: FieldContext): RuleReport {
  addToList(rewriter, { to: ['permissions', permission], values: tools, from: at })
  return translated(`permissions.${permission}: ${tools.join(', ')}`)
}

/**
 * Adds a rule for some calls. If the calls cannot be compared, a rule that allows asks instead, and one that
 * denies applies to all calls, with a warning.
 */
export function putArgumentRule(rule: TranslatedArgumentRule, field: FieldContext): RuleReport {
  const { tools, permission, at, pattern, except = [] } = rule
  const comparable = tools.flatMap((tool) => {
    const argument = rule.argument ?? comparedArgument(tool)
    return argument === undefined ? [] : [{ tool, argument }]
  })
  const values = comparable.map(({ tool, argument }): JsonObject => ({
    tool,
    argument,
    pattern,
    ...(except.length === 0 ? {} : { except }),
    ...ruleSource(rule),
  }))
  addToList(field.rewriter, { to: ['permissions', permission], values, from: at })
  const others = tools.filter((tool) => comparable.every((each) => each.tool !== tool))
  if (others.length > 0)
    return putUnclearRule(
      { ...rule, tools: others },
      `\`${pattern}\` cannot be compared with calls to the tool`,
      field,
    )
  const shown = comparable.map(({ tool, argument }) => `${tool} (${argument}: ${pattern})`)
  return translated(`permissions.${permission}: ${shown.join(', ')}`, exceptions(except))
}

/** Adds a rule for calls that cannot be compared. */
export function putUnclearRule(rule: TranslatedRule, why: string, field: FieldContext): RuleReport {
  const { tools, permission } = rule
  const names = tools.join(', ')
  if (permission !== 'deny') {
    putRule({ ...rule, permission: 'ask' }, field)
    return translated(`permissions.ask: ${names}`, `${why}, so each call needs approval`)
  }
  putRule(rule, field)
  field.rewriter.addProblem({
    severity: 'warning',
    code: 'permission_rule_widened',
    message: `${why}, so the rule denies every call to ${names}.`,
    ...problemPlace(rule),
  })
  return translated(`permissions.deny: ${names}`, `${why}, so every call is denied`)
}

/** Reports an invalid permission rule. */
export function reportBadRule(origin: RuleOrigin, message: string, { rewriter }: FieldContext): void {
  rewriter.addProblem({ code: 'card_bad_value', message, ...problemPlace(origin) })
}

function exceptions(except: readonly string[]): string | undefined {
  return except.length === 0 ? undefined : `except ${except.join(', ')}`
}
