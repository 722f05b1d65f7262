import type { AgentSource } from '@troupe/schema/agent-keys'
import { basename, dirname, extname } from 'node:path'

/**
 * The syntax of a card file: Markdown with front matter, or data with `instruction`. `jsonc` is JSON with
 * comments and trailing commas.
 */
export type CardSyntax = 'markdown' | 'yaml' | 'json' | 'jsonc' | 'toml'

const FORMS: ReadonlyMap<string, CardSyntax> = new Map([
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.json', 'json'],
  ['.jsonc', 'jsonc'],
  ['.toml', 'toml'],
])
/** Files with comments despite their `.json` extension. */
const WITH_COMMENTS = /(?:^|[\\/])(?:opencode|\.vscode[\\/]mcp)\.json$/u
const AGENT_MD = /\.(?:agent|chatmode)\.md$/iu
const AGENT_ENDING = /\.(?:ai|(?:agent|chatmode)\.md)$/iu
const ADDRESS = /^https?:\/\//iu

/** Returns the syntax of a card by its extension; Markdown unless it is YAML or JSON. */
export function syntaxOf(path: string): CardSyntax {
  if (WITH_COMMENTS.test(path)) return 'jsonc'
  return FORMS.get(extname(filePart(path)).toLowerCase()) ?? 'markdown'
}

/**
 * Returns the name of an agent whose card has none: the file name without its extension, which may be
 * `.agent.md`.
 */
export function stemOf(path: string): string {
  const name = basename(filePart(path))
  return AGENT_MD.test(name) ? name.replace(AGENT_MD, '') || name : basename(name, extname(name))
}

/** Returns the source of a definition. */
export function sourceOf(path: string): AgentSource {
  return ADDRESS.test(path) ? { kind: 'url', path } : { kind: 'file', path, folder: dirname(path) }
}

/**
 * Returns true for a file name with the extension of an agent file. Such a file may consist of a prompt
 * alone.
 */
export function hasAgentEnding(path: string): boolean {
  return AGENT_ENDING.test(filePart(path))
}

function filePart(path: string): string {
  return ADDRESS.test(path) && URL.canParse(path) ? new URL(path).pathname : path
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`
const STRING_OR_COMMENT = new RegExp(String.raw`${STRING}|\/\/[^\n]*|\/\*[\s\S]*?\*\/`, 'gsu')
const STRING_OR_LAST_COMMA = new RegExp(String.raw`${STRING}|,(?=\s*[\]}])`, 'gsu')

/** Replaces comments and trailing commas by blanks, which results in JSON of the same length. */
export function stripJsonComments(text: string): string {
  return text
    .replaceAll(STRING_OR_COMMENT, blankUnlessString)
    .replaceAll(STRING_OR_LAST_COMMA, blankUnlessString)
}

function blankUnlessString(found: string): string {
  return found.startsWith('"') ? found : found.replaceAll(/[^\n]/gu, ' ')
}
