import { readFileSync } from 'node:fs'
import type { Agent } from 'node:http'

/** Files for TLS connections. */
export interface TlsFiles {
  /** Certificates to trust instead of those of the system. */
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** The connections to a collector. */
export interface Connections {
  /** Returns the agent for requests over this protocol. */
  agentOf(protocol: string): Promise<Agent>
  /** Ends all connections and refuses new ones, so that retries do not keep the process alive. */
  close(): void
}

/** Creates connections. Throws the error of the file system if a file cannot be read. */
export function createConnections({ ca, cert, key }: TlsFiles): Connections {
  const files = Object.entries({ ca, cert, key }).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, readFileSync(path)] as const],
  )
  const options = { keepAlive: true, ...Object.fromEntries(files) }
  const agents = new Set<Agent>()
  let isClosed = false
  return {
    async agentOf(protocol) {
      const { Agent } = await (protocol === 'https:' ? import('node:https') : import('node:http'))
      const agent = new Agent(options)
      agents.add(agent)
      if (isClosed) refuse(agent)
      return agent
    },
    close() {
      isClosed = true
      for (const agent of agents) {
        refuse(agent)
        agent.destroy()
      }
    },
  }
}

function refuse(agent: Agent): void {
  Object.assign(agent, {
    createConnection() {
      throw new Error('The exporter is shut down.')
    },
  })
}
