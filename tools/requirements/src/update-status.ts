import type { Citations } from './citations.ts'
import type { Requirement } from './requirement.ts'

/**
 * Returns the requirements with the status that the tests prove: a cited requirement is implemented; one that is no longer cited
 * becomes planned again, under `milestone`.
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
