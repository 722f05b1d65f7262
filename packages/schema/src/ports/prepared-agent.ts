import type { AgentDefinition, OutputContract } from '../agents/agent.ts'
import type { Guards } from '../agents/guard.ts'
import type { LoopHooks, ToolHook } from '../agents/hook.ts'
import type { PermissionPolicy } from '../agents/permission.ts'
import type { RunContext } from '../agents/run.ts'
import type { ToolDefinition } from '../agents/tool.ts'
import type { Failure, Outcome } from '../errors/errors.ts'
import type { Json, JsonObject, MaybePromise } from '../text/json.ts'
import type { OutputFile } from '../values/message.ts'
import type { ModelHandle } from './model-handle.ts'

/**
 * Validates arguments, or any JSON value, against a schema. Returns the value with defaults filled in, or the
 * problems. Each schema object is compiled only once.
 */
export type ValidateArguments = <Value extends Json>(
  schema: JsonObject,
  args: Value,
) =>
  | { readonly ok: true; readonly args: Value }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The parts of a session that do not depend on the run. A pool reuses these, never whole sessions. */
export interface PreparedAgent {
  readonly definition: AgentDefinition
  /** System message; empty if there is none. */
  readonly system: string
  /** Models in fallback order; at least one. */
  readonly models: readonly ModelHandle[]
  /** Model that summarises dropped messages. Default: the first of `models`. */
  readonly contextModel?: ModelHandle
  /** Tools by wire name, in the order in which the model sees them. */
  readonly tools: ReadonlyMap<string, ToolDefinition>
  /** Names of tools that need an approval and are not offered, because the run cannot ask for it, by wire name. */
  readonly withheldTools?: ReadonlyMap<string, string>
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
  /** Absent if the agent has no guards. */
  readonly guards?: Guards
  readonly validate: ValidateArguments
  /** Runs instead of the loop if the agent is a composition, or around it if other agents run before or after it. */
  readonly compose?: Compose
  /** The rules of the agent and of those above it. */
  readonly permission: PermissionPolicy
  /** Returns a variable of the session's environment. */
  env(name: string): string | undefined
  /** True if an optional server was not available. The session then serves one run and is not reused. */
  readonly isDegraded?: boolean
  /** Releases what the session leased. Called once, at the end of the run. */
  release(): MaybePromise<void>
}

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
  /**
   * Runs the loop of model and tools of the agent with this input. Never rejects. Call it at most once; only
   * for agents of the type `agent`.
   */
  answer(input: string): Promise<ComposedEnd>
  /** Saves the best text so far, which becomes the output if the run ends early. */
  savePartialText(text: string): void
}

/** The result of a composition. */
export interface ComposedEnd {
  readonly outcome: Outcome
  readonly text: string
  readonly files?: readonly OutputFile[]
  readonly failure?: Failure
}

/** Runs an agent that consists of other agents, instead of the loop of model and tools. */
export type Compose = (context: ComposeContext) => Promise<ComposedEnd>
