import {
  failure,
  isJsonObject,
  type ApprovalDecision,
  type Failure,
  type Json,
  type JsonObject,
} from '@troupe/schema'
import { z } from 'zod'
import type { RequestedTool } from '../client-calls/client-tools.ts'
import { checkShape } from '../request/read-json.ts'
import type { AguiEvent } from './create-event-mapper.ts'
import { applyPatch, type PatchOperation } from './json-patch.ts'

/** Maximum length of the state in characters of JSON. */
const MAX_STATE = 65_536
const MAX_OPERATIONS = 100

/** Name of the tool that changes the state. Clients cannot offer a tool of this name. */
export const STATE_TOOL = 'update_shared_state'

/** The tool that changes the state, for agents whose client has one. It is executed here, not by the client. */
export const STATE_TOOL_DEFINITION: RequestedTool = {
  name: STATE_TOOL,
  description:
    'Changes the state that you share with the user interface. Pass `patch` to change parts of it, or `value` to replace all of it.',
  schema: {
    type: 'object',
    properties: {
      patch: {
        type: 'array',
        description: 'Operations of JSON Patch, applied in order. If one fails, none applies.',
        minItems: 1,
        maxItems: MAX_OPERATIONS,
        items: {
          type: 'object',
          properties: {
            op: { enum: ['add', 'replace', 'remove'] },
            path: { type: 'string', description: 'JSON Pointer, such as /items/0/title' },
            value: { description: 'The new value, unless the operation is `remove`.' },
          },
          required: ['op', 'path'],
          additionalProperties: false,
        },
      },
      value: { description: 'The new state as a whole.' },
    },
    additionalProperties: false,
  },
}

/** The state that an agent and its client share during one request. */
export interface SharedState {
  /**
   * Executes a call of the tool. Returns the result of the call, and events if the state has changed. The first
   * patch follows a snapshot of the state that it applies to.
   */
  change(args: JsonObject): { readonly decision: ApprovalDecision; readonly events: readonly AguiEvent[] }
}

/** Returns true if the client has a state. `{}` counts as none, because clients without a state send it. */
export function hasState(state: unknown): state is Json {
  return state !== undefined && state !== null && !(isJsonObject(state) && Object.keys(state).length === 0)
}

/** Returns the failure of a state that is too large. */
export function stateProblem(state: unknown): Failure | undefined {
  if (!hasState(state) || isInLimit(state)) return undefined
  return failure('request_invalid', `state: it has more than ${MAX_STATE} characters of JSON.`)
}

/** Creates the shared state of a request. */
export function createSharedState(initial: unknown): SharedState {
  let state: Json = hasState(initial) ? initial : {}
  // clients that store only events, such as CopilotKit's runtime, do not know the state that a patch applies to
  let isSent = false
  return {
    change(args) {
      const changed = changedState(state, args)
      if ('problem' in changed) return { decision: toDecision(changed.problem, true), events: [] }
      if (!isInLimit(changed.value))
        return {
          decision: toDecision(`The state would have more than ${MAX_STATE} characters.`, true),
          events: [],
        }
      const events = isSent || changed.event.type === 'STATE_SNAPSHOT' ? [] : [toSnapshot(state)]
      state = changed.value
      isSent = true
      return { decision: toDecision('The state is updated.'), events: [...events, changed.event] }
    },
  }
}

const operation: z.ZodType<PatchOperation> = z.discriminatedUnion('op', [
  z.strictObject({ op: z.enum(['add', 'replace']), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('remove'), path: z.string() }),
])

const change = z.strictObject({
  patch: z.array(operation).min(1).max(MAX_OPERATIONS).optional(),
  value: z.json().optional(),
})

function changedState(
  state: Json,
  args: JsonObject,
): { readonly value: Json; readonly event: AguiEvent } | { readonly problem: string } {
  const read = checkShape(args, change)
  if (!read.ok) return { problem: read.reason.message }
  const { patch, value } = read.value
  if ((patch === undefined) === (value === undefined)) return { problem: 'Pass either `patch` or `value`.' }
  if (patch === undefined) return { value: value as Json, event: toSnapshot(value as Json) }
  const patched = applyPatch(state, patch)
  return 'problem' in patched ? patched : { ...patched, event: { type: 'STATE_DELTA', delta: patch } }
}

function toSnapshot(snapshot: Json): AguiEvent {
  return { type: 'STATE_SNAPSHOT', snapshot }
}

function isInLimit(state: Json): boolean {
  return JSON.stringify(state).length <= MAX_STATE
}

function toDecision(text: string, isError = false): ApprovalDecision {
  return {
    decision: 'approved',
    values: { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) },
  }
}
