import type { AgentDefinition } from './agent.ts'
import type { SchemaInput } from './agent-fields.ts'
import type { RunOutput } from './event.ts'
import type { Json, JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { RunReport } from './runner.ts'
import type { StandardSchema } from './standard-schema.ts'

declare const TYPES: unique symbol

/** An agent definition with the types of its input and output. The types do not exist at run time. */
export type TypedAgent<Input, Output> = AgentDefinition & {
  readonly [TYPES]?: { readonly input: Input; readonly output: Output }
}

/** Input type of an agent: the type of its schema, or else text or an object. */
export type InputOf<Schema extends SchemaInput | undefined> = [Schema] extends [StandardSchema<infer Input>]
  ? Input
  : string | JsonObject

/**
 * Type of the JSON value that an agent answers with: the input type of its schema, without transforms, or
 * else any JSON.
 */
export type ValueOf<Schema extends SchemaInput | undefined> = [Schema] extends [StandardSchema<infer Input>]
  ? Input
  : Json

/** Report of an agent with types. If its output has a schema, a completed run has a value. */
export type TypedRunReport<Value> = Json extends Value
  ? RunReport<Value>
  : RunReport<Value> &
      (
        | { readonly outcome: 'completed'; readonly output: RunOutput<Value> & { readonly value: Value } }
        | { readonly outcome: Exclude<Outcome, 'completed'> }
      )
