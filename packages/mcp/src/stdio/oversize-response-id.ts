const RESPONSE_HEAD =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,200}")\s*,\s*)?(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/u
const ID_AT_THE_END =
  /,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/u

/**
 * Returns the id of a JSON-RPC response from its first and last few KiB. `undefined` if it is not a response
 * or the id is in neither part. Never takes an id from inside the result.
 */
export function oversizeResponseId(head: string, tail: string): string | number | undefined {
  const start = RESPONSE_HEAD.exec(head)
  if (start === null) return undefined
  const text = start[1] ?? ID_AT_THE_END.exec(tail)?.[1]
  return text === undefined ? undefined : parseId(text)
}

function parseId(text: string): string | number | undefined {
  try {
    return JSON.parse(text) as string | number
  } catch {
    // an invalid escape in the string, so it is not one of our ids
    return undefined
  }
}
