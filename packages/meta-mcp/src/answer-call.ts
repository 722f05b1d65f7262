import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { JsonObject } from '@troupe/schema'
import { callExportedTool, type CallServices } from './call-exported-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import type { HeldCall, HeldCalls } from './held-calls.ts'
import { personOf } from './person/person-of.ts'
import { createRunningCall } from './running-call.ts'

/** What a server answers calls with. */
export interface CallDesk {
  readonly services: CallServices
  readonly held: HeldCalls
}

/** A request for a call: the call itself, or the answers that it waits for. */
export interface CallRequest {
  readonly tool: ExportedTool
  readonly args: JsonObject
  readonly context: ServerContext
  /** The client can show forms to a person. */
  readonly hasPerson: boolean
}

/**
 * Answers with the result of the call, or with what a person is asked before there is one: then the client comes back with the answers and the state that
 * it was given. Throws an error of the protocol for a state that is not one of this call.
 */
export async function answerCall(
  { tool, args, context, hasPerson }: CallRequest,
  { services, held }: CallDesk,
): Promise<CallToolResult | InputRequiredResult> {
  const state = context.mcpReq.requestState()
  const one = state === undefined ? begin() : goOn(state)
  return one.call.round(context, { result: one.result, nextState: () => held.hold(one) })

  function begin(): HeldCall {
    const call = createRunningCall(context)
    const person = hasPerson ? personOf(call.questions) : undefined
    const result = callExportedTool(tool, args, { services, context, call, person })
    return { toolName: tool.wireName, call, result }
  }

  function goOn(given: unknown): HeldCall {
    const found = typeof given === 'string' ? held.find(given) : undefined
    if (found?.toolName === tool.wireName) return found
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'requestState: no call of this tool waits for answers under it.',
    )
  }
}
