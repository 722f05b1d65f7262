import { troupeError, errorMessage, isJsonObject, type Json } from '@troupe/schema'
import { parse, stringify } from 'yaml'
import type { Cassette } from './cassette.ts'

const HEAD = '# A recorded run: docs/replay.md says how to read it.\n'

/** Formats a cassette as YAML: one item per entry, long lines unfolded. Equal cassettes give equal text. */
export function writeCassette(cassette: Cassette): string {
  // The round trip removes members that JSON leaves out. Shared values must not become YAML anchors.
  const plain = JSON.parse(JSON.stringify(cassette)) as unknown
  return HEAD + stringify(plain, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' })
}

/** Parses a cassette. Throws `cassette_invalid` with the file name. */
export function readCassette(text: string, file: string): Cassette {
  let value: unknown
  try {
    value = parse(text.replaceAll(LITERAL, OPENING), { version: '1.2', maxAliasCount: 0 })
  } catch (cause) {
    throw invalid(file, errorMessage(cause).split('\n')[0] ?? '', cause)
  }
  if (!isJsonObject(value)) throw invalid(file, 'it is no recorded run')
  const { cassette, runId, agent, input, agents, entries } = value as Record<string, unknown>
  if (cassette !== 1)
    throw invalid(file, `its form is ${JSON.stringify(cassette) ?? 'not said'}, this version reads 1`)
  for (const [key, text] of Object.entries({ runId, agent, input }))
    if (typeof text !== 'string') throw invalid(file, `${key} is no text`)
  if (!isJsonObject(agents)) throw invalid(file, 'agents is no table')
  if (!Array.isArray(entries) || !entries.every(isEntry))
    throw invalid(file, 'entries is no list of entries with `run` and `event`')
  return value as unknown as Cassette
}

/**
 * The start of a secret placeholder. Text that contains it is stored as `LITERAL`. No secrets are filled in
 * here, so reading only undoes the escape.
 */
const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`

function isEntry(entry: Json): boolean {
  return isJsonObject(entry) && typeof entry['run'] === 'string' && typeof entry['event'] === 'string'
}

function invalid(file: string, why: string, cause?: unknown): Error {
  return troupeError('cassette_invalid', `${file} cannot be played: ${why}.`, { cause })
}
