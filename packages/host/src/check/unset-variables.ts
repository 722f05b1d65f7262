import { findVariables } from '@troupe/env'
import type { Environment } from '../config/environments.ts'
import type { TeamMember } from '../team/load-team.ts'

/**
 * Returns the variables without a value in a model id from the configuration. Model ids in cards are not
 * expanded.
 */
export function unsetVariables(
  id: string,
  { card: { definition } }: Pick<TeamMember, 'card'>,
  { overlay }: Environment,
): readonly string[] {
  const isWritten = definition?.model.includes(id) === true || definition?.context.model === id
  if (isWritten || !id.includes('${')) return []
  return findVariables(id).flatMap(({ name, hasDefault }) =>
    hasDefault || overlay.get(name) !== undefined ? [] : [name],
  )
}
