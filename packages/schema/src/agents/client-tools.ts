import type { JsonObject } from '../text/json.ts'

/** A tool that the client of a run brings along and executes itself. It is untrusted. */
export interface ClientTool {
  /** Name under which the client knows the tool: `[A-Za-z0-9_-]`, at most 64 characters. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, type object. Only models read it; the client validates its calls. */
  readonly inputSchema: JsonObject
}

/** Requirement for calls: none (`auto`), at least one call, or a call of the client tool with this name. */
export type ToolChoice = 'auto' | 'required' | { readonly tool: string }

/** Requirements of a client for the model calls up to its next call. */
export interface ClientTurn {
  /** Applies to every model call until a tool of the client is called. Default: `auto`. */
  readonly choice?: ToolChoice
  /** False if the client gets one call at a time. Default: true. */
  readonly parallel?: boolean
  /** Replaces the instructions of the client from here on. Default: they stay. */
  readonly instructions?: string
}

/** The tools of the client that started a run. */
export interface ClientTools extends Omit<ClientTurn, 'instructions'> {
  readonly tools: readonly ClientTool[]
}
