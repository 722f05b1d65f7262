import type {
  LanguageModelV4Citation,
  LanguageModelV4Content,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { AssistantMessage, Citation, EventDraft } from '@troupe/schema'
import { isJsonText, isJsonTextTooDeep, isJsonTooDeep } from '@troupe/schema/json'
import type { StreamRedactor } from '@troupe/schema/ports'
import type { GuardedText } from '../guards/guarded-text.ts'
import type { RequestedToolCall } from '../log/recorded-steps.ts'
import type { LoggedRun } from '../log/run-log.ts'
import { citationsOf } from './citations.ts'

type AssistantContent = AssistantMessage['content']

interface DraftBlock {
  readonly type: 'text' | 'reasoning'
  readonly id: string
  text: string
  metadata: SharedV4ProviderMetadata | undefined
  citations: readonly LanguageModelV4Citation[] | undefined
  /** Redacts secrets that are split over deltas. Created on demand. */
  pieces: StreamRedactor | undefined
}

/** An answer in progress. */
export interface AnswerDraft {
  /** True for a side call, whose text no listener of the run receives. */
  readonly isSilent: boolean
  /** The text that output guards release. Absent without guards, and if they need the whole answer. */
  readonly guarded: GuardedText | undefined
  /** Redacts secrets in released text. Created on demand. */
  guardedPieces: StreamRedactor | undefined
  readonly parts: (AssistantContent[number] | DraftBlock)[]
  /** Blocks that are not closed, rarely more than one. */
  readonly open: DraftBlock[]
  readonly calls: RequestedToolCall[]
  /** Ids of the calls. Created on demand. */
  ids: Set<string> | undefined
  /** Streamed arguments by call id. Created on demand. */
  streamed: Map<string, string> | undefined
  /** Pages and documents that the provider used. */
  readonly sources: LanguageModelV4Source[]
  /** First error of the stream. */
  error: { readonly thrown: unknown } | undefined
  finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined
}

/**
 * Creates an empty draft. If `guarded` is set, only the text that it releases is emitted, as a single block, and
 * no reasoning, which no guard checks.
 */
export function createDraft(isSilent: boolean, guarded?: GuardedText): AnswerDraft {
  return {
    isSilent,
    guarded,
    guardedPieces: undefined,
    parts: [],
    open: [],
    calls: [],
    ids: undefined,
    streamed: undefined,
    sources: [],
    error: undefined,
    finish: undefined,
  }
}

/** Adds a stream part to the draft and emits its text to watchers. */
export function takePart(run: LoggedRun, draft: AnswerDraft, part: LanguageModelV4StreamPart): void {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      open(run, draft, part)
      return
    case 'text-delta':
    case 'reasoning-delta':
      extendAndEmit(run, draft, part)
      return
    case 'text-end':
    case 'reasoning-end':
      close(run, draft, part)
      return
    case 'tool-input-delta':
      draft.streamed ??= new Map()
      draft.streamed.set(part.id, (draft.streamed.get(part.id) ?? '') + part.delta)
      return
    case 'tool-call':
      takeCall(run, draft, part)
      return
    case 'tool-result':
      takeResult(draft, part)
      return
    case 'source':
      draft.sources.push(part)
      return
    case 'error':
      draft.error ??= { thrown: part.error ?? 'an error without a reason' }
      return
    case 'finish':
      if (draft.guarded === undefined) for (const block of draft.open) emitRest(run, block)
      else endGuardedText(run, draft, draft.guarded)
      draft.finish = part
      return
    default:
      takeOther(draft, part)
  }
}

function open(
  run: LoggedRun,
  draft: AnswerDraft,
  part: { readonly type: string; readonly id: string; readonly providerMetadata?: SharedV4ProviderMetadata },
): void {
  const type = part.type === 'text-start' ? 'text' : 'reasoning'
  openBlock(draft, { ...emptyBlock(type, part.id), metadata: metadataOf(part) })
  if (type === 'text' && !isWithheld(draft) && run.root.log.hasDeltaListeners)
    run.log.emitTransient('text-start', { turn: run.progress.turn })
}

function extend(
  draft: AnswerDraft,
  part: {
    readonly type: 'text-delta' | 'reasoning-delta'
    readonly id: string
    readonly delta: string
    readonly providerMetadata?: SharedV4ProviderMetadata
  },
): DraftBlock {
  const type = part.type === 'text-delta' ? 'text' : 'reasoning'
  const block = findBlock(draft, type, part.id) ?? openBlock(draft, emptyBlock(type, part.id))
  block.text += part.delta
  block.metadata = metadataOf(part) ?? block.metadata
  return block
}

function extendAndEmit(run: LoggedRun, draft: AnswerDraft, part: Parameters<typeof extend>[1]): void {
  const block = extend(draft, part)
  if (draft.guarded !== undefined && block.type === 'text')
    emitGuarded(run, draft, draft.guarded.push(part.delta))
  if (!isWithheld(draft)) emitPiece(run, block, part.delta)
}

/** Returns true if blocks are not emitted as they are. */
function isWithheld({ isSilent, guarded }: AnswerDraft): boolean {
  return isSilent || guarded !== undefined
}

/** Emits text that the output guards released. */
function emitGuarded(run: LoggedRun, draft: AnswerDraft, text: string): void {
  if (text === '' || draft.isSilent) return
  const { log, redactor } = run.root
  const isFirst = draft.guarded?.released === text
  if (isFirst && log.hasDeltaListeners) run.log.emitTransient('text-start', { turn: run.progress.turn })
  draft.guardedPieces ??= redactor?.startStream()
  const shown = draft.guardedPieces?.push(text) ?? text
  if (shown !== '' && log.hasDeltaListeners) emitDelta(run, 'text', shown)
}

function endGuardedText(run: LoggedRun, draft: AnswerDraft, guarded: GuardedText): void {
  emitGuarded(run, draft, guarded.end())
  if (draft.isSilent || guarded.released === '' || !run.root.log.hasDeltaListeners) return
  const rest = draft.guardedPieces?.end() ?? ''
  if (rest !== '') emitDelta(run, 'text', rest)
  run.log.emitTransient('text-end', { turn: run.progress.turn, text: guarded.released })
}

/** Emits the text of an answer that was withheld until its verdict. */
export function emitWithheldText(run: LoggedRun, text: string): void {
  if (text === '' || !run.root.log.hasDeltaListeners) return
  const { turn } = run.progress
  run.log.emitTransient('text-start', { turn })
  run.log.emitTransient('text-delta', { text })
  run.log.emitTransient('text-end', { turn, text })
}

/** Emits the text of a block that is safe to show, because a secret may be split over deltas. */
function emitPiece(run: LoggedRun, block: DraftBlock, delta: string): void {
  const { log, redactor } = run.root
  if (!log.hasDeltaListeners && block.pieces === undefined) return
  if (redactor !== undefined && block.pieces === undefined) {
    block.pieces = redactor.startStream()
    // The first listener may arrive in the middle of a block, and thus of a secret.
    block.pieces.push(block.text.slice(0, block.text.length - delta.length))
  }
  const text = block.pieces?.push(delta) ?? delta
  if (text !== '' || delta === '') emitDelta(run, block.type, text)
}

/** Emits the text that was held back until the end of the block. */
function emitRest(run: LoggedRun, block: DraftBlock): void {
  const text = block.pieces?.end() ?? ''
  if (text !== '') emitDelta(run, block.type, text)
}

function close(
  run: LoggedRun,
  draft: AnswerDraft,
  part: {
    readonly type: string
    readonly id: string
    readonly providerMetadata?: SharedV4ProviderMetadata
    readonly citations?: readonly LanguageModelV4Citation[]
  },
): void {
  const type = part.type === 'text-end' ? 'text' : 'reasoning'
  const block = findBlock(draft, type, part.id)
  if (block === undefined) return
  draft.open.splice(draft.open.indexOf(block), 1)
  block.metadata = metadataOf(part) ?? block.metadata
  block.citations = part.citations
  if (isWithheld(draft)) return
  emitRest(run, block)
  if (type === 'text') run.log.emitTransient('text-end', { turn: run.progress.turn, text: block.text })
}

function findBlock({ open }: AnswerDraft, type: DraftBlock['type'], id: string): DraftBlock | undefined {
  const last = open.at(-1)
  if (last?.id === id && last.type === type) return last
  return open.findLast((block) => block.id === id && block.type === type)
}

function emptyBlock(type: DraftBlock['type'], id: string): DraftBlock {
  return { type, id, text: '', metadata: undefined, citations: undefined, pieces: undefined }
}

function openBlock(draft: AnswerDraft, block: DraftBlock): DraftBlock {
  draft.open.push(block)
  draft.parts.push(block)
  return block
}

/**
 * Adds a tool call. A call that the provider executed itself is stored but not dispatched. Empty and repeated
 * ids are replaced.
 */
function takeCall(
  run: LoggedRun,
  draft: AnswerDraft,
  part: Extract<LanguageModelV4Content, { type: 'tool-call' }>,
): void {
  const isOurs = part.providerExecuted !== true
  const ids = (draft.ids ??= new Set())
  const isFresh = part.toolCallId !== '' && !ids.has(part.toolCallId)
  const toolUseId = isFresh ? part.toolCallId : `call_${run.progress.turn}_${ids.size}`
  ids.add(toolUseId)
  const input = isOurs ? sentInput(draft, part) : part.input
  // an id may repeat
  draft.streamed?.delete(part.toolCallId)
  if (isOurs) draft.calls.push({ toolUseId, wireName: part.toolName, input })
  draft.parts.push({
    type: 'tool-call',
    toolCallId: toolUseId,
    toolName: part.toolName,
    input: parseInput(input),
    ...(isOurs ? {} : { providerExecuted: true }),
    ...providerOptionsOf(part),
  })
}

/**
 * Returns the arguments as the model sent them. An adapter may replace arguments that are not JSON, such as
 * truncated ones, by `{}`; the call must then be refused, not run without its arguments.
 */
function sentInput(
  { streamed }: AnswerDraft,
  { toolCallId, input }: Extract<LanguageModelV4Content, { type: 'tool-call' }>,
): string {
  const sent = streamed?.get(toolCallId)
  if (sent === undefined || sent === input || sent.trim() === '' || isJsonText(sent)) return input
  return sent
}

/**
 * Parses the input to an object, which providers require in the history. Input that is invalid or nested too
 * deep becomes empty; the tool result reports the problem.
 */
function parseInput(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input)
    return typeof value === 'object' && value !== null && !isJsonTextTooDeep(input, value) ? value : {}
  } catch {
    // prepare-call reports it to the model, with the text that it sent
    return {}
  }
}

/** Adds the result of a call that the provider executed itself. Preliminary results are replaced later. */
function takeResult(
  draft: AnswerDraft,
  part: Extract<LanguageModelV4Content, { type: 'tool-result' }>,
): void {
  if (part.preliminary === true) return
  const { toolCallId, toolName, isError = false } = part
  const value = isJsonTooDeep(part.result) ? '[too deeply nested]' : part.result
  draft.parts.push({
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: isError ? 'error-json' : 'json', value },
    ...providerOptionsOf(part),
  })
}

function takeOther(draft: AnswerDraft, part: LanguageModelV4StreamPart): void {
  if (part.type === 'file' || part.type === 'reasoning-file' || part.type === 'custom') {
    const { providerMetadata: _, ...rest } = part
    draft.parts.push({ ...rest, ...providerOptionsOf(part) })
  }
}

interface ProviderPart {
  readonly providerMetadata?: SharedV4ProviderMetadata
}

/** Returns the provider metadata of a part, unless it is nested too deep to be stored. */
function metadataOf({ providerMetadata }: ProviderPart): SharedV4ProviderMetadata | undefined {
  return isJsonTooDeep(providerMetadata) ? undefined : providerMetadata
}

function providerOptionsOf(part: ProviderPart): { readonly providerOptions?: SharedV4ProviderMetadata } {
  const metadata = metadataOf(part)
  return metadata === undefined ? {} : { providerOptions: metadata }
}

/** Returns the content of the message and its text, without calls if none may be made. */
export function contentOf(
  draft: AnswerDraft,
  mayCall: boolean,
): { readonly content: AssistantContent; readonly text: string } {
  const content: AssistantContent[number][] = []
  let text = ''
  for (const part of draft.parts) {
    if (part.type === 'tool-call' && !mayCall && part.providerExecuted !== true) continue
    const contentPart = 'metadata' in part ? fromBlock(part) : part
    if (contentPart === undefined) continue
    content.push(contentPart)
    if (contentPart.type === 'text') text += contentPart.text
  }
  return { content, text }
}

/** Returns `undefined` for a block with neither text nor metadata. */
function fromBlock({ type, text, metadata }: DraftBlock): AssistantContent[number] | undefined {
  if (metadata !== undefined) return { type, text, providerOptions: metadata }
  return text === '' ? undefined : { type, text }
}

/** Returns the web pages that support the text of the answer. */
export function draftCitations({ parts, sources }: AnswerDraft): readonly Citation[] {
  const texts = parts.flatMap((part) => ('metadata' in part && part.type === 'text' ? part : []))
  return citationsOf(texts, sources)
}

/**
 * Emits a delta of an answer. Called for every token, so without a redactor the event is a single literal,
 * with space for the sequence number that the log sets.
 */
function emitDelta(run: LoggedRun, of: 'text' | 'reasoning', text: string): void {
  const type = of === 'text' ? 'text-delta' : 'reasoning-delta'
  const { log, redactor, clock } = run.root
  if (redactor !== undefined) {
    run.log.emitTransient(type, { text })
    return
  }
  const { runId, rootRunId, parentRunId, agent, instance } = run.request
  const { depth } = run
  const event = {
    time: clock.now(),
    runId,
    rootRunId,
    agent: agent.name,
    instance,
    depth,
    type,
    text,
    after: 0,
  }
  log.emitTransient((parentRunId === undefined ? event : { ...event, parentRunId }) as EventDraft)
}
