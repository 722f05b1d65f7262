import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../fields/field-path.ts'
import { addToList } from './add-to-list.ts'
import { ignored, translated, type FieldContext, type FieldOutcome } from './field-rule.ts'

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

/** Puts a rule. One that held for some arguments only asks, unless it allowed nothing. */
export function putPermission(
  { tools, permission, at, isPartial }: PermissionRule,
  { rewriter, grant }: FieldContext,
): FieldOutcome {
  if (tools.length === 0) return ignored('there is no such tool')
  grant.settle(tools.includes('*') ? ['filesystem.write', 'shell.execute'] : tools)
  addToList(rewriter, { to: ['permissions', permission], values: tools, from: at })
  const reason = isPartial
    ? 'rules for some arguments cannot be told apart here, so a person is asked each time'
    : undefined
  return translated(`permissions.${permission}: ${tools.join(', ')}`, reason)
}

/** Reads `allow`, `ask`, `deny`, or a mapping of patterns to these: several different words make `ask`. */
export function readPermission(
  value: Json,
): { readonly permission: Permission; readonly isPartial: boolean } | undefined {
  if (isPermission(value)) return { permission: value, isPartial: false }
  if (!isJsonObject(value)) return undefined
  const words = [...new Set(Object.values(value))]
  const [only] = words
  if (words.length === 1 && isPermission(only)) {
    const isPartial = only !== 'deny' && !Object.hasOwn(value, '*')
    return { permission: isPartial ? 'ask' : only, isPartial }
  }
  return words.length > 0 && words.every(isPermission) ? { permission: 'ask', isPartial: true } : undefined
}

/** Puts a mapping of tools to permissions, as opencode has it. */
export function putPermissions(
  rules: JsonObject,
  toolsOf: (name: string) => readonly string[],
  field: FieldContext,
): void {
  for (const [name, value] of Object.entries(rules)) {
    const at = [...field.from, name]
    const read = readPermission(value)
    const outcome =
      read === undefined
        ? badPermission(at, field)
        : putPermission({ tools: toolsOf(name), at, ...read }, field)
    if (outcome !== undefined) field.rewriter.note({ key: dotted(at), ...outcome })
  }
}

function badPermission(at: FieldPath, { rewriter }: FieldContext): FieldOutcome {
  rewriter.tell({
    code: 'card_bad_value',
    message: `\`${dotted(at)}\` must be allow, ask or deny, or a mapping of patterns to these.`,
    at,
  })
  return ignored('it is neither allow, ask nor deny')
}

function isPermission(value: Json | undefined): value is Permission {
  return value === 'allow' || value === 'ask' || value === 'deny'
}
