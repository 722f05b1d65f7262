import * as z from 'zod/v4'
import type { ObjectSchema } from '../json-schema/json-schema.ts'
import type { ZodContext } from './zod-context.ts'
import { createKeywordCheck, withChecks, type ZodCheck } from './zod-checks.ts'

type Shape = Readonly<Record<string, z.ZodType>>

/** Converts an object schema. Required properties that are not described become a check. */
export function objectToZod(schema: ObjectSchema, context: ZodContext): z.ZodType {
  const { required = [], minProperties, maxProperties, additionalProperties } = schema
  const shape = shapeOf(schema, context)
  const undescribed = required.filter((name) => !Object.hasOwn(shape, name) && name !== UNSAFE_PROPERTY)
  const checks = [
    ...undescribed.map(ownCheck),
    ...(minProperties === undefined
      ? []
      : [sizeCheck((size) => size >= minProperties, `at least ${minProperties}`)]),
    ...(maxProperties === undefined
      ? []
      : [sizeCheck((size) => size <= maxProperties, `at most ${maxProperties}`)]),
  ]
  const keywords = {
    ...(undescribed.length === 0 ? {} : { required }),
    ...(minProperties === undefined ? {} : { minProperties }),
    ...(maxProperties === undefined ? {} : { maxProperties }),
    ...(additionalProperties === true ? { additionalProperties } : {}),
  }
  const object = withoutInherited(withRest(shape, schema, context), [...Object.keys(shape), ...undescribed])
  return withChecks(object, checks, keywords)
}

/** A property that zod always drops. */
const UNSAFE_PROPERTY = '__proto__'

function shapeOf({ properties = {}, required = [] }: ObjectSchema, { convert, fills }: ZodContext): Shape {
  const members = Object.entries(properties).filter(([name]) => name !== UNSAFE_PROPERTY)
  return Object.fromEntries(
    members.map(([name, inner]) => {
      const member = convert(inner)
      const isOptional = !required.includes(name) && !(fills && 'default' in inner)
      return [name, isOptional ? member.optional() : member]
    }),
  )
}

function withRest(
  shape: Shape,
  { additionalProperties: rest }: ObjectSchema,
  { convert }: ZodContext,
): z.ZodType {
  if (rest === false) return z.strictObject(shape)
  return rest === undefined || rest === true ? z.looseObject(shape) : z.object(shape).catchall(convert(rest))
}

/**
 * Parses into an object without prototype if a property name is inherited by all objects, such as
 * `constructor`, because zod would find the inherited member.
 */
function withoutInherited(object: z.ZodType, names: readonly string[]): z.ZodType {
  return names.some((name) => name in Object.prototype) ? z.preprocess(withNullPrototype, object) : object
}

function withNullPrototype(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.assign(Object.create(null) as object, value)
}

function ownCheck(name: string): ZodCheck {
  return createKeywordCheck((value: object) => Object.hasOwn(value, name), `expected ${JSON.stringify(name)}`)
}

function sizeCheck(test: (size: number) => boolean, wanted: string): ZodCheck {
  return createKeywordCheck(
    (value: object) => test(Object.keys(value).length),
    `expected ${wanted} properties`,
  )
}
