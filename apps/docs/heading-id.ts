/** Returns the id that GitHub gives to a heading, before it adds a number to repeated ones. */
export function headingId(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
