import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { Check, SchemaNode } from './evaluation.ts'
import type { LinearPatterns } from './linear-patterns.ts'
import type { PlacedTarget, SchemaResource } from './schema-document.ts'

/** Makes nodes of the schemas of one document, each once. */
export interface SchemaCompiler {
  readonly patterns: LinearPatterns
  /** The node of a schema that stands in one of `outer`. */
  compile(schema: Json, outer: SchemaResource): SchemaNode
  /** Throws `tool_schema_invalid` for a reference that leads nowhere. */
  resolve(reference: string, from: SchemaResource): PlacedTarget & { readonly node: SchemaNode }
}

/** A keyword where it stands. */
export interface KeywordContext<Value extends Json = Json> {
  readonly value: Value
  /** The schema that the keyword is in. */
  readonly schema: JsonObject
  readonly resource: SchemaResource
  readonly compiler: SchemaCompiler
}

/** A keyword of JSON Schema. */
export interface Keyword {
  /** False: the schema is invalid. */
  accepts(value: Json): boolean
  /** What `accepts` expects, to follow the name of the keyword in a message. */
  readonly expected: string
  /** `undefined` if there is nothing to check. */
  compile(context: KeywordContext): Check | undefined
}

/** Keywords by name. */
export type KeywordTable = ReadonlyMap<string, Keyword>

type Kind<Value extends Json> = { readonly expected: string; accepts(value: Json): value is Value }

/** The value kinds of keywords. */
export const NUMBER: Kind<number> = {
  expected: 'value must be a number',
  accepts: (value) => typeof value === 'number',
}
/** See {@link NUMBER}. */
export const TEXT: Kind<string> = {
  expected: 'value must be a string',
  accepts: (value) => typeof value === 'string',
}
/** See {@link NUMBER}. */
export const BOOLEAN: Kind<boolean> = {
  expected: 'value must be true or false',
  accepts: (value) => typeof value === 'boolean',
}
/** See {@link NUMBER}. */
export const LIST: Kind<readonly Json[]> = {
  expected: 'value must be a list',
  accepts: (value) => Array.isArray(value),
}
/** See {@link NUMBER}. */
export const MAP: Kind<JsonObject> = { expected: 'value must be an object', accepts: isJsonObject }
/** See {@link NUMBER}. */
export const SCHEMA: Kind<JsonObject | boolean> = {
  expected: 'value must be a schema',
  accepts: (value) => isJsonObject(value) || typeof value === 'boolean',
}
/** See {@link NUMBER}. */
export const ANY: Kind<Json> = {
  expected: 'value is missing',
  accepts: (value): value is Json => value !== undefined,
}

/** Defines a keyword whose value is of a kind. */
export function keyword<Value extends Json>(
  name: string,
  { expected, accepts }: Kind<Value>,
  compile: (context: KeywordContext<Value>) => Check | undefined,
): readonly [string, Keyword] {
  return [name, { expected, accepts, compile: (context) => compile(context as KeywordContext<Value>) }]
}
