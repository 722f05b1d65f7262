import { realpathSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { isInside } from '@troupe/schema/paths'

/**
 * Paths that make up a team. File tools never write them, because an agent could otherwise give itself other
 * tools or code. All paths are absolute.
 */
export interface TeamFiles {
  /** Folders of cards, configuration, skills, and modules that cards refer to. */
  readonly folders: readonly string[]
  /** Files that are neither written nor read: env files, remembered approvals, the run store. */
  readonly secrets: readonly string[]
}

/** Decides which paths file tools may not access. */
export interface TeamGuard {
  /** Returns why the path may not be written, or `undefined` if it may. */
  whyNotWrite(real: string): string | undefined
  /** Returns why the path may not be read, or `undefined` if it may. */
  whyNotRead(real: string): string | undefined
}

const CONFIG_NAMES = new Set([
  'troupe.json',
  '.ai-agent.json',
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
  'skill.md',
  'fast-agent.yaml',
  'fast-agent.config.yaml',
  'fastagent.config.yaml',
])
/** Files of other products with permission rules or servers for agents, by folder. */
const PRODUCT_SETTINGS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['.claude', new Set(['settings.json', 'settings.local.json'])],
  ['.claude-plugin', new Set(['plugin.json'])],
  ['.codex', new Set(['config.toml'])],
  ['.gemini', new Set(['settings.json'])],
  ['.vscode', new Set(['mcp.json'])],
])
const SECRET_NAMES = new Set([
  'troupe.env',
  '.ai-agent.env',
  'fast-agent.secrets.yaml',
  'fastagent.secrets.yaml',
])
const CARD_ENDING = /\.ai$|\.agent\.md$/u
const TOOL_FOLDERS = new Set(['.git', 'node_modules'])

/**
 * Protects a team from its own agents. A team folder below the root is closed entirely; of a team folder that
 * is the root or above it, only the files directly in it are, so that a project with cards at its top level
 * stays usable. Names are compared without case, because some file systems ignore it (CVE-2025-59944).
 */
export function createTeamGuard(files: TeamFiles, root: string): TeamGuard {
  const folders = [...new Set(files.folders.map(resolveLinks))]
  const whole = folders
    .filter((folder) => isInside(foldCase(root), foldCase(folder)) && folder !== root)
    .map(foldCase)
  const flat = new Set(folders.map(foldCase))
  const secrets = new Set(files.secrets.map((file) => foldCase(resolveLinks(file))))
  const isSecret = (path: string): boolean => secrets.has(path) || SECRET_NAMES.has(cleanName(path))

  return {
    whyNotRead: (real) => (isSecret(foldCase(real)) ? 'contains secrets or runs of the team' : undefined),
    whyNotWrite: (real) => {
      const path = foldCase(real)
      if (isSecret(path)) return 'contains secrets or runs of the team'
      if (isTeamName(path)) return 'has the name of a card, skill or configuration'
      if (path.split(sep).some((segment) => TOOL_FOLDERS.has(trimEnd(segment))))
        return 'is in a folder that belongs to a tool (.git, node_modules)'
      const isClosed = flat.has(dirname(path)) || whole.some((folder) => isInside(folder, path))
      return isClosed ? 'is in a folder of the team (cards, configuration, skills or their code)' : undefined
    },
  }
}

function isTeamName(path: string): boolean {
  const name = cleanName(path)
  if (PRODUCT_SETTINGS.get(cleanName(dirname(path)))?.has(name) === true) return true
  return CONFIG_NAMES.has(name) || CARD_ENDING.test(name)
}

function cleanName(path: string): string {
  return trimEnd(basename(path))
}

/** Removes trailing dots and spaces, which Windows ignores. */
function trimEnd(name: string): string {
  return name.replace(/[. ]+$/u, '')
}

function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Paths that do not exist yet are guarded by their name.
    return resolve(path)
  }
}
