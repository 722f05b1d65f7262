import {
  errorMessage,
  isJsonObject,
  type Json,
  type JsonObject,
  type ValidateArguments,
} from '@troupe/schema'
import { compileSchema } from './compile-schema.ts'
import { measureSchema } from '@troupe/schema/json-schema'
import { problemTexts } from './problem-text.ts'

type Invalid = Extract<ReturnType<ValidateArguments>, { readonly ok: false }>
type Validation<Value> = { readonly ok: true; readonly args: Value } | Invalid
type Check = <Value extends Json>(args: Value) => Validation<Value>

/**
 * Checks arguments, or any other JSON value, against JSON Schema (draft 2020-12; older drafts as far as they agree). A schema is compiled when it is first used,
 * once per identity. Formats are annotations. Never throws and never changes its input: a schema that cannot be used is a problem, too.
 */
export function createValidator(): ValidateArguments {
  const checks = new WeakMap<JsonObject, Check>()
  return (schema, args) => {
    if (!isJsonObject(schema)) return unusable('it is not an object')
    let check = checks.get(schema)
    if (check === undefined) {
      check = createCheck(schema)
      checks.set(schema, check)
    }
    return check(args)
  }
}

function createCheck(schema: JsonObject): Check {
  try {
    const measure = measureSchema(schema)
    if (!measure.ok) return always(unusable(measure.problem))
    const check = compileSchema(schema)
    return (args) => run(check, args, measure.hasDefaults)
  } catch (thrown) {
    return always(unusable(errorMessage(thrown)))
  }
}

function run<Value extends Json>(
  check: ReturnType<typeof compileSchema>,
  args: Value,
  hasDefaults: boolean,
): Validation<Value> {
  try {
    const filled = hasDefaults ? structuredClone(args) : args
    const errors = check(filled)
    return errors.length === 0 ? { ok: true, args: filled } : { ok: false, problems: problemTexts(errors) }
  } catch (thrown) {
    return { ok: false, problems: [`the arguments cannot be checked: ${errorMessage(thrown)}`] }
  }
}

function always(validation: Invalid): Check {
  return () => validation
}

function unusable(problem: string): Invalid {
  return { ok: false, problems: [`the input schema of the tool cannot be used: ${problem}`] }
}
