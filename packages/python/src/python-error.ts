import { isAbsolute, relative } from 'node:path'
import { troupeError } from '@troupe/schema'
import { isBelow } from '@troupe/schema/paths'
import type { PythonException } from './protocol.ts'

const SHOWN = 20

/** A function in a card and where it was found, for messages. */
export interface FunctionOrigin {
  /** As written in the card: `tools.py:name`. */
  readonly spec: string
  readonly file: string
  /** Folder that messages name files relative to. */
  readonly root: string
  readonly name: string
  readonly interpreter: string
  suggest?(name: string, candidates: readonly string[]): string | undefined
}

/** Describes an exception and the last frame of its traceback: `ValueError: no (tools.py:3, in look_up)`. */
export function describeException({ type, message, ...at }: PythonException, root: string): string {
  const what = message === '' ? type : `${type}: ${message}`
  if (at.file === undefined) return what
  const file = isAbsolute(at.file) && isBelow(root, at.file) ? relative(root, at.file) : at.file
  const where = at.function === undefined || at.function === '<module>' ? '' : `, in ${at.function}`
  return `${what} (${file}:${at.line ?? 0}${where})`
}

/** Creates the error for a function that cannot be loaded. */
export function loadError(error: PythonException, origin: FunctionOrigin): Error {
  const { spec, file, name, root, interpreter } = origin
  switch (error.code) {
    case 'missing':
      return noSuchFunction(error.names ?? [], origin)
    case 'not_callable':
      return troupeError(
        'function_not_callable',
        `"${spec}": ${name} in ${file} is of type ${error.type}, not a function.`,
        { fix: `Define a function named ${name} in ${file}.` },
      )
    case 'refused':
      return troupeError('function_bad_spec', `"${spec}" cannot be a tool: ${error.message}.`, {
        fix: `Change the parameters of ${name}.`,
      })
    default:
      return troupeError(
        'function_load_failed',
        `"${spec}": ${file} could not be loaded: ${describeException(error, root)}`,
        {
          fix: /^(?:ModuleNotFound|Import)Error$/u.test(error.type)
            ? `Install the module for ${interpreter}, or set \`python\` in troupe.json to an interpreter that has it.`
            : `Correct the error in ${file}.`,
        },
      )
  }
}

function noSuchFunction(names: readonly string[], { spec, file, name, suggest }: FunctionOrigin): Error {
  const found = names.length === 0 ? 'no functions' : names.slice(0, SHOWN).join(', ')
  const near = suggest?.(name, names)
  return troupeError('function_not_found', `"${spec}": ${file} defines ${found}, but not ${name}.`, {
    fix:
      near === undefined
        ? `Define ${name} in ${file}, or use one of its functions.`
        : `Did you mean ${near}?`,
  })
}
