const RTL =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** Characters that are searched for the first letter. */
const SEARCHED = 1000

/**
 * Returns the direction of the first letter of a text. Lists and tables need it for their markers and columns:
 * `dir="auto"` ignores the text of elements that have a direction of their own.
 */
export function textDirection(text: string): 'ltr' | 'rtl' {
  const letter = /\p{L}/u.exec(text.slice(0, SEARCHED))?.[0]
  return letter !== undefined && RTL.test(letter) ? 'rtl' : 'ltr'
}
