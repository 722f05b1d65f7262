import { isJsonObject, type Json } from '@troupe/schema'
import type { FieldContext, ProjectSettings } from '@troupe/cards/formats'
import { isText, textOf } from '../rules/field-rule.ts'
import { findConfigEntry, refuseEntry, type ConfigEntry } from './config-layers.ts'

/**
 * Returns the concurrent calls that the queue of a server or tool allows, or `undefined` if it names none.
 * Reports a queue that does not exist.
 */
export function queueLimit(
  name: Json | undefined,
  source: {
    readonly entry: ConfigEntry
    readonly layers: readonly ProjectSettings[]
    readonly field: FieldContext
  },
): number | undefined {
  const { entry, layers, field } = source
  if (name === undefined) return undefined
  const queue = isText(name) ? findConfigEntry(layers, 'queues', name) : undefined
  const limit = isJsonObject(queue?.value) ? queue.value['concurrent'] : undefined
  if (typeof limit === 'number' && Number.isInteger(limit) && limit > 0) return limit
  if (name === 'default' && queue === undefined) return undefined
  const written = textOf(name, 'NAME')
  refuseEntry(entry, field, {
    key: 'queue',
    message: `names the queue "${written}", which has no \`queues.${written}.concurrent\``,
  })
  return undefined
}
