import { getOwn, isJsonObject, type JsonObject } from '@troupe/schema'
import type { ExportedTool } from './exported-tool.ts'

const PREFIX = 'mcp-param-'
const MARK = 'x-mcp-header'
const BASE64 = /^=\?base64\?(.*)\?=$/u
/** Matches valid Base64 with padding. */
const WELL_FORMED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

/** Returns true if arguments of the tool are also sent as headers. */
export function hasHeaderArguments({ parameters }: Pick<ExportedTool, 'parameters'>): boolean {
  return headersOf(parameters).length > 0
}

/** Describes the difference between the headers of a request and its arguments; `undefined` if they agree. */
export function headerMismatch(
  { parameters }: Pick<ExportedTool, 'parameters'>,
  { headers, args }: { readonly headers: Headers; readonly args: JsonObject },
): string | undefined {
  for (const { argument, header } of headersOf(parameters)) {
    const given = headers.get(`${PREFIX}${header}`)
    const value = getOwn(args, argument)
    const wanted = value === undefined || value === null ? undefined : asText(value)
    if (given === null && wanted === undefined) continue
    if (given === null) return `Mcp-Param-${header} is missing: the arguments have ${argument}.`
    const said = decode(given)
    if (said === undefined) return `Mcp-Param-${header} is not valid Base64.`
    if (said !== wanted) return `Mcp-Param-${header} is not what the arguments have as ${argument}.`
  }
  return undefined
}

function headersOf({
  properties,
}: JsonObject): readonly { readonly argument: string; readonly header: string }[] {
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([argument, schema]) => {
    const header = isJsonObject(schema) ? schema[MARK] : undefined
    return typeof header === 'string' ? [{ argument, header }] : []
  })
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Decodes a header value, which is plain or wrapped as Base64. Returns `undefined` for invalid Base64. */
function decode(value: string): string | undefined {
  const coded = BASE64.exec(value)?.[1]
  if (coded === undefined) return value
  if (!WELL_FORMED.test(coded)) return undefined
  return new TextDecoder().decode(Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0)))
}
