import type { Citations } from './citations.ts'
import { SOURCES, type Requirement, type Ruling } from './requirement.ts'

/** Returns the differences between the manifest and the citations of the tests, one line each. Empty if the gate passes. */
export function checkManifest(
  manifest: { readonly requirements: readonly Requirement[]; readonly rulings: readonly Ruling[] },
  citations: Citations,
): readonly string[] {
  const known = new Set([...manifest.requirements, ...manifest.rulings].map((entry) => entry.id))
  const unknown = [...citations.files].filter(([id]) => !known.has(id))
  return [
    ...citations.problems,
    ...unknown.map(([id, files]) => `${id} is cited in ${files.join(', ')} and is not in the manifest.`),
    ...manifest.requirements.flatMap((requirement) => checkOne(requirement, citations, known)),
    ...checkNumbers(manifest.requirements),
  ]
}

function checkOne(
  requirement: Requirement,
  { files }: Citations,
  known: ReadonlySet<string>,
): readonly string[] {
  const { id, status } = requirement
  const citing = files.get(id)
  const problems: string[] = []
  if (requirement.source !== SOURCES.get(id.slice(0, 1)))
    problems.push(`${id} has the source of another document.`)
  for (const ruling of requirement.rulings ?? []) {
    if (!known.has(ruling)) problems.push(`${id} names the ruling ${ruling}, which there is not.`)
  }
  if (status === 'implemented' && citing === undefined)
    problems.push(`${id} is implemented and no test cites it.`)
  if (status !== 'implemented' && citing !== undefined) {
    problems.push(`${id} is ${status} and ${citing.join(', ')} cites it: run the status script.`)
  }
  if (status === 'planned' && requirement.milestone === undefined)
    problems.push(`${id} is planned without a milestone.`)
  if (status === 'waived' && requirement.reason === undefined)
    problems.push(`${id} is waived without a reason.`)
  return problems
}

/** Checks that the ids of each document are 1, 2, 3, … without gaps and repetitions. */
function checkNumbers(requirements: readonly Requirement[]): readonly string[] {
  return [...SOURCES.keys()].flatMap((letter) => {
    const ids = requirements.map((requirement) => requirement.id).filter((id) => id.startsWith(letter))
    const wrong = ids.findIndex((id, index) => id !== `${letter}${index + 1}`)
    return wrong === -1 ? [] : [`${ids[wrong]} stands where ${letter}${wrong + 1} should.`]
  })
}
