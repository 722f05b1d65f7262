/** A name as words: `departure_date` and `departureDate` are "Departure date". */
export function fieldLabel(name: string): string {
  const words = name
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .split(/[\s_-]+/u)
    .filter((word) => word !== '')
    .map((word, index) => (index > 0 && !isAcronym(word) ? word.toLowerCase() : word))
  const [first = name, ...rest] = words
  return [first.replace(/^./u, (letter) => letter.toUpperCase()), ...rest].join(' ')
}

function isAcronym(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase()
}
