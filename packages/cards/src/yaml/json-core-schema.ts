import {
  CORE_SCHEMA,
  NOT_RESOLVED,
  defineMappingTag,
  defineScalarTag,
  floatCoreTag,
  mapTag,
  type Schema,
} from 'js-yaml'

/** YAML 1.2 core schema reduced to JSON: `.inf` and `.nan` are text, and `__proto__` is rejected as a key. */
export const JSON_CORE_SCHEMA: Schema = CORE_SCHEMA.withTags(
  defineScalarTag<number>(floatCoreTag.tagName, {
    ...floatCoreTag,
    resolve: (source, isExplicit, tagName) => {
      const value = floatCoreTag.resolve(source, isExplicit, tagName)
      return typeof value === 'number' && Number.isFinite(value) ? value : NOT_RESOLVED
    },
  }),
  defineMappingTag(mapTag.tagName, {
    ...mapTag,
    addPair: (carrier, key, value) =>
      key === '__proto__' ? 'the key `__proto__` is not allowed' : mapTag.addPair(carrier, key, value),
  }),
)
