import type { CardFormats } from '@troupe/cards'
import type { SafeFetch } from '@troupe/fetch'
import type { LoginStore } from '@troupe/mcp'
import type { Containment } from '@troupe/process'
import type { SessionProvider } from '@troupe/registry'
import type { AgentDefinition, Clock, JsonObject, LanguageModel, ToolDefinition } from '@troupe/schema'
import type { ModelHandle, RunDispatcher, RunStore, RunTracer } from '@troupe/schema/ports'

/** Options of a host. It reads nothing from the process; the app passes the environment. */
export interface HostOptions {
  /** Card files, folders, URLs or definitions. The entry agent is one of the first. */
  readonly cards: readonly (string | AgentDefinition)[]
  /** Further cards and folders to search for children. Their agents are never the entry. */
  readonly extraCards?: readonly string[]
  /**
   * Card formats in addition to Troupe's own. Default: `CARD_FORMATS` of `@troupe/card-formats`.
   */
  readonly formats?: CardFormats
  /** Path or content of a configuration. `false`: no configuration. Default: the nearest troupe.json. */
  readonly config?: string | JsonObject | false
  /** Rules for reading cards from addresses. Default: only https and public addresses. */
  readonly remote?: {
    readonly allowHttp?: boolean
    readonly allowPrivate?: boolean
    readonly safeFetch?: SafeFetch
  }
  /** Process environment, read once by the app. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Variables that override every other source (`--env`). */
  readonly envOverrides?: Readonly<Record<string, string>>
  /** Env files that rank after the overrides and before the sidecars (`--env-file`). */
  readonly envFiles?: readonly string[]
  /**
   * Card files that replace the cards with the same agent names. Their relative paths resolve as in the
   * replaced cards.
   */
  readonly edited?: readonly string[]
  /** Replaces the model of every agent (`--model`). */
  readonly model?: string
  /** Dotted card keys to change for the entry agent only (`--set limits.maxTurns=5`). */
  readonly set?: Readonly<Record<string, unknown>>
  /** Name of the agent to run by default (`--agent`). */
  readonly entry?: string
  /** Working folder, against which relative paths of the options resolve. */
  readonly cwd: string
  /**
   * Root folder of the built-in tools. Default: `runtime.root` of the configuration, else the working folder.
   */
  readonly root?: string
  /** Home folder, where the search for troupe.json stops. */
  readonly home?: string
  /**
   * Folder for the state of the app: records of running servers, so that those left over from a crash are
   * stopped, and permanent approvals. Without it nothing is stored.
   */
  readonly stateFolder?: string
  /**
   * Returns how commands and MCP servers are contained with their child processes. Default: the strongest
   * method available.
   */
  readonly containment?: () => Promise<Containment>
  /**
   * Models by id that take precedence over providers, for embedders and tests. A function is called for each run
   * and returns its model.
   */
  readonly models?: Readonly<Record<string, LanguageModel | ModelHandle['open']>>
  /**
   * Further built-in tools by the name of the agent that gets them. Agents of remote cards never get any. Cards
   * restrict them with `tools` and `permissions`.
   */
  readonly tools?: Readonly<Record<string, readonly ToolDefinition[]>>
  /** Absolute paths of files with secrets of the app, which file tools neither read nor write. */
  readonly privateFiles?: readonly string[]
  /** Stores the log of every run. Without it no run is stored. The host closes it. */
  readonly store?: RunStore
  /**
   * Hands root runs to workers that share the store. Runs that are not fully stored are executed in this
   * process. The host closes it. Default: this process executes all runs.
   */
  readonly dispatcher?: RunDispatcher
  /**
   * Traces the runs that this process executes, such as `traceEvents` of `@troupe/otel`. The host shuts it down.
   * Default: runs are not traced.
   */
  readonly tracer?: RunTracer
  /** Folder or store for logins to MCP servers. Without it servers that require a login cannot be used. */
  readonly logins?: string | LoginStore
  /**
   * True to leave out tools of MCP servers that differ from the lock file (`--frozen`). Default: `toolLock`
   * of the configuration.
   */
  readonly frozen?: boolean
  /** Provides the sessions of runs. Default: as cards configure with `acquire`. The host closes it. */
  readonly sessionProvider?: SessionProvider
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Date for prompts that contain one. Default: that of loading the cards. */
  readonly date?: Date
  /**
   * Returns fields to store in the note of each run, in place of those of the same names that its caller passed. `date`
   * is the date in the prompts of the run.
   */
  runNote?(date: Date): JsonObject
  /** Returns a number from 0 to below 1, for retry jitter and for hooks. Default: `Math.random`. */
  readonly random?: () => number
  /** Called with the name of an MCP server that has not started after 5 s and is still waited for. Must not throw. */
  onSlowServer?(server: string): void
  /**
   * Called once before code named by cards is imported, which may block the thread. Not called if no card
   * names code.
   */
  beforeCode?(): void
}
