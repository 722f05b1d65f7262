import { type Json, mcpToolName } from '@troupe/schema'
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
import { mappingOf } from '../rules/field-rule.ts'
import { fitsPattern } from '../rules/tool-mapping.ts'
import { FILE_TOOLS, TOOLSET_TOOLS } from './put-toolsets.ts'

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
  const pattern = readToolPattern(text, permission)
  const rule: TranslatedRule = { ...origin, permission, tools: pattern.names }
  field.grant.skipDefaultApproval(pattern.names)
  const report: Omit<FieldReport, 'key'> =
    pattern.names.length === 0
      ? { status: 'ignored', reason: 'it does not allow writing whole files, so each call needs approval' }
      : putRead(rule, pattern, { text, field })
  field.rewriter.note({ key: reportKey(origin), ...report })
}

function putRead(
  rule: TranslatedRule,
  { names, conditions }: ToolPattern,
  { text, field }: { readonly text: string; readonly field: FieldContext },
): Omit<FieldReport, 'key'> {
  const [condition, ...others] = conditions
  if (condition === undefined) return putWhole(rule, field)
  const { argument, pattern } = condition
  if (others.length > 0) return putUnclearRule(rule, `\`${text}\` compares several arguments`, field)
  if (/[[\\]/u.test(pattern)) return putUnclearRule(rule, `\`${text}\` holds \`[\` or \`\\\``, field)
  if (names.includes('*'))
    return putUnclearRule(rule, `\`${text}\` compares an argument of every tool`, field)
  return putArgumentRule({ ...rule, pattern, argument: argumentOf(argument) }, field)
}

/**
 * Adds a rule for all calls of its tools. There an allowed call needs no approval, so `ask` leaves out the
 * calls that `allow` names.
 */
function putWhole(rule: TranslatedRule, field: FieldContext): Omit<FieldReport, 'key'> {
  if (rule.permission !== 'ask' || rule.tools.length !== 1) return putRule(rule, field)
  const allowed = allowPatterns(field).filter(
    ({ names, conditions }) => names.length === 1 && names[0] === rule.tools[0] && conditions.length <= 1,
  )
  if (allowed.some(({ conditions }) => conditions.length === 0))
    return { status: 'ignored', reason: 'another rule allows every call' }
  const [first] = allowed.flatMap(({ conditions }) => conditions)
  if (first === undefined) return putRule(rule, field)
  const argument = argumentOf(first.argument)
  const except = allowed
    .flatMap(({ conditions }) => conditions)
    .filter((condition) => argumentOf(condition.argument) === argument && !/[[\\]/u.test(condition.pattern))
    .map(({ pattern }) => pattern)
  return putArgumentRule({ ...rule, pattern: '*', argument, except }, field)
}

function allowPatterns({ card }: FieldContext): readonly ToolPattern[] {
  const lists = [...(card.project ?? []).map(({ fields }) => fields), card.fields]
  return lists.flatMap(({ permissions }) =>
    (textList(mappingOf(permissions)['allow'] ?? [], []) ?? []).map(({ text }) =>
      readToolPattern(text, 'allow'),
    ),
  )
}

/** Argument names of docker-agent that have another name in Troupe. */
const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['paths', 'path'],
  ['urls', 'url'],
])

function argumentOf(name: string): string {
  return ARGUMENTS.get(name) ?? name
}

/** A parsed pattern of `permissions`. */
interface ToolPattern {
  /** Canonical names, and globs of them. */
  readonly names: readonly string[]
  /** The arguments to compare, by docker-agent's names. */
  readonly conditions: readonly { readonly argument: string; readonly pattern: string }[]
}

const QUALIFIED = /^mcp:(?<server>[^:]+):(?<tool>[^:]+)$/u
/** A condition begins with a colon only before `key=`; names of tools and values may contain colons. */
const CONDITION = /:(?<argument>\w+)=/gu

/**
 * Parses a pattern such as `read_*`, `shell:cmd=ls*` or `mcp:github:get_*`. Names that are not docker-agent's
 * own are taken for MCP tools.
 */
export function readToolPattern(pattern: string, permission: Permission = 'deny'): ToolPattern {
  const found = [...pattern.matchAll(CONDITION)]
  const conditions = found.map((match, index) => ({
    argument: match.groups?.['argument'] ?? '',
    pattern: pattern.slice(match.index + match[0].length, found[index + 1]?.index ?? pattern.length),
  }))
  return { names: namesOf(pattern.slice(0, found[0]?.index ?? pattern.length), permission), conditions }
}

/** Tools of docker-agent that must be allowed before Troupe's tool is, because it can do the same. */
const STRONGEST: ReadonlyMap<string, string> = new Map([
  ['filesystem.write', 'write_file'],
  ['memory.write', 'update_memory'],
])

function namesOf(text: string, permission: Permission): readonly string[] {
  const { server, tool } = QUALIFIED.exec(text)?.groups ?? {}
  if (server !== undefined && tool !== undefined) return [mcpToolName(server, tool)]
  const name = text.replace(/^mcp:/u, '').toLowerCase()
  if (name === '*') return ['*']
  const own = [...TOOLSET_TOOLS]
    .filter(([known, canonical]) => {
      const strongest = permission === 'allow' ? STRONGEST.get(canonical) : undefined
      return fitsPattern(known, name) && fitsPattern(strongest ?? known, name)
    })
    .map(([, canonical]) => canonical)
  const isKnown = FILE_TOOLS.has(name)
  return [...new Set([...own, ...(isKnown ? [] : [`*__${text.replace(/^mcp:/u, '')}`])])]
}
