import type { Containment } from '@troupe/process'
import type { Clock, McpServerConfig, ToolDefinition, ValidateArguments } from '@troupe/schema'
import type { LoginStore } from '../auth/saved-login.ts'
import type { FilledPrompt, ServerPrompt } from '../prompts/server-prompt.ts'

/** What a pool is made of. */
export interface McpPoolOptions {
  /** Who we are, to servers. */
  readonly client: { readonly name: string; readonly version: string }
  /** Where stdio servers get their few inherited variables from: the app's environment, read once by the app. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Where the logins to servers are kept (`logIn` makes them). None: servers that want one cannot be used. */
  readonly logins?: LoginStore
  /** For a server to start and answer, in ms, where its definition does not say. Default 10 s; 60 s for `npx` and its like, which fetch first. */
  readonly startTimeout?: number
  /** Holds structured results against the output schemas of their tools. None: nothing is checked. */
  readonly validate?: ValidateArguments
  /** The largest message taken from a server, in bytes. Default 16 MiB. */
  readonly maxMessageBytes?: number
  /** A folder for notes of the processes that run: a pool ends what a killed program with the same folder left behind. None: none are kept. */
  readonly processFolder?: string
  /** Returns how servers are kept together with what they start. Default: the best that the machine offers. */
  readonly containment?: () => Promise<Containment>
  /** How long a connection that nobody leases is kept, in ms. None: until `close`. */
  readonly idleTimeout?: number
}

/** Which server, for whom. */
export interface McpServerRequest {
  /** The name of the server; its tools are `<server>__<tool>`. */
  readonly server: string
  /** With all variables expanded. */
  readonly config: McpServerConfig
  /** On whose behalf: two principals never share a connection. */
  readonly principal: string
  /** Where the definition was written: `cwd` resolves against it and is it by default. */
  readonly folder: string
}

/** What a session wants of a server. */
export interface McpLeaseRequest extends McpServerRequest {
  /** Ends the wait for this lease; a start that others wait for goes on. */
  readonly signal?: AbortSignal
  /** Is told what a person should know of the server while the lease lasts. Must not throw. */
  onWarning?(text: string): void
}

/** The use of a server by one session. */
export interface McpLease {
  /** As they were when the lease began. The same objects for everybody who shares the server, as long as it does not change them. */
  readonly tools: readonly ToolDefinition[]
  /** The prompts of the server, as it lists them now; none where it has none. Rejects with `tool_timeout`, `mcp_closed` and the like. */
  prompts(options?: { readonly signal?: AbortSignal }): Promise<readonly ServerPrompt[]>
  /** One of them, filled in by the server. Rejects as `prompts` does; for a prompt or arguments that the server does not know with `mcp_failed`. */
  prompt(
    name: string,
    options?: { readonly args?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<FilledPrompt>
  /** Ends the use. Never rejects; a second call changes nothing. */
  release(): Promise<void>
}

/** The connections of one app to its MCP servers. Sessions lease them and never close them (R1). */
export interface McpPool {
  /**
   * The tools of a server, which is started or reached if nobody uses it yet. Equal definitions of one principal share a connection
   * unless `shared` is false. Throws `mcp_bad_config`, `mcp_start_failed`, `mcp_closed`, or the reason of `signal`.
   */
  lease(request: McpLeaseRequest): Promise<McpLease>
  /**
   * From now on only the servers of these requests are kept while nobody leases them: others end, at once where they are idle, else with
   * their last lease. Never rejects.
   */
  retain(requests: readonly McpServerRequest[]): Promise<void>
  /** Ends every connection and every process with all that it started. Never rejects. */
  close(): Promise<void>
  /** The same for the last moment of an app: SIGKILL to every process group, at once. */
  killAll(): void
}
