import type { Json } from '@troupe/schema'
import { dotted } from '../../fields/field-path.ts'
import { addToList } from '../add-to-list.ts'
import type { FieldContext, FieldOutcome } from '../field-rule.ts'
import { mappingOf } from '../json-shapes.ts'
import type { Permission } from '../permission-words.ts'
import { textList } from '../text-list.ts'
import { namesOfPattern } from './tool-pattern.ts'

const PARTIAL = 'rules for some arguments cannot be told apart here, so a person is asked each time'

/** `permissions`: its three lists. */
export function putPermissions(value: Json, field: FieldContext): FieldOutcome {
  for (const permission of ['allow', 'ask', 'deny'] as const) {
    const at = [...field.from, permission]
    for (const rule of textList(mappingOf(value)[permission] ?? [], at) ?? [])
      putRule(permission, rule.text, { ...field, from: rule.at })
  }
  return undefined
}

function putRule(permission: Permission, pattern: string, { rewriter, grant, from }: FieldContext): void {
  const { names, isPartial } = namesOfPattern(pattern)
  // a rule for some arguments cannot be told apart
  const put = isPartial ? 'ask' : permission
  grant.settle(names)
  addToList(rewriter, { to: ['permissions', put], values: names, from })
  rewriter.note({
    key: dotted(from),
    status: 'translated',
    to: `permissions.${put}: ${names.join(', ')}`,
    ...(isPartial ? { reason: PARTIAL } : {}),
  })
}
