/** A person with a browser who agrees to everything: goes to the page and follows it back. Resolves with what the browser shows then. */
export async function browserOf(url: URL): Promise<string> {
  const response = await fetch(url)
  return response.text()
}
