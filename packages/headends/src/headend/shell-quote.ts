/** Quotes a text as one shell word. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns a `curl` command that posts JSON. */
export function postCommand(
  url: string,
  body: unknown,
  { credentials }: { readonly credentials: string },
): string {
  return `curl -s ${credentials}-H 'Content-Type: application/json' -d ${shellQuote(JSON.stringify(body))} ${shellQuote(url)}`
}
