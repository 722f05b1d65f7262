import type { Json } from '@troupe/schema'

const WITH_DEFAULT = /\$\{(?<name>[A-Za-z_]\w*):(?!-)(?<fallback>[^}]*)\}/gu

/** Converts `${VAR:default}` to `${VAR:-default}` in all texts of a value. */
export function convertVariables<Value extends Json>(value: Value): Value {
  return convert(value) as Value
}

function convert(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll(WITH_DEFAULT, '${$<name>:-$<fallback>}')
  if (Array.isArray(value)) return (value as readonly Json[]).map(convert)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, convert(member)]))
}
