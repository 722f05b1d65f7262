import { getOwn, type Json, type JsonObject } from '@troupe/schema'
import type { FieldContext, FieldRow } from '@troupe/cards/formats'
import { isText } from '../rules/field-rule.ts'
import { problemPlace } from '../rules/project-settings.ts'
import { refuseEntry, type ConfigEntry } from './config-layers.ts'

/** A key of the configuration. Its row is also shown in the documentation. */
export interface ConfigKey extends Omit<FieldRow, 'key'> {
  /** Value that has the effect of not setting the key, besides `false` and words such as `off`. */
  readonly default?: Json
}

/** The keys of a part of the configuration, by dotted path. */
export type ConfigKeys = Readonly<Record<string, ConfigKey>>

/** Creates a key that becomes another one. */
export function becomes(to: string, reason?: string): ConfigKey {
  return { status: 'translated', to, ...(reason === undefined ? {} : { reason }) }
}

/** Creates a key without which the agent does the same. */
export function without(reason: string): ConfigKey {
  return { status: 'ignored', reason }
}

/** Creates a key without which the agent may do something else. */
export function lost(reason: string, preset?: Json): ConfigKey {
  return {
    status: 'ignored',
    problem: 'warning',
    reason,
    ...(preset === undefined ? {} : { default: preset }),
  }
}

/** Returns the rows of the documentation for the keys of a part of the configuration. */
export function configRows(part: string, keys: ConfigKeys): readonly FieldRow[] {
  return Object.entries(keys).map(([key, { default: _preset, ...row }]) => ({
    ...row,
    key: `.ai-agent.json: ${part === '' ? '' : `${part}.`}${key}`,
  }))
}

/**
 * Reports the keys of an entry that are not translated. `path` leads from the entry to the keys. Unknown keys
 * are errors.
 */
export function reportKeys(
  value: JsonObject,
  keys: ConfigKeys,
  source: { readonly entry: ConfigEntry; readonly field: FieldContext; readonly path?: readonly string[] },
): void {
  const { entry, field, path = [] } = source
  for (const [key, member] of Object.entries(value)) {
    const known = getOwn(keys, key)
    if (known === undefined)
      refuseEntry(entry, field, {
        key,
        message: `has the unknown key \`${[...path, key].join('.')}\``,
      })
    else reportKey(known, member, { entry, field, at: [...entry.at, ...path, key] })
  }
}

/** Reports a key that is not translated, if its value says anything. */
export function reportKey(
  { status, problem, reason = '', default: preset }: ConfigKey,
  value: Json,
  {
    entry: { settings },
    field: { rewriter },
    at,
  }: {
    readonly entry: Pick<ConfigEntry, 'settings'>
    readonly field: FieldContext
    readonly at: readonly string[]
  },
): void {
  if (status !== 'ignored' || isUnset(value) || value === preset) return
  rewriter.note({ key: `${settings.label}: ${at.join('.')}`, status, reason })
  if (problem === undefined) return
  rewriter.addProblem({
    severity: problem,
    code: 'key_without_effect',
    message: `${settings.name}: \`${at.join('.')}\` has no effect: ${reason}.`,
    ...problemPlace({ settings, at }),
  })
}

/** Returns true for a value that leaves a setting to the product or turns it off. */
export function isUnset(value: Json): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return value === null || value === false || isEmpty || isUnsetText(value)
}

/** Returns true for a word that leaves a setting to the product. */
export function isUnsetText(value: Json): boolean {
  return isText(value) && /^(?:none|off|unset|default|inherit)$/iu.test(value)
}
