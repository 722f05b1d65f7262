import { errorMessage, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { ValidateArguments } from '@troupe/schema/ports'
import { measureSchema } from '@troupe/json-schema'
import { compileSchema, type CheckValue, copyJson } from './compile-schema.ts'
import { SchemaEvaluation, MAX_WORK, ValidationBudget } from './evaluation.ts'

type Invalid = Extract<ReturnType<ValidateArguments>, { readonly ok: false }>
type Validation<Value> = { readonly ok: true; readonly args: Value } | Invalid
type Validate = <Value extends Json>(args: Value) => Validation<Value>

/** Maximum number of problems returned per validation. */
const MAX_PROBLEMS = 10

/**
 * Creates a validator for arguments or any JSON value (draft 2020-12; older drafts where compatible).
 * Compiles each schema object once, on first use. Does not check `format`. Never throws and never modifies
 * its input: an unusable schema and a validation that needs too much work are reported as problems.
 */
export function createValidator(): ValidateArguments {
  const known = new WeakMap<JsonObject, Validate>()
  return (schema, args) => {
    if (!isJsonObject(schema)) return unusableSchema('it is not an object')
    let validate = known.get(schema)
    if (validate === undefined) {
      validate = createValidate(schema)
      known.set(schema, validate)
    }
    return validate(args)
  }
}

function createValidate(schema: JsonObject): Validate {
  try {
    const measure = measureSchema(schema)
    if (!measure.ok) return constantValidate(unusableSchema(measure.problem))
    const check = compileSchema(schema)
    return (args) => run(check, args, measure.hasDefaults)
  } catch (thrown) {
    return constantValidate(unusableSchema(errorMessage(thrown)))
  }
}

function run<Value extends Json>(check: CheckValue, args: Value, hasDefaults: boolean): Validation<Value> {
  const evaluation = new SchemaEvaluation(new ValidationBudget(MAX_WORK, TOO_MUCH_WORK))
  try {
    const filled = hasDefaults ? copyJson(args, evaluation.budget) : args
    if (check(filled, evaluation)) return { ok: true, args: filled }
    return { ok: false, problems: [...new Set(evaluation.problems)].slice(0, MAX_PROBLEMS) }
  } catch (thrown) {
    return { ok: false, problems: [`the value cannot be checked: ${errorMessage(thrown)}`] }
  }
}

const TOO_MUCH_WORK =
  'validation takes too much work. Send less data, or simplify the schema: use fewer patterns, alternatives and references'

function constantValidate(validation: Invalid): Validate {
  return () => validation
}

function unusableSchema(problem: string): Invalid {
  return { ok: false, problems: [`the schema cannot be used: ${problem}`] }
}
