import type { Containment } from '@troupe/process'
import type { Clock, McpServerConfig, ToolDefinition } from '@troupe/schema'
import type { ValidateArguments } from '@troupe/schema/ports'
import type { LoginStore } from '../auth/saved-login.ts'
import type { FilledPrompt, ServerPrompt } from '../tools/server-prompt.ts'

/** Options of `createMcpPool`. */
export interface McpPoolOptions {
  /** Client name and version sent to servers. */
  readonly client: { readonly name: string; readonly version: string }
  /** Environment of the app, from which stdio servers inherit a few variables. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Store of logins, filled by `logIn`. Without it, servers that require a login cannot be used. */
  readonly logins?: LoginStore
  /**
   * Default time limit for a server to start and respond, in ms. Default: 10 s; 60 s for `npx` and similar
   * runners, which may have to download first.
   */
  readonly startTimeout?: number
  /**
   * Validates structured results against the output schemas of their tools. Without it they are not
   * validated.
   */
  readonly validate?: ValidateArguments
  /** Largest message accepted from a server, in bytes. Default: 16 MiB. */
  readonly maxMessageBytes?: number
  /**
   * Folder for records of running processes. A new pool with the same folder ends processes that a killed
   * program left running. Without it, none are recorded.
   */
  readonly processFolder?: string
  /**
   * Returns how to contain server processes with their child processes. Default: the best method the machine
   * supports.
   */
  readonly containment?: () => Promise<Containment>
  /** Time to retain a connection without leases, in ms. Default: until `close`. */
  readonly idleTimeout?: number
}

/** A server for a principal. */
export interface McpServerRequest {
  /** Name of the server. Its tools are named `<server>__<tool>`. */
  readonly server: string
  /** Server definition with all variables expanded. */
  readonly config: McpServerConfig
  /** Principal that the server acts for. Two principals never share a connection. */
  readonly principal: string
  /** Folder of the definition. `cwd` is relative to it and defaults to it. */
  readonly folder: string
}

/** Request of a session to use a server. */
export interface McpLeaseRequest extends McpServerRequest {
  /** Ends the wait for this lease. A start that others wait for continues. */
  readonly signal?: AbortSignal
  /** Called with warnings about the server while the lease lasts. Must not throw. */
  onWarning?(text: string): void
}

/** The use of a server by one session. */
export interface McpLease {
  /**
   * Tools at the time of the lease. All leases of a server share these objects until the server changes its
   * tools.
   */
  readonly tools: readonly ToolDefinition[]
  /** Lists the current prompts of the server. Rejects with `tool_timeout`, `mcp_closed` and the like. */
  prompts(options?: { readonly signal?: AbortSignal }): Promise<readonly ServerPrompt[]>
  /**
   * Returns a prompt rendered by the server. Rejects like `prompts`, and with `mcp_failed` for an unknown
   * prompt or arguments.
   */
  prompt(
    name: string,
    options?: { readonly args?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<FilledPrompt>
  /** Ends the lease. Never rejects; further calls have no effect. */
  release(): Promise<void>
}

/** The connections of an app to its MCP servers. Sessions lease connections and do not close them. */
export interface McpPool {
  /**
   * Leases a server and starts or connects to it if necessary. Equal definitions of one principal share a
   * connection unless `shared` is false. Rejects with `mcp_bad_config`, `mcp_start_failed`, `mcp_closed`, or
   * the reason of `signal`.
   */
  lease(request: McpLeaseRequest): Promise<McpLease>
  /**
   * Retains only the servers of these requests from now on. Other servers end when they have no lease. Never
   * rejects.
   */
  retain(requests: readonly McpServerRequest[]): Promise<void>
  /** Closes all connections and ends all processes with their child processes. Never rejects. */
  close(): Promise<void>
  /** Sends SIGKILL to every process group at once, for the exit of the app. */
  killAll(): void
}
