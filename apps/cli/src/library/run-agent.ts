import {
  defineAgent,
  toFailure,
  type DefineAgentFields,
  type Failure,
  type Json,
  type LanguageModel,
  type Outcome,
  type RunOptions,
  type RunReport,
  type SchemaInput,
  type ToolDefinition,
  type ValueOf,
} from '@troupe/schema'
import { createHost, type LibraryOptions } from './create-host.ts'

/** An agent, and options of its run. */
export interface RunAgentOptions<Output extends SchemaInput | undefined = undefined>
  extends
    Pick<DefineAgentFields<undefined, Output>, 'instruction' | 'output' | 'limits'>,
    Pick<RunOptions, 'signal' | 'onEvent' | 'approve' | 'ask' | 'budget' | 'timeout'>,
    Pick<LibraryOptions, 'env' | 'store'> {
  /** A model id such as `anthropic/claude-sonnet-4-5`, or a model of the AI SDK. */
  readonly model: string | LanguageModel
  /** The name in events and usage. Default: `agent`. */
  readonly name?: string
  /** Tools from `defineTool`. */
  readonly tools?: readonly ToolDefinition[]
}

/** Facts about a run of {@link runAgent}, for every outcome. */
export interface RunAgentFacts {
  /** The id of the run. */
  readonly runId: string
  /** The answer; for a failed run what the agent had written. */
  readonly text: string
  /** Tokens, calls and cost in USD, with those of each agent. */
  readonly usage: RunReport['usage']
  /** Wall time in ms. */
  readonly durationMs: number
}

/**
 * The result of {@link runAgent}. Check `outcome`: a completed run has a `value` if its output has a schema, and a run
 * without an answer has an `error`.
 */
export type RunAgentResult<Value = Json> = RunAgentFacts &
  (
    | {
        /** The run has a complete answer. */
        readonly outcome: 'completed'
        /** The answer as the output schema types it. */
        readonly value: Json extends Value ? Value | undefined : Value
      }
    | {
        /** A limit has cut the answer short. */
        readonly outcome: 'partial'
        /** The answer, if it fits the output schema all the same. */
        readonly value: Value | undefined
      }
    | {
        /** The reason why the run has no answer. */
        readonly outcome: Exclude<Outcome, 'completed' | 'partial'>
        /** The failure that ended the run. */
        readonly error: Failure
      }
  )

/** Id of a model that is given as an object. */
const GIVEN_MODEL = 'given/model'

/**
 * Runs one agent and resolves with its result, whatever its outcome. Rejects for misuse, such as an invalid field.
 * Reads variables from the environment of the process unless `env` is given, and from `troupe.env` of the working folder.
 */
export async function runAgent<Output extends SchemaInput | undefined = undefined>(
  agent: RunAgentOptions<Output>,
  input: string,
): Promise<RunAgentResult<ValueOf<Output>>> {
  const {
    model,
    name = 'agent',
    tools,
    env,
    store,
    signal,
    onEvent,
    approve,
    ask,
    budget,
    timeout,
    ...fields
  } = agent
  const definition = defineAgent<undefined, Output>({
    ...fields,
    name,
    model: typeof model === 'string' ? model : GIVEN_MODEL,
  })
  const host = await createHost({
    cards: [definition],
    config: false,
    ...(typeof model === 'string' ? {} : { models: { [GIVEN_MODEL]: model } }),
    ...(tools === undefined ? {} : { tools: { [name]: tools } }),
    ...(env === undefined ? {} : { env }),
    ...(store === undefined ? {} : { store }),
  })
  try {
    const options = { signal, onEvent, approve, ask, budget, timeout }
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    return toResult<ValueOf<Output>>(await host.run(name, input, given))
  } finally {
    await host.close()
  }
}

function toResult<Value>({ outcome, output, error, ...report }: RunReport): RunAgentResult<Value> {
  const { runId, usage, durationMs } = report
  const facts: RunAgentFacts = { runId, text: output.text ?? '', usage, durationMs }
  if (outcome === 'completed' || outcome === 'partial')
    return { ...facts, outcome, value: output.value } as RunAgentResult<Value>
  return { ...facts, outcome, error: error ?? toFailure(new Error(`The run ended as ${outcome}.`)) }
}
