import { isJsonObject, troupeError } from '@troupe/schema'

/** Format of a body: one text, server-sent events, or JSON lines. */
export type BodyFormat = 'whole' | 'events' | 'lines'

/** Far above any real answer: events take some hundred bytes per chunk of text. */
const MAX_BYTES = 67_108_864
const OPENING_BRACE = 0x7b

/**
 * Creates a check to call with each chunk of a body, and with `undefined` at its end. Throws for faults that
 * adapters do not detect.
 */
export function createBodyCheck(form: BodyFormat, provider: string): (piece: Uint8Array | undefined) => void {
  const checkLines = form === 'lines' ? createLineCheck() : undefined
  let bytes = 0
  return (piece) => {
    if (bytes === 0 && form === 'events' && piece?.[0] === OPENING_BRACE) throw notStreamed(provider)
    bytes += piece?.length ?? 0
    if (bytes > MAX_BYTES)
      throw troupeError(
        'model_output_too_long',
        `${provider} was stopped: its answer has more than ${MAX_BYTES} bytes.`,
      )
    checkLines?.(piece)
  }
}

function notStreamed(provider: string): Error {
  return troupeError('model_bad_request', `${provider} returned JSON instead of a stream.`, {
    fix: `Set \`providers.${provider}.stream\` to false.`,
  })
}

/**
 * Creates a check for JSON lines. The adapter skips invalid lines, which would lose part of the answer, and
 * lines with errors.
 */
function createLineCheck(): (piece: Uint8Array | undefined) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (piece) => {
    const lines = (rest + decoder.decode(piece, { stream: piece !== undefined })).split('\n')
    rest = piece === undefined ? '' : (lines.pop() ?? '')
    for (const line of lines) if (line.trim() !== '') checkLine(line)
  }
}

function checkLine(line: string): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw troupeError('model_bad_stream', 'The model sent a line that is not valid JSON.', { cause })
  }
  if (!isJsonObject(value) || value['error'] === undefined) return
  const { error } = value
  throw troupeError(
    'model_overloaded',
    `The model ended its answer with an error: ${typeof error === 'string' ? error : JSON.stringify(error)}`,
  )
}
