/** A message of the page to the frame of a diagram. */
export interface DiagramRequest {
  /** The diagram in Mermaid's language, at most {@link MAX_DIAGRAM} characters. */
  readonly text: string
  readonly isDark: boolean
}

/** A message of the frame of a diagram: `ready` once it can draw, then one of the others for each request. */
export type DiagramReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly width: number; readonly height: number }
  | { readonly kind: 'failed'; readonly message: string }

/** Maximum length of a diagram in characters. Longer ones are shown as code. */
export const MAX_DIAGRAM = 20_000
