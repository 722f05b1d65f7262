import type { Json, JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldOutcome, type FieldRow } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { convertVariables } from './project.ts'
import {
  CONNECTS_ITSELF,
  ELSEWHERE,
  MANAGED,
  NOT_READ,
  targetName,
  toServer,
  WITHOUT_EFFECT,
} from './put-servers.ts'

const READ: readonly string[] = ['target', 'headers', 'access_token', 'auth']
/** Keys that fast-agent refuses in cards, too. */
const REFUSED: readonly string[] = ['command', 'args', 'env', 'cwd']

/** Rows of the documentation for each key of a server in a card. */
export const CONNECTION_ROWS: readonly FieldRow[] = [
  ...READ.map((key) => ({ key, status: 'translated', to: 'mcpServers' }) as const),
  ...['name', 'description', 'protocol_mode', 'defer_loading'].map(
    (key) => ({ key, status: 'ignored', reason: WITHOUT_EFFECT.get(key) ?? NOT_READ }) as const,
  ),
  { key: 'management', status: 'ignored' as const, reason: MANAGED },
  { key: 'connector_id', status: 'ignored' as const, problem: 'error' as const, reason: ELSEWHERE },
  ...REFUSED.map(
    (key) => ({ key, status: 'ignored', problem: 'error', reason: 'a card cannot start programs' }) as const,
  ),
].map((row) => ({ ...row, key: `mcp_connect.N.${row.key}` }))

/** Applies the rule for `mcp_connect`: adds the servers of the card, a list of targets or targets by name. */
export function putConnections(value: Json, field: FieldContext): FieldOutcome {
  const entries: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? [...(value as readonly Json[]).entries()]
    : Object.entries(mappingOf(value)).map(([name, entry]) => [name, { name, ...toEntry(entry) }])
  for (const [key, entry] of entries) putConnection(toEntry(entry), [...field.from, key], field)
  return undefined
}

function toEntry(entry: Json): JsonObject {
  return isText(entry) ? { target: entry } : mappingOf(entry)
}

function putConnection(entry: JsonObject, at: FieldContext['from'], field: FieldContext): void {
  const { target, name } = entry
  const isManaged = entry['management'] === 'provider'
  const isElsewhere = (isManaged && !isText(target)) || entry['connector_id'] !== undefined
  const isRefused = isElsewhere || REFUSED.some((key) => entry[key] !== undefined)
  if (isManaged && !isElsewhere)
    field.rewriter.note({ key: `${dottedPath(at)}.management`, status: 'ignored', reason: CONNECTS_ITSELF })
  if (isElsewhere)
    field.rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`${dottedPath(at)}\`: ${ELSEWHERE} (\`management: provider\`).`,
      at,
    })
  else if (isRefused)
    field.rewriter.addProblem({
      code: 'card_bad_value',
      message: `\`${dottedPath(at)}\`: fast-agent accepts a \`target\` here, but not ${REFUSED.map((key) => `\`${key}\``).join(', ')}.`,
      at,
      fix: 'Write the command line as `target`, or define the server in fast-agent.yaml.',
    })
  if (isRefused) return
  if (!isText(target)) {
    field.rewriter.note({
      key: dottedPath(at),
      status: 'ignored',
      reason: 'it has neither a URL nor a command',
    })
    return
  }
  for (const key of Object.keys(entry).filter((each) => !READ.includes(each) && each !== 'management'))
    field.rewriter.note({
      key: `${dottedPath(at)}.${key}`,
      status: 'ignored',
      reason: WITHOUT_EFFECT.get(key) ?? NOT_READ,
    })
  const id = isText(name) ? name : targetName(target)
  field.rewriter.put(['mcpServers', id], toServer(convertVariables(entry), field.card), at)
}
