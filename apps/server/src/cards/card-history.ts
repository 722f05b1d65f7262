import { basename, dirname } from 'node:path'
import { troupeError } from '@troupe/schema'
import type { CardRevision } from '@troupe/headends'
import type { EditableCard } from './card-files.ts'

/** The earlier versions of card files. Paths are without symbolic links. */
export interface CardHistory {
  /** Returns the versions of a file, the newest first. */
  list(path: string): Promise<readonly CardRevision[]>
  /** Returns the text of a version. Rejects with `request_invalid` for an unknown id. */
  read(path: string, id: string): Promise<string>
  /** Keeps a text that an edit replaces. */
  keep(card: EditableCard): void
}

/** Runs git with arguments in a folder and returns its output. Rejects if it fails or is not installed. */
export type RunGit = (args: readonly string[], folder: string) => Promise<string>

/** Maximum number of versions per file. */
const MAX_REVISIONS = 50

/**
 * Creates a history from the commits of the repository that a file is in, and the texts that edits have replaced since
 * the server started.
 */
export function createCardHistory({
  now,
  git,
}: {
  /** Returns the wall time in ms. */
  now(): number
  /** Default: only the texts that edits have replaced. */
  readonly git?: RunGit | undefined
}): CardHistory {
  const kept = new Map<string, readonly (CardRevision & { readonly text: string })[]>()
  let count = 0
  return {
    async list(path) {
      const own = (kept.get(path) ?? []).map(({ text: _text, ...revision }) => revision)
      const commits = git === undefined ? [] : await listCommits(path, git)
      return [...own, ...commits].toSorted((a, b) => b.time - a.time).slice(0, MAX_REVISIONS)
    },
    async read(path, id) {
      const own = kept.get(path)?.find((revision) => revision.id === id)
      if (own !== undefined) return own.text
      const commits = git === undefined ? [] : await listCommits(path, git)
      if (git === undefined || !commits.some((commit) => commit.id === id))
        throw troupeError('request_invalid', `The card has no version ${id.slice(0, 100)}.`)
      return readCommit(path, id, git)
    },
    keep({ path, text }) {
      count += 1
      const revision = { id: `edit-${count}`, time: now(), text }
      kept.set(path, [revision, ...(kept.get(path) ?? [])].slice(0, MAX_REVISIONS))
    },
  }
}

/** Separates the fields of a commit; git writes it for `%x1f`. */
const FIELD_SEPARATOR = '\u001F'

/** Returns the commits that changed a file; empty if it is in no repository. */
async function listCommits(path: string, git: RunGit): Promise<readonly CardRevision[]> {
  const format = '--format=%H%x1f%at%x1f%an%x1f%s'
  try {
    const output = await git(
      ['log', `--max-count=${MAX_REVISIONS}`, format, '--', basename(path)],
      dirname(path),
    )
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [id = '', seconds, author = '', subject = ''] = line.split(FIELD_SEPARATOR)
        return { id, time: Number(seconds) * 1000, author, subject: subject.slice(0, 200) }
      })
  } catch {
    // git is not installed, or the folder is no repository.
    return []
  }
}

function readCommit(path: string, id: string, git: RunGit): Promise<string> {
  return git(['show', '--no-textconv', '--no-ext-diff', `${id}:./${basename(path)}`], dirname(path))
}
