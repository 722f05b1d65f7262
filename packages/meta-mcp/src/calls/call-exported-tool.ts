import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  failure,
  hasAnswer,
  isJsonObject,
  toFailure,
  type AgentDefinition,
  type AgentRunner,
  type Clock,
  type Failure,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type TraceContext,
} from '@troupe/schema'
import { canonicalJson, isJsonTooDeep, MAX_JSON_DEPTH, sha256Hex } from '@troupe/schema/json'
import type { ValidateArguments } from '@troupe/schema/ports'
import { fillPromptTemplate } from '@troupe/tools/prompt-template'
import type { ExportedTool } from '../tools/exported-tool.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { CallRecord } from './call-record.ts'
import type { RunningCall } from './running-call.ts'
import { failedResult, toCallResult } from './to-call-result.ts'

/** Services for calls. */
export interface CallServices {
  readonly agent: AgentDefinition
  readonly runner: Pick<AgentRunner, 'run'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly validate: ValidateArguments
  readonly gates: ToolLimiter
  readonly cache: AnswerCache
  newContextId(): string
  onCall?(record: CallRecord): void
}

/** Options of a call. */
interface ExportedCallOptions extends CallRunContext {
  readonly services: CallServices
  /** Session id to continue, or the failure if it is invalid. `undefined` starts a new session. */
  readonly requestedContext: string | Failure | undefined
}

/** Result of a call, and the part of its record that depends on it. */
interface FinishedCall {
  readonly result: CallToolResult
  readonly record: Pick<CallRecord, 'outcome'> & Partial<CallRecord>
}

/** Session of a call and of the tools it needs. */
interface CallSession {
  readonly contextId: string
  /** Session id from the caller, or the failure if it is invalid. `undefined` for a new session. */
  readonly requestedContext: string | Failure | undefined
  /** Needed tools that have already been called for this call. */
  readonly answeredTools: Set<ExportedTool>
}

interface ExportedToolCall {
  readonly tool: ExportedTool
  readonly args: JsonObject
  /** True if another call needs this one. */
  readonly isNeeded?: boolean
}

/**
 * Calls an exported tool: fills the prompt with the arguments and runs the agent, in a new session or in that
 * of the given `contextId`. First calls the needed tools in the same session, so that the model sees their
 * answers. Never rejects. The call fails if `onCall` throws.
 */
export async function callExportedTool(
  tool: ExportedTool,
  args: JsonObject,
  parts: ExportedCallOptions,
): Promise<CallToolResult> {
  const { services, requestedContext } = parts
  const contextId = typeof requestedContext === 'string' ? requestedContext : services.newContextId()
  if (isJsonTooDeep(args)) {
    const { name, output } = services.agent
    const message = `The arguments of ${tool.wireName} are nested more than ${MAX_JSON_DEPTH} levels deep.`
    return failedResult(failure('tool_bad_arguments', message), { agent: name, contextId, output })
  }
  const { result } = await callIn(
    { contextId, requestedContext, answeredTools: new Set() },
    { tool, args },
    parts,
  )
  return result
}

/** Makes one call and records it. */
async function callIn(
  callSession: CallSession,
  { tool, args, isNeeded = false }: ExportedToolCall,
  parts: ExportedCallOptions,
): Promise<FinishedCall> {
  const { services } = parts
  const { contextId, requestedContext, answeredTools } = callSession
  const startedAt = services.clock.now()
  const resultContext = { agent: services.agent.name, contextId, output: services.agent.output }
  const fail = (reason: Failure): FinishedCall => ({
    result: failedResult(reason, resultContext),
    record: { outcome: 'failed', error: reason },
  })
  const ended = await begin().catch((thrown: unknown) => fail(toFailure(thrown)))
  try {
    const { name, version } = tool
    const argumentsHash = sha256Hex(canonicalJson(args))
    const base = { agent: services.agent.name, tool: name, version, contextId, startedAt, argumentsHash }
    services.onCall?.({ ...base, ...ended.record })
    return ended
  } catch (thrown) {
    return fail(toFailure(thrown))
  }

  async function begin(): Promise<FinishedCall> {
    if (typeof requestedContext === 'object') return fail(requestedContext)
    const valid = services.validate(tool.parameters, args)
    if (!valid.ok)
      return fail(
        failure(
          'tool_bad_arguments',
          `The arguments of ${tool.wireName} do not match its schema: ${valid.problems.join('; ')}`,
        ),
      )
    const prompt = toPrompt(tool, valid.args)
    if (typeof prompt !== 'string') return fail(prompt)
    // an answer within a conversation depends on earlier messages, and a cached answer belongs to no
    // conversation
    const key =
      requestedContext === undefined && !isNeeded ? services.cache.keyOf(tool, valid.args) : undefined
    const known = key === undefined ? undefined : services.cache.find(key)
    if (known !== undefined) return { result: known, record: { outcome: 'completed', isCached: true } }
    const release = services.gates.acquire(tool)
    if (typeof release !== 'function') return fail(release)
    try {
      const unmet = await callNeeded(callSession, { tool, args: valid.args }, parts)
      if (unmet !== undefined) return fail(unmet)
      const session = {
        sessionId: contextId,
        continueOnly: requestedContext !== undefined || answeredTools.size > 0,
      }
      const end = toFinishedCall(await runForCall(tool, { prompt, session }, parts))
      if (key !== undefined && end.record.outcome === 'completed')
        services.cache.store(key, toCachedResult(end.result), tool.cache?.ttl ?? 0)
      return end
    } finally {
      release()
    }
  }

  function toFinishedCall(report: RunReport): FinishedCall {
    const { runId, outcome, error, durationMs, usage } = report
    const made = toCallResult(report, resultContext)
    const { deprecated } = tool
    const result = deprecated === undefined || !hasAnswer(outcome) ? made : withMeta(made, { deprecated })
    const why = error === undefined ? {} : { error }
    return { result, record: { runId, outcome, durationMs, cost: usage.cost, ...why } }
  }
}

/**
 * Calls the needed tools, each once and with the arguments it accepts. Returns a failure if one of them has
 * no answer.
 */
async function callNeeded(
  callSession: CallSession,
  { tool, args }: ExportedToolCall,
  parts: ExportedCallOptions,
): Promise<Failure | undefined> {
  for (const needed of tool.needs) {
    if (callSession.answeredTools.has(needed)) continue
    const call = { tool: needed, args: argumentsOf(needed, args), isNeeded: true }
    const { record } = await callIn(callSession, call, parts)
    if (record.outcome !== 'completed') {
      const why = record.error?.message ?? `it ended with the outcome ${record.outcome}.`
      return failure('export_need_failed', `${tool.wireName} needs ${needed.wireName}: ${why}`)
    }
    callSession.answeredTools.add(needed)
  }
  return undefined
}

function argumentsOf({ parameters: { properties } }: ExportedTool, args: JsonObject): JsonObject {
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)))
}

/** Removes session and run from a result, because they belong to the original call. */
function toCachedResult(result: CallToolResult): CallToolResult {
  const { _meta: meta } = result
  const { contextId: _context, runId: _run, ...rest } = meta ?? {}
  return withMeta({ ...result, _meta: rest }, { isCached: true })
}

function withMeta(result: CallToolResult, more: JsonObject): CallToolResult {
  const { _meta: meta } = result
  return { ...result, _meta: { ...meta, ...more } }
}

/** Dependencies for the run of a call. */
interface CallRunContext {
  readonly services: { readonly agent: AgentDefinition; readonly runner: Pick<AgentRunner, 'run'> }
  readonly call: Pick<RunningCall, 'signal' | 'onEvent'>
  /** `undefined` if the client cannot ask a person. */
  readonly person: Pick<RunOptions, 'approve' | 'ask'> | undefined
  /** Trace context of the caller. */
  readonly traceContext?: TraceContext | undefined
}

/**
 * Runs the agent for a call. Without a person the run is headless, so that tools that ask are not offered.
 */
function runForCall(
  { limits: { timeout, maxCost, maxTokens } }: ExportedTool,
  {
    prompt,
    session,
  }: { readonly prompt: string; readonly session: Pick<RunOptions, 'sessionId' | 'continueOnly'> },
  { services, call, person, traceContext }: CallRunContext,
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
    ...(traceContext === undefined ? {} : { traceContext }),
  })
}

/** Default limit for the characters of a prompt. */
const MAX_PROMPT_CHARS = 4 * 1024 * 1024

/** Fills the prompt with valid arguments. Returns a failure if it is too long. */
function toPrompt({ template, subject, wireName, limits }: ExportedTool, args: JsonObject): string | Failure {
  const prompt = fillPromptTemplate(template, { subject, args, mode: 'run' })
  const { maxPrompt = MAX_PROMPT_CHARS } = limits
  if (prompt.length <= maxPrompt) return prompt
  return failure(
    'prompt_too_large',
    `${wireName}: the prompt would have ${prompt.length} characters; the limit is ${maxPrompt}.`,
  )
}

/** Limits the calls of each tool to those its card allows, concurrently and per minute. */
interface ToolLimiter {
  /** Admits a call. Returns a function to call when it ends, or the failure if a limit is reached. */
  acquire(tool: ExportedTool): (() => void) | Failure
}

const MINUTE = 60_000

export function createToolLimiter(clock: Pick<Clock, 'now'>): ToolLimiter {
  const running = new Map<string, number>()
  const startTimes = new Map<string, readonly number[]>()
  return {
    acquire({ wireName, limits }) {
      const { maxParallel = Infinity, maxPerMinute = Infinity } = limits
      const count = running.get(wireName) ?? 0
      if (count >= maxParallel)
        return failure('export_limit', `${wireName}: ${count} calls are running, which is the limit.`)
      const recent = (startTimes.get(wireName) ?? []).filter((time) => time > clock.now() - MINUTE)
      if (recent.length >= maxPerMinute)
        return failure(
          'export_limit',
          `${wireName}: ${recent.length} calls in the last minute, which is the limit.`,
        )
      running.set(wireName, count + 1)
      if (maxPerMinute !== Infinity) startTimes.set(wireName, [...recent, clock.now()])
      return () => void running.set(wireName, (running.get(wireName) ?? 1) - 1)
    },
  }
}
