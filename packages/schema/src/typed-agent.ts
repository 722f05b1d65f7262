import type { AgentDefinition } from './agent.ts'
import type { SchemaInput } from './agent-fields.ts'
import type { RunOutput } from './event.ts'
import type { Json, JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { RunReport } from './runner.ts'
import type { StandardSchema } from './standard-schema.ts'

declare const TYPES: unique symbol

/** A definition that knows what its runs take and give. The types are all there is: nothing of them exists at run time. */
export type TypedAgent<Input, Output> = AgentDefinition & {
  readonly [TYPES]?: { readonly input: Input; readonly output: Output }
}

/** What an agent takes: what its schema says, else text or an object. */
export type InputOf<Schema extends SchemaInput | undefined> = [Schema] extends [StandardSchema<infer Input>]
  ? Input
  : string | JsonObject

/** The JSON value an agent answers with: what its schema says, before any transform of the schema, else any. */
export type ValueOf<Schema extends SchemaInput | undefined> = [Schema] extends [StandardSchema<infer Input>]
  ? Input
  : Json

/** The report of an agent with types: where its answer has a schema, a run that completed has a value. */
export type TypedRunReport<Value> = Json extends Value
  ? RunReport<Value>
  : RunReport<Value> &
      (
        | { readonly outcome: 'completed'; readonly output: RunOutput<Value> & { readonly value: Value } }
        | { readonly outcome: Exclude<Outcome, 'completed'> }
      )
