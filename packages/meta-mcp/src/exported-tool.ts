import type { AgentTool, AgentToolLimits, JsonObject } from '@troupe/schema'
import type { PromptSubject, PromptTemplate } from '@troupe/tools/prompt-template'

/** A tool of an agent's `exports.tools`, ready to be listed and called. */
export interface ExportedTool extends Pick<AgentTool, 'deprecated' | 'needsPerson' | 'background'> {
  /** Name for clients, with prefix and valid for all providers. */
  readonly wireName: string
  /** Name in the card. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
  readonly template: PromptTemplate
  readonly subject: PromptSubject
  readonly version: string
  /** Tools of the agent to call before this one, in order. */
  readonly needs: readonly ExportedTool[]
  readonly limits: AgentToolLimits
  /** Lifetime of a cached answer in ms, and the template of its key. */
  readonly cache?: { readonly ttl: number; readonly key?: PromptTemplate }
}
