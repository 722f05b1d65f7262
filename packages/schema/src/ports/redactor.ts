/**
 * Hides known secrets in text. There are two forms: one for events that are shown, and a reversible one for
 * steps that a run is resumed from.
 */
export interface Redactor {
  /** Replaces secrets by `[redacted:NAME]`, in text that is shown, exported or read by a model. */
  redact(text: string): string
  /**
   * Replaces secrets by `{{secret:NAME}}`, in text that is persisted for a resume. `reveal` restores the
   * original text exactly.
   */
  seal(text: string): string
  reveal(text: string): string
  /** Creates a `redact` for text that arrives in pieces. */
  startStream(): StreamRedactor
}

/** Redacts streamed text. Holds back a piece that may be the beginning of a secret. */
export interface StreamRedactor {
  /** Adds a piece. Returns the text that is safe to show now. */
  push(piece: string): string
  /** Ends the text. Returns what was held back. */
  end(): string
}
