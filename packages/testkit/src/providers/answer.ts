import type { RecordedRequest } from './fake-provider.ts'

/** A tool call that a fake provider answers with. */
export interface AnswerCall {
  readonly name: string
  /** A text is sent as it is, so that a test can send arguments that are not JSON. */
  readonly args: unknown
  /** Chat Completions: the arguments are streamed with the name of the tool, in one chunk. */
  readonly inOneChunk?: boolean
  /** Default: made from the number of the request, so it is the same in every test run. */
  readonly id?: string
}

/** Token counts that a fake provider reports. */
export interface AnswerUsage {
  /** Cached ones included. */
  readonly input: number
  /** Reasoning included. */
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** What a fake provider answers one request with. */
export interface Answer extends AnswerFaults {
  readonly text?: string
  readonly calls?: readonly AnswerCall[]
  /** From 400 on: an error in the shape of the provider. */
  readonly status?: number
  /** The message of the error. */
  readonly message?: string
  /** The code of the error, such as `insufficient_quota`, where the provider's error shape has one. */
  readonly code?: string
  /** Sent as it is in place of the error, such as the page of a proxy. */
  readonly errorPage?: string
  /** Added to the headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Ms before the first byte. */
  readonly delayMs?: number
  /** No byte is sent before it settles. */
  readonly until?: Promise<unknown>
  /** Default: a quarter of the characters. `none`: nothing is reported, where the API allows that. */
  readonly usage?: AnswerUsage | 'none'
  /** Why the model stopped. Default: tool calls where there are some, else the end of its turn. */
  readonly finish?: 'length' | 'content-filter'
}

/**
 * What goes wrong on the way, after so many chunks of a stream. A JSON text goes out in two halves, and what goes wrong does so between them,
 * whatever the number.
 */
export interface AnswerFaults {
  /** The connection is cut. */
  readonly breakAfter?: number
  /** The answer falls silent and stays open. */
  readonly stallAfter?: number
  /** The answer ends in good order, as if that were all. */
  readonly endAfter?: number
  /** One chunk that is no JSON; the rest follows. */
  readonly garbleAfter?: number
  /** The chunk at this place comes again and again, until the client leaves. */
  readonly repeat?: number
  /** An error of the provider in place of the rest, under the status 200 that was already sent. */
  readonly failAfter?: {
    readonly chunks: number
    readonly status: number
    readonly message: string
    readonly code?: string
  }
  /** JSON, although a stream was asked for: what a server does that cannot stream. */
  readonly neverStreams?: true
}

/** One answer per request, in order, or a function of the request. A request beyond the list is refused with 400. */
export type Answers = readonly Answer[] | ((request: RecordedRequest) => Answer | Promise<Answer>)

/** The text of an answer in pieces that end behind a space, as a model streams it. */
export function textPieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/gu) ?? []
}

/** The usage to report: the given one, else counted from characters. */
export function usageOf(answer: Answer, prompt: unknown): Required<AnswerUsage> {
  const reported = answer.usage === 'none' ? undefined : answer.usage
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = reported ?? estimate(answer, prompt)
  return { input, output, cacheRead, cacheWrite, reasoning }
}

function estimate(answer: Answer, prompt: unknown): AnswerUsage {
  const said = (answer.text ?? '') + (answer.calls ?? []).map((call) => JSON.stringify(call.args)).join('')
  return { input: tokens(JSON.stringify(prompt) ?? ''), output: tokens(said) }
}

function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4))
}
