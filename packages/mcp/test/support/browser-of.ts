/** A person with a browser who agrees to everything: goes to the page and follows it back. */
export function browserOf(url: URL): void {
  void fetch(url).then((response) => response.text())
}
