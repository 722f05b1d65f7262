/** Visits the page and follows its redirect, as the browser of a user who agrees to everything. Resolves with the text of the last page. */
export async function browserOf(url: URL): Promise<string> {
  const response = await fetch(url)
  return response.text()
}
