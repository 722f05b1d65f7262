/// <reference lib="esnext.disposable" preserve="true" />
import { existsSync } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { errorMessage, failure, type Clock } from '@troupe/schema'
import { isInside } from '@troupe/schema/paths'
import type { HostOptions } from '../config/host-options.ts'
import type { Reload } from '../snapshot/compare-teams.ts'
import type { TeamSnapshots } from '../snapshot/team-snapshots.ts'
import { isFolder } from '../cards/card-reference.ts'
import { watchedPaths, type WatchedPaths } from './watched-paths.ts'

const DEFAULT_DEBOUNCE_MS = 100
/**
 * chokidar ignores further changes of a file for 50 ms. The debounce must be longer, so that reading the
 * first change includes them.
 */
const MIN_DEBOUNCE_MS = 60

/** A reload and the files that caused it. */
export interface WatchedReload extends Reload {
  /** Absolute paths without duplicates. */
  readonly files: readonly string[]
}

/** Options of `Host.watch`. */
export interface WatchOptions {
  /**
   * Called after every reload that was applied or rejected, and after an edit that reverts to the
   * current team. Not called if nothing changed or the problems are the same as before. Errors it throws are
   * ignored.
   */
  onReload?(reload: WatchedReload): void
  /** Time in ms without changes before files are read. Default: 100, minimum: 60. */
  readonly debounce?: number
}

/** A watch of a team. */
export interface HostWatch extends AsyncDisposable {
  /** Ends the watch. Waits for a reload in progress without reporting it. Never rejects. */
  close(): Promise<void>
}

/** Reloads the team after each change of the files it is read from. Resolves when the files are watched. */
async function openTeamWatch(
  team: TeamSnapshots,
  options: WatchOptions & { readonly options: HostOptions; readonly clock: Clock },
): Promise<HostWatch> {
  const watch = new TeamWatch(team, options)
  await watch.start()
  return watch
}

class TeamWatch implements HostWatch {
  readonly #team: TeamSnapshots
  readonly #options: Parameters<typeof openTeamWatch>[1]
  readonly #files = new Set<string>()
  #watcher: FileWatcher | undefined
  #paths = ''
  #lastProblems = ''
  #isClosed = false
  #cancelTimer: (() => void) | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(team: TeamSnapshots, options: Parameters<typeof openTeamWatch>[1]) {
    this.#team = team
    this.#options = options
  }

  /** Also reloads once, to pick up edits made since the team was loaded. */
  async start(): Promise<void> {
    await this.#follow()
    await this.#reload()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer?.()
    await this.#work
    await this.#watcher?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #onChange(path: string): void {
    this.#files.add(path)
    if (this.#isClosed) return
    this.#cancelTimer?.()
    const { clock, debounce = DEFAULT_DEBOUNCE_MS } = this.#options
    this.#cancelTimer = clock.after(Math.max(debounce, MIN_DEBOUNCE_MS), () => {
      this.#work = this.#work.then(() => this.#reload())
    })
  }

  /**
   * Repeats until the watched files are those of the team, since changes of files that were not watched yet
   * may have been missed.
   */
  async #reload(): Promise<void> {
    do {
      if (this.#isClosed) return
      const files = [...this.#files]
      this.#files.clear()
      const reload = await this.#team.reload()
      this.#report({ ...reload, files: files.length > 0 ? files : filesOf(reload) })
    } while (await this.#follow())
  }

  /** Watches the files that the team is now read from. Returns false if they are already watched. */
  async #follow(): Promise<boolean> {
    const { current, lastLoaded } = this.#team
    const paths = watchedPaths([current.loaded, lastLoaded], this.#options.options)
    const text = textOf(paths)
    if (text === this.#paths) return false
    const past = this.#watcher
    this.#watcher = await openFileWatcher(paths, {
      change: (path) => this.#onChange(path),
      error: (thrown) => this.#fail(thrown),
    })
    this.#paths = text
    await past?.close()
    return true
  }

  #fail(thrown: unknown): void {
    const { code, message, remediation } = failure('watch_failed', errorMessage(thrown))
    const problem = { severity: 'error', code, message, fix: remediation } as const
    const { plan } = this.#team.current.loaded
    const noChanges = { added: [], changed: [], removed: [], blocked: [], files: [] }
    this.#report({ outcome: 'kept', ...noChanges, problems: [problem], plan })
  }

  #report(reload: WatchedReload): void {
    const { outcome, problems } = reload
    const text = outcome === 'kept' ? JSON.stringify(problems) : ''
    const isChanged = outcome === 'taken' || text !== this.#lastProblems
    this.#lastProblems = text
    if (!isChanged || this.#isClosed) return
    try {
      this.#options.onReload?.(reload)
    } catch {
      // Errors of a listener must not end the watch.
    }
  }
}

/** Returns the files of an edit that was read before the watcher reported it. */
function filesOf({ added, changed, problems, plan, outcome }: Reload): readonly string[] {
  const names = new Set([...added, ...changed])
  const edited = plan.agents.filter(({ name }) => names.has(name))
  const broken = outcome === 'kept' ? problems : []
  return [...new Set([...edited, ...broken].flatMap(({ file }) => file ?? []))]
}

function textOf({ folders, trees, files }: WatchedPaths): string {
  return JSON.stringify([folders, trees, files].map((paths) => [...paths].toSorted()))
}

/** The watches of one host. */
interface TeamWatches {
  open(options: WatchOptions): Promise<HostWatch>
  close(): Promise<void>
}

/** Creates the watches of a host. Each watch ends with its own `close` or with that of all. */
export function createTeamWatches(
  team: TeamSnapshots,
  parts: { readonly options: HostOptions; readonly clock: Clock },
): TeamWatches {
  const open = new Set<Promise<HostWatch>>()
  return {
    open: (options) => {
      const opening = openTeamWatch(team, { ...parts, ...options })
      open.add(opening)
      opening.catch(() => open.delete(opening))
      return opening
    },
    close: async () => {
      await Promise.allSettled([...open].map(async (opening) => (await opening).close()))
    },
  }
}

/**
 * Names of files in a card folder that may belong to a team. Files starting with a dot belong only if named
 * explicitly.
 */
const TEAM_FILE = /^[^.].*\.(?:md|ai|ya?ml|jsonc?|[cm]?[jt]s|py|env|txt)$/iu
const IGNORED_FOLDERS = new Set(['node_modules', '.git'])

/** A watcher of files. */
interface FileWatcher {
  close(): Promise<void>
}

/** Watches files, folders and trees. Resolves once changes are reported. */
async function openFileWatcher(
  paths: WatchedPaths,
  on: { change(path: string): void; error(thrown: unknown): void },
): Promise<FileWatcher> {
  const { watch } = await import('chokidar')
  const { roots, files } = pathsToWatch(paths)
  const watcher = watch([...roots], {
    ignoreInitial: true,
    ignored: (path, stats) => {
      if (roots.has(path) || files.has(path)) return false
      if ([...paths.trees].some((tree) => isInside(tree, path)))
        return path.split(sep).some((part) => IGNORED_FOLDERS.has(part))
      const mayBelong = paths.folders.has(dirname(path)) && TEAM_FILE.test(basename(path))
      return !mayBelong || stats?.isDirectory() === true
    },
  })
  watcher.on('all', (_event, path) => on.change(path))
  watcher.on('error', on.error)
  await new Promise<void>((resolve) => void watcher.once('ready', resolve))
  return { close: () => watcher.close() }
}

/**
 * Returns the paths to watch. For a missing path this is the nearest existing folder, where the next part of
 * the path may appear.
 */
function pathsToWatch({ folders, trees, files: watchedFiles }: WatchedPaths): {
  readonly roots: ReadonlySet<string>
  readonly files: ReadonlySet<string>
} {
  const roots = new Set<string>()
  const files = new Set(watchedFiles)
  for (const path of [...folders, ...trees, ...[...watchedFiles].map((file) => dirname(file))]) {
    let at = path
    for (; !existsSync(at) && dirname(at) !== at; at = dirname(at)) files.add(at)
    if (isFolder(at)) roots.add(at)
  }
  return { roots, files }
}
