import { errorMessage, failure, type Clock } from '@troupe/schema'
import type { HostOptions } from '../host-types.ts'
import { openFileWatcher, type FileWatcher } from './open-file-watcher.ts'
import type { Reload } from './reload.ts'
import type { TeamGenerations } from './team-generations.ts'
import { watchedPaths, type WatchedPaths } from './watched-paths.ts'

const DEBOUNCE = 100
/** The watcher of files tells no second change of a file within 50 ms: what it kept to itself is read with the first. */
const LEAST_DEBOUNCE = 60

/** A reload, and the files whose changes led to it. */
export interface WatchedReload extends Reload {
  /** Absolute, each once. */
  readonly files: readonly string[]
}

/** How a team is watched. */
export interface WatchOptions {
  /**
   * Told of every reload that was taken or kept out, and of the edit that goes back to the team in force. Not of one that changes nothing, nor
   * twice of the same problems. What it throws is ignored.
   */
  onReload?(reload: WatchedReload): void
  /** How long the files must be quiet before they are read, in ms. Default 100, at least 60. */
  readonly debounce?: number
}

/** A team that is watched until `close`. */
export interface HostWatch extends AsyncDisposable {
  /** Ends the watch; a reload under way is waited for, and no other is told. Never rejects. */
  close(): Promise<void>
}

/** Watches everything that the team is read from and reloads it after each change. Resolves when the files are watched. */
export async function openTeamWatch(
  team: TeamGenerations,
  options: WatchOptions & { readonly options: HostOptions; readonly clock: Clock },
): Promise<HostWatch> {
  const watch = new TeamWatch(team, options)
  await watch.begin()
  return watch
}

class TeamWatch implements HostWatch {
  readonly #team: TeamGenerations
  readonly #options: Parameters<typeof openTeamWatch>[1]
  readonly #files = new Set<string>()
  #watcher: FileWatcher | undefined
  #paths = ''
  #told = ''
  #isClosed = false
  #forgetTimer: (() => void) | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(team: TeamGenerations, options: Parameters<typeof openTeamWatch>[1]) {
    this.#team = team
    this.#options = options
  }

  /** What was edited between the loading of the team and now is taken, too. */
  async begin(): Promise<void> {
    await this.#follow()
    await this.#reload()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#forgetTimer?.()
    await this.#work
    await this.#watcher?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #changed(path: string): void {
    this.#files.add(path)
    if (this.#isClosed) return
    this.#forgetTimer?.()
    const { clock, debounce = DEBOUNCE } = this.#options
    this.#forgetTimer = clock.after(Math.max(debounce, LEAST_DEBOUNCE), () => {
      this.#work = this.#work.then(() => this.#reload())
    })
  }

  /** Until the files of the team are those that are watched: where they are not, what changed meanwhile was not heard. */
  async #reload(): Promise<void> {
    do {
      if (this.#isClosed) return
      const files = [...this.#files]
      this.#files.clear()
      const reload = await this.#team.reload()
      this.#tell({ ...reload, files: files.length > 0 ? files : filesOf(reload) })
    } while (await this.#follow())
  }

  /** Watches what the team is read from now; false when that is watched already. */
  async #follow(): Promise<boolean> {
    const { current, seen } = this.#team
    const paths = watchedPaths([current.loaded, seen], this.#options.options)
    const text = textOf(paths)
    if (text === this.#paths) return false
    const past = this.#watcher
    this.#watcher = await openFileWatcher(paths, {
      change: (path) => this.#changed(path),
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
    const nothing = { added: [], changed: [], removed: [], blocked: [], files: [] }
    this.#tell({ outcome: 'kept', ...nothing, problems: [problem], plan })
  }

  #tell(reload: WatchedReload): void {
    const { outcome, problems } = reload
    const text = outcome === 'kept' ? JSON.stringify(problems) : ''
    const isNews = outcome === 'taken' || text !== this.#told
    this.#told = text
    if (!isNews || this.#isClosed) return
    try {
      this.#options.onReload?.(reload)
    } catch {
      // a listener is a guest: what it throws must not end the watch
    }
  }
}

/** The files that an edit is in which was read before it was heard. */
function filesOf({ added, changed, problems, plan, outcome }: Reload): readonly string[] {
  const names = new Set([...added, ...changed])
  const edited = plan.agents.filter(({ name }) => names.has(name))
  const broken = outcome === 'kept' ? problems : []
  return [...new Set([...edited, ...broken].flatMap(({ file }) => file ?? []))]
}

function textOf({ folders, trees, files }: WatchedPaths): string {
  return JSON.stringify([folders, trees, files].map((paths) => [...paths].toSorted()))
}
