import {
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failure, readTraceContext, type Failure, type JsonObject, type TraceContext } from '@troupe/schema'
import type { ExportedTool } from '../tools/exported-tool.ts'
import { DEFAULT_WAIT_SECONDS, POLL_PARAMETERS, type CallableTool } from '../tools/served-tools.ts'
import { callExportedTool, type CallServices } from './call-exported-tool.ts'
import { type CallAnswer, type PendingCalls, createRunningCall, type RunningCall } from './running-call.ts'
import { failedResult } from './to-call-result.ts'

/** Dependencies for answering calls. */
interface AnswerCallContext {
  readonly services: CallServices
  readonly pending: PendingCalls
  readonly background: BackgroundCalls
}

/** A tool call request: a new call, or the client's responses for a pending one. */
interface CallRequest {
  readonly offered: CallableTool
  readonly args: JsonObject
  readonly context: ServerContext
  /** True if the client supports form elicitation. */
  readonly hasPerson: boolean
}

/**
 * Answers a tool call request. Throws a protocol error if its `requestState` does not belong to a pending
 * call of the tool.
 */
export async function answerCall(request: CallRequest, callContext: AnswerCallContext): Promise<CallAnswer> {
  const { offered, context } = request
  const again = callContext.pending.resume(offered.wireName, context)
  if (again !== undefined) return again
  const missing = refuseWithoutPerson(request, callContext)
  if (missing !== undefined) return missing
  if (offered.kind === 'poll') return poll(request, callContext)
  if (offered.kind === 'start') return start(request, callContext)
  const call = createRunningCall(context)
  return callContext.pending.round(
    { key: offered.wireName, call, result: begin(call, request, callContext) },
    context,
  )
}

function begin(
  call: RunningCall,
  { offered: { tool }, args, context, hasPerson }: CallRequest,
  { services }: AnswerCallContext,
): Promise<CallToolResult> {
  return callExportedTool(tool, args, {
    services,
    requestedContext: readContextId(context),
    call,
    person: hasPerson ? call.person : undefined,
    traceContext: readCallTrace(context),
  })
}

/**
 * Returns a failed result, or throws in the newer protocol, if the tool needs a person but the client
 * supports no forms. `undefined` otherwise.
 */
function refuseWithoutPerson(
  { offered: { tool }, hasPerson, context }: CallRequest,
  { services: { agent, newContextId } }: AnswerCallContext,
): CallToolResult | undefined {
  if (tool.needsPerson !== true || hasPerson) return undefined
  if (context.mcpReq.envelope !== undefined)
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: { form: {} } } })
  return failedResult(
    failure('person_required', `${tool.wireName} requires human input, but this client cannot show forms.`),
    {
      agent: agent.name,
      contextId: newContextId(),
      output: agent.output,
    },
  )
}

/** Starts a call in the background. Invalid arguments are reported at once. */
async function start(request: CallRequest, callContext: AnswerCallContext): Promise<CallToolResult> {
  const { tool } = request.offered
  const { services, background } = callContext
  const valid = services.validate(tool.parameters, request.args)
  const call = createRunningCall()
  const result = begin(call, request, callContext)
  if (!valid.ok) return result
  const id = background.add({ tool, call, result })
  return statusResult({ id, state: 'working' }, `Started: ${id}. Use this id to get the answer.`)
}

/** Returns the answer of a started call, or its progress after the wait. */
async function poll(request: CallRequest, callContext: AnswerCallContext): Promise<CallAnswer> {
  const { offered, args, context } = request
  const { services, background, pending } = callContext
  const resultContext = { agent: services.agent.name, contextId: services.newContextId(), output: TEXT }
  const valid = services.validate(POLL_PARAMETERS, args)
  if (!valid.ok)
    return failedResult(
      failure('tool_bad_arguments', `The arguments do not match the schema: ${valid.problems.join('; ')}`),
      resultContext,
    )
  const { id, wait = DEFAULT_WAIT_SECONDS, cancel = false } = valid.args as unknown as PollArguments
  const found = background.find(id, offered.tool)
  if (found === undefined)
    return failedResult(
      failure('input_invalid', `No call has the id ${id}, or it ended too long ago.`),
      resultContext,
    )
  if (cancel) found.call.cancel()
  const meanwhile = new Promise<CallToolResult>((resolve) => {
    const cancelWait = services.clock.after(wait * 1000, () => resolve(working(id, found.call)))
    void found.result.finally(cancelWait)
  })
  const one = { key: offered.wireName, call: found.call, result: found.result, meanwhile }
  return pending.round(one, context)
}

interface PollArguments {
  readonly id: string
  readonly wait?: number
  readonly cancel?: boolean
}

const TEXT = { format: 'text' } as const

function working(id: string, { lastProgressText }: RunningCall): CallToolResult {
  const far = lastProgressText === '' ? '' : ` ${lastProgressText}.`
  return statusResult({ id, state: 'working' }, `There is no answer yet.${far} Try again with the id ${id}.`)
}

function statusResult(data: JsonObject, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data }
}

/**
 * Returns the session id in the `_meta` of a call, or a failure if it is invalid. `undefined` if there is
 * none.
 */
export function readContextId({ mcpReq }: ServerContext): string | Failure | undefined {
  const { _meta: meta } = mcpReq
  const contextId = meta?.['contextId']
  if (contextId === undefined) return undefined
  if (typeof contextId === 'string' && contextId !== '') return contextId
  return failure(
    'input_invalid',
    '_meta.contextId must be a string.',
    'Send the contextId of an earlier result, or leave it out.',
  )
}

/** Returns the trace context in the `_meta` of a call, or else in the headers of its HTTP request. */
export function readCallTrace({ mcpReq, http }: ServerContext): TraceContext | undefined {
  const { _meta: meta = {} } = mcpReq
  return readTraceContext(meta) ?? readTraceHeaders(http?.req?.headers)
}

function readTraceHeaders(headers: Headers | undefined): TraceContext | undefined {
  if (headers === undefined) return undefined
  return readTraceContext({ traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') })
}

/** A call that runs in the background. */
interface BackgroundCall {
  readonly tool: ExportedTool
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
}

/** Background calls by unguessable id. */
interface BackgroundCalls {
  add(call: BackgroundCall): string
  /** Returns `undefined` if the tool has no call with this id, or if it was evicted. */
  find(id: string, tool: ExportedTool): BackgroundCall | undefined
  /** Cancels all calls. */
  close(): void
}

/** Maximum number of calls, including finished ones. The oldest is cancelled and evicted. */
const MAX_CALLS = 1000

/**
 * Creates an empty registry. An answer can be fetched more than once, because the first response may be lost.
 */
export function createBackgroundCalls(newId: () => string): BackgroundCalls {
  const calls = new Map<string, BackgroundCall>()
  return {
    add(started) {
      const id = newId()
      calls.set(id, started)
      const [oldest] = calls
      if (calls.size > MAX_CALLS && oldest !== undefined) {
        calls.delete(oldest[0])
        oldest[1].call.cancel()
      }
      return id
    },
    find: (id, { wireName }) => {
      const found = calls.get(id)
      return found?.tool.wireName === wireName ? found : undefined
    },
    close() {
      for (const { call } of calls.values()) call.cancel()
      calls.clear()
    },
  }
}
