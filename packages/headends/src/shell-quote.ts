/** A word for a shell, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A `curl` that posts JSON. */
export function postCommand(
  url: string,
  body: unknown,
  { credentials }: { readonly credentials: string },
): string {
  return `curl -s ${credentials}-H 'Content-Type: application/json' -d ${shellQuote(JSON.stringify(body))} ${shellQuote(url)}`
}
