import { basename, dirname, extname } from 'node:path'
import type { AgentSource } from '@troupe/schema'

/** How a card is written: prose with front matter, or data with `instruction`. `jsonc` is JSON in which comments and last commas may stand. */
export type CardForm = 'markdown' | 'yaml' | 'json' | 'jsonc'

const FORMS: ReadonlyMap<string, CardForm> = new Map([
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.json', 'json'],
  ['.jsonc', 'jsonc'],
])
/** Read with comments whatever its ending says. */
const WITH_COMMENTS = /(?:^|[\\/])opencode\.json$/u
const AGENT_MD = /\.(?:agent|chatmode)\.md$/iu
const AGENT_ENDING = /\.(?:ai|(?:agent|chatmode)\.md)$/iu
const ADDRESS = /^https?:\/\//iu

/** The form of a card by the ending of its path; whatever is not YAML or JSON is Markdown. */
export function formOf(path: string): CardForm {
  if (WITH_COMMENTS.test(path)) return 'jsonc'
  return FORMS.get(extname(filePart(path)).toLowerCase()) ?? 'markdown'
}

/** The name of an agent whose card gives none: the file name without its ending; of `.agent.md` both parts go. */
export function stemOf(path: string): string {
  const name = basename(filePart(path))
  return AGENT_MD.test(name) ? name.replace(AGENT_MD, '') || name : basename(name, extname(name))
}

/** Where a definition comes from. */
export function sourceOf(path: string): AgentSource {
  return ADDRESS.test(path) ? { kind: 'url', path } : { kind: 'file', path, folder: dirname(path) }
}

/** True for a file name whose ending says that the file is an agent, so that it may be a prompt alone. */
export function hasAgentEnding(path: string): boolean {
  return AGENT_ENDING.test(filePart(path))
}

function filePart(path: string): string {
  return ADDRESS.test(path) && URL.canParse(path) ? new URL(path).pathname : path
}
