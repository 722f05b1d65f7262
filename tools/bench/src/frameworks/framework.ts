import type { Script } from '../script.ts'

/** Runs the agent once and returns its final text. May be called again, also during another run. */
export type Run = () => Promise<string>

/** An agent that is ready to run. */
export interface OpenAgent<Call> {
  readonly call: Call
  close?(): Promise<void>
}

/** Address of a model on the bench's Chat Completions server. */
export interface ModelAddress {
  readonly baseURL: string
  readonly name: string
}

/** The work that every framework does in its own documented way, with the same scripts, tools and schemas. */
export interface Framework {
  /** Opens an agent without tools for 0 turns, else with the tool that its script calls once per turn. */
  loop(setup: { readonly script: Script; readonly turns: number }): Promise<OpenAgent<Run>>
  /** Opens a chain of agents. Each agent has the next one as the tool of its name in `names`. */
  team(setup: {
    readonly scripts: readonly Script[]
    /** Names of the agents below the first one. */
    readonly names: readonly string[]
    /** Maximum number of children that one turn starts. */
    readonly width: number
  }): Promise<OpenAgent<Run>>
  /** Opens an agent that streams. `onToken` is called with each piece of text. */
  stream(setup: {
    readonly model: Script | ModelAddress
    readonly hasTool: boolean
  }): Promise<OpenAgent<(input: string, onToken: (text: string) => void) => Promise<string>>>
  /** Opens an agent with conversations: each call adds a message to the one with this id and returns the answer. */
  conversation(script: Script): Promise<OpenAgent<(id: string, message: string) => Promise<string>>>
}
