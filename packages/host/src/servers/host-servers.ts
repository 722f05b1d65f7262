import type { FilledPrompt, ServerPrompt } from '@troupe/mcp'
import type { Failure, ToolDefinition } from '@troupe/schema'

/** A server of a team as it is written, without asking it anything. */
export interface ListedServer {
  readonly name: string
  readonly kind: 'process' | 'address'
  /** The command with its arguments, or the address; variables are not filled in. */
  readonly target: string
  /** That have it. Empty: it is defined, and nobody names it. */
  readonly agents: readonly string[]
  readonly disabled: boolean
  /** Whether a login is kept for it; `unknown` where its variables are missing. None: it is a process, or is sent a key of its own. */
  readonly login?: 'saved' | 'none' | 'unknown'
  /** How many tools the lock file has of it; none: it is not in there. */
  readonly locked?: number
}

/** How the tools of a server stand to the lock file; the server's own names. */
export interface LockedServer {
  readonly name: string
  readonly tools: number
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** It could not be asked; what the file has of it stays. */
  readonly failure?: Failure
}

/** What a server offers just now. */
export interface OfferedTools {
  readonly tools: readonly ToolDefinition[]
  readonly lock?: LockedServer
  /** What a person should know of the server. */
  readonly warnings: readonly string[]
}

/** The prompts that a server offers just now. */
export interface OfferedPrompts {
  readonly prompts: readonly ServerPrompt[]
  /** What a person should know of the server. */
  readonly warnings: readonly string[]
}

/** A prompt that a server filled in. */
export interface OfferedPrompt extends FilledPrompt {
  /** What a person should know of the server. */
  readonly warnings: readonly string[]
}

/** The MCP servers of a team, apart from any agent. A name that no server has is `mcp_unknown_server`. */
export interface HostServers {
  list(): Promise<readonly ListedServer[]>
  /** Starts or reaches the server and asks for its tools. */
  tools(name: string): Promise<OfferedTools>
  /** Starts or reaches the server and asks for its prompts. */
  prompts(name: string): Promise<OfferedPrompts>
  /** Lets the server fill in one of its prompts. Rejects with `mcp_unknown_prompt`, `mcp_prompt_arguments`, or what went wrong. */
  prompt(
    name: string,
    options: {
      readonly prompt: string
      readonly args?: Readonly<Record<string, string>>
      readonly signal?: AbortSignal
    },
  ): Promise<OfferedPrompt>
  /** Logs in with the help of a person, who is told where to go; resolves with the number of tools. Rejects with `mcp_auth_failed`. */
  logIn(
    name: string,
    options: { show(url: URL): void; readonly signal?: AbortSignal },
  ): Promise<{ readonly tools: number }>
  /** Forgets the login. True when there was one. */
  logOut(name: string): Promise<boolean>
  /** Asks servers, all by default, and writes the lock file. `write` false: only compares. */
  lock(options?: {
    readonly names?: readonly string[]
    readonly write?: boolean
  }): Promise<{ readonly file: string; readonly servers: readonly LockedServer[] }>
}
