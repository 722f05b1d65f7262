import './require-node.ts'
import { randomBytes } from 'node:crypto'
import { systemClock } from '@troupe/core'
import { createServer as openServer, type ServerOptions, type TroupeServer } from '@troupe/server'

export type {
  AccessRecord,
  HeadendName,
  OidcOptions,
  ServerLimits,
  ServerOptions,
  ServerToken,
  TroupeServer,
  TrustedProxyOptions,
} from '@troupe/server'

/** Options of {@link createServer}: those of a server, with defaults for the clock and the ids. */
export type LibraryServerOptions = Omit<ServerOptions, 'clock' | 'newId'> &
  Partial<Pick<ServerOptions, 'clock' | 'newId'>>

/**
 * Serves the agents of a host over HTTP and resolves when the server listens. Close the server before the host.
 * Rejects with `server_exposed` if other machines could call it without a token.
 */
export async function createServer(options: LibraryServerOptions): Promise<TroupeServer> {
  return openServer({ clock: systemClock, newId: () => randomBytes(16).toString('hex'), ...options })
}
