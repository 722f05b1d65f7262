import type { ToolEffect } from '@troupe/schema'
import type { FaultMix } from './faults.ts'

/** One measurement in a process of its own. Plain JSON: it is handed over as an argument. */
export type Probe =
  | {
      readonly measure: 'loop'
      readonly subject: SubjectName
      readonly turns: number
      readonly hooks?: number
      readonly listeners?: number
      readonly kept?: boolean
      /** Each call is on the disk before it starts, by `node:sqlite` itself. */
      readonly committed?: boolean
      /** Of the tool; default: `once`. */
      readonly effect?: ToolEffect
    }
  | {
      readonly measure: 'fan-out'
      readonly subject: SubjectName
      readonly children: number
      readonly latencyMs: number
      readonly kept?: boolean
    }
  | {
      readonly measure: 'excess'
      readonly subject: 'troupe'
      readonly calls: number
      readonly allowed: number
      readonly what: 'cpu' | 'rss'
    }
  | { readonly measure: 'tree'; readonly subject: 'troupe'; readonly cap: number }
  | { readonly measure: 'heap'; readonly subject: SubjectName; readonly children: number }
  | { readonly measure: 'leak'; readonly subject: SubjectName; readonly runs: number }
  | { readonly measure: 'nest'; readonly subject: SubjectName; readonly depth: number }
  | {
      readonly measure: 'stream'
      readonly subject: SubjectName
      readonly tokens: number
      readonly sessions: number
    }
  | { readonly measure: 'first-token'; readonly subject: SubjectName }
  | { readonly measure: 'cold'; readonly subject: SubjectName; readonly what: 'cpu' | 'rss' }
  | { readonly measure: 'http-stream'; readonly subject: HttpSubjectName; readonly tokens: number }
  | { readonly measure: 'http-loop'; readonly subject: HttpSubjectName; readonly turns: number }
  | {
      readonly measure: 'offer'
      readonly subject: SubjectName
      readonly tools: number
      readonly schemas: SchemaForm
    }
  | {
      readonly measure: 'mcp-calls'
      readonly subject: 'troupe' | 'sdk'
      readonly calls: number
      readonly sides: 'both' | 'client'
    }
  | { readonly measure: 'mcp-list'; readonly subject: 'troupe' | 'older-sdk'; readonly tools: number }
  | {
      readonly measure: 'mcp-sessions'
      readonly subject: 'troupe'
      readonly sessions: number
      readonly until: 'connected' | 'answered'
    }
  | {
      readonly measure: 'store-events'
      readonly subject: 'troupe' | 'node:sqlite'
      /** Events between two waits for the disk. */
      readonly burst: number
      readonly what: 'cpu' | 'wall'
    }
  | {
      readonly measure: 'kept'
      readonly subject: 'troupe'
      readonly turns: number
      readonly latencyMs: number
      readonly kept: boolean
      /** Of the tool. */
      readonly effect: ToolEffect
    }
  | {
      readonly measure: 'faults'
      readonly subject: 'troupe' | 'plain'
      readonly mix: FaultMix
      readonly what: 'wall' | 'lost'
    }
  | { readonly measure: 'hostile' }
  | {
      readonly measure: 'endpoint'
      readonly subject: SubjectName
      /** Of ours: its own events, or the chunks of OpenAI. */
      readonly route?: 'rest' | 'openai'
      readonly connections: number
      readonly tokens: number
      readonly kept?: boolean
    }
  | {
      readonly measure: 'cards'
      readonly subject: CardSubjectName
      readonly cards: number
      readonly pass: 'first' | 'warm'
    }

export type SubjectName = 'troupe' | 'ai'

/** `provider` is a program without a library, on the adapter of the provider. `…-stream`: streams also where nobody listens. */
export type HttpSubjectName = SubjectName | 'provider' | 'troupe-stream' | 'provider-stream'

/** How the schemas of tools are written. */
export type SchemaForm = 'zod' | 'json'

/** `troupe` reads cards, `troupe-host` makes a team of them and checks it. */
export type CardSubjectName = 'troupe' | 'troupe-host' | 'gray-matter'

/** How long one sample may take: how much is repeated, never what is done. */
export interface Effort {
  /** Wall time in ms that a repeated workload goes on for. */
  readonly budgetMs: number
}
