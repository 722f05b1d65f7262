/** Minimum length of a secret. Shorter values are likely to match by chance. */
const SHORTEST = 8

/**
 * Returns the encodings in which a secret may appear, the plain one first. Empty if the value is too short.
 */
export function secretForms(secret: string): readonly string[] {
  const value = secret.trim()
  if (value.length < SHORTEST) return []
  // the round trip over bytes replaces lone surrogates, on which `encodeURIComponent` would throw
  const encoded = encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'))
  const inJson = JSON.stringify(value).slice(1, -1)
  return [
    ...new Set([
      value,
      inJson,
      JSON.stringify(inJson).slice(1, -1),
      encoded,
      encoded.replaceAll('%20', '+'),
      encoded.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
      new URLSearchParams([['', value]]).toString().slice(1),
      ...htmlForms(value),
      ...base64Forms(value),
      ...hexForms(value),
    ]),
  ]
}

/** Returns the value escaped for HTML and XML, with each common escape of quotes. */
function htmlForms(value: string): readonly string[] {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = escaped.replaceAll('"', '&quot;')
  return [escaped, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))]
}

function hexForms(value: string): readonly string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex')
  return [hex, hex.toUpperCase()]
}

/**
 * Returns the value as base64 and base64url: whole, and at each of the three alignments within longer data.
 */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8')
  const whole = bytes.toString('base64')
  const inside = [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
    // skip characters that share bits with adjacent bytes
    const first = Math.ceil((shift * 8) / 6)
    const last = Math.floor((shifted.length * 8) / 6)
    return shifted.toString('base64').slice(first, last)
  })
  return [whole, whole.replaceAll('=', ''), ...inside].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}
