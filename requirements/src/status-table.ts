import { SOURCES, STATUSES, type Requirement } from './requirement.ts'

const START = '<!-- requirements:start -->'
const END = '<!-- requirements:end -->'

/** How far each document is implemented, and what is planned for when. */
export function statusSummary(requirements: readonly Requirement[]): string {
  const rows = [...SOURCES.values()].map((source) =>
    countRow(
      source,
      requirements.filter((requirement) => requirement.source === source),
    ),
  )
  const head = ['| document | requirements | implemented | planned | waived |', '|---|---|---|---|---|']
  return [...head, ...rows, countRow('all', requirements), '', ...milestoneLines(requirements)]
    .join('\n')
    .trim()
}

/** Every requirement with its status. */
export function statusDetails(requirements: readonly Requirement[]): string {
  const rows = requirements.map((requirement) => {
    const note = requirement.milestone ?? requirement.reason
    const status = note === undefined ? requirement.status : `${requirement.status}: ${note}`
    return `| ${requirement.id} | ${cell(requirement.wording)} | ${cell(status)} |`
  })
  return ['| id | requirement | status |', '|---|---|---|', ...rows].join('\n')
}

/** The text with `content` between the markers of the status table; undefined when it has no markers. */
export function replaceTable(text: string, content: string): string | undefined {
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start === -1 || end < start) return undefined
  return `${text.slice(0, start + START.length)}\n${content}\n${text.slice(end)}`
}

function countRow(name: string, requirements: readonly Requirement[]): string {
  const counts = STATUSES.map(
    (status) => requirements.filter((requirement) => requirement.status === status).length,
  )
  return `| ${[name, requirements.length, ...counts].join(' | ')} |`
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
