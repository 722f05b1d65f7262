import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { RunStore, ToolEffect } from '@troupe/schema'
import type { SchemaForm } from '../probe.ts'

/** One whole run; gives the final text. May be called again, also while another run is going on. */
export type Run = () => Promise<string>

/** What an agent loop has to do in the workloads. Input, instruction and tools are the same for all subjects. `Model`: what it takes as a model. */
export interface Subject<Model = LanguageModelV4> {
  /** One agent; with turns it has the tool {@link TOOL}. `hooks` pass-through hooks stand around each call, `listeners` hear all events. */
  loop(setup: {
    readonly model: Model
    readonly turns: number
    readonly hooks?: number
    readonly listeners?: number
    /** What the tool does to the world, which ours alone is told. Default: what may be done only once. */
    readonly effect?: ToolEffect
    /** Keeps the runs; ours alone has one. */
    readonly store?: RunStore
    /** What a call of the tool waits for; ours has its store. */
    readonly beforeCall?: () => Promise<void>
  }): Run
  /** One agent whose only tool {@link CHILD_TOOL} is another agent. */
  fanOut(setup: {
    readonly parent: LanguageModelV4
    readonly child: LanguageModelV4
    readonly children: number
    /** So many of the children may run; the other calls are refused. Without it, all run. */
    readonly allowed?: number
    readonly store?: RunStore
  }): Run
  /** Agents in a chain: each has the next as its tool {@link CHILD_TOOL}. */
  nest(models: readonly [LanguageModelV4, ...LanguageModelV4[]], limits?: { readonly maxRuns: number }): Run
  /** One agent that answers at once and is given {@link offeredTool}s, made before the run. */
  offer(setup: { readonly model: LanguageModelV4; readonly tools: number; readonly schemas: SchemaForm }): Run
  /** One agent that streams; `onToken` is told every piece of text. */
  stream(setup: { readonly model: Model; onToken(text: string): void }): Run
}

export const INSTRUCTION = 'Answer briefly.'
export const INPUT = 'hello'
/** The tool of a loop: takes `{n: number}`, gives `ok`. */
export const TOOL = 'noop'
/** An agent as a tool: takes `{text: string}`. */
export const CHILD_TOOL = 'agent__child'
