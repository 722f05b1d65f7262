import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import {
  canonicalJson,
  failure,
  hasAnswer,
  sha256Hex,
  toFailure,
  type AgentDefinition,
  type AgentRunner,
  type Clock,
  type Failure,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type ValidateArguments,
} from '@troupe/schema'
import type { AnswerCache } from './answer-cache.ts'
import type { CallRecord } from './call-record.ts'
import type { ExportedTool } from './exported-tool.ts'
import { givenContext } from './given-context.ts'
import type { RunningCall } from './running-call.ts'
import { toPrompt } from './to-prompt.ts'
import { failedResult, toCallResult } from './to-call-result.ts'
import type { ToolGates } from './tool-gates.ts'

/** What calls are made with. */
export interface CallServices {
  readonly agent: AgentDefinition
  readonly runner: Pick<AgentRunner, 'run'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly validate: ValidateArguments
  readonly gates: ToolGates
  readonly cache: AnswerCache
  newContextId(): string
  onCall?(record: CallRecord): void
}

/** What one call is made of. */
export interface CallParts {
  readonly services: CallServices
  readonly context: ServerContext
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** None: nobody can be asked. */
  readonly person: Pick<RunOptions, 'approve' | 'ask'> | undefined
}

/** How a call ended: its result, and what its record says of it. */
interface EndedCall {
  readonly result: CallToolResult
  readonly record: Pick<CallRecord, 'outcome'> & Partial<CallRecord>
}

/**
 * One call: the arguments fill the prompt, and a run of the agent answers it (D23), in a session of its own (D29) or in that of an earlier
 * call whose `contextId` it brings (D52). Never rejects: a call of which no record can be kept is a failed one.
 */
export async function callExportedTool(
  tool: ExportedTool,
  args: JsonObject,
  parts: CallParts,
): Promise<CallToolResult> {
  const { services, context } = parts
  const startedAt = services.clock.now()
  const given = givenContext(context)
  const contextId = typeof given === 'string' ? given : services.newContextId()
  const place = { agent: services.agent.name, contextId, output: services.agent.output }
  const fail = (reason: Failure): EndedCall => ({
    result: failedResult(reason, place),
    record: { outcome: 'failed', error: reason },
  })
  const { result, record } =
    typeof given === 'object'
      ? fail(given)
      : await begin().catch((thrown: unknown) => fail(toFailure(thrown)))
  try {
    const { name, version } = tool
    const argumentsHash = sha256Hex(canonicalJson(args))
    const base = { agent: services.agent.name, tool: name, version, contextId, startedAt, argumentsHash }
    services.onCall?.({ ...base, ...record })
    return result
  } catch (thrown) {
    return failedResult(toFailure(thrown), place)
  }

  async function begin(): Promise<EndedCall> {
    const valid = services.validate(tool.parameters, args)
    if (!valid.ok)
      return fail(
        failure(
          'tool_bad_arguments',
          `The arguments do not fit ${tool.wireName}: ${valid.problems.join('; ')}`,
        ),
      )
    const prompt = toPrompt(tool, valid.args)
    if (typeof prompt !== 'string') return fail(prompt)
    const key = given === undefined ? services.cache.keyOf(tool, valid.args) : undefined
    const known = key === undefined ? undefined : services.cache.find(key)
    if (known !== undefined) return { result: known, record: { outcome: 'completed', isCached: true } }
    const leave = services.gates.enter(tool)
    if (typeof leave !== 'function') return fail(leave)
    try {
      const session = { sessionId: contextId, continueOnly: given !== undefined }
      const ended = toEnd(await run(tool, { prompt, session }, parts))
      if (key !== undefined && ended.record.outcome === 'completed')
        services.cache.keep(key, asCached(ended.result), tool.cache?.ttl ?? 0)
      return ended
    } finally {
      leave()
    }
  }

  function toEnd(report: RunReport): EndedCall {
    const { runId, outcome, error, durationMs, usage } = report
    const made = toCallResult(report, place)
    const { deprecated } = tool
    const result = deprecated === undefined || !hasAnswer(outcome) ? made : withMeta(made, { deprecated })
    const why = error === undefined ? {} : { error }
    return { result, record: { runId, outcome, durationMs, cost: usage.cost, ...why } }
  }
}

/** With a person at the other end what asks is asked; else tools that ask are not offered (R16). */
function run(
  { limits: { timeout, maxCost, maxTokens } }: ExportedTool,
  {
    prompt,
    session,
  }: { readonly prompt: string; readonly session: Pick<RunOptions, 'sessionId' | 'continueOnly'> },
  { services, call, person }: CallParts,
): Promise<RunReport> {
  const budget = {
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  }
  return services.runner.run(services.agent.name, prompt, {
    signal: call.signal,
    ...session,
    ...(person ?? { headless: true }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    onEvent: call.onEvent,
  })
}

/** Whoever gets it again had no session and no run. */
function asCached(result: CallToolResult): CallToolResult {
  const { _meta: meta } = result
  const { contextId: _context, runId: _run, ...rest } = meta ?? {}
  return withMeta({ ...result, _meta: rest }, { isCached: true })
}

function withMeta(result: CallToolResult, more: JsonObject): CallToolResult {
  const { _meta: meta } = result
  return { ...result, _meta: { ...meta, ...more } }
}
