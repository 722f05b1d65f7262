import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
} from '@modelcontextprotocol/server'
import {
  isJsonObject,
  troupeError,
  type AgentDefinition,
  type AgentRunner,
  type Clock,
  type JsonObject,
  type RunOptions,
} from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { answerCall } from './answer-call.ts'
import { createAnswerCache } from './answer-cache.ts'
import { createBackgroundCalls } from './background-calls.ts'
import { callExportedTool } from './call-exported-tool.ts'
import type { CallRecord } from './call-record.ts'
import type { ExportedTool } from './exported-tool.ts'
import { createHeldCalls } from './held-calls.ts'
import { canBeAsked } from './person/can-be-asked.ts'
import { PERSON_ROUNDS } from './person/person-rounds.ts'
import { serveTools } from './served-tools.ts'
import { createToolGates } from './tool-gates.ts'

/** What an agent is served with. */
export interface MetaMcpOptions {
  readonly agent: AgentDefinition
  /** Runs it; a host does. */
  readonly runner: Pick<AgentRunner, 'run'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** A new id for each call and for each round of one: unique and not to be guessed. */
  newContextId(): string
  /** Told of every call when it has ended. What it throws fails the call. */
  onCall?(record: CallRecord): void
  /** The agent may become another one (`update`), so clients are told that its tools may. */
  readonly isLive?: boolean
}

/** The exported tools of one agent, to be served over any transport. */
export interface MetaMcp {
  /** In the order of the card. */
  readonly tools: readonly ExportedTool[]
  /** A server for one connection. It speaks both protocol eras. */
  createServer(): Server
  /** Calls a tool by the name that clients know, for who tries it without one. Throws `tool_unknown`. */
  call(wireName: string, args: JsonObject, run?: TriedCall): Promise<CallToolResult>
  /**
   * Offers what the agent offers now, to clients that are there too; calls at work end as they began. Throws as `createMetaMcp` does, and
   * then nothing has changed.
   */
  update(agent: AgentDefinition): void
  /** Calls `fn` after each update; the answer takes it back. */
  onUpdate(fn: () => void): () => void
  /** Ends the calls that wait for a person, and those in the background: nobody can ask for their answers any more. */
  close(): void
}

/** How a tool is tried: who is asked and told, and what stops it. */
export type TriedCall = Pick<RunOptions, 'signal' | 'onEvent' | 'approve' | 'ask'>

/** Reads and checks the tools that the agent offers (D25). Throws `exports_no_tools` and `tool_name_conflict`. */
export function createMetaMcp(options: MetaMcpOptions): MetaMcp {
  const { clock, newContextId, isLive = false } = options
  let served = serveTools(options.agent)
  let cache = createAnswerCache(clock)
  const listeners = new Set<() => void>()
  const shared = { ...options, validate: createValidator(), gates: createToolGates(clock) }
  const held = createHeldCalls(newContextId)
  const background = createBackgroundCalls(newContextId)
  const onUpdate = (fn: () => void): (() => void) => {
    listeners.add(fn)
    return () => listeners.delete(fn)
  }
  return {
    get tools() {
      return served.tools
    },
    onUpdate,
    close() {
      held.close()
      background.close()
    },
    async call(wireName, args, { signal = NEVER, onEvent, approve, ask } = {}) {
      const { agent, tools } = served
      const tool = tools.find((one) => one.wireName === wireName)
      if (tool === undefined) throw troupeError('tool_unknown', `${agent.name} offers no tool ${wireName}.`)
      const person = {
        ...(approve === undefined ? {} : { approve }),
        ...(ask === undefined ? {} : { ask }),
      }
      return callExportedTool(tool, args, {
        services: { ...shared, agent, cache },
        given: undefined,
        call: { signal, onEvent: (event) => onEvent?.(event) },
        person: approve === undefined && ask === undefined ? undefined : person,
      })
    },
    update(agent) {
      served = serveTools(agent)
      // what an agent of another card has said is not what this one says
      cache = createAnswerCache(clock)
      for (const listener of listeners) listener()
    },
    createServer() {
      const { agent } = served
      const server = new Server(serverInfo(agent), {
        capabilities: { tools: isLive ? { listChanged: true } : {} },
        ...(agent.description === undefined ? {} : { instructions: agent.description }),
        inputRequired: PERSON_ROUNDS,
      })
      server.setRequestHandler('tools/list', () => ({ tools: [...served.listed] }))
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        const now = served
        const offered = now.offered.get(params.name)
        if (offered === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
        const args = isJsonObject(params.arguments) ? params.arguments : {}
        const hasPerson = canBeAsked(server, context)
        const services = { ...shared, agent: now.agent, cache }
        const result = await answerCall({ offered, args, context, hasPerson }, { services, held, background })
        return isInputRequiredResult(result) || offered.kind !== 'call'
          ? result
          : server.projectCallToolResult(result, now.agent.output.schema)
      })
      if (isLive) tellUpdates(server, onUpdate)
      return server
    },
  }
}

const NEVER = new AbortController().signal

/** Tells the client of a connection that there are other tools, as long as it is there. */
function tellUpdates(server: Server, onUpdate: MetaMcp['onUpdate']): void {
  const leave = onUpdate(() => {
    server.sendToolListChanged().catch(() => {
      // the client has left, or hears of it on another way
      leave()
    })
  })
  Object.assign(server, { onclose: leave })
}

/** R13: the server is the agent. */
function serverInfo({ name, version }: AgentDefinition): { readonly name: string; readonly version: string } {
  return { name, version }
}
