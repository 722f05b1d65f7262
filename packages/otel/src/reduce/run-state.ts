import type { Attributes } from '@opentelemetry/api'
import type { EventPayloads, RunEvent, Usage } from '@troupe/schema'
import { ATTRIBUTE, OPERATION } from '../conventions/attributes.ts'
import { messagesJson } from '../conventions/messages.ts'
import { callSpanId, runSpanId, turnSpanId } from '../ids/span-ids.ts'
import { OpenSpan } from './open-span.ts'

/** An event of one type. */
export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** A run that has started. */
export interface TracedRun {
  readonly runId: string
  readonly agent: string
  readonly span: OpenSpan
  /** Attributes of all spans of the run. */
  readonly common: Attributes
  turn: OpenTurn | undefined
  /** By call id. */
  readonly calls: Map<string, OpenCall>
  /** Model calls by the id of the tool call that makes them; empty for those of the conversation. */
  readonly chats: Map<string, OpenChat>
  /** True after the conversation was shortened. */
  isCompacted: boolean
}

/** A turn that has started. */
export interface OpenTurn {
  readonly turn: number
  readonly start: number
  /** `undefined` if turns have no spans. */
  readonly span: OpenSpan | undefined
}

/** A tool call that has started. */
export interface OpenCall {
  readonly event: EventOf<'tool-call'>
  readonly span: OpenSpan
  queue: OpenSpan | undefined
  /** By approval id. */
  readonly approvals: Map<string, OpenSpan>
}

/** A model call with its retries. It has ended, unless it is retried. */
export interface OpenChat {
  readonly span: OpenSpan
  readonly provider: string
  readonly model: string
  tokens: Usage
  cost: number
  end: number
  error: EventPayloads['usage']['error']
  isRetrying: boolean
  finishReason: string | undefined
}

/** Creates the state of a run from its start. */
export function openRun(
  event: EventOf<'run-start'>,
  {
    parentId,
    followsId,
    hasContent,
  }: {
    readonly parentId: string | undefined
    readonly followsId: string | undefined
    readonly hasContent: boolean
  },
): TracedRun {
  const { runId, rootRunId, agent, instance, depth, time, definition, sessionId, input } = event
  const common: Attributes = {
    [ATTRIBUTE.agentName]: agent,
    // without a session, the id of the conversation is that of the run
    ...(sessionId === rootRunId ? {} : { [ATTRIBUTE.conversationId]: sessionId }),
  }
  const span = new OpenSpan({
    spanId: runSpanId(runId),
    parentId,
    followsId,
    start: time,
    attributes: {
      ...common,
      [ATTRIBUTE.operation]: OPERATION.agent,
      [ATTRIBUTE.agentVersion]: definition.version,
      [ATTRIBUTE.runId]: runId,
      [ATTRIBUTE.instance]: instance,
      [ATTRIBUTE.depth]: depth,
      [ATTRIBUTE.cardDigest]: definition.digest,
      ...(hasContent ? { [ATTRIBUTE.inputMessages]: messagesJson('user', input) } : {}),
    },
  })
  return {
    runId,
    agent,
    span,
    common,
    turn: undefined,
    calls: new Map(),
    chats: new Map(),
    isCompacted: false,
  }
}

/** Creates the state of a turn. Without spans for turns, it has only its start. */
export function openTurn(
  run: TracedRun,
  { turn, time }: EventOf<'turn-start'>,
  { hasSpan, followsId }: { readonly hasSpan: boolean; readonly followsId: string | undefined },
): OpenTurn {
  if (!hasSpan) return { turn, start: time, span: undefined }
  const span = new OpenSpan({
    spanId: turnSpanId(run.runId, turn),
    parentId: run.span.spanId,
    followsId,
    start: time,
    attributes: { ...run.common },
  })
  return { turn, start: time, span }
}

/** Creates the state of a tool call. */
export function openCall(
  run: TracedRun,
  event: EventOf<'tool-call'>,
  { hasContent, followsId }: { readonly hasContent: boolean; readonly followsId: string | undefined },
): OpenCall {
  const { callId = '', toolName, source, server, toolUseId, time, args } = event
  const span = new OpenSpan({
    spanId: callSpanId(run.runId, callId),
    parentId: turnSpan(run, event.turn).spanId,
    followsId,
    start: time,
    attributes: {
      ...run.common,
      [ATTRIBUTE.operation]: OPERATION.tool,
      [ATTRIBUTE.toolName]: toolName,
      [ATTRIBUTE.toolType]: source === 'provider' ? 'extension' : 'function',
      [ATTRIBUTE.toolCallId]: toolUseId,
      [ATTRIBUTE.toolSource]: source,
      ...(server === undefined ? {} : { [ATTRIBUTE.toolServer]: server }),
      ...(source === 'mcp' ? { [ATTRIBUTE.mcpMethod]: 'tools/call' } : {}),
      ...(hasContent ? { [ATTRIBUTE.toolArguments]: JSON.stringify(args) } : {}),
    },
  })
  return { event, span, queue: undefined, approvals: new Map() }
}

/** Returns the span of a turn if it is open, otherwise that of its run. */
export function turnSpan({ turn: open, span }: TracedRun, turn: number | undefined): OpenSpan {
  if (open?.span === undefined || (turn !== undefined && open.turn !== turn)) return span
  return open.span
}

/** Returns the span of the call that an event belongs to, otherwise that of the current turn. */
export function spanOfEvent(run: TracedRun, { callId }: Pick<RunEvent, 'callId'>): OpenSpan {
  const call = callId === undefined ? undefined : run.calls.get(callId)
  return call?.span ?? turnSpan(run, undefined)
}
