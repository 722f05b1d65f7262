import type { JsonObject, RunOptions } from '@troupe/schema'
import { QUEUED_STEP, type RunRequest, type RunStore } from '@troupe/schema/ports'
import type { TeamOptions } from './load-host.ts'

/**
 * Data stored with a run so that it can be resumed without naming its cards. Contains no values of variables.
 */
export interface RunNote {
  readonly cwd: string
  readonly cards: readonly string[]
  readonly options: Omit<TeamOptions, 'env'>
  /** True if the run suspends at an approval without an approver, also after a resume. */
  readonly wait?: boolean
  /** True for a run of a server that belongs to no connection. It suspends like one with `wait`. */
  readonly detached?: boolean
  /** Limits that the caller of a server set for the run. `timeout` is in ms. */
  readonly caps?: Pick<RunOptions, 'budget' | 'timeout'>
}

/** Options that affect the cards of a run. */
const STORED_OPTIONS = [
  'agent',
  'card',
  'agentCards',
  'config',
  'root',
  'model',
  'set',
  'envFile',
  'frozen',
  'allowHttp',
  'allowPrivate',
  'edited',
] as const satisfies readonly (keyof TeamOptions)[]

/** Returns the fields of a note that a team was loaded from. `date` is the date in its prompts. */
export function writeNote({
  cwd,
  cards,
  options,
  date,
}: Pick<RunNote, 'cwd' | 'cards'> & { readonly options: TeamOptions; readonly date: Date }): JsonObject {
  const storedOptions = Object.fromEntries(STORED_OPTIONS.map((key) => [key, options[key]]))
  return JSON.parse(JSON.stringify({ cwd, cards, options: { ...storedOptions, date } })) as JsonObject
}

/** The agent of a stored run, and its note if it was started by the CLI. */
interface RunOrigin {
  readonly agent?: string
  readonly note?: RunNote
}

/** Reads the origin of a run that has started or was accepted. Empty if only metadata or nothing is stored. */
export async function readOrigin(store: Pick<RunStore, 'steps'>, rootRunId: string): Promise<RunOrigin> {
  const steps = await store.steps(rootRunId, rootRunId)
  const begin = (steps.get('begin') ?? steps.get(QUEUED_STEP)) as unknown as RunRequest | undefined
  if (begin === undefined) return {}
  const { agent, note } = begin
  const isComplete = typeof note?.['cwd'] === 'string' && Array.isArray(note['cards'])
  return { agent: agent.name, ...(isComplete ? { note: note as unknown as RunNote } : {}) }
}
