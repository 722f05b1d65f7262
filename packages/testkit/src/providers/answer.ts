import type { RecordedRequest } from './fake-provider.ts'

/** A tool call that a fake provider answers with. */
export interface AnswerCall {
  readonly name: string
  readonly args: unknown
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
  readonly reasoning?: number
}

/** What a fake provider answers one request with. */
export interface Answer {
  readonly text?: string
  readonly calls?: readonly AnswerCall[]
  /** From 400 on: an error in the shape of the provider. */
  readonly status?: number
  /** The message of the error. */
  readonly message?: string
  /** Added to the headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Ms before the first byte. */
  readonly delayMs?: number
  /** No byte is sent before it settles. */
  readonly until?: Promise<unknown>
  /** Default: a quarter of the characters. */
  readonly usage?: AnswerUsage
  /** Why the model stopped. Default: tool calls where there are some, else the end of its turn. */
  readonly finish?: 'length' | 'content-filter'
  /** The connection is cut after so many chunks of a stream. */
  readonly breakAfter?: number
  /** After so many chunks a stream falls silent and stays open. */
  readonly stallAfter?: number
}

/** One answer per request, in order, or a function of the request. A request beyond the list is refused with 400. */
export type Answers = readonly Answer[] | ((request: RecordedRequest) => Answer | Promise<Answer>)

/** The text of an answer in pieces that end behind a space, as a model streams it. */
export function textPieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/gu) ?? []
}

/** The usage to report: the given one, else counted from characters. */
export function usageOf(answer: Answer, prompt: unknown): Required<AnswerUsage> {
  const { input, output, cacheRead = 0, reasoning = 0 } = answer.usage ?? estimate(answer, prompt)
  return { input, output, cacheRead, reasoning }
}

function estimate(answer: Answer, prompt: unknown): AnswerUsage {
  const said = (answer.text ?? '') + (answer.calls ?? []).map((call) => JSON.stringify(call.args)).join('')
  return { input: tokens(JSON.stringify(prompt) ?? ''), output: tokens(said) }
}

function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4))
}
