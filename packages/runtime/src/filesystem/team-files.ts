import { realpathSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { isInside } from './inside.ts'

/** What a team is made of: file tools never write it, else an agent could give itself other tools or other code (R18). Absolute paths. */
export interface TeamFiles {
  /** Of cards, configuration, skills, and of the modules that cards name. */
  readonly folders: readonly string[]
  /** Files that are neither written nor read: variables that an app was given, answers of a person, the store of runs. */
  readonly secrets: readonly string[]
}

/** Says why file tools may not touch a place. */
export interface TeamGuard {
  /** Undefined: it may be written. */
  whyNotWrite(real: string): string | undefined
  /** Undefined: it may be read. */
  whyNotRead(real: string): string | undefined
}

const CONFIG_NAMES = new Set(['troupe.json', '.ai-agent.json', 'opencode.json', 'opencode.jsonc', 'skill.md'])
/** They hold rules for the agents beside them. */
const CLAUDE_SETTINGS = new Set(['settings.json', 'settings.local.json'])
const SECRET_NAMES = new Set(['troupe.env', '.ai-agent.env'])
const CARD_ENDING = /\.ai$|\.agent\.md$/u
const TOOL_FOLDERS = new Set(['.git', 'node_modules'])

/**
 * Guards a team against its own agents. A folder of the team that lies below the root is closed as a whole; of one that is the root
 * itself or lies above it the files directly in it are, so that a project with its cards at the top stays usable. Names are compared
 * without regard to case: some disks see none (CVE-2025-59944).
 */
export function createTeamGuard(files: TeamFiles, root: string): TeamGuard {
  const folders = [...new Set(files.folders.map(realOf))]
  const whole = folders.filter((folder) => isInside(fold(root), fold(folder)) && folder !== root).map(fold)
  const flat = new Set(folders.map(fold))
  const secrets = new Set(files.secrets.map((file) => fold(realOf(file))))
  const isSecret = (path: string): boolean => secrets.has(path) || SECRET_NAMES.has(cleanName(path))

  return {
    whyNotRead: (real) => (isSecret(fold(real)) ? 'holds secrets or runs of the team' : undefined),
    whyNotWrite: (real) => {
      const path = fold(real)
      if (isSecret(path)) return 'holds secrets or runs of the team'
      if (isTeamName(path)) return 'has the name of a card, skill or configuration'
      if (path.split(sep).some((segment) => TOOL_FOLDERS.has(trimEnd(segment))))
        return 'lies in a folder that belongs to a tool (.git, node_modules)'
      const isClosed = flat.has(dirname(path)) || whole.some((folder) => isInside(folder, path))
      return isClosed
        ? 'lies in a folder of the team (cards, configuration, skills or their code)'
        : undefined
    },
  }
}

function isTeamName(path: string): boolean {
  const name = cleanName(path)
  if (CLAUDE_SETTINGS.has(name) && cleanName(dirname(path)) === '.claude') return true
  return CONFIG_NAMES.has(name) || CARD_ENDING.test(name)
}

function cleanName(path: string): string {
  return trimEnd(basename(path))
}

/** Windows ignores dots and spaces at the end of a name. */
function trimEnd(name: string): string {
  return name.replace(/[. ]+$/u, '')
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // what does not exist yet is guarded by its name
    return resolve(path)
  }
}
