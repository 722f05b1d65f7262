import { CARD_FORMATS } from '@troupe/card-formats'

/**
 * Returns true for cards of products that run an agent without missing servers and skills. Such cards often
 * name ones that exist on a single computer.
 */
export function toleratesMissingParts(dialect: string | undefined): boolean {
  const format = CARD_FORMATS.formats.find(({ name }) => name === dialect)
  return format?.toleratesMissingParts === true
}
