const PRODUCTS: ReadonlySet<string> = new Set(['claude-code', 'opencode', 'copilot', 'gemini'])

/** True for cards of products that run an agent without the servers and skills that are not there: many name those of one computer. */
export function runsWithoutParts(dialect: string | undefined): boolean {
  return dialect !== undefined && PRODUCTS.has(dialect)
}
