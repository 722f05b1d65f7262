import { loadFramework } from '../frameworks/load-framework.ts'
import { callThenTokensScript } from '../script.ts'
import { openHttpEndpoint } from './http-endpoint.ts'

/** A server in this process that runs an agent for each request and streams its answer. */
export interface Endpoint {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Throws if the server did not record this number of requests. */
  close(requests: number): Promise<void>
}

/** Tokens that each request streams, after one call of a tool. */
export const TOKENS = 20

/** Opens the server of Troupe, or `node:http` with another framework behind it. */
export async function openEndpoint(subject: string): Promise<Endpoint> {
  const script = callThenTokensScript(TOKENS)
  if (subject === 'troupe') return (await import('./troupe-endpoint.ts')).openTroupeEndpoint(script)
  const { call } = await (await loadFramework(subject)).stream({ model: script, hasTool: true })
  return openHttpEndpoint(call)
}
