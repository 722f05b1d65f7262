import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldOutcome } from '@troupe/cards/formats'
import { mappingOf } from '../rules/json-shapes.ts'
import { putServer } from '../rules/server-keys.ts'

/** Returns the servers of `mcp`; the newer form has them under `servers`. */
export function opencodeServers(mcp: Json | undefined): JsonObject {
  const { servers, timeout, ...direct } = mappingOf(mcp)
  const isNested = isJsonObject(servers) && !isServer(servers)
  return {
    ...direct,
    ...(isJsonObject(timeout) && isServer(timeout) ? { timeout } : {}),
    ...(isNested ? servers : servers === undefined ? {} : { servers }),
  }
}

/** Converts the timeouts of a server: a number limits its start, the newer mapping also limits calls. */
function withTimes(server: Json): Json {
  if (!isJsonObject(server)) return server
  const { timeout } = server
  const { startup: start = timeout, request } = mappingOf(timeout)
  return {
    ...server,
    ...(typeof start === 'number' ? { startTimeout: start } : {}),
    ...(typeof request === 'number' ? { toolTimeout: request } : {}),
  }
}

const SERVER_KEYS = ['type', 'command', 'url']

function isServer(value: JsonObject): boolean {
  return SERVER_KEYS.some((key) => Object.hasOwn(value, key))
}

/** Adds the servers that are enabled. */
export function putOpencodeServers(value: Json, field: FieldContext): FieldOutcome {
  const isNested = isJsonObject(mappingOf(value)['servers'])
  for (const [name, server] of Object.entries(opencodeServers(value))) {
    const { enabled, disabled } = mappingOf(server)
    const isDirect = !isNested || Object.hasOwn(mappingOf(value), name)
    const at = [...field.from, ...(isDirect ? [] : ['servers']), name]
    if (enabled === false || disabled === true)
      field.rewriter.note({ key: dottedPath(at), status: 'ignored', reason: 'it is off' })
    else putServer(name, withTimes(server), { field, at })
  }
  return undefined
}
