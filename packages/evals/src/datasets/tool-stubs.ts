import { hasAnswer, isJsonObject, type Json, type JsonObject, type RunEvent } from '@troupe/schema'
import { canonicalJson, isJsonTextTooDeep } from '@troupe/schema/json'
import { contentText } from '@troupe/timeline'
import { isRedacted, redactCase } from './redact-case.ts'

/** The answers of tools in a run, as `stubs.tools` of a case. */
export type StubsByTool = Readonly<Record<string, JsonObject | readonly JsonObject[]>>

type CallEvent = Extract<RunEvent, { readonly type: 'tool-call' }>
type ResultEvent = Extract<RunEvent, { readonly type: 'tool-result' }>

/** Maximum number of characters of one result. */
const MAX_RESULT = 100_000
/** Larger and deeper results are written as text, because a case file has limits. */
const MAX_JSON = { length: 20_000, depth: 16 }
/** Keys that make an expected argument a condition. */
const CONDITIONS: ReadonlySet<string> = new Set(['equals', 'contains', 'regex'])

/**
 * Returns the answers of all tools of a run tree, except agents, which run again. A tool whose calls had
 * different results gets one stub per call, with its arguments as a condition.
 */
export function toolStubs(events: readonly RunEvent[]): StubsByTool {
  const calls = new Map<string, CallEvent>()
  const stubs = new Map<string, JsonObject[]>()
  for (const event of events) {
    const key = `${event.runId} ${event.callId}`
    if (event.type === 'tool-call') calls.set(key, event)
    if (event.type !== 'tool-result' || event.source === 'agent' || event.outcome === 'denied') continue
    const stub = { args: conditionOf(calls.get(key)), ...answerOf(event) }
    stubs.set(event.toolName, [...(stubs.get(event.toolName) ?? []), stub])
  }
  return Object.fromEntries([...stubs].map(([name, all]) => [name, simplify(all)]))
}

/** Returns the arguments as a condition; empty if they were redacted, because they would never match. */
function conditionOf(call: CallEvent | undefined): JsonObject {
  const args = redactCase(call?.args ?? {})
  if (isRedacted(JSON.stringify(args))) return {}
  const entries = Object.entries(args).map(([name, value]) => [name, toExpected(value)] as const)
  return Object.fromEntries(entries)
}

/** Wraps a value that would otherwise be read as a condition. */
function toExpected(value: Json): Json {
  const [key, ...others] = isJsonObject(value) ? Object.keys(value) : []
  return key !== undefined && others.length === 0 && CONDITIONS.has(key) ? { equals: value } : value
}

function answerOf({ outcome, content, error }: ResultEvent): JsonObject {
  const text = redactCase(contentText(content))
  if (!hasAnswer(outcome)) return { error: redactCase(error?.message ?? text).slice(0, MAX_RESULT) }
  return { return: toValue(text) }
}

function toValue(text: string): Json {
  const trimmed = text.trim()
  if (trimmed.length <= MAX_JSON.length && /^[[{]/u.test(trimmed))
    try {
      const value = JSON.parse(trimmed) as Json
      if (!isJsonTextTooDeep(trimmed, value, MAX_JSON.depth)) return value
    } catch {
      // text that only looks like JSON
    }
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}…` : text
}

/** Removes repeated stubs, and the condition if all calls have the same result. */
function simplify(stubs: readonly JsonObject[]): JsonObject | readonly JsonObject[] {
  const distinct = [...new Map(stubs.map((stub) => [canonicalJson(stub), stub])).values()]
  const answers = distinct.map(withoutCondition)
  const [first = {}, ...others] = answers
  if (others.every((answer) => canonicalJson(answer) === canonicalJson(first))) return first
  return distinct.map(({ args, ...answer }) =>
    isJsonObject(args) && Object.keys(args).length > 0 ? { args, ...answer } : answer,
  )
}

function withoutCondition(stub: JsonObject): JsonObject {
  const { args: _, ...answer } = stub
  return answer
}
