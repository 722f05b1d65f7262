import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { KeywordCheck, SchemaNode } from './evaluation.ts'
import type { LinearPatterns } from './linear-patterns.ts'
import type { PlacedTarget, SchemaResource } from './schema-document.ts'

/** Compiles the schemas of one document, each once. */
export interface SchemaCompiler {
  readonly patterns: LinearPatterns
  /** Returns the node of a schema. `outer` is the resource that contains it. */
  compile(schema: Json, outer: SchemaResource): SchemaNode
  /** Throws `tool_schema_invalid` if the reference cannot be resolved. */
  resolve(reference: string, from: SchemaResource): PlacedTarget & { readonly node: SchemaNode }
}

/** A keyword and the schema that contains it. */
export interface KeywordContext<Value extends Json = Json> {
  readonly value: Value
  /** Schema that contains the keyword. */
  readonly schema: JsonObject
  readonly resource: SchemaResource
  readonly compiler: SchemaCompiler
}

/** A keyword of JSON Schema. */
export interface Keyword {
  /** Returns false if the value makes the schema invalid. */
  accepts(value: Json): boolean
  /** Expected value, as the rest of a message after the keyword's name. */
  readonly expected: string
  /** Returns `undefined` if there is nothing to check. */
  compile(context: KeywordContext): KeywordCheck | undefined
}

/** Keywords by name. */
export type KeywordTable = ReadonlyMap<string, Keyword>

type KeywordValueKind<Value extends Json> = {
  readonly expected: string
  accepts(value: Json): value is Value
}

/** Number as the value of a keyword. */
export const NUMBER: KeywordValueKind<number> = {
  expected: 'value must be a number',
  accepts: (value) => typeof value === 'number',
}
/** String as the value of a keyword. */
export const TEXT: KeywordValueKind<string> = {
  expected: 'value must be a string',
  accepts: (value) => typeof value === 'string',
}
/** Boolean as the value of a keyword. */
export const BOOLEAN: KeywordValueKind<boolean> = {
  expected: 'value must be true or false',
  accepts: (value) => typeof value === 'boolean',
}
/** List as the value of a keyword. */
export const LIST: KeywordValueKind<readonly Json[]> = {
  expected: 'value must be a list',
  accepts: (value) => Array.isArray(value),
}
/** Object as the value of a keyword. */
export const MAP: KeywordValueKind<JsonObject> = {
  expected: 'value must be an object',
  accepts: isJsonObject,
}
/** Schema as the value of a keyword. */
export const SCHEMA: KeywordValueKind<JsonObject | boolean> = {
  expected: 'value must be a schema',
  accepts: (value) => isJsonObject(value) || typeof value === 'boolean',
}
/** Any JSON value as the value of a keyword. */
export const ANY: KeywordValueKind<Json> = {
  expected: 'value is missing',
  accepts: (value): value is Json => value !== undefined,
}

/** Defines a keyword with a value of the given kind. */
export function keyword<Value extends Json>(
  name: string,
  { expected, accepts }: KeywordValueKind<Value>,
  compile: (context: KeywordContext<Value>) => KeywordCheck | undefined,
): readonly [string, Keyword] {
  return [name, { expected, accepts, compile: (context) => compile(context as KeywordContext<Value>) }]
}
