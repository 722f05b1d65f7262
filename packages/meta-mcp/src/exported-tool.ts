import type { AgentTool, AgentToolLimits, JsonObject } from '@troupe/schema'
import type { PromptSubject, PromptTemplate } from '@troupe/tools/prompt-template'

/** A tool of an agent's `exports.tools` (D4), ready to be listed and called. */
export interface ExportedTool extends Pick<AgentTool, 'deprecated' | 'needsPerson' | 'background'> {
  /** What clients call it: prefixed (R14) and legal everywhere (R2). */
  readonly wireName: string
  /** As the card has it. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
  readonly template: PromptTemplate
  readonly subject: PromptSubject
  readonly version: string
  /** Tools of the agent that are called before it, in order. */
  readonly needs: readonly ExportedTool[]
  readonly limits: AgentToolLimits
  /** How long a complete answer is given again, in ms, and for which calls. */
  readonly cache?: { readonly ttl: number; readonly key?: PromptTemplate }
}
