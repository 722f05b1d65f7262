/** Estimated bytes per token, because the real count depends on the agent's model. */
const BYTES_PER_TOKEN = 4

/** Estimates the number of tokens of a text. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN)
}
