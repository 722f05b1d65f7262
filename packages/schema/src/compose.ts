import type { AgentDefinition, OutputContract } from './agent.ts'
import type { Failure } from './errors.ts'
import type { Outcome } from './outcome.ts'
import type { RunContext } from './run-context.ts'

/** What a composition may do in its run (R20). Core implements it; deadline, stop, usage and events are those of any run. */
export interface ComposeContext {
  readonly definition: AgentDefinition
  /** What the run was asked. */
  readonly input: string
  /** Opens children; the guards are there. */
  readonly run: RunContext
  /** The number of the next step, from 1: the `turn` of the call sites of its children. */
  nextStep(): number
  /** One turn of the model of the composition itself, without tools. Sees what was asked and answered here before. Never rejects. */
  ask(
    prompt: string,
    options?: { readonly output?: OutputContract },
  ): Promise<{ readonly text: string } | { readonly failure: Failure }>
  /** Keeps the best text so far: what a run that is stopped still has to show. */
  keep(text: string): void
}

/** How a composition ended. */
export interface ComposedEnd {
  readonly outcome: Outcome
  readonly text: string
  readonly failure?: Failure
}

/** Runs an agent that is made of other agents, in place of the loop of model and tools. */
export type Compose = (context: ComposeContext) => Promise<ComposedEnd>
