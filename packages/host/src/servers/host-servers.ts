import type { FilledPrompt, ServerPrompt } from '@troupe/mcp'
import type { Failure, McpServerConfig, ToolDefinition } from '@troupe/schema'

/** A defined server. It is not connected for this. */
export interface ListedServer {
  readonly name: string
  readonly kind: 'process' | 'address'
  /** Command with arguments, or URL, with variables not expanded. */
  readonly target: string
  /** Agents that use the server. Empty if it is only defined. */
  readonly agents: readonly string[]
  readonly disabled: boolean
  /**
   * Login state; `unknown` if variables are missing. `undefined` for a process, or if the server gets a key
   * instead.
   */
  readonly login?: 'saved' | 'none' | 'unknown'
  /** Number of tools in the lock file. `undefined` if the server is not in it. */
  readonly locked?: number
}

/** Difference between the tools of a server and the lock file. Tool names are those of the server. */
export interface LockedServer {
  readonly name: string
  readonly tools: number
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Set if the server could not be connected; its entry in the file is unchanged. */
  readonly failure?: Failure
}

/** Tools that a server currently offers. */
export interface OfferedTools {
  readonly tools: readonly ToolDefinition[]
  readonly lock?: LockedServer
  /** Warnings about the server, for the user. */
  readonly warnings: readonly string[]
}

/** Prompts that a server currently offers. */
export interface OfferedPrompts {
  readonly prompts: readonly ServerPrompt[]
  /** Warnings about the server, for the user. */
  readonly warnings: readonly string[]
}

/** A prompt rendered by a server. */
export interface OfferedPrompt extends FilledPrompt {
  /** Warnings about the server, for the user. */
  readonly warnings: readonly string[]
}

/** A server that the caller of the host defines. */
export interface CallerServer {
  readonly name: string
  /** Definition without variables. */
  readonly config: McpServerConfig
  /** Working folder of its process. */
  readonly folder: string
}

/** A server that runs until it is released. */
export interface OpenedServer {
  /** Tools at the time of the start, named `<server>__<tool>`. */
  readonly tools: readonly ToolDefinition[]
  /** Ends the server. Never rejects. */
  release(): Promise<void>
}

/**
 * The MCP servers of a team, independent of agents. Rejects with `mcp_unknown_server` for an unknown name.
 */
export interface HostServers {
  list(): Promise<readonly ListedServer[]>
  /** Connects the server and lists its tools. */
  tools(name: string): Promise<OfferedTools>
  /** Connects the server and lists its prompts. */
  prompts(name: string): Promise<OfferedPrompts>
  /**
   * Connects the server and renders one of its prompts. Rejects with `mcp_unknown_prompt` or
   * `mcp_prompt_arguments`.
   */
  prompt(
    name: string,
    options: {
      readonly prompt: string
      readonly args?: Readonly<Record<string, string>>
      readonly signal?: AbortSignal
    },
  ): Promise<OfferedPrompt>
  /**
   * Starts a server that is no part of the team, and returns its tools. It ends with `release`. It has no access to
   * logins that are stored for the team. Rejects with `mcp_bad_config`, `mcp_start_failed` and the like.
   */
  open(server: CallerServer): Promise<OpenedServer>
  /**
   * Logs in interactively; `show` is called with the URL to open. Resolves with the number of tools. Rejects
   * with `mcp_auth_failed`.
   */
  logIn(
    name: string,
    options: { show(url: URL): void; readonly signal?: AbortSignal },
  ): Promise<{ readonly tools: number }>
  /** Deletes the login. Returns true if there was one. */
  logOut(name: string): Promise<boolean>
  /**
   * Lists the tools of servers, by default of all, and writes the lock file. With `write: false` it only
   * compares.
   */
  lock(options?: {
    readonly names?: readonly string[]
    readonly write?: boolean
  }): Promise<{ readonly file: string; readonly servers: readonly LockedServer[] }>
}
