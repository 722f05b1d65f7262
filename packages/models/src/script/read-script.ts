import { readFileSync } from 'node:fs'
import { errorMessage } from '@troupe/schema'
import { parseScript } from './parse-script.ts'
import { invalidScript } from './script-problem.ts'
import type { ModelScript } from './script-schema.ts'

const MAX_BYTES = 1024 * 1024

/** Reads a script from `known` or from its file. Throws `model_script_invalid`. */
export function readScript(file: string, known?: ReadonlyMap<string, string>): ModelScript {
  return parseScript(known?.get(file) ?? readText(file), file)
}

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw invalidScript(file, `the script cannot be read: ${errorMessage(error)}`, error)
  }
  if (bytes.length > MAX_BYTES) throw invalidScript(file, 'a script is at most 1 MiB')
  return bytes.toString('utf8')
}
