import type { Citations } from './citations.ts'
import type { Requirement } from './requirement.ts'

/**
 * The requirements with the status that the tests give them: cited ones are implemented; one that is no longer cited
 * is planned again, under `milestone`.
 */
export function updateStatus(
  requirements: readonly Requirement[],
  { files }: Citations,
  milestone: string,
): readonly Requirement[] {
  return requirements.map((requirement) => {
    const cited = files.has(requirement.id)
    if (cited === (requirement.status === 'implemented')) return requirement
    const { status: _, milestone: __, reason: ___, ...rest } = requirement
    return cited ? { ...rest, status: 'implemented' } : { ...rest, status: 'planned', milestone }
  })
}
