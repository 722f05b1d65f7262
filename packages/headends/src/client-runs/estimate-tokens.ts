/** Estimated bytes per token, because the real count depends on the agent's model. */
const BYTES_PER_TOKEN = 4
/** Estimated tokens of an image or file, about what providers charge for an image. */
const FILE_TOKENS = 1500

/** Estimates the number of tokens of a text, and of files that are sent with it. */
export function estimateTokens(text: string, { files = 0 }: { readonly files?: number } = {}): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN) + files * FILE_TOKENS
}
