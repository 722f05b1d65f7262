import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage, isJsonObject, troupeError, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'

const MAX_BYTES = 1024 * 1024

/**
 * Reads the JSON Schema in the file of `--schema`. Throws `usage_invalid` if the file cannot be read and
 * `invalid_schema` if it is not a schema.
 */
export function readSchema(path: string, cwd: string): JsonObject {
  const schema = parse(readText(path, cwd), path)
  if (!isJsonObject(schema)) throw invalid(path, 'does not contain a JSON object')
  const problem = schemaProblem(schema)
  if (problem !== undefined) throw invalid(path, `cannot be used: ${problem}`)
  return schema
}

function readText(path: string, cwd: string): string {
  const file = resolve(cwd, path)
  try {
    const stats = statSync(file)
    // A pipe or a device could block forever.
    if (!stats.isFile()) throw unreadable(path, 'not a file')
    if (stats.size > MAX_BYTES) throw invalid(path, 'is larger than 1 MiB')
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'syscall' in thrown) throw unreadable(path, errorMessage(thrown))
    throw thrown
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ''))
  } catch (thrown) {
    throw invalid(path, `is not valid JSON: ${errorMessage(thrown)}`)
  }
}

function unreadable(path: string, why: string): Error {
  return troupeError('usage_invalid', `--schema ${path}: the file cannot be read: ${why}.`, {
    fix: 'Pass a file with a JSON Schema. The path is relative to the working folder.',
  })
}

function invalid(path: string, what: string): Error {
  return troupeError('invalid_schema', `--schema: ${path} ${what}.`)
}
