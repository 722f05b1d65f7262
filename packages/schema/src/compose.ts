import type { AgentDefinition, OutputContract } from './agent.ts'
import type { Failure } from './errors.ts'
import type { Outcome } from './outcome.ts'
import type { RunContext } from './run-context.ts'

/**
 * The operations available to a composition in its run. Implemented by core, so deadline, cancellation, usage
 * and events work as in any run.
 */
export interface ComposeContext {
  readonly definition: AgentDefinition
  /** The input of the run. */
  readonly input: string
  /** Opens child runs and enforces the limits. */
  readonly run: RunContext
  /** Returns the number of the next step, from 1. It is the `turn` of the call sites of its child runs. */
  nextStep(): number
  /**
   * Runs one turn of the composition's own model, without tools. The model sees earlier prompts and answers
   * of this run. Never rejects.
   */
  ask(
    prompt: string,
    options?: { readonly output?: OutputContract },
  ): Promise<{ readonly text: string } | { readonly failure: Failure }>
  /** Saves the best text so far, which becomes the output if the run ends early. */
  savePartialText(text: string): void
}

/** The result of a composition. */
export interface ComposedEnd {
  readonly outcome: Outcome
  readonly text: string
  readonly failure?: Failure
}

/** Runs an agent that consists of other agents, instead of the loop of model and tools. */
export type Compose = (context: ComposeContext) => Promise<ComposedEnd>
