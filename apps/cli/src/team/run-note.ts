import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { TeamOptions } from './load-host.ts'

/**
 * Data stored with a run so that it can be resumed without naming its cards. Contains no values of variables.
 */
export interface RunNote {
  readonly cwd: string
  readonly card: string
  readonly options: Omit<TeamOptions, 'env'>
  /** True if the run suspends at an approval without an approver, also after a resume. */
  readonly wait?: boolean
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
  'allowHttp',
  'allowPrivate',
  'edited',
] as const satisfies readonly (keyof TeamOptions)[]

export function writeNote({ options, ...rest }: RunNote & { readonly options: TeamOptions }): JsonObject {
  const storedOptions = Object.fromEntries(STORED_OPTIONS.map((key) => [key, options[key]]))
  const { cwd, card, wait } = rest
  return JSON.parse(JSON.stringify({ cwd, card, options: storedOptions, wait })) as JsonObject
}

/** Reads the note of a run. Returns `undefined` if the run was not stored by the CLI. */
export function readNote(note: Json | undefined): RunNote | undefined {
  if (!isJsonObject(note) || typeof note['cwd'] !== 'string' || typeof note['card'] !== 'string')
    return undefined
  return note as unknown as RunNote
}
