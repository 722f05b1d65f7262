const PRODUCTS: ReadonlySet<string> = new Set(['claude-code', 'opencode', 'copilot', 'gemini'])

/**
 * Returns true for cards of products that run an agent without missing servers and skills. Such cards often
 * name ones that exist on a single computer.
 */
export function toleratesMissingParts(dialect: string | undefined): boolean {
  return dialect !== undefined && PRODUCTS.has(dialect)
}
