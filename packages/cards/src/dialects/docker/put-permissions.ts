import type { Json } from '@troupe/schema'
import { addToList } from '../add-to-list.ts'
import type { FieldContext, FieldOutcome } from '../field-rule.ts'
import { mappingOf } from '../json-shapes.ts'
import { textList } from '../text-list.ts'
import { FILE_TOOLS } from './docker-tools.ts'

/** `permissions`: its three lists. */
export function putPermissions(value: Json, { rewriter, grant, from }: FieldContext): FieldOutcome {
  for (const permission of ['allow', 'ask', 'deny'] as const) {
    const at = [...from, permission]
    const rules = textList(mappingOf(value)[permission] ?? [], at) ?? []
    for (const { text, at: place } of rules) {
      const name = FILE_TOOLS.get(text.split(':', 1)[0] ?? '') ?? text.replace(/^mcp:/u, '')
      // a rule for some arguments cannot be told apart
      const isPartial = permission === 'allow' && text.includes(':')
      grant.settle([name])
      addToList(rewriter, {
        to: ['permissions', isPartial ? 'ask' : permission],
        values: [name],
        from: place,
      })
    }
  }
  return undefined
}
