import { basename, dirname } from 'node:path'
import type { AgentSource } from '@troupe/schema'

/** How a card is written: prose with front matter, or data with `instruction`. */
export type CardForm = 'markdown' | 'yaml' | 'json'

const FORMS: ReadonlyMap<string, CardForm> = new Map([
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['json', 'json'],
])
const ENDING = /\.(?<ending>[A-Za-z0-9]+)$/u
const ADDRESS = /^https?:\/\//iu

/** The form of a card by the ending of its path; whatever is not YAML or JSON is Markdown. */
export function formOf(path: string): CardForm {
  const ending = ENDING.exec(fileName(path))?.groups?.['ending'] ?? ''
  return FORMS.get(ending.toLowerCase()) ?? 'markdown'
}

/** The name of an agent whose card gives none: the file name without its ending; of `.agent.md` both parts go. */
export function stemOf(path: string): string {
  const name = fileName(path)
  return name.replace(/\.agent\.md$/iu, '').replace(ENDING, '') || name
}

/** Where a definition comes from. */
export function sourceOf(path: string): AgentSource {
  return ADDRESS.test(path) ? { kind: 'url', path } : { kind: 'file', path, folder: dirname(path) }
}

function fileName(path: string): string {
  if (!ADDRESS.test(path) || !URL.canParse(path)) return basename(path)
  return basename(new URL(path).pathname)
}
