import { pathToFileURL } from 'node:url'
import { isJsonObject, troupeError, type AnyFunction, type Clock } from '@troupe/schema'
import { loadFunction } from '@troupe/tools'
import { answerOf, type CheckedRun, type CheckFinding } from './check-input.ts'
import { answerValue } from '../cases/json-path.ts'

/** The argument of a check function. */
export interface CheckArgument {
  /** The answer as text. */
  readonly output: string
  /** The answer as JSON; `undefined` if it is plain text. */
  readonly value: unknown
  readonly id: string
  readonly input: CheckedRun['case']['input']
  readonly report: CheckedRun['report']
  readonly events: CheckedRun['events']
}

/** A check function of the user: true, or an object, or a promise of either. A thrown error fails the check. */
export type CheckFunction = (argument: CheckArgument) => CheckFunctionResult | Promise<CheckFunctionResult>

type CheckFunctionResult =
  | boolean
  | { readonly passed: boolean; readonly message?: string; readonly score?: number }

/** Time limit of a check function in ms. */
const LIMIT_MS = 30_000

/**
 * Loads the function of a check from the folder of its case file: `check.ts`, or `check.ts:name`. Without a
 * name, its default export. Throws if it is outside of the folder or not a function.
 */
export async function loadCheckFunction(
  value: string,
  { folder, importModule }: { readonly folder: string; importModule?(url: string): Promise<unknown> },
): Promise<CheckFunction> {
  const spec = /:[^/\\:]+$/u.test(value) ? value : `${value}:default`
  const found = await loadFunction(spec, {
    folder,
    moduleUrl: (file) => pathToFileURL(file).href,
    ...(importModule === undefined ? {} : { importModule }),
  })
  if (typeof found.value === 'function') return found.value as AnyFunction as CheckFunction
  throw troupeError('function_not_callable', `${value}: ${found.name} of ${found.file} is not a function.`)
}

/** Calls a check function. Throws if it throws, takes too long, or returns anything but a result. */
export async function callCheckFunction(
  check: CheckFunction,
  run: CheckedRun,
  clock: Clock,
): Promise<CheckFinding> {
  const { case: evalCase, report, events } = run
  const { id, input } = evalCase
  const argument = { output: answerOf(report), value: answerValue(report.output), id, input, report, events }
  const timeout = Promise.withResolvers<never>()
  const off = clock.after(LIMIT_MS, () =>
    timeout.reject(broken(`the function did not finish within ${LIMIT_MS} ms`)),
  )
  try {
    const call = Promise.resolve(argument).then(check)
    return toFinding(await Promise.race([call, timeout.promise]))
  } finally {
    off()
  }
}

function toFinding(result: unknown): CheckFinding {
  if (typeof result === 'boolean') return { passed: result, message: `the function returned ${result}` }
  if (!isJsonObject(result) || typeof result['passed'] !== 'boolean')
    throw broken('the function returned neither true, false nor an object with `passed`')
  const { passed, message, score } = result
  return {
    passed,
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof score === 'number' && Number.isFinite(score) ? { score } : {}),
  }
}

function broken(message: string): Error {
  return troupeError('eval_invalid', message)
}
