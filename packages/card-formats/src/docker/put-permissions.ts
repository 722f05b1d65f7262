import type { Json } from '@troupe/schema'
import { type FieldContext, type FieldReport, textList } from '@troupe/cards/formats'
import { reportKey, type RuleOrigin } from '../rules/project-settings.ts'
import {
  reportBadRule,
  putArgumentRule,
  putRule,
  putUnclearRule,
  type TranslatedRule,
  type Permission,
} from '../rules/put-rule.ts'
import { mappingOf } from '../rules/json-shapes.ts'
import { readToolPattern, type ToolPattern } from './tool-pattern.ts'

/** Adds the `permissions` of the file and of the agent. */
export function putPermissions(field: FieldContext): void {
  const { card } = field
  for (const settings of card.project ?? [])
    putLists(settings.fields['permissions'], { at: ['permissions'], settings }, field)
  putLists(card.fields['permissions'], { at: ['permissions'] }, field)
}

function putLists(value: Json | undefined, origin: RuleOrigin, field: FieldContext): void {
  if (value === undefined || value === null) return
  for (const permission of ['allow', 'ask', 'deny'] as const) {
    const at = [...origin.at, permission]
    const list = mappingOf(value)[permission] ?? []
    const patterns = textList(list, at)
    if (patterns === undefined)
      reportBadRule(
        { ...origin, at },
        `\`${reportKey({ ...origin, at })}\` must be a list of patterns.`,
        field,
      )
    for (const { text, at: place } of patterns ?? [])
      putPattern(permission, text, { ...origin, at: place }, field)
  }
}

function putPattern(permission: Permission, text: string, origin: RuleOrigin, field: FieldContext): void {
  const pattern = readToolPattern(text)
  const rule: TranslatedRule = { ...origin, permission, tools: pattern.names }
  field.grant.skipDefaultApproval(pattern.names)
  field.rewriter.note({ key: reportKey(origin), ...putRead(rule, pattern, { text, field }) })
}

function putRead(
  rule: TranslatedRule,
  { names, conditions }: ToolPattern,
  { text, field }: { readonly text: string; readonly field: FieldContext },
): Omit<FieldReport, 'key'> {
  const [condition, ...others] = conditions
  if (condition === undefined) return putRule(rule, field)
  const { argument, pattern } = condition
  if (others.length > 0) return putUnclearRule(rule, `\`${text}\` compares several arguments`, field)
  if (/[[\\]/u.test(pattern)) return putUnclearRule(rule, `\`${text}\` holds \`[\` or \`\\\``, field)
  if (names.includes('*'))
    return putUnclearRule(rule, `\`${text}\` compares an argument of every tool`, field)
  return putArgumentRule({ ...rule, pattern, argument: argumentOf(argument) }, field)
}

/** Argument names of docker-agent that have another name in Troupe. */
const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['paths', 'path'],
])

function argumentOf(name: string): string {
  return ARGUMENTS.get(name) ?? name
}
