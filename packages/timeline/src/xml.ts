import { plainText } from './plain-text.ts'

/** Attributes of an XML element. Those that are `undefined` are left out. */
export type XmlAttributes = Readonly<Record<string, string | number | undefined>>

/** Returns an XML element on one line. `children` are XML already. */
export function xmlElement(
  name: string,
  attributes: XmlAttributes,
  children: readonly string[] = [],
): string {
  const pairs = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${xmlText(plainText(String(value)))}"`,
  )
  const head = `<${name}${pairs.join('')}`
  return children.length === 0 ? `${head}/>` : `${head}>${children.join('')}</${name}>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for XML. Removes control characters, which XML does not allow even if they are escaped. */
export function xmlText(text: string): string {
  return plainText(text, { lines: true })
    .replaceAll(/[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll(/[&<>"]/gu, (character) => ENTITIES[character] ?? character)
}

/** Formats a duration in ms as JUnit does: in seconds. */
export function xmlSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
