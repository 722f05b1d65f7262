const STRING = String.raw`"(?:[^"\\]|\\.)*"`
const STRING_OR_COMMENT = new RegExp(String.raw`${STRING}|\/\/[^\n]*|\/\*[\s\S]*?\*\/`, 'gsu')
const STRING_OR_LAST_COMMA = new RegExp(String.raw`${STRING}|,(?=\s*[\]}])`, 'gsu')

/** Replaces comments and trailing commas by blanks, which results in JSON of the same length. */
export function stripJsonComments(text: string): string {
  return text
    .replaceAll(STRING_OR_COMMENT, blankUnlessString)
    .replaceAll(STRING_OR_LAST_COMMA, blankUnlessString)
}

function blankUnlessString(found: string): string {
  return found.startsWith('"') ? found : found.replaceAll(/[^\n]/gu, ' ')
}
