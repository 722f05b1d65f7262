import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { TeamOptions } from '../team/load-host.ts'

/** What is kept with a run so that it can be resumed without naming its cards again. Values of variables are not. */
export interface RunNote {
  readonly cwd: string
  readonly card: string
  readonly options: Omit<TeamOptions, 'env'>
  /** What asks leaves it waiting, also when it goes on. */
  readonly wait?: boolean
}

/** The options that the cards of a run depend on. */
const KEPT = [
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

/** The note of a run, as JSON. */
export function writeNote({ options, ...rest }: RunNote & { readonly options: TeamOptions }): JsonObject {
  const kept = Object.fromEntries(KEPT.map((key) => [key, options[key]]))
  const { cwd, card, wait } = rest
  return JSON.parse(JSON.stringify({ cwd, card, options: kept, wait })) as JsonObject
}

/** The note of a run that the program has kept; undefined: something else has. */
export function readNote(note: Json | undefined): RunNote | undefined {
  if (!isJsonObject(note) || typeof note['cwd'] !== 'string' || typeof note['card'] !== 'string')
    return undefined
  return note as unknown as RunNote
}
