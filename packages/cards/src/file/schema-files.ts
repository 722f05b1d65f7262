import {
  errorMessage,
  getOwn,
  isJsonObject,
  type ErrorCode,
  type Json,
  type JsonObject,
} from '@troupe/schema'
import type { AgentSource } from '@troupe/schema/agent-keys'
import { MAX_JSON_DEPTH, isJsonTooDeep } from '@troupe/schema/json'
import { isBelow } from '@troupe/schema/paths'
import { isAbsolute, join } from 'node:path'
import { quotedPath, type ProblemDraft } from '../card/problem.ts'
import type { Translation } from '../formats/card-format.ts'
import { originOf } from '../formats/rewriter.ts'
import { readYaml } from '../yaml/yaml.ts'
import { syntaxOf } from './card-syntax.ts'
import { jsonError } from './json-error.ts'

/** The base folder of schema files and the function that reads them. */
export interface SchemaReader {
  readonly source: AgentSource
  readonly readText: ((path: string) => string) | undefined
}

const MAX_LENGTH = 1024 * 1024

/** Replaces paths in `input.schema` and `output.schema` by the content of the files. */
export function readSchemaFiles(translation: Translation, reader: SchemaReader): Translation {
  return ['input', 'output'].reduce((current, key) => readSchemaFile(current, key, reader), translation)
}

function readSchemaFile(translation: Translation, key: string, reader: SchemaReader): Translation {
  const contract = getOwn(translation.fields, key)
  const path = isJsonObject(contract) ? getOwn(contract, 'schema') : undefined
  if (!isJsonObject(contract) || typeof path !== 'string') return translation
  const read = readSchema(path, reader)
  const { schema: _path, ...rest } = contract
  if ('schema' in read)
    return { ...translation, fields: { ...translation.fields, [key]: { ...rest, schema: read.schema } } }
  const at = originOf(translation.origins, [key, 'schema'])
  const problem: ProblemDraft = { code: read.code, message: `${quotedPath(at)}: ${read.message}`, at }
  const fields = { ...translation.fields, [key]: rest }
  return { ...translation, fields, problems: [...translation.problems, problem] }
}

type SchemaFileResult =
  | { readonly schema: JsonObject }
  | { readonly code: ErrorCode; readonly message: string }

function readSchema(path: string, reader: SchemaReader): SchemaFileResult {
  const { readText, source } = reader
  if (source.kind === 'url')
    return {
      code: 'remote_card_forbidden',
      message: `remote cards may not read files such as "${path}"; write the schema in the card.`,
    }
  if (readText === undefined)
    return {
      code: 'card_bad_value',
      message: `schema files such as "${path}" cannot be read here; write the schema in the card.`,
    }
  const folder = source.folder ?? ''
  const file = isAbsolute(path) ? path : join(folder, path)
  // `readText` checks symbolic links
  if (!isBelow(folder, file)) return outsideFolder(file)
  let text: string
  try {
    text = readText(file)
  } catch (error) {
    return {
      code: 'card_bad_value',
      message: `the schema file ${file} cannot be read: ${errorMessage(error)}.`,
    }
  }
  return parseSchema(text, file)
}

function parseSchema(text: string, file: string): SchemaFileResult {
  if (text.length > MAX_LENGTH) return invalid(file, 'is larger than 1 MiB')
  if (syntaxOf(file) === 'yaml') return parseYamlSchema(text, file)
  let schema: Json
  try {
    schema = JSON.parse(text.replace(/^\uFEFF/u, '')) as Json
  } catch (error) {
    const { message, position } = jsonError(error, text)
    return invalid(file, `is not valid JSON: ${message} at ${position.line}:${position.column}`)
  }
  if (!isJsonObject(schema)) return invalid(file, 'does not contain an object')
  if (isJsonTooDeep(schema)) return invalid(file, `is nested more than ${MAX_JSON_DEPTH} levels deep`)
  return { schema }
}

function parseYamlSchema(text: string, file: string): SchemaFileResult {
  const read = readYaml(text, 1)
  if ('message' in read) {
    const { line, column } = read.position
    return invalid(file, `is not valid YAML: ${read.message} at ${line}:${column}`)
  }
  return isJsonObject(read.value) ? { schema: read.value } : invalid(file, 'does not contain an object')
}

function outsideFolder(file: string): SchemaFileResult {
  return {
    code: 'card_bad_value',
    message: `the schema file ${file} is outside the folder of the card.`,
  }
}

function invalid(file: string, what: string): SchemaFileResult {
  return { code: 'invalid_schema', message: `the schema file ${file} ${what}.` }
}
