import type { JsonObject } from '@troupe/schema'
import type { CallView } from '@troupe/timeline'

const MAX_INPUT = 200

/** Returns the first text among the arguments of a call, or all arguments as JSON, in one line. */
export function inputLine(args: JsonObject): string {
  const values = Object.values(args)
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '')
  if (typeof text === 'string') return firstLine(text)
  return values.length === 0 ? '' : firstLine(JSON.stringify(args))
}

/** Returns the input of a call in one line. The name of the called agent, which a handoff has as argument, is left out. */
export function callInput(call: CallView): string {
  if (call.childInstance === undefined) return inputLine(call.args)
  const name = calledName(call)
  return inputLine(Object.fromEntries(Object.entries(call.args).filter(([, value]) => value !== name)))
}

/** Returns the first line of a text that is not blank, cut to 200 characters. */
export function firstLine(text: string): string {
  // A long text is cut first, so that its lines are not searched.
  const line = /\S[^\r\n]*/u.exec(text.slice(0, 10 * MAX_INPUT))?.[0] ?? ''
  return line.length > MAX_INPUT ? `${line.slice(0, MAX_INPUT)}…` : line.trimEnd()
}

/** Returns the agent or the tool that a call calls. */
export function calledName({ childInstance, toolName }: CallView): string {
  return childInstance?.replace(/\[\d+\]$/u, '') ?? toolName
}
