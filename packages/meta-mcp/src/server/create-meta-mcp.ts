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
  type MaybePromise,
  type RunOptions,
} from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { createAnswerCache } from '../calls/answer-cache.ts'
import { answerCall, createBackgroundCalls } from '../calls/answer-call.ts'
import { callExportedTool, createToolLimiter } from '../calls/call-exported-tool.ts'
import type { CallRecord } from '../calls/call-record.ts'
import { createPendingCalls } from '../calls/running-call.ts'
import { INPUT_REQUIRED_OPTIONS, supportsForms } from '../human-input/forms.ts'
import type { ExportedTool } from '../tools/exported-tool.ts'
import { readServedTools } from '../tools/served-tools.ts'
import { PROMPT_CAPABILITIES, servePrompts, type PromptTool } from '../tools/tool-prompts.ts'
import { RESOURCE_CAPABILITIES, serveResources, type ResourceSource } from './serve-resources.ts'

/** Options of `createMetaMcp`. */
export interface MetaMcpOptions {
  readonly agent: AgentDefinition
  /** Runs the agent; usually a host. */
  readonly runner: Pick<AgentRunner, 'run'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Returns a unique, unguessable id for a call or a round of it. */
  newContextId(): string
  /** Called after every call. The call fails if it throws. */
  onCall?(record: CallRecord): void
  /** Returns the resources of the clients. Default: none are offered. */
  resources?(): MaybePromise<ResourceSource>
  /** True if `update` may replace the agent. Clients are then notified that the tool list may change. */
  readonly isLive?: boolean
}

/** The exported tools of an agent, for any transport. */
export interface MetaMcp {
  /** Tools in the order of the card. */
  readonly tools: readonly ExportedTool[]
  /** Creates a server for one connection. Supports both protocol generations. */
  createServer(): Server
  /** Calls a tool by wire name without a client. Throws `tool_unknown`. */
  call(wireName: string, args: JsonObject, run?: DirectCallOptions): Promise<CallToolResult>
  /**
   * Replaces the agent, for existing clients too. Calls in progress finish with the old agent. Throws like
   * `createMetaMcp`, without any change.
   */
  update(agent: AgentDefinition): void
  /** Calls `fn` after each update. Returns a function that unsubscribes. */
  onUpdate(fn: () => void): () => void
  /** Cancels all calls that wait for a person and all background calls. */
  close(): void
}

/** Options for a call without a client. */
export type DirectCallOptions = Pick<RunOptions, 'signal' | 'onEvent' | 'approve' | 'ask'>

/**
 * Reads and validates the exported tools of an agent. Throws `exports_no_tools`, `tool_name_conflict` or
 * `export_need_unmet`.
 */
export function createMetaMcp(options: MetaMcpOptions): MetaMcp {
  const { clock, newContextId, isLive = false, resources } = options
  let served = readServedTools(options.agent)
  let cache = createAnswerCache(clock)
  const listeners = new Set<() => void>()
  const shared = { ...options, validate: createValidator(), gates: createToolLimiter(clock) }
  const pending = createPendingCalls(newContextId)
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
      pending.close()
      background.close()
    },
    async call(wireName, args, { signal = NEVER, onEvent, approve, ask } = {}) {
      const { agent, tools } = served
      const tool = tools.find((one) => one.wireName === wireName)
      if (tool === undefined)
        throw troupeError('tool_unknown', `${agent.name} does not export a tool named ${wireName}.`)
      const person = {
        ...(approve === undefined ? {} : { approve }),
        ...(ask === undefined ? {} : { ask }),
      }
      return callExportedTool(tool, args, {
        services: { ...shared, agent, cache },
        requestedContext: undefined,
        call: { signal, onEvent: (event) => onEvent?.(event) },
        person: approve === undefined && ask === undefined ? undefined : person,
      })
    },
    update(agent) {
      served = readServedTools(agent)
      // cached answers belong to the previous agent
      cache = createAnswerCache(clock)
      for (const listener of listeners) listener()
    },
    createServer() {
      const { agent } = served
      const server = new Server(serverInfo(agent), {
        capabilities: {
          ...PROMPT_CAPABILITIES,
          tools: isLive ? { listChanged: true } : {},
          logging: {},
          ...(resources === undefined ? {} : RESOURCE_CAPABILITIES),
        },
        ...(agent.description === undefined ? {} : { instructions: agent.description }),
        inputRequired: INPUT_REQUIRED_OPTIONS,
      })
      server.setRequestHandler('tools/list', () => ({ tools: [...served.listed] }))
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        const now = served
        const offered = now.offered.get(params.name)
        if (offered === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
        const args = isJsonObject(params.arguments) ? params.arguments : {}
        const hasPerson = supportsForms(server, context)
        const services = { ...shared, agent: now.agent, cache }
        const result = await answerCall(
          { offered, args, context, hasPerson },
          { services, pending, background },
        )
        return isInputRequiredResult(result) || offered.kind !== 'call'
          ? result
          : server.projectCallToolResult(result, now.agent.output.schema)
      })
      servePrompts(server, () => served.tools.map(toPromptTool))
      if (resources !== undefined) serveResources(server, resources)
      if (isLive) notifyUpdates(server, onUpdate)
      return server
    },
  }
}

/** Returns the prompt that asks a host to call the tool. */
function toPromptTool({ wireName, name, description, parameters }: ExportedTool): PromptTool {
  return { name: wireName, title: name, description, schema: parameters, toArguments: (entered) => entered }
}

const NEVER = new AbortController().signal

/** Notifies the client of a connection about updates until it disconnects. */
function notifyUpdates(server: Server, onUpdate: MetaMcp['onUpdate']): void {
  const unsubscribe = onUpdate(() => {
    server.sendToolListChanged().catch(() => {
      // the client has disconnected, or is notified by the HTTP handler
      unsubscribe()
    })
  })
  Object.assign(server, { onclose: unsubscribe })
}

function serverInfo({ name, version }: AgentDefinition): { readonly name: string; readonly version: string } {
  return { name, version }
}
