import { createHost as openHost, type Host, type HostOptions } from '@troupe/host'

export { openSession, type Session, type SessionOptions } from '@troupe/core'
export type { Host, HostOptions, RunAgent } from '@troupe/host'
export { defineAgent, defineHook, defineTool, type RunReport } from '@troupe/schema'

/** Options of {@link createHost}: those of a host, with defaults for the environment and the working folder. */
export interface LibraryOptions extends Omit<HostOptions, 'cwd'> {
  /** The working folder. Default: that of the process. */
  readonly cwd?: string
  /** Variables such as provider keys. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Loads a team and returns its host. Errors in cards are problems of `host.plan`, never a rejection. */
export function createHost(options: LibraryOptions): Promise<Host> {
  return openHost({ ...options, env: options.env ?? { ...process.env } })
}
