import type { ServerStatus } from '../servers/tool-server-status.ts'

/** A program with one connection to the MCP server of the bench. */
export interface ToolHost {
  /** Calls the tool of the loop so often at once; gives the texts of the results. */
  call(count: number): Promise<readonly string[]>
  /** What the server says of itself. */
  status(): Promise<ServerStatus>
  /** Calls the tool that changes every tool. */
  rewrite(): Promise<void>
  /** The descriptions of all tools, as they are now. */
  list(): Promise<readonly string[]>
  /** Ends the server. */
  close(): Promise<void>
}
