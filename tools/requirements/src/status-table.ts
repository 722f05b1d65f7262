import type { MutantList } from './mutants/mutant.ts'
import { SOURCES, STATUSES, type Requirement } from './requirement.ts'

const START = '<!-- requirements:start -->'
const END = '<!-- requirements:end -->'

/** Counts the requirements of each document by status, and those that a mutant proves. */
export function statusSummary(requirements: readonly Requirement[], mutants: MutantList): string {
  const proof = proofOf(mutants)
  const rows = [...SOURCES.values()].map((source) =>
    countRow(
      source,
      requirements.filter((requirement) => requirement.source === source),
      proof,
    ),
  )
  const head = [
    '| document | requirements | implemented | planned | waived | proved by a mutant | no mutant possible |',
    '|---|---|---|---|---|---|---|',
  ]
  return [...head, ...rows, countRow('all', requirements, proof), '', ...milestoneLines(requirements)]
    .join('\n')
    .trim()
}

/** Lists every requirement with its status and its proof. */
export function statusDetails(requirements: readonly Requirement[], mutants: MutantList): string {
  const proof = proofOf(mutants)
  const rows = requirements.map((requirement) => {
    const note = requirement.milestone ?? requirement.reason
    const status = note === undefined ? requirement.status : `${requirement.status}: ${note}`
    return `| ${requirement.id} | ${cell(requirement.wording)} | ${cell(status)} | ${cell(proof.get(requirement.id) ?? 'no')} |`
  })
  return ['| id | requirement | status | proved by a mutant |', '|---|---|---|---|', ...rows].join('\n')
}

const PROVED = 'yes'

/** Maps each id to {@link PROVED} or to the reason why no mutant is possible. */
function proofOf({ mutants, exemptions }: MutantList): ReadonlyMap<string, string> {
  return new Map([
    ...exemptions.map(({ id, none }) => [id, `none possible: ${none}`] as const),
    ...mutants.map(({ id }) => [id, PROVED] as const),
  ])
}

/** Returns the text with `content` between the markers of the status table, or `undefined` if it has no markers. */
export function replaceTable(text: string, content: string): string | undefined {
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start === -1 || end < start) return undefined
  return `${text.slice(0, start + START.length)}\n${content}\n${text.slice(end)}`
}

function countRow(
  name: string,
  requirements: readonly Requirement[],
  proof: ReadonlyMap<string, string>,
): string {
  const counts = STATUSES.map(
    (status) => requirements.filter((requirement) => requirement.status === status).length,
  )
  const proofs = requirements.flatMap(({ id }) => proof.get(id) ?? [])
  const proved = proofs.filter((each) => each === PROVED).length
  return `| ${[name, requirements.length, ...counts, proved, proofs.length - proved].join(' | ')} |`
}

function milestoneLines(requirements: readonly Requirement[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { milestone } of requirements) {
    if (milestone !== undefined) counts.set(milestone, (counts.get(milestone) ?? 0) + 1)
  }
  if (counts.size === 0) return []
  return [`Planned: ${Array.from(counts, ([milestone, count]) => `${milestone} (${count})`).join(', ')}.`]
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
