import {
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failure, type JsonObject } from '@troupe/schema'
import type { BackgroundCalls } from './background-calls.ts'
import { DEFAULT_WAIT, POLL_PARAMETERS } from './background-tools.ts'
import { callExportedTool, type CallServices } from './call-exported-tool.ts'
import type { ExportedTool } from './exported-tool.ts'
import { givenContext } from './given-context.ts'
import type { CallAnswer, HeldCalls } from './held-calls.ts'
import { createRunningCall, type RunningCall } from './running-call.ts'
import { failedResult } from './to-call-result.ts'

/** Dependencies for answering calls. */
export interface CallDesk {
  readonly services: CallServices
  readonly held: HeldCalls
  readonly background: BackgroundCalls
}

/** A tool as listed for clients: to call it, to start it in the background, or to poll for its answer. */
export interface OfferedTool {
  readonly kind: 'call' | 'start' | 'poll'
  readonly tool: ExportedTool
  readonly wireName: string
}

/** A tool call request: a new call, or the client's responses for a pending one. */
export interface CallRequest {
  readonly offered: OfferedTool
  readonly args: JsonObject
  readonly context: ServerContext
  /** True if the client supports form elicitation. */
  readonly hasPerson: boolean
}

/**
 * Answers a tool call request. Throws a protocol error if its `requestState` does not belong to a pending
 * call of the tool.
 */
export async function answerCall(request: CallRequest, desk: CallDesk): Promise<CallAnswer> {
  const { offered, context } = request
  const again = desk.held.goOn(offered.wireName, context)
  if (again !== undefined) return again
  const missing = missingPerson(request, desk)
  if (missing !== undefined) return missing
  if (offered.kind === 'poll') return poll(request, desk)
  if (offered.kind === 'start') return start(request, desk)
  const call = createRunningCall(context)
  return desk.held.round({ key: offered.wireName, call, result: begin(call, request, desk) }, context)
}

function begin(
  call: RunningCall,
  { offered: { tool }, args, context, hasPerson }: CallRequest,
  { services }: CallDesk,
): Promise<CallToolResult> {
  const person = hasPerson ? call.person : undefined
  return callExportedTool(tool, args, { services, given: givenContext(context), call, person })
}

/**
 * Returns a failed result, or throws in the newer protocol, if the tool needs a person but the client
 * supports no forms. `undefined` otherwise.
 */
function missingPerson(
  { offered: { tool }, hasPerson, context }: CallRequest,
  { services: { agent, newContextId } }: CallDesk,
): CallToolResult | undefined {
  if (tool.needsPerson !== true || hasPerson) return undefined
  if (context.mcpReq.envelope !== undefined)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: { form: {} } } })
  return failedResult(
    failure('person_required', `${tool.wireName} asks a person, and this host shows no forms.`),
    {
      agent: agent.name,
      contextId: newContextId(),
      output: agent.output,
    },
  )
}

/** Starts a call in the background. Invalid arguments are reported at once. */
async function start(request: CallRequest, desk: CallDesk): Promise<CallToolResult> {
  const { tool } = request.offered
  const { services, background } = desk
  const valid = services.validate(tool.parameters, request.args)
  const call = createRunningCall()
  const result = begin(call, request, desk)
  if (!valid.ok) return result
  const id = background.add({ tool, call, result })
  return told({ id, state: 'working' }, `Started: ${id}. Ask for the answer with this id.`)
}

/** Returns the answer of a started call, or its progress after the wait. */
async function poll(request: CallRequest, desk: CallDesk): Promise<CallAnswer> {
  const { offered, args, context } = request
  const { services, background, held } = desk
  const place = { agent: services.agent.name, contextId: services.newContextId(), output: TEXT }
  const valid = services.validate(POLL_PARAMETERS, args)
  if (!valid.ok)
    return failedResult(
      failure('tool_bad_arguments', `The arguments do not fit: ${valid.problems.join('; ')}`),
      place,
    )
  const { id, wait = DEFAULT_WAIT, cancel = false } = valid.args as unknown as PollArguments
  const found = background.find(id, offered.tool)
  if (found === undefined)
    return failedResult(failure('input_invalid', `No call was started as ${id}, or it is long over.`), place)
  if (cancel) found.call.cancel()
  const meanwhile = new Promise<CallToolResult>((resolve) => {
    const cancelWait = services.clock.after(wait * 1000, () => resolve(working(id, found.call)))
    void found.result.finally(cancelWait)
  })
  const one = { key: offered.wireName, call: found.call, result: found.result, meanwhile }
  return held.round(one, context)
}

interface PollArguments {
  readonly id: string
  readonly wait?: number
  readonly cancel?: boolean
}

const TEXT = { format: 'text' } as const

function working(id: string, { lastWords }: RunningCall): CallToolResult {
  const far = lastWords === '' ? '' : ` ${lastWords}.`
  return told({ id, state: 'working' }, `There is no answer yet.${far} Ask again with the id ${id}.`)
}

function told(data: JsonObject, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data }
}
