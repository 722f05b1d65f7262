import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import {
  isJsonText,
  isJsonTextTooDeep,
  isJsonTooDeep,
  type Message,
  type RedactedPieces,
} from '@troupe/schema'
import { tell, type Run } from '../session/run.ts'
import { tellDelta } from './tell-delta.ts'

type AssistantContent = Extract<Message, { role: 'assistant' }>['content']
type AssistantPart = AssistantContent[number]

/** A call the model asks for. `input` is its JSON text, not yet checked. */
export interface ModelCall {
  readonly toolUseId: string
  readonly wireName: string
  readonly input: string
}

interface Block {
  readonly type: 'text' | 'reasoning'
  readonly id: string
  text: string
  metadata: SharedV4ProviderMetadata | undefined
  /** Hides secrets that come in several deltas; made for the first delta that is watched. */
  pieces: RedactedPieces | undefined
}

/** An answer as far as it has come. */
export interface AnswerDraft {
  readonly parts: (AssistantPart | Block)[]
  /** The blocks that are not closed: hardly ever more than one. */
  readonly open: Block[]
  readonly calls: ModelCall[]
  /** Of its calls; made for the first of them. */
  ids: Set<string> | undefined
  /** The arguments of its calls as they were streamed, by the id of the call; made for the first of them. */
  streamed: Map<string, string> | undefined
  /** The first error the stream carried. */
  error: { readonly thrown: unknown } | undefined
  finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined
}

/** Nothing yet. */
export function createDraft(): AnswerDraft {
  return {
    parts: [],
    open: [],
    calls: [],
    ids: undefined,
    streamed: undefined,
    error: undefined,
    finish: undefined,
  }
}

/** Takes one part in and tells watchers what they may see of it. */
export function takePart(run: Run, draft: AnswerDraft, part: LanguageModelV4StreamPart): void {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      open(run, draft, part)
      return
    case 'text-delta':
    case 'reasoning-delta':
      tellPiece(run, extend(draft, part), part.delta)
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
    case 'error':
      draft.error ??= { thrown: part.error ?? 'an error without a reason' }
      return
    case 'finish':
      for (const block of draft.open) tellRest(run, block)
      draft.finish = part
      return
    default:
      takeOther(draft, part)
  }
}

function open(
  run: Run,
  draft: AnswerDraft,
  part: { readonly type: string; readonly id: string; readonly providerMetadata?: SharedV4ProviderMetadata },
): void {
  const type = part.type === 'text-start' ? 'text' : 'reasoning'
  openBlock(draft, { type, id: part.id, text: '', metadata: metadataOf(part), pieces: undefined })
  if (type === 'text' && run.root.log.watched) tell(run, 'text-start', { turn: run.turn })
}

function extend(
  draft: AnswerDraft,
  part: {
    readonly type: 'text-delta' | 'reasoning-delta'
    readonly id: string
    readonly delta: string
    readonly providerMetadata?: SharedV4ProviderMetadata
  },
): Block {
  const type = part.type === 'text-delta' ? 'text' : 'reasoning'
  const block =
    findBlock(draft, type, part.id) ??
    openBlock(draft, { type, id: part.id, text: '', metadata: undefined, pieces: undefined })
  block.text += part.delta
  block.metadata = metadataOf(part) ?? block.metadata
  return block
}

/** Tells what may be shown of a block so far: a secret may be split over deltas. */
function tellPiece(run: Run, block: Block, delta: string): void {
  const { log, redactor } = run.root
  if (!log.watched) return
  if (redactor !== undefined) block.pieces ??= redactor.pieces()
  const text = block.pieces?.push(delta) ?? delta
  if (text !== '' || delta === '') tellDelta(run, block.type, text)
}

/** A block that ends keeps nothing back. */
function tellRest(run: Run, block: Block): void {
  const text = block.pieces?.end() ?? ''
  if (text !== '') tellDelta(run, block.type, text)
}

function close(
  run: Run,
  draft: AnswerDraft,
  part: { readonly type: string; readonly id: string; readonly providerMetadata?: SharedV4ProviderMetadata },
): void {
  const type = part.type === 'text-end' ? 'text' : 'reasoning'
  const block = findBlock(draft, type, part.id)
  if (block === undefined) return
  draft.open.splice(draft.open.indexOf(block), 1)
  block.metadata = metadataOf(part) ?? block.metadata
  tellRest(run, block)
  if (type === 'text') tell(run, 'text-end', { turn: run.turn, text: block.text })
}

function findBlock({ open }: AnswerDraft, type: Block['type'], id: string): Block | undefined {
  const last = open.at(-1)
  if (last?.id === id && last.type === type) return last
  return open.findLast((block) => block.id === id && block.type === type)
}

function openBlock(draft: AnswerDraft, block: Block): Block {
  draft.open.push(block)
  draft.parts.push(block)
  return block
}

/** A call of ours is dispatched; one that the provider runs itself is only kept (decision 19). Ids that are empty or repeat are replaced. */
function takeCall(
  run: Run,
  draft: AnswerDraft,
  part: Extract<LanguageModelV4Content, { type: 'tool-call' }>,
): void {
  const isOurs = part.providerExecuted !== true
  const ids = (draft.ids ??= new Set())
  const isFresh = part.toolCallId !== '' && !ids.has(part.toolCallId)
  const toolUseId = isFresh ? part.toolCallId : `call_${run.turn}_${ids.size}`
  ids.add(toolUseId)
  const input = isOurs ? sentInput(draft, part) : part.input
  // an id may come again
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
 * Returns the arguments that the model sent. An adapter may replace arguments that are not JSON, such as those that were cut off, with
 * `{}`; the call is then refused, not run without its arguments.
 */
function sentInput(
  { streamed }: AnswerDraft,
  { toolCallId, input }: Extract<LanguageModelV4Content, { type: 'tool-call' }>,
): string {
  const sent = streamed?.get(toolCallId)
  if (sent === undefined || sent === input || sent.trim() === '' || isJsonText(sent)) return input
  return sent
}

/** The input as a provider takes it back: an object. What cannot be parsed or is nested too deep goes back empty; the tool result says what was wrong. */
function parseInput(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input)
    return typeof value === 'object' && value !== null && !isJsonTextTooDeep(input, value) ? value : {}
  } catch {
    // reported to the model by prepare-call, with the text it sent
    return {}
  }
}

function takeOther(draft: AnswerDraft, part: LanguageModelV4StreamPart): void {
  if (part.type === 'file' || part.type === 'reasoning-file' || part.type === 'custom') {
    const { providerMetadata: _, ...rest } = part
    draft.parts.push({ ...rest, ...providerOptionsOf(part) })
  }
}

interface Described {
  readonly providerMetadata?: SharedV4ProviderMetadata
}

/** Returns the provider's metadata of a part; `undefined` if there is none or it is nested too deep to be saved. */
function metadataOf({ providerMetadata }: Described): SharedV4ProviderMetadata | undefined {
  return isJsonTooDeep(providerMetadata) ? undefined : providerMetadata
}

function providerOptionsOf(part: Described): { readonly providerOptions?: SharedV4ProviderMetadata } {
  const metadata = metadataOf(part)
  return metadata === undefined ? {} : { providerOptions: metadata }
}

/** The message and its text; calls are left out where none may be made. */
export function contentOf(
  draft: AnswerDraft,
  mayCall: boolean,
): { readonly content: AssistantContent; readonly text: string } {
  const content: AssistantPart[] = []
  let text = ''
  for (const part of draft.parts) {
    if (part.type === 'tool-call' && !mayCall && part.providerExecuted !== true) continue
    const said = 'metadata' in part ? fromBlock(part) : part
    if (said === undefined) continue
    content.push(said)
    if (said.type === 'text') text += said.text
  }
  return { content, text }
}

/** Nothing for a block that is empty and says nothing of itself. */
function fromBlock({ type, text, metadata }: Block): AssistantPart | undefined {
  if (metadata !== undefined) return { type, text, providerOptions: metadata }
  return text === '' ? undefined : { type, text }
}
